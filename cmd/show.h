/* Private to ctx-show: functions that its files share. */
#ifndef CTX_CMD_SHOW_H
#define CTX_CMD_SHOW_H

#include "cli.h"
#include "render/transcript.h"
#include "store/export.h"

/* Prints the texts that ctx-enrich added to requests (additions). If only is not 0, shows
 * just the request of the answer with this sequence number. If only is 0, shows the
 * requests of all answers or, if last is true, just the request of the last answer
 * (show_context.c). */
int show_context(struct ctx_store *store, struct ctx_session *s, int64_t only, bool last,
    struct ctx_err *err);

/* Prints the tool calls of a session with their results or, if last is true, only the
 * last call of each tool (show_tools.c). */
int show_tools(
    struct ctx_store *store, struct ctx_session *s, bool last, struct ctx_err *err);

/* Prints the session's record, messages, requests and events, then waits and prints each
 * new record as soon as it is stored. Calls fn (a ctx_export_fn) once for each record.
 * Ends when the reader of stdout has gone or the session is deleted (show_follow.c). */
int show_follow(struct ctx_store *store, const char *session_id, ctx_export_fn *fn,
    void *arg, struct ctx_err *err);

/* Checks that the options can be used together. format is the number of a session file
 * format of another tool (carry/carry.h), or -1 if the output is not such a file. Fails
 * with CTX_EUSAGE if install is true, but no tool looks for files of this format in a
 * fixed place. */
int show_carry_check(int format, bool install, struct ctx_err *err);

/* Prints a session as a session file of another tool. directory is the working directory
 * to write into the file; NULL: the session's own directory. If install is true, does not
 * print the file but stores it where the tool looks for it, and prints the file's path;
 * an existing file is not overwritten (show_carry.c). */
int show_carry(int format, const struct ctx_transcript *t, const char *directory,
    bool install, struct ctx_err *err);

#endif
