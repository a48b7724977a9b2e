/* Output for people: what the terminal can show, and the pager. */
#ifndef CTX_CMD_CLI_TERM_H
#define CTX_CMD_CLI_TERM_H

#include "cli.h"
#include "record/short_id.h"
#include "term/term.h"

extern struct cli_term_options {
	const char *color;
	bool no_pager;
} cli_term_options;

#define CLI_TERM_OPTIONS                                                          \
	{"color", 0, "WHEN", "auto (default), always or never", CLI_STRING,       \
	    &cli_term_options.color, NULL},                                       \
	{                                                                         \
		"no-pager", 0, NULL, "print long output to the terminal at once", \
		    CLI_FLAG, &cli_term_options.no_pager, NULL                    \
	}

/* What standard output can show: width and UTF-8 of a terminal, colours by --color, NO_COLOR
 * and TERM. Without a terminal there are neither colours nor a width. CTX_EUSAGE for another
 * --color. */
int cli_term_open(struct ctx_term *term, struct ctx_err *err);

/* Reads all ids of the store, for ctx_short_id. */
int cli_term_short_ids(
    struct ctx_store *st, struct ctx_short_ids *ids, struct ctx_err *err);

/* On a terminal, from the first flush on: everything that is printed goes through the pager
 * of CTX_PAGER or PAGER, else less. */
void cli_term_page(void);

#endif
