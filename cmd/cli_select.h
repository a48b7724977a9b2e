/* The options that select sessions, shared by ctx-list and all other commands that
 * process lists of sessions. */
#ifndef CTX_CMD_CLI_SELECT_H
#define CTX_CMD_CLI_SELECT_H

#include "cli.h"

extern struct cli_select {
	struct ctx_session_filter filter;
	struct cli_list status;
	const char *idle, *older, *newer, *deleted, *entity, *tokenizer;
	int64_t min_tokens;
	bool all, expired, hold;
} cli_select;

#define CLI_SELECT_OPTIONS                                                               \
	{"user", 'u', "ID", "sessions of this user or shared with this user",            \
	    CLI_STRING, &cli_select.filter.user_id, NULL},                               \
	    {"caller", 0, "ID", "sessions with this caller_id", CLI_STRING,              \
		&cli_select.filter.caller_id, NULL},                                     \
	    {"agent", 0, "NAME", "sessions of this agent", CLI_STRING,                   \
		&cli_select.filter.agent, NULL},                                         \
	    {"status", 0, "STATUS", "active (default), archived or deleted; repeatable", \
		CLI_LIST, &cli_select.status, NULL},                                     \
	    {"all", 'a', NULL, "sessions of any status", CLI_FLAG, &cli_select.all,      \
		NULL},                                                                   \
	    {"idle", 0, "TIME", "sessions without a message for at least this long",     \
		CLI_STRING, &cli_select.idle, NULL},                                     \
	    {"older", 0, "TIME",                                                         \
		"sessions created before this time: a duration ago or RFC 3339",         \
		CLI_STRING, &cli_select.older, NULL},                                    \
	    {"newer", 0, "TIME", "sessions created since this time", CLI_STRING,         \
		&cli_select.newer, NULL},                                                \
	    {"deleted", 0, "TIME", "sessions deleted at least this long ago",            \
		CLI_STRING, &cli_select.deleted, NULL},                                  \
	    {"expired", 0, NULL, "sessions past their time to live", CLI_FLAG,           \
		&cli_select.expired, NULL},                                              \
	    {"hold", 0, NULL, "with --expired or --deleted: include sessions on hold",   \
		CLI_FLAG, &cli_select.hold, NULL},                                       \
	    {"min-tokens", 0, "N", "sessions with at least this many tokens", CLI_INT,   \
		&cli_select.min_tokens, NULL},                                           \
	    {"tokenizer", 0, "NAME",                                                     \
		"count with this tokenizer instead of using stored counts", CLI_STRING,  \
		&cli_select.tokenizer, NULL},                                            \
	{                                                                                \
		"entity", 0, "NAME", "sessions that mention this entity", CLI_STRING,    \
		    &cli_select.entity, NULL                                             \
	}

void cli_select_init(void); /* call before options are parsed */

/* Calls fn with each session that the options select, in order of creation. *s is
 * released after fn returns; to keep what *s owns, fn must copy the struct and call
 * ctx_session_init for *s. Output is flushed whenever more than 64 KiB are buffered. */
int cli_select_each(struct ctx_store *st,
    int (*fn)(struct ctx_session *s, struct ctx_err *err), struct ctx_err *err);

/* Fails with CTX_EUSAGE if options are invalid. Call before the store is opened. */
int cli_select_check(struct ctx_err *err);

#endif
