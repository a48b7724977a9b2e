/* Writes sessions as files of other tools, which can then resume or import them. Pure: no
 * I/O. A file gets the session's texts, images, tool calls and results. Reasoning is left
 * out, because its signatures are valid only with the provider that made it. */
#ifndef CTX_CARRY_CARRY_H
#define CTX_CARRY_CARRY_H

#include "base/buf.h"
#include "base/err.h"
#include "record/record.h"

struct ctx_carry_options {
	/* directory: absolute path of the project to which the file assigns the session;
	 * NULL: the session's own directory, or else fallback */
	const char *directory, *fallback;
	int64_t now; /* ms since the epoch; used for messages without a time */
};

/* The result of ctx_carry_print. Owned by the caller. */
struct ctx_carried {
	/* path of the file, relative to the tool's directory; NULL: the tool can import
	 * the file from any place */
	char *place;
	char *directory; /* directory of the session */
	bool system; /* the system text was left out, as the format has no place for it */
};
void ctx_carried_release(struct ctx_carried *carried);

/* Returns the number of a format, or -1 if the name is unknown. The names are atif,
 * claude-code, codex, gemini-cli, goose, opencode and pi. */
int ctx_carry_find(const char *name);
/* Returns the name of format i, or NULL after the last one. */
const char *ctx_carry_name(int i);

/* Appends the file for a session, from the session record (may be absent) and its
 * messages, in order. Fills in *carried on success. The same session always gives the
 * same ids. Fails with CTX_EANSWER if the session has nothing that the file could
 * contain. */
int ctx_carry_print(int format, struct ctx_span session,
    const struct ctx_record *messages, size_t n, const struct ctx_carry_options *o,
    struct ctx_buf *out, struct ctx_carried *carried, struct ctx_err *err);

/* Where a tool keeps its sessions: the environment variable that names its directory (or
 * NULL), the directory below $HOME to use if the variable is not set ("": $HOME itself;
 * NULL: the tool does not look for files), and the command that imports a file (or
 * NULL). */
struct ctx_carry_home {
	const char *variable, *below_home, *command;
};
struct ctx_carry_home ctx_carry_home(int format);

#endif
