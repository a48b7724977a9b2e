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
	struct ctx_map places; /* maps each name to its index in v, plus one */
};
/* Increments the count of a name, and returns the new count. */
int64_t ctx_import_names_count(struct import_names *names, struct ctx_span name);
bool ctx_import_names_has(struct import_names *names, struct ctx_span name);
void ctx_import_names_print(const struct import_names *names, struct ctx_buf *out);
void ctx_import_names_release(struct import_names *names);

/* ---- ids of messages ---- */

#define IMPORT_ID_MAX 120 /* bytes; leaves room for a suffix within the store's limit */

/* Appends the record with another id: the given id, shortened to fit the store. n counts
 * the messages with this id; for n > 1, "#N" is appended to the id. */
void ctx_import_rename(
    struct ctx_buf *b, struct ctx_span record, struct ctx_span id, int64_t n);

/* ---- sessions without an id ---- A program marks the records of such a session with one
 * of two placeholders, instead of the id or as a prefix of an id. One stands for the
 * conversation in this value, the other for the conversation in this file. The records
 * are queued until the id is known. */

struct import_own {
	struct ctx_buf records; /* the queued records, each with a newline */
	struct ctx_buf text;    /* the text that the id is derived from */
	size_t waiting;
	bool spoken; /* a message other than a system message was queued */
	char *id;    /* NULL: not known yet */
};
extern const char *const ctx_import_own_name[2];
/* Returns which of the two placeholders is in the record's session_id, or -1 if none
 * is. */
int ctx_import_own_of(struct ctx_span record);
/* Queues a record. path: whether the file has a path. Returns true if enough is known to
 * make the id. */
bool ctx_import_own_add(struct import_own *o, struct ctx_span record, bool path);
/* Makes the id. made counts the ids made for this file, so that conversations with the
 * same beginning get different ids. */
void ctx_import_own_make(struct import_own *o, const char *format, const char *source,
    const char *path, struct import_names *made);
/* Appends the record with the id in place of the placeholder. */
void ctx_import_own_name_record(
    const struct import_own *o, struct ctx_buf *b, struct ctx_span record);
void ctx_import_own_release(struct import_own *o);

/* ---- accompanying files ---- */

/* Appends a JSON object for the program's notes "beside NAME PATTERN ...": for each name,
 * a list of {path, value} for the files that match the patterns, which are relative to
 * the directory of path. The argument value is the first value of the file being
 * imported, or the array of all its values. Files are skipped once their total size
 * exceeds max bytes. */
void ctx_import_beside(struct ctx_buf *out, struct ctx_span program, const char *path,
    const char *source, struct ctx_span value, size_t max);

/* ---- pieces ---- A message with "join": KEY is one piece of a message that may be
 * split; its content is an array. Consecutive pieces of a session with the same key
 * become one message with the id of the first piece. Messages with "between": true may
 * occur between the pieces and are output after the whole message. */

struct import_piece {
	char *session, *key;    /* plain text; key NULL: not a piece */
	struct ctx_buf record;  /* the record without "join" and "between" */
	struct ctx_buf content; /* elements of the content collected so far */
};
struct import_held {
	/* in order of arrival; of each session, the first one is the incomplete
	 * message */
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
	char *program; /* text of the program, for its notes */
	struct ctx_jq *jq;
	bool whole; /* the program reads all values of a file at once */
	ctx_import_fn *fn;
	void *arg;

	char *path;           /* path of the file; NULL if the input is not a file */
	char *source;         /* name of the file, without directory and extension */
	int64_t no;           /* number of the current value in the file */
	struct ctx_buf state; /* state that the program keeps for the next value */
	struct ctx_buf all;   /* all values of the file, as an array */
	/* contents of the accompanying files; read with the first value */
	struct ctx_buf beside;
	struct import_own own[2];
	struct import_names made; /* counts of the ids that were made for this file */
	struct import_held held;
	struct import_names sessions; /* sessions of which a record was output */
	/* sessions that are refused and of which no record was output */
	struct import_names refused;

	struct import_names ids; /* ids of the last messages, with their sessions */

	int64_t records, messages;
	struct import_names skipped, lost;
};

#endif
