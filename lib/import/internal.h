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
	struct ctx_map places; /* index in v plus one, by name */
};
/* Counts a name and returns its count. */
int64_t ctx_import_names_count(struct import_names *names, struct ctx_span name);
bool ctx_import_names_has(struct import_names *names, struct ctx_span name);
void ctx_import_names_print(const struct import_names *names, struct ctx_buf *out);
void ctx_import_names_release(struct import_names *names);

/* ---- ids of messages ---- */

#define IMPORT_ID_MAX 120 /* bytes; the store takes a few more */

/* Append the record under another id: the given one, shortened to what the store takes, with
 * "#N" behind it for the second and later messages of that id. */
void ctx_import_rename(
    struct ctx_buf *b, struct ctx_span record, struct ctx_span id, int64_t n);

/* ---- sessions without an id ---- A program marks their records with one of two
 * placeholders, in place of an id or before one: the conversation in this value, or in
 * this file. The records are queued until the id is known. */

struct import_own {
	struct ctx_buf records; /* queued records, each with a newline */
	struct ctx_buf text;    /* the text that the id is made from */
	size_t waiting;
	bool spoken; /* a message other than the system's was seen */
	char *id;    /* NULL: not known yet */
};
extern const char *const ctx_import_own_name[2];
/* Returns which of the two placeholders the record's session_id has, or -1. */
int ctx_import_own_of(struct ctx_span record);
/* Queues a record; path: whether the file has a path. Returns true when the id can be
 * made. */
bool ctx_import_own_add(struct import_own *o, struct ctx_span record, bool path);
/* Makes the id. made holds the ids made for this file, so that conversations with equal
 * beginnings get different ones. */
void ctx_import_own_make(struct import_own *o, const char *format, const char *source,
    const char *path, struct import_names *made);
/* Appends the record with the id in place of the placeholder. */
void ctx_import_own_name_record(
    const struct import_own *o, struct ctx_buf *b, struct ctx_span record);
void ctx_import_own_release(struct import_own *o);

/* ---- files beside the one that is read ---- */

/* Append an object for the program's notes "beside NAME PATTERN ...": under each name a list
 * of {path, value} for the files that match the patterns, which are relative to the directory
 * of path. value is the first one of the file that is read, or all as an array. Files beyond
 * max bytes in all are left out. */
void ctx_import_beside(struct ctx_buf *out, struct ctx_span program, const char *path,
    const char *source, struct ctx_span value, size_t max);

/* ---- pieces ---- A message with "join": KEY is a piece of a message that can come in
 * several pieces; its content is a list. Consecutive pieces of one session with the same
 * key become one message with the first piece's id. Messages with "between": true may
 * come between the pieces and are put after the whole message. */

struct import_piece {
	char *session, *key;    /* decoded; key NULL: not a piece */
	struct ctx_buf record;  /* without join and between */
	struct ctx_buf content; /* the elements collected so far */
};
struct import_held {
	/* in order of arrival; the first of each session is the waiting piece */
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
	char *program; /* for its notes */
	struct ctx_jq *jq;
	bool whole; /* the program wants all values of a file at once */
	ctx_import_fn *fn;
	void *arg;

	char *path;           /* of the file; NULL: it has none */
	char *source;         /* its name, without directory and ending */
	int64_t no;           /* of the value in the file */
	struct ctx_buf state; /* what the program told to keep for the next value */
	struct ctx_buf all;   /* the values of a file, as an array */
	struct ctx_buf
	    beside; /* what the files beside it hold; made with its first value */
	struct import_own own[2];
	struct import_names made; /* the ids that were made in this file */
	struct import_held held;
	struct import_names sessions; /* whose records went out */
	struct import_names refused;  /* and those that never did */

	struct import_names ids; /* of the last messages, with their sessions */

	int64_t records, messages;
	struct import_names skipped, lost;
};

#endif
