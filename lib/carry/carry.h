/* Converts sessions to the session files of other tools, so that those tools can resume
 * or import the sessions. Pure: no I/O. A file contains the session's texts, images,
 * tool calls and tool results. Reasoning is left out, because its signatures are valid
 * only with the provider that created them. */
#ifndef CTX_CARRY_CARRY_H
#define CTX_CARRY_CARRY_H

#include "base/buf.h"
#include "base/err.h"
#include "record/record.h"

struct ctx_carry_options {
	/* Absolute paths of project directories. The file contains one project directory:
	 * the member "directory" (may be NULL), or else the directory stored with the
	 * session, or else the member "fallback". */
	const char *directory, *fallback;
	/* time for messages without a time, in ms since the epoch */
	int64_t now;
};

/* The result of ctx_carry_print. Owned by the caller. */
struct ctx_carried {
	/* path at which the other tool looks for the file, relative to the tool's
	 * directory; NULL: the tool can import the file from anywhere */
	char *place;
	char *directory; /* project directory that is written in the file */
	/* true: the system text was left out, because the format cannot store it */
	bool system;
};
void ctx_carried_release(struct ctx_carried *carried);

/* Returns the number of the format with this name, or -1 if the name is unknown. The
 * names are atif, claude-code, codex, gemini-cli, goose, opencode and pi. */
int ctx_carry_find(const char *name);
/* Returns the name of format number i, or NULL if i is not less than the number of
 * formats. Numbers begin at 0. */
const char *ctx_carry_name(int i);

/* Appends to out the contents of the session file. session: the session record (may be
 * absent); messages: the session's n messages, in order. On success, fills in *carried
 * and returns 0. The file contains new ids, which are always the same for the same
 * session. Returns -1 with CTX_EANSWER if the session has nothing that the file could
 * contain. */
int ctx_carry_print(int format, struct ctx_span session,
    const struct ctx_record *messages, size_t n, const struct ctx_carry_options *o,
    struct ctx_buf *out, struct ctx_carried *carried, struct ctx_err *err);

/* Where another tool keeps its session files. */
struct ctx_carry_home {
	/* name of the environment variable with the path of the tool's directory; NULL:
	 * the tool has no such variable */
	const char *variable;
	/* default path of the tool's directory, relative to $HOME ("": $HOME itself);
	 * NULL: the tool does not look for session files in a directory */
	const char *below_home;
	/* shell command that imports a session file into the tool; NULL: there is no such
	 * command */
	const char *command;
};
struct ctx_carry_home ctx_carry_home(int format);

#endif
