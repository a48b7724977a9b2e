/* The full-text index of all messages. The index is in the derived file and contains
 * words, but no texts. It is updated in small steps, which never delay an append. For
 * messages that were cleaned up after archiving, the derived file also contains the
 * compressed texts (see ctx_fulltext_keep). */
#ifndef CTX_STORE_FULLTEXT_H
#define CTX_STORE_FULLTEXT_H

#include "store/derived.h"

/* Indexes messages that are not indexed yet. only: the session whose messages are
 * indexed; NULL: all sessions. A transaction covers at most a few thousand messages, so
 * that several processes can take turns. Deleted and cleaned-up sessions are skipped. */
int ctx_fulltext_catch_up(
    struct ctx_store *st, const struct ctx_session *only, struct ctx_err *err);

/* Like ctx_fulltext_catch_up, but for n sessions. sessions: numbers of the sessions. */
int ctx_fulltext_catch_up_with(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err);

/* Sets *n to the number of times that the index was emptied in order to be rebuilt. Get
 * this number before ctx_fulltext_catch_up and after a search: if the number is the same,
 * the search covered the whole index. */
int ctx_fulltext_made(struct ctx_store *st, int64_t *n, struct ctx_err *err);

/* Rebuilds the index. For cleaned-up sessions, indexes the texts that ctx_fulltext_keep
 * stored. */
int ctx_fulltext_rebuild(struct ctx_store *st, struct ctx_err *err);
/* Empties the index. Needed if the index may contain words that no message contains any
 * more. The texts that ctx_fulltext_keep stored remain. The next search fills the index
 * again. */
int ctx_fulltext_forget_words(struct ctx_store *st, struct ctx_err *err);

/* Stores the texts of the messages of n sessions in the derived file. sessions: numbers
 * of the sessions. Call this function before the messages of archived sessions are
 * cleaned up. If a message is not indexed yet, the stored text is indexed later. If a
 * session is cleaned up without this call, searches cannot find it after the index is
 * rebuilt, and its words stay in the index until then. */
int ctx_fulltext_keep(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err);

/* Like ctx_fulltext_keep, but for one session whose messages are in another store. from:
 * the other store, such as an opened archive; from_no: number of the session in that
 * store. */
int ctx_fulltext_keep_from(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store *from, int64_t from_no, struct ctx_err *err);

/* Returns 1 if ctx_fulltext_keep has stored the texts of all messages of the session, 0
 * if not, -1 on error. */
int ctx_fulltext_keeps(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err);

/* Calls fn with each text that ctx_fulltext_keep stored for the session. The text is
 * passed in its compressed form, and is borrowed for the call. */
int ctx_fulltext_kept_bytes(struct ctx_store *st, const struct ctx_session *s,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err);

/* Calls fn twice with each text that ctx_fulltext_keep stored for any session: first with
 * the compressed bytes, then with the decompressed text. The second call is left out if
 * the text is damaged. */
int ctx_fulltext_kept_all(struct ctx_store *st,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err);

/* The full-text index as a kind of derived data (an array of one element). Its function
 * erase_all needs the texts of the sessions: the messages must still be in the store, or
 * ctx_fulltext_keep must have stored their texts. The sessions must have a status that
 * prevents other processes from indexing them again. */
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

/* Finds the last message of the session for which ctx_fulltext_keep stored a text. Sets
 * *seq to the message's sequence number, or to 0 if no text is stored for the session. */
int ctx_fulltext_last_kept(
    struct ctx_store *st, int64_t session_no, int64_t *seq, struct ctx_err *err);

/* ---- search ---- */

/* Converts a text that a person typed into an FTS5 query, and appends the query. The text
 * consists of words, "phrases" and prefixes (word*). If the argument "any" is false, a
 * message must match all of them; if it is true, at least one of them. Appends nothing if
 * the text has no words. */
void ctx_fulltext_query(struct ctx_buf *out, struct ctx_span typed, bool any);

/* Conditions of a search. Members that are not set do not restrict the search. */
struct ctx_fulltext_options {
	const char *query; /* the query in FTS5's syntax */
	/* numbers of the sessions to search; NULL: all sessions of the tenant */
	const int64_t *sessions;
	size_t n_sessions;
	/* search only sessions that this user owns or that are shared with this user */
	const char *user_id;
	/* search only messages with one of these roles, given as bits as in
	 * ctx_message_roles; 0: search messages with any role */
	unsigned roles;
	/* search only messages created in this period: at or after "since", and before
	 * "until", in ms since the epoch; CTX_TIME_NONE: no bound */
	int64_t since, until;
	/* search only messages with sequence numbers from first_seq to last_seq, both
	 * included; 0: no bound. May be set only if the member "sessions" is set. */
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

/* Counts the sessions that a search cannot find: their messages are only in archives, and
 * ctx_fulltext_keep did not store their texts. Counts only sessions in o->sessions; if
 * o->sessions is NULL, counts all such sessions of the tenant. Examines all archived
 * sessions, or none if an earlier call has found that searches can find all sessions. */
int ctx_fulltext_missing(struct ctx_store *st, const struct ctx_fulltext_options *o,
    int64_t *n, struct ctx_err *err);
/* Call this if ctx_fulltext_keep failed for a session, so that the next
 * ctx_fulltext_missing examines all archived sessions again. */
void ctx_fulltext_not_whole(struct ctx_store *st);

/* Counts the messages of the session that match the query, and stores the number in *n.
 * Stops counting when the number reaches max. Returns 0 or -1. */
int ctx_fulltext_count(struct ctx_store *st, const struct ctx_session *s,
    const char *query, int64_t max, int64_t *n, struct ctx_err *err);

#endif
