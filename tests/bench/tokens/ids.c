/* usage: ids TOKENIZER DIR
 * Converts strings on standard input into token ids. A string is a 32-bit length followed
 * by its bytes. For each string, prints a 32-bit number of ids followed by these ids, which
 * have 32 bits each. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tokens/tokens.h"

int
main(int argc, char **argv)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tokenizer *t;
	char *text = NULL;
	uint32_t n;

	if (argc != 3 || ctx_tokenizer_open(&t, argv[1], argv[2], &err) < 0) {
		fprintf(stderr, "ids: %s\n",
		    argc != 3 ? "usage: ids TOKENIZER DIR" : err.msg);
		return 2;
	}
	while (fread(&n, sizeof(n), 1, stdin) == 1) {
		uint32_t *ids, count32;
		size_t count;
		text = ctx_mem_resize(text, (size_t)n + 1, 1);
		if (fread(text, 1, n, stdin) != n ||
		    ctx_tokens_ids(t, text, n, &ids, &count, &err) < 0) {
			fprintf(stderr, "ids: %s\n", err.msg);
			return 3;
		}
		if ((int64_t)count != ctx_tokens_text(t, text, n)) {
			fprintf(stderr, "ids: count and ids differ\n");
			return 1;
		}
		count32 = (uint32_t)count;
		fwrite(&count32, sizeof(count32), 1, stdout);
		fwrite(ids, sizeof(*ids), count, stdout);
		free(ids);
	}
	free(text);
	ctx_tokenizer_close(t);
	return fflush(stdout) != 0;
}
