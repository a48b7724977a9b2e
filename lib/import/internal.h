/* Shared by the files of this layer only. */
#ifndef CTX_IMPORT_INTERNAL_H
#define CTX_IMPORT_INTERNAL_H

#include "import/import.h"

/* ---- names with counts ---- */

struct import_name {
	char *name;
	size_t n;
	int64_t count;
};
struct import_names {
	struct import_name *v;
	size_t n, cap;
	size_t *slot, mask;
};
/* Count a name once more; returns how often it was. */
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

/* ---- sessions without an id ----
 * A program gives their records one of two names in place of an id (or in front of one):
 * of the conversation in this value, or in this file. They wait until the id is known. */

struct import_own {
	struct ctx_buf records; /* that wait, each with a newline */
	struct ctx_buf text;    /* what the id is made of */
	size_t waiting;
	bool spoken; /* a message came that is not the system's */
	char *id;    /* NULL: not known yet */
};
extern const char *const ctx_import_own_name[2];
/* Which of the two stands in the record's session_id; -1: none. */
int ctx_import_own_of(struct ctx_span record);
/* Let a record wait; path: the file has one. True when the id can be made. */
bool ctx_import_own_add(struct import_own *o, struct ctx_span record, bool path);
/* Make the id; made: those of this file, by which equal beginnings are told apart. */
void ctx_import_own_make(struct import_own *o, const char *format, const char *source,
    const char *path, struct import_names *made);
/* Append the record with the id in place of the name. */
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

/* ---- pieces ----
 * A message with "join": KEY is a piece of one that may come in several; its content is a
 * list. Pieces of one session with one key that follow each other are one message, under
 * the first one's id; messages with "between": true may stand between them, and follow
 * the whole. */

struct import_piece {
	char *session, *key;    /* decoded; key NULL: no piece */
	struct ctx_buf record;  /* without join and between */
	struct ctx_buf content; /* of a piece: the elements so far */
};
struct import_held {
	struct import_piece *v; /* in order of their arrival; each session's first is the
				   * piece that waits */
	size_t n, cap;
	size_t bytes;
};
int ctx_import_held_add(struct import_held *h, struct ctx_span record, ctx_import_fn *fn,
    void *arg, struct ctx_err *err);
int ctx_import_held_flush(
    struct import_held *h, ctx_import_fn *fn, void *arg, struct ctx_err *err);
void ctx_import_held_release(struct import_held *h);

#endif
