/* table RANKFILE TABLE: make the table of a vocabulary. The pattern is that of cl100k_base
 * when the name of the rank file begins with cl100k, else that of o200k_base. */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "tokens/split.h"
#include "tokens/table.h"
#include "tokens/tokens.h"

int
main(int argc, char **argv)
{
	struct ctx_buf text = CTX_BUF_INIT, table = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int rc = -1;

	if (argc != 3) {
		fprintf(stderr, "usage: table RANKFILE TABLE\n");
		return 2;
	}
	if (ctx_io_read_file(argv[1], &text, CTX_TOKENS_RANKS_MAX, &err) == 0 &&
	    ctx_table_build(
		&table, ctx_buf_span(&text), ctx_split_of_path(argv[1]), &err) == 0)
		rc = ctx_io_replace_file(argv[2], table.p, table.n, &err);
	if (rc < 0)
		fprintf(stderr, "table: %s\n", err.msg);
	ctx_buf_release(&text);
	ctx_buf_release(&table);
	return rc < 0;
}
