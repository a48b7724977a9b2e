/* Fuzz target for importing: the first byte picks the format. Whatever a file holds, what
 * comes out are records of one line: sessions with an id, and messages that can be stored. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/import.h"
#include "json/json.h"
#include "record/message.h"
#include "record/record.h"

static int
take(void *arg, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_record r;

	(void)arg;
	(void)err;
	MUST(memchr(line.p, '\n', line.n) == NULL);
	MUST(ctx_json_check(line, NULL, NULL, err) == 0);
	/* times and metadata of strange types are the reader's to refuse */
	if (ctx_record_parse(&r, line, err) == 0) {
		MUST(r.kind == CTX_KIND_SESSION || r.kind == CTX_KIND_MESSAGE);
		MUST(r.session_id.p != NULL);
		if (r.kind == CTX_KIND_MESSAGE)
			ctx_message_parse(&m, r.message, err);
	}
	*err = (struct ctx_err)CTX_ERR_INIT;
	ctx_message_release(&m);
	return 0;
}

static struct ctx_import *
open_import(const char *format)
{
	static const char *const none[] = {NULL};
	struct ctx_import_options o = {.format = format, .max_all = 1 << 20};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf program = CTX_BUF_INIT;
	struct ctx_import *im;

	MUST(ctx_import_program(&program, format, none, &err) == 0);
	o.program = ctx_buf_span(&program);
	MUST(ctx_import_open(&im, &o, take, NULL, &err) == 0);
	ctx_buf_release(&program);
	return im;
}

/* libjq keeps its stack by its upper end, which looks like a leak. */
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
	return "leak:jv_mem_realloc\n";
}

#define FORMATS 64
static struct ctx_import *imports[FORMATS]; /* compiling costs most */
static char *names[FORMATS];

static void
close_all(void)
{
	for (size_t i = 0; i < FORMATS; i++) {
		ctx_import_close(imports[i]);
		free(names[i]);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static size_t formats;
	struct ctx_span name, program = CTX_SPAN_NONE;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span value;
	struct ctx_cut *cut;
	size_t which;
	int fd, rc;

	if (formats == 0) {
		atexit(close_all);
		while (formats < FORMATS && ctx_import_format_next(&name, &program))
			names[formats++] = ctx_span_dup(name);
	}
	if (n < 1)
		return 0;
	which = data[0] % formats;
	if (strcmp(names[which], "auto") == 0)
		return 0;
	if (imports[which] == NULL)
		imports[which] = open_import(names[which]);
	fd = memfd_create("fuzz", 0);
	MUST(write(fd, data + 1, n - 1) == (ssize_t)(n - 1) &&
	     lseek(fd, 0, SEEK_SET) == 0);
	cut = ctx_cut_new(fd, "fuzz", 1 << 16);
	ctx_import_begin(imports[which], "fuzz.json");
	while ((rc = ctx_cut_next(cut, &value, &err)) != 0) {
		if (rc > 0 && ctx_import_add(imports[which], value, &err) < 0)
			MUST(err.code == CTX_EINPUT);
		err = (struct ctx_err)CTX_ERR_INIT;
	}
	if (ctx_import_end(imports[which], &err) < 0)
		MUST(err.code == CTX_EINPUT);
	ctx_cut_free(cut);
	close(fd);
	return 0;
}
