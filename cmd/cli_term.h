/* Output for people: the properties of the terminal, and the pager. */
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

/* Determines the properties of stdout: its width, whether it supports UTF-8, and whether
 * output has colors. Colors depend on --color, NO_COLOR and TERM. If stdout is not a
 * terminal, the width is 0 and, by default, there are no colors. Fails with CTX_EUSAGE if
 * the value of --color is invalid. */
int cli_term_open(struct ctx_term *term, struct ctx_err *err);

/* Reads the ids of all sessions in the store into *ids, for ctx_short_id. */
int cli_term_short_ids(
    struct ctx_store *st, struct ctx_short_ids *ids, struct ctx_err *err);

/* If stdout is a terminal, sends all output through a pager, starting with the first
 * flush. The pager is the program named by CTX_PAGER or PAGER, or else less(1). */
void cli_term_page(void);

#endif
