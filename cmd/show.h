/* Private to ctx-show: functions that its files share. */
#ifndef CTX_CMD_SHOW_H
#define CTX_CMD_SHOW_H

#include "cli.h"
#include "render/transcript.h"
#include "store/export.h"

/* Prints the texts that ctx-enrich added to requests (show_context.c). only: sequence
 * number of the answer whose request is shown; 0: the requests of all answers are shown
 * or, if last is true, only the request of the last answer. */
int show_context(struct ctx_store *store, struct ctx_session *s, int64_t only, bool last,
    struct ctx_err *err);

/* Prints the tool calls of a session with their results or, if last is true, only the
 * last call of each tool (show_tools.c). */
int show_tools(
    struct ctx_store *store, struct ctx_session *s, bool last, struct ctx_err *err);

/* Prints the session's record, messages, requests and events, then waits and prints each
 * new record as soon as it is stored. To print a record, calls fn. Ends when the reader
 * of stdout has gone or the session is deleted (show_follow.c). */
int show_follow(struct ctx_store *store, const char *session_id, ctx_export_fn *fn,
    void *arg, struct ctx_err *err);

/* Checks the options used with a session file format of another tool (carry/carry.h).
 * format: number of the format; -1: the output is not such a file. Fails with CTX_EUSAGE
 * if install is true and no tool reads files of this format from a fixed directory. */
int show_carry_check(int format, bool install, struct ctx_err *err);

/* Prints a session as a session file of another tool (show_carry.c). directory: project
 * directory to write into the file; NULL: the project directory of the session. If
 * install is true, stores the file where the tool looks for it, and prints the path
 * instead of the file. An existing file is not overwritten. */
int show_carry(int format, const struct ctx_transcript *t, const char *directory,
    bool install, struct ctx_err *err);

#endif
