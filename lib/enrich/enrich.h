/* Enrichment adds texts, called additions, to a window. They give the model information
 * that is not in the conversation: items, prompt modules, entities, attachments, older
 * history, the topic and notes. Prefix additions are placed before the conversation;
 * volatile additions are placed beside the user message of the current turn. */
#ifndef CTX_ENRICH_ENRICH_H
#define CTX_ENRICH_ENRICH_H

#include "base/exec.h"
#include "record/record.h"
#include "store/store.h"
#include "tokens/tokens.h"

/* Which entities to add: the most relevant entities of any type, or the most recent
 * entities of one type. max: maximum number of these entities. */
struct ctx_enrich_entities {
	const char *type; /* NULL: the most relevant entities of any type */
	int64_t max;
};

struct ctx_enrich_attachment {
	const char *name;
	/* the documents of the attachment: NDJSON with one object for each document, or
	 * plain text */
	struct ctx_span text;
};

struct ctx_enrich;

/* Options for making additions. The strings are borrowed. */
struct ctx_enrich_options {
	int64_t now;
	const char *mode; /* name of a mode, or "auto" */
	/* top_k: only the top_k items of the agent that are most similar to the message
	 * are considered; top_n: maximum number of these items to add */
	int64_t top_k, top_n;
	double min_score; /* minimum similarity, from 0 to 1, of an item that is added */
	const struct ctx_enrich_entities *entities;
	size_t n_entities;
	bool all_entities; /* true: also list entities that have no data */
	const struct ctx_enrich_attachment *attachments;
	size_t n_attachments;
	/* The topic to add. "auto": the topic of the session, if the session has one;
	 * "derived": the same or, if the session has no topic, a topic derived from the
	 * messages; "none": no topic; any other text is the topic itself. */
	const char *topic;
	/* The instructions to the model on the use of entities. "auto": the built-in
	 * text, if entities are listed; "none": no instructions; any other text is the
	 * instructions themselves. */
	const char *instructions;
	/* A note is added about a pause of at least this length in ms; -1: never. */
	int64_t idle_ms;
	const char *resolve, *embed; /* shell commands; may be NULL */
	int64_t exec_timeout_ms, resolve_ttl_ms;
	/* Returns true if no window follows the current one; external commands can then
	 * be ended. May be NULL. */
	bool (*last)(void *arg);
	void *last_arg;
	int64_t cache_ttl_ms; /* 0: no cache */
	/* maximum number of tokens of older history; 0: none is added; -1: as much as
	 * fits (at most 1000 tokens if the additions have no other limit) */
	int64_t history_tokens;
	struct ctx_tokenizer *tokenizer; /* counts the tokens of additions */
	void (*warn)(void *arg, const char *text);
	void *warn_arg;
};

/* An addition to a window; struct ctx_enrich owns its strings. */
struct ctx_addition {
	enum ctx_slot slot;
	char *source;  /* JSON object */
	char *message; /* JSON object */
	/* true: the addition lists the entities that did not fit into the entity list;
	 * this addition is never sent */
	bool rest;
};

/* One message of the window. */
struct ctx_enrich_message {
	struct ctx_span message;
	struct ctx_span metadata;
	int64_t seq;        /* -1: unknown */
	int64_t created_at; /* ms since the epoch; CTX_TIME_NONE: unknown */
	enum ctx_slot slot;
};

/* Creates an object that makes the additions for one or more windows. Each external
 * command is started only once for all windows. st: the store; NULL: the additions come
 * only from the options. */
struct ctx_enrich *ctx_enrich_new(
    struct ctx_store *st, const struct ctx_enrich_options *o);
void ctx_enrich_free(struct ctx_enrich *e);

/* The number of tokens that volatile additions may use. */
struct ctx_enrich_room {
	int64_t tokens; /* -1: no limit */
	/* true: prefix and volatile additions share these tokens; false: only volatile
	 * additions use them */
	bool shared;
	/* The limit that the user set, in tokens. It is the same for all requests of a
	 * turn, while the number of tokens above decreases as the turn gets longer.
	 * Cached additions are reused only if they were made with the same limit. */
	int64_t limit;
	/* the member "run" of the window's request record, which is the position of the
	 * request in its run (a series of requests in which each one continues the
	 * previous one); absent if the record has no such member */
	struct ctx_span run;
};

/* Makes the additions for a window. list: the n messages of the window; session: the
 * session of the window, or NULL. The additions are chosen for the last message that
 * begins a turn (the user message of the current turn). Sets *turn to the index of this
 * message, or to n if there is no such message. Returns 0, or -1 on error.
 *
 * Volatile additions must fit into *room. If there are too many entities, the entity list
 * is shortened, and the omitted entities form a separate addition whose member "rest" is
 * true. Older history gets the tokens that no other addition uses.
 *
 * If there is a session and a cache, the additions of a turn are made only once, for the
 * first request of the turn; the later requests of the tool loop get the same additions.
 * The retry of a failed request gets the additions that are in the record of the failed
 * request. */
int ctx_enrich_window(struct ctx_enrich *e, const struct ctx_session *session,
    const struct ctx_enrich_message *list, size_t n, const struct ctx_enrich_room *room,
    size_t *turn, struct ctx_err *err);

/* Returns the number of tokens that were available for the additions. If the additions
 * were made for an earlier request of the same turn, returns the number at that time. */
int64_t ctx_enrich_room(const struct ctx_enrich *e);

/* If the additions were taken from the record of a failed request, returns that record;
 * otherwise returns an absent span. Valid until the next ctx_enrich_window. */
struct ctx_span ctx_enrich_failed(const struct ctx_enrich *e);

/* Returns the additions: the prefix additions, then the volatile additions. Valid until
 * the next ctx_enrich_window. */
const struct ctx_addition *ctx_enrich_additions(const struct ctx_enrich *e, size_t *n);

/* A candidate that did not become an addition. what: a description of the candidate.
 * Valid until the next ctx_enrich_window. */
struct ctx_passed {
	char *what;
	/* true: the candidate did not fit; false: the candidate is not relevant */
	bool crowded;
};
const struct ctx_passed *ctx_enrich_passed(const struct ctx_enrich *e, size_t *n);

const char *ctx_enrich_mode(const struct ctx_enrich *e);
/* Returns true if the volatile additions were not made anew, but taken from the cache or
 * from the record of a failed request. */
bool ctx_enrich_cached(const struct ctx_enrich *e);

#endif
