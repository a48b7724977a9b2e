/* Options and functions for full-text search, shared by ctx-search and ctx-grep. */
#ifndef CTX_CMD_CLI_SEARCH_H
#define CTX_CMD_CLI_SEARCH_H

#include "cli.h"
#include "store/fulltext.h"

extern struct cli_search {
	struct ctx_fulltext_options s;
	struct cli_list session, role;
	const char *since, *until;
	int64_t max;
	bool raw, any, stale;
	struct ctx_buf typed; /* the query as the user typed it; released by the caller */
} cli_search;

#define CLI_SEARCH_OPTIONS                                                               \
	{"session", 's', "SID", "search only this session (repeatable)", CLI_LIST,       \
	    &cli_search.session, NULL},                                                  \
	    {"user", 'u', "ID",                                                          \
		"only in sessions of this user or shared with this user", CLI_STRING,    \
		&cli_search.s.user_id, NULL},                                            \
	    {"role", 0, "ROLE", "only messages of this role (repeatable)", CLI_LIST,     \
		&cli_search.role, NULL},                                                 \
	    {"since", 0, "TIME",                                                         \
		"only messages since this time: a duration ago or RFC 3339", CLI_STRING, \
		&cli_search.since, NULL},                                                \
	    {"until", 0, "TIME", "only messages before this time", CLI_STRING,           \
		&cli_search.until, NULL},                                                \
	    {"any", 0, NULL, "find messages with any of the words, not all of them",     \
		CLI_FLAG, &cli_search.any, NULL},                                        \
	    {"fts", 0, NULL, "the query is in SQLite's FTS5 syntax", CLI_FLAG,           \
		&cli_search.raw, NULL},                                                  \
	{                                                                                \
		"no-catch-up", 0, NULL, "do not index new messages before the search",   \
		    CLI_FLAG, &cli_search.stale, NULL                                    \
	}

void cli_search_init(void); /* call before options are parsed */

/* Sets the query in cli_search from the operands, and checks the options. Fails with
 * CTX_EUSAGE if the operands or options are invalid. */
int cli_search_check(int argc, char **argv, struct ctx_err *err);

/* Updates the full-text index and finds the matching messages, best match first. *hits is
 * owned by the caller, even after an error. */
int cli_search_find(
    struct ctx_store *st, struct ctx_fulltext_hit **hits, size_t *n, struct ctx_err *err);

/* Reads the text of a message that a search found. The text is read from the store or, if
 * the session is archived, from the copy that is stored with the full-text index. Appends
 * the text to *text, sets *role and *created_at, and returns 1. Returns 0 if the message
 * no longer exists, -1 on error. */
int cli_search_text(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_buf *text, int *role, int64_t *created_at, struct ctx_err *err);

#endif
