/* Sessions in the files of other tools, for these to resume or import. Pure: no I/O. A
 * session is carried over as its texts, images, calls and results; reasoning stays behind,
 * because its signatures belong to the provider that made it. */
#ifndef CTX_CARRY_CARRY_H
#define CTX_CARRY_CARRY_H

#include "base/buf.h"
#include "base/err.h"
#include "record/record.h"

struct ctx_carry_options {
	/* where the tool is to find the session, an absolute path; NULL: the session's own
	 * directory, or fallback if it has none */
	const char *directory, *fallback;
	int64_t now; /* ms; for messages without a time */
};

/* What became of a session. Owned by the caller. */
struct ctx_carried {
	char *place;     /* the file's path below the tool's directory; NULL: none */
	char *directory; /* the session's */
	bool system;     /* the format had no place for the system text */
};
void ctx_carried_release(struct ctx_carried *carried);

/* Finds a format by name: atif, claude-code, codex, gemini-cli, goose, opencode, pi. -1 if
 * unknown. */
int ctx_carry_find(const char *name);
/* Returns the name of format i, NULL behind the last one. */
const char *ctx_carry_name(int i);

/* Appends the file for a session: its record (absent: none) and its messages, in order.
 * Fills in *carried on success. The same session gives the same ids each time. CTX_EANSWER
 * if there is nothing to carry over. */
int ctx_carry_print(int format, struct ctx_span session,
    const struct ctx_record *messages, size_t n, const struct ctx_carry_options *o,
    struct ctx_buf *out, struct ctx_carried *carried, struct ctx_err *err);

/* Describes where a tool keeps its sessions: the variable that names its directory (or
 * NULL), the directory below $HOME ("": $HOME) if that is not set, and the command that
 * imports a file (or NULL). */
struct ctx_carry_home {
	const char *variable, *below_home, *command;
};
struct ctx_carry_home ctx_carry_home(int format);

#endif
