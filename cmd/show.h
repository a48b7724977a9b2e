/* Inside of ctx-show: what the parts of the program share. */
#ifndef CTX_CMD_SHOW_H
#define CTX_CMD_SHOW_H

#include "cli.h"
#include "render/transcript.h"
#include "store/export.h"

/* Prints what was added to the request of the answer only (0: of each answer; with last, of
 * the last one) (show_context.c). */
int show_context(struct ctx_store *store, struct ctx_session *s, int64_t only, bool last,
    struct ctx_err *err);

/* Prints the calls of a session's messages with their results; with last, of each tool only
 * the last one (show_tools.c). */
int show_tools(
    struct ctx_store *store, struct ctx_session *s, bool last, struct ctx_err *err);

/* Prints the session's record, messages, requests and events, then each that is stored as it
 * comes, each once, with fn (a ctx_export_fn), until the reader of the output has gone or the
 * session is deleted (show_follow.c). */
int show_follow(struct ctx_store *store, const char *session_id, ctx_export_fn *fn,
    void *arg, struct ctx_err *err);

/* Checks --install beside the format (an index of carry/carry.h; -1: another one). */
int show_carry_check(int format, bool install, struct ctx_err *err);

/* Prints a session in the file of another tool, for this directory (NULL: the session's own);
 * or puts the file where the tool looks, never over one that is there, and prints its path
 * (show_carry.c). */
int show_carry(int format, const struct ctx_transcript *t, const char *directory,
    bool install, struct ctx_err *err);

#endif
