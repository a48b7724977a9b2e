/* Full text over all messages, in the derived file: FTS5 without a copy of the text, kept
 * up to date in steps that never hold up an append. */
#ifndef CTX_STORE_FULLTEXT_H
#define CTX_STORE_FULLTEXT_H

#include "store/derived.h"

/* Take in what was appended since the last time, to the session or, when it is NULL, to
 * any: some thousands of messages a transaction, so that several processes at it take
 * turns. Sessions that are deleted or cleaned up are left as they are. */
int ctx_fulltext_catch_up(
    struct ctx_store *st, const struct ctx_session *only, struct ctx_err *err);

/* The same for n sessions by their numbers. */
int ctx_fulltext_catch_up_with(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err);

/* How often the index was emptied to be made anew. Who catches up and then searches, and finds
 * the number that it read before both, missed nothing. */
int ctx_fulltext_made(struct ctx_store *st, int64_t *n, struct ctx_err *err);

/* Make the index anew. Cleaned-up sessions are taken from their kept texts. */
int ctx_fulltext_rebuild(struct ctx_store *st, struct ctx_err *err);

/* Keep the texts of n sessions, given by their numbers, beside the index: before the messages
 * of archived sessions are cleaned up. Without it a session is found no longer once the index is made anew,
 * and taking it out means to make the index anew. */
int ctx_fulltext_keep(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err);

/* The same from another store, in which the session has the number from_no: from an archive.
 * They are searched once the index is made anew. */
int ctx_fulltext_keep_from(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store *from, int64_t from_no, struct ctx_err *err);

/* Are the texts of all its messages kept? 1, 0, -1. */
int ctx_fulltext_keeps(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Call fn with the bytes that each of its texts is kept as, borrowed for the call. */
int ctx_fulltext_kept_bytes(struct ctx_store *st, const struct ctx_session *s,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err);

/* The same for those of all sessions, each as it is kept and, unless it is
 * damaged, as it reads. */
int ctx_fulltext_kept_all(struct ctx_store *st,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err);

/* One element, for the registry of derived data. Erasing a session needs its bodies in the
 * store, or kept, and a status that keeps others from taking it in again. */
extern const struct ctx_derived_kind ctx_fulltext_kind[];

/* The text of a message that was kept: 1, appended; 0 none; -1. */
int ctx_fulltext_kept(struct ctx_store *st, int64_t session_no, int64_t seq,
    struct ctx_buf *text, int *role, int64_t *created_at, struct ctx_err *err);

/* The texts that are kept of a session, from first_seq on, upwards; they are borrowed for
 * the call. fn returns 0, 1 to stop there, -1 with err set. */
typedef int ctx_fulltext_text_fn(void *arg, int64_t seq, struct ctx_span text,
    int64_t created_at, struct ctx_err *err);
int ctx_fulltext_texts(struct ctx_store *st, const struct ctx_session *s,
    int64_t first_seq, ctx_fulltext_text_fn *fn, void *arg, struct ctx_err *err);

/* The last message of the session whose text is kept; 0: none is. */
int ctx_fulltext_last_kept(
    struct ctx_store *st, const struct ctx_session *s, int64_t *seq, struct ctx_err *err);

/* ---- search ---- */

/* Append the query in FTS5's syntax that finds what a person has typed, whatever that is:
 * words, "phrases", beginnings* of words; all of them or, with any, at least one. Nothing
 * is appended when there is no word in it. */
void ctx_fulltext_query(struct ctx_buf *out, struct ctx_span typed, bool any);

/* Unset members do not restrict. */
struct ctx_fulltext_options {
	const char *query;       /* in FTS5's syntax */
	const int64_t *sessions; /* numbers of sessions; NULL: all that can be seen */
	size_t n_sessions;
	const char *user_id;         /* owner, or one that it is shared with */
	unsigned roles;              /* bits as of ctx_message_roles; 0: all */
	int64_t since, until;        /* ms, [since, until); CTX_TIME_NONE */
	int64_t first_seq, last_seq; /* both included; 0 unset */
	size_t max;                  /* the best so many */
};

struct ctx_fulltext_hit {
	int64_t session_no, seq;
	double score; /* BM25, greater is better */
};

/* The best matches, best first, at equal score the newer. Deleted sessions and those of
 * other tenants are left out, archived ones and hidden messages are not. *hits is owned by
 * the caller. CTX_EUSAGE when the query is not understood. Does not catch up. */
int ctx_fulltext_search(struct ctx_store *st, const struct ctx_fulltext_options *o,
    struct ctx_fulltext_hit **hits, size_t *n, struct ctx_err *err);

/* How many of the sessions that the search would look through (of all that can be seen, or
 * of o->sessions) are in their archives alone and cannot be found, because their texts are
 * not kept. Looks at each archived session, unless somebody did so before and found none. */
int ctx_fulltext_missing(struct ctx_store *st, const struct ctx_fulltext_options *o,
    int64_t *n, struct ctx_err *err);
/* The texts of a session could not be kept: the next search looks again. */
void ctx_fulltext_not_whole(struct ctx_store *st);

/* How many messages of the session match the query, counted no further than max. */
int ctx_fulltext_count(struct ctx_store *st, const struct ctx_session *s,
    const char *query, int64_t max, int64_t *n, struct ctx_err *err);

#endif
