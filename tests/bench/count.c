/* usage: count TOKENIZER DIR FILE ROUNDS
 * Counts the tokens of the file's text ROUNDS times. Prints the CPU time of each round in
 * seconds, and finally the number of tokens. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/io.h"
#include "tokens/tokens.h"

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int
main(int argc, char **argv)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tokenizer *t;
	int64_t n = 0;

	if (argc != 5 || ctx_tokenizer_open(&t, argv[1], argv[2], &err) < 0 ||
	    ctx_io_read_file(argv[3], &text, (size_t)1 << 30, &err) < 0) {
		fprintf(stderr, "count: %s\n",
		    argc != 5 ? "usage: count TOKENIZER DIR FILE ROUNDS" : err.msg);
		return 2;
	}
	for (int i = atoi(argv[4]); i > 0; i--) {
		double start = now();
		n = ctx_tokens_text(t, text.p, text.n);
		printf("%.6f\n", now() - start);
	}
	printf("%lld\n", (long long)n);
	ctx_buf_release(&text);
	ctx_tokenizer_close(t);
	return 0;
}
