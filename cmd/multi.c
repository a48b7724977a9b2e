/* All commands in one program: the name by which it is started selects the command. The
 * commands share most of the library, so one program is a tenth of the size of many. */
#include <stddef.h>
#include <string.h>

/* COMMAND(ctx_append, "ctx-append") … */
#define COMMAND(symbol, name) int symbol##_main(int argc, char **argv);
#include "multi.inc"
#undef COMMAND

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
#define COMMAND(symbol, name) {name, symbol##_main},
#include "multi.inc"
#undef COMMAND
};

int
main(int argc, char **argv)
{
	const char *name = argc > 0 ? argv[0] : "ctx", *slash = strrchr(name, '/');

	if (slash != NULL)
		name = slash + 1;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].main(argc, argv);
	return ctx_main(argc, argv);
}
