/* Full-text index over all messages, in the derived file: FTS5 without a copy of the
 * text, updated in small steps that never delay an append. */
#ifndef CTX_STORE_FULLTEXT_H
#define CTX_STORE_FULLTEXT_H

#include "store/derived.h"

/* Indexes the messages appended since the last call, of one session or, if only is NULL,
 * of all. Each transaction takes some thousands of messages, so that several processes
 * can take turns. Deleted and cleaned-up sessions are skipped. */
int ctx_fulltext_catch_up(
    struct ctx_store *st, const struct ctx_session *only, struct ctx_err *err);

/* As ctx_fulltext_catch_up, for n sessions given by their numbers. */
int ctx_fulltext_catch_up_with(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err);

/* Reads how often the index was emptied to be rebuilt. A caller that reads the same
 * number before catching up and after searching knows that the search was complete. */
int ctx_fulltext_made(struct ctx_store *st, int64_t *n, struct ctx_err *err);

/* Rebuilds the index. Cleaned-up sessions are indexed from their kept texts. */
int ctx_fulltext_rebuild(struct ctx_store *st, struct ctx_err *err);
/* Empties the index but for kept texts, where words may be left in it that no message has any
 * more; the next search fills it again. */
int ctx_fulltext_forget_words(struct ctx_store *st, struct ctx_err *err);

/* Stores the texts of n sessions, given by their numbers, beside the index, which takes in
 * from there what it lacks when it catches up. Call it before the messages of archived
 * sessions are cleaned up: without kept texts a session
 * is lost to search when the index is rebuilt, and can only be removed from the index by
 * a rebuild. */
int ctx_fulltext_keep(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err);

/* As ctx_fulltext_keep, but reads the texts from another store (an opened archive),
 * where the session has the number from_no. */
int ctx_fulltext_keep_from(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store *from, int64_t from_no, struct ctx_err *err);

/* Returns 1 if the texts of all its messages are kept, 0 if not, -1 on error. */
int ctx_fulltext_keeps(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Calls fn with the stored bytes of each kept text of the session, borrowed for the call. */
int ctx_fulltext_kept_bytes(struct ctx_store *st, const struct ctx_session *s,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err);

/* As ctx_fulltext_kept_bytes for all sessions; fn gets each text as stored and, unless it
 * is damaged, decoded. */
int ctx_fulltext_kept_all(struct ctx_store *st,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err);

/* The entry for the list of derived data kinds (one element). Erasing a session needs its
 * messages in the store, or their kept texts, and a status that stops others from
 * indexing it again. */
extern const struct ctx_derived_kind ctx_fulltext_kind[];

/* Reads the kept text of a message. Returns 1 with the text appended, 0 if it is not
 * kept, -1 on error. */
int ctx_fulltext_kept(struct ctx_store *st, int64_t session_no, int64_t seq,
    struct ctx_buf *text, int *role, int64_t *created_at, struct ctx_err *err);

/* Calls fn for the kept texts of a session, ascending from first_seq; they are borrowed
 * for the call. fn returns 0, 1 to stop, or -1 with err set. */
typedef int ctx_fulltext_text_fn(void *arg, int64_t seq, struct ctx_span text,
    int64_t created_at, struct ctx_err *err);
int ctx_fulltext_texts(struct ctx_store *st, const struct ctx_session *s,
    int64_t first_seq, ctx_fulltext_text_fn *fn, void *arg, struct ctx_err *err);

/* Finds the last message of the session whose text is kept; *seq is 0 if none is. */
int ctx_fulltext_last_kept(
    struct ctx_store *st, const struct ctx_session *s, int64_t *seq, struct ctx_err *err);

/* ---- search ---- */

/* Appends an FTS5 query for text typed by a person: words, "phrases", prefixes (word*).
 * All of them must match, or with any at least one. Appends nothing when the text has no
 * words. */
void ctx_fulltext_query(struct ctx_buf *out, struct ctx_span typed, bool any);

/* Members that are not set do not restrict the search. */
struct ctx_fulltext_options {
	const char *query;       /* in FTS5's syntax */
	const int64_t *sessions; /* numbers of sessions; NULL: all that are visible */
	size_t n_sessions;
	/* the owner, or a user that the session is shared with */
	const char *user_id;
	unsigned roles;              /* bits as in ctx_message_roles; 0: all */
	int64_t since, until;        /* ms, [since, until); CTX_TIME_NONE: open */
	int64_t first_seq, last_seq; /* both included; 0 unset */
	size_t max;                  /* the best so many */
};

struct ctx_fulltext_hit {
	int64_t session_no, seq;
	double score;  /* BM25, greater is better */
	int64_t order; /* of its session (ctx_store_session_order) */
};

/* Finds the best matches, best first, newer first at equal score. Deleted sessions and
 * those of other tenants are excluded; archived sessions and hidden messages are
 * included. The caller frees *hits. CTX_EUSAGE when the query is invalid. Does not update
 * the index. */
int ctx_fulltext_search(struct ctx_store *st, const struct ctx_fulltext_options *o,
    struct ctx_fulltext_hit **hits, size_t *n, struct ctx_err *err);

/* Counts the sessions that the search covers (o->sessions, or all visible ones) but
 * cannot find, because they are only in their archives and their texts are not kept.
 * Looks at each archived session, unless an earlier call found none. */
int ctx_fulltext_missing(struct ctx_store *st, const struct ctx_fulltext_options *o,
    int64_t *n, struct ctx_err *err);
/* Records that the texts of a session could not be kept, so that the next
 * ctx_fulltext_missing looks again. */
void ctx_fulltext_not_whole(struct ctx_store *st);

/* Counts the messages of the session that match the query, up to max. */
int ctx_fulltext_count(struct ctx_store *st, const struct ctx_session *s,
    const char *query, int64_t max, int64_t *n, struct ctx_err *err);

#endif
