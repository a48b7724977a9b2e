/* Private to ctx-show: functions that its files share. */
#ifndef CTX_CMD_SHOW_H
#define CTX_CMD_SHOW_H

#include "cli.h"
#include "render/transcript.h"
#include "store/export.h"

/* Prints the additions to the request of the answer with sequence number only; 0 means of
 * every answer, or, with last, of the last answer (show_context.c). */
int show_context(struct ctx_store *store, struct ctx_session *s, int64_t only, bool last,
    struct ctx_err *err);

/* Prints the tool calls of a session with their results; with last, only the last call of
 * each tool (show_tools.c). */
int show_tools(
    struct ctx_store *store, struct ctx_session *s, bool last, struct ctx_err *err);

/* Prints the session's record, messages, requests and events, then each new one as soon
 * as it is stored. Calls fn (a ctx_export_fn) once for each. Ends when the reader of
 * stdout has gone or the session is deleted (show_follow.c). */
int show_follow(struct ctx_store *store, const char *session_id, ctx_export_fn *fn,
    void *arg, struct ctx_err *err);

/* Checks that --install can be used with the format (a number as in carry/carry.h; -1:
 * not such a format). */
int show_carry_check(int format, bool install, struct ctx_err *err);

/* Prints a session as a file of another tool, for this directory (NULL: the session's
 * own). With install, writes the file where the tool looks for it, without overwriting an
 * existing file, and prints its path (show_carry.c). */
int show_carry(int format, const struct ctx_transcript *t, const char *directory,
    bool install, struct ctx_err *err);

#endif
