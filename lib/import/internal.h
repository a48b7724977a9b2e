/* Private to lib/import. */
#ifndef CTX_IMPORT_INTERNAL_H
#define CTX_IMPORT_INTERNAL_H

#include "base/map.h"
#include "import/import.h"
#include "json/jq.h"

/* ---- names with counts ---- */

struct import_name {
	char *name;
	size_t n;
	int64_t count;
};
struct import_names {
	struct import_name *v;
	size_t n, cap;
	struct ctx_map places; /* maps each name to its index in v plus 1 */
};
/* Increments the count of a name, and returns the new count. */
int64_t ctx_import_names_count(struct import_names *names, struct ctx_span name);
bool ctx_import_names_has(struct import_names *names, struct ctx_span name);
void ctx_import_names_print(const struct import_names *names, struct ctx_buf *out);
void ctx_import_names_release(struct import_names *names);

/* ---- ids of messages ---- */

/* maximum length of an id in bytes; shorter than the store's limit, so that a suffix
 * fits */
#define IMPORT_ID_MAX 120

/* Appends the record with a new id in place of the record's own id. A long id is
 * shortened, so that the store accepts the record. n: the number of messages with this id
 * so far, including this message; if n is greater than 1, "#" and n are appended to the
 * id. */
void ctx_import_rename(
    struct ctx_buf *b, struct ctx_span record, struct ctx_span id, int64_t n);

/* ---- sessions without an id ----
 *
 * A source may not have an id for a session. The jq program of the format then writes
 * one of two placeholders in place of the id: the first placeholder stands for the
 * conversation in the current value, the second one for the conversation in the current
 * file. (An id may also consist of a placeholder and further text.) The records of the
 * session are queued until an id has been derived from its first messages. */

struct import_own {
	struct ctx_buf records; /* the queued records, each with a newline */
	struct ctx_buf text;    /* the messages from which the id will be derived */
	size_t waiting;         /* number of queued records */
	bool spoken; /* true: a message other than a system message was queued */
	char *id;    /* NULL: not known yet */
};
extern const char *const ctx_import_own_name[2];
/* If the record's "session_id" begins with a placeholder, returns the index of the
 * placeholder in ctx_import_own_name; otherwise returns -1. */
int ctx_import_own_of(struct ctx_span record);
/* Queues a record. path: whether the input is a file with a known path. Returns true if
 * the queued records are enough to derive an id for the session. */
bool ctx_import_own_add(struct import_own *o, struct ctx_span record, bool path);
/* Derives an id for the session and stores this id in o->id. made: counts how often each
 * id was derived for this file, so that conversations with the same beginning get
 * different ids. */
void ctx_import_own_make(struct import_own *o, const char *format, const char *source,
    const char *path, struct import_names *made);
/* Appends the record with the session's id in place of the placeholder. */
void ctx_import_own_name_record(
    const struct import_own *o, struct ctx_buf *b, struct ctx_span record);
void ctx_import_own_release(struct import_own *o);

/* ---- accompanying files ---- */

/* Reads the files that belong to an imported file, such as the parts of a session that a
 * tool stores separately. The jq program of the format names these files in notes:
 * "beside NAME PATTERN ...". Appends a JSON object with a member for each NAME: an array
 * of objects {path, value}, one for each file that matches a PATTERN.
 *
 * path: path of the imported file; patterns are relative to the directory of this file;
 * source: name of the imported file without directory and extension; value: first value
 * of the imported file, or the array of all its values; max: maximum total length in
 * bytes of the files. A file that would exceed this maximum is left out. */
void ctx_import_beside(struct ctx_buf *out, struct ctx_span program, const char *path,
    const char *source, struct ctx_span value, size_t max);

/* ---- pieces ----
 *
 * Some sources store a message in several pieces. The jq program gives each piece, a
 * message record, a member "join" with a key. The content of a piece is an array.
 * Consecutive pieces of a session with the same key are joined into one message, which
 * has the id of the first piece. A message with "between": true does not separate the
 * pieces before it from the pieces after it; it is output after the joined message. */

struct import_piece {
	/* session: the session id; key: the value of "join", or NULL if the message has
	 * no member "join". Both are decoded. */
	char *session, *key;
	struct ctx_buf record; /* the record without "join" and "between" */
	/* content of a message with several pieces: the elements of all pieces so far */
	struct ctx_buf content;
};
struct import_held {
	/* The queued messages, in the order of the input. The first queued message of
	 * each session waits for further pieces. */
	struct import_piece *v;
	size_t n, cap;
	size_t bytes;
};
int ctx_import_held_add(struct import_held *h, struct ctx_span record, ctx_import_fn *fn,
    void *arg, struct ctx_err *err);
int ctx_import_held_flush(
    struct import_held *h, ctx_import_fn *fn, void *arg, struct ctx_err *err);
void ctx_import_held_release(struct import_held *h);

/* ---- an importer ---- */

struct ctx_import {
	struct ctx_import_options o;
	char *format, *session;
	/* source text of the format's jq program, which also contains the notes */
	char *program;
	struct ctx_jq *jq;
	bool whole; /* true: the program gets all values of a file at once */
	ctx_import_fn *fn;
	void *arg;

	/* path of the current file; NULL if the input is not a file */
	char *path;
	/* name of the current file, without directory and extension */
	char *source;
	int64_t no;           /* number of values of the current file so far */
	struct ctx_buf state; /* what the jq program stored for later values, as JSON */
	struct ctx_buf all;   /* all values of the current file, as an array */
	/* contents of the files that belong to the current file (see
	 * ctx_import_beside) */
	struct ctx_buf beside;
	struct import_own own[2];
	/* ids created for sessions of the current file, with their counts */
	struct import_names made;
	struct import_held held;
	/* ids of sessions whose session record was output */
	struct import_names sessions;
	/* ids of sessions with an invalid session record */
	struct import_names refused;

	/* ids of recent messages, with their session ids, to find messages that the
	 * source repeats */
	struct import_names ids;

	int64_t records, messages;
	struct import_names skipped, lost;
};

#endif
