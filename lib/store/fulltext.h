/* The full-text index of all messages. The index is in the derived file and holds words,
 * but no texts. It is updated in small steps, which never delay an append. The derived
 * file also stores, compressed, the texts of messages that were cleaned up after
 * archiving ("kept texts"). */
#ifndef CTX_STORE_FULLTEXT_H
#define CTX_STORE_FULLTEXT_H

#include "store/derived.h"

/* Indexes messages that are not indexed yet: the messages of the session *only or, if
 * only is NULL, the messages of all sessions. A transaction covers at most a few thousand
 * messages, so that several processes can take turns. Deleted and cleaned-up sessions are
 * skipped. */
int ctx_fulltext_catch_up(
    struct ctx_store *st, const struct ctx_session *only, struct ctx_err *err);

/* Like ctx_fulltext_catch_up, but for n sessions; sessions has the sessions' numbers. */
int ctx_fulltext_catch_up_with(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err);

/* Sets *n to the number of times that the index was emptied in order to be rebuilt. If
 * this number is the same before ctx_fulltext_catch_up and after a search, the search
 * covered the whole index. */
int ctx_fulltext_made(struct ctx_store *st, int64_t *n, struct ctx_err *err);

/* Rebuilds the index. For cleaned-up sessions, indexes the texts that ctx_fulltext_keep
 * stored. */
int ctx_fulltext_rebuild(struct ctx_store *st, struct ctx_err *err);
/* Empties the index. Needed if the index may contain words that no message contains any
 * more. The texts that ctx_fulltext_keep stored remain. The next search fills the index
 * again. */
int ctx_fulltext_forget_words(struct ctx_store *st, struct ctx_err *err);

/* Stores the texts of the messages of n sessions in the derived file (kept texts);
 * sessions has the sessions' numbers. Call this function before the messages of archived
 * sessions are cleaned up. If a message is not indexed yet, its kept text is indexed
 * later. If a cleaned-up session has no kept texts, searches cannot find it after the
 * index is rebuilt, and only a rebuild can remove it from the index. */
int ctx_fulltext_keep(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err);

/* Like ctx_fulltext_keep, but for one session, whose messages are read from another store
 * (an opened archive); there, the session has the number from_no. */
int ctx_fulltext_keep_from(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store *from, int64_t from_no, struct ctx_err *err);

/* Returns 1 if ctx_fulltext_keep has stored the texts of all messages of the session, 0
 * if not, -1 on error. */
int ctx_fulltext_keeps(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Calls fn with each text that ctx_fulltext_keep stored for the session, in its
 * compressed form, borrowed for the call. */
int ctx_fulltext_kept_bytes(struct ctx_store *st, const struct ctx_session *s,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err);

/* Like ctx_fulltext_kept_bytes, but for all sessions. fn is called with each text in its
 * compressed form and then, unless the text is damaged, with the decompressed text. */
int ctx_fulltext_kept_all(struct ctx_store *st,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err);

/* The full-text index as a kind of derived data (an array of one element). Its function
 * erase_all works only while the messages of the sessions are in the store, or if
 * ctx_fulltext_keep has stored their texts. The sessions must have a status that prevents
 * other processes from indexing them again. */
extern const struct ctx_derived_kind ctx_fulltext_kind[];

/* Reads the text that ctx_fulltext_keep stored for a message. If there is such a text,
 * appends it to *text, sets *role (enum ctx_role) and *created_at (ms), and returns 1.
 * Otherwise returns 0, or -1 on error. */
int ctx_fulltext_kept(struct ctx_store *st, int64_t session_no, int64_t seq,
    struct ctx_buf *text, int *role, int64_t *created_at, struct ctx_err *err);

typedef int ctx_fulltext_text_fn(void *arg, int64_t seq, struct ctx_span text,
    int64_t created_at, struct ctx_err *err);
/* Calls fn with each text that ctx_fulltext_keep stored for the session, in ascending
 * order of the messages, starting with message first_seq. The text is borrowed for the
 * call. fn returns 0 to continue, 1 to stop, -1 with err set on error. */
int ctx_fulltext_texts(struct ctx_store *st, const struct ctx_session *s,
    int64_t first_seq, ctx_fulltext_text_fn *fn, void *arg, struct ctx_err *err);

/* Finds the last message of the session for which ctx_fulltext_keep stored a text, and
 * sets *seq to its sequence number; 0: no text is stored. */
int ctx_fulltext_last_kept(
    struct ctx_store *st, int64_t session_no, int64_t *seq, struct ctx_err *err);

/* ---- search ---- */

/* Converts a text that a person typed into an FTS5 query, and appends the query. The text
 * consists of words, "phrases" and prefixes (word*). The query matches a message if all
 * of these match or, if any is true, if at least one of them matches. Appends nothing if
 * the text has no words. */
void ctx_fulltext_query(struct ctx_buf *out, struct ctx_span typed, bool any);

/* Conditions of a search. Members that are not set do not restrict the search. */
struct ctx_fulltext_options {
	const char *query; /* the query in FTS5's syntax */
	/* numbers of the sessions to search; NULL: all sessions of the tenant */
	const int64_t *sessions;
	size_t n_sessions;
	/* only sessions that this user owns or that are shared with this user */
	const char *user_id;
	/* only messages with one of these roles, given as bits as in ctx_message_roles;
	 * 0: messages with any role */
	unsigned roles;
	/* only messages created at or after since, and before until, in ms since the
	 * epoch; CTX_TIME_NONE: no bound */
	int64_t since, until;
	/* only messages with sequence numbers from first_seq to last_seq, both included;
	 * 0: no bound; may be set only if sessions is set */
	int64_t first_seq, last_seq;
	size_t max; /* maximum number of hits */
};

struct ctx_fulltext_hit {
	int64_t session_no, seq;
	double score;  /* BM25 score of the match; a greater score is better */
	int64_t order; /* sort key of the session (ctx_store_session_order) */
};

/* Finds the best matches. The best match comes first; if scores are equal, the newer
 * match comes first. Archived sessions and hidden messages are searched; deleted sessions
 * and sessions of other tenants are not. Does not update the index. The caller frees
 * *hits. Fails with CTX_EUSAGE if the query is invalid. */
int ctx_fulltext_search(struct ctx_store *st, const struct ctx_fulltext_options *o,
    struct ctx_fulltext_hit **hits, size_t *n, struct ctx_err *err);

/* Counts the sessions (of o->sessions, or all sessions of the tenant) that a search
 * cannot find, because their messages are only in archives and their texts were not
 * stored (ctx_fulltext_keep). Examines all archived sessions, unless an earlier call
 * found that no session is missing. */
int ctx_fulltext_missing(struct ctx_store *st, const struct ctx_fulltext_options *o,
    int64_t *n, struct ctx_err *err);
/* Records that ctx_fulltext_keep failed for a session, so that the next
 * ctx_fulltext_missing examines the sessions again. */
void ctx_fulltext_not_whole(struct ctx_store *st);

/* Counts the messages of the session that match the query, and stores the number in *n.
 * Counting stops at max. Returns 0 or -1. */
int ctx_fulltext_count(struct ctx_store *st, const struct ctx_session *s,
    const char *query, int64_t max, int64_t *n, struct ctx_err *err);

#endif
