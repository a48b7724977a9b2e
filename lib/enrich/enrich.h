/* Enrichment: adds texts, the additions, to a window. The additions tell the model what
 * the conversation in the window does not say. They are items, prompt modules, entities,
 * attachments, older history, the topic and notes. */
#ifndef CTX_ENRICH_ENRICH_H
#define CTX_ENRICH_ENRICH_H

#include "base/exec.h"
#include "record/record.h"
#include "store/store.h"
#include "tokens/tokens.h"

/* Selects at most max entities to add: if type is NULL, the most relevant entities;
 * otherwise the most recent entities of that type. */
struct ctx_enrich_entities {
	const char *type; /* NULL: any type */
	int64_t max;
};

struct ctx_enrich_attachment {
	const char *name;
	struct ctx_span text; /* NDJSON (each object is a document), or plain text */
};

struct ctx_enrich;

/* Options of an enrichment. The strings are borrowed. */
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
	/* text of the topic; "auto": the session's topic, if there is one; "derived": the
	 * session's topic or, if the session has no topic, a topic derived from the
	 * messages; "none": no topic is added */
	const char *topic;
	/* text that tells the model how to use entities; "auto": the built-in text if
	 * entities are listed; "none": add no such text */
	const char *instructions;
	/* length in ms of a pause after which a note about the pause is added; -1:
	 * never */
	int64_t idle_ms;
	const char *resolve, *embed; /* shell commands; may be NULL */
	int64_t exec_timeout_ms, resolve_ttl_ms;
	/* returns true if no other window follows; may be NULL */
	bool (*last)(void *arg);
	void *last_arg;
	int64_t cache_ttl_ms; /* 0: no cache */
	/* maximum number of tokens of older history to add; 0: add no older history; -1:
	 * add as much as fits */
	int64_t history_tokens;
	struct ctx_tokenizer *tokenizer; /* counts the tokens of additions */
	void (*warn)(void *arg, const char *text);
	void *warn_arg;
};

/* One addition; the enrichment owns it. */
struct ctx_addition {
	enum ctx_slot slot;
	char *source;  /* JSON object */
	char *message; /* JSON object */
	/* true: the addition contains the entities that did not fit into the entity list;
	 * it is never sent */
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

/* Creates an enrichment for one or more windows. Each external command is started only
 * once, even for several windows. If st is NULL, only additions from the options are
 * made. */
struct ctx_enrich *ctx_enrich_new(
    struct ctx_store *st, const struct ctx_enrich_options *o);
void ctx_enrich_free(struct ctx_enrich *e);

/* The number of tokens that volatile additions may use. */
struct ctx_enrich_room {
	int64_t tokens; /* -1: no limit */
	/* true: additions to the prefix use these tokens too; false: only volatile
	 * additions use them */
	bool shared;
	/* The limit that the user set, in tokens. It stays the same during a turn, while
	 * the member "tokens" decreases with each step. Cached additions are used again
	 * only for the same limit. */
	int64_t limit;
	struct ctx_span run; /* member "run" of the window's request record, or absent */
};

/* Makes the additions for a window. list: the n messages of the window; session: the
 * session of the window, or NULL. The additions are chosen for the last message that
 * begins a turn (the user message of the current turn). Sets *turn to the index of this
 * message, or to n if there is no such message.
 *
 * Volatile additions must fit into *room. If there are too many entities, the entity list
 * is shortened, and the omitted part becomes a separate addition whose member rest is
 * true. Older history gets the tokens that the other additions leave.
 *
 * The additions of a turn are made only once, if there is a session and a cache: later
 * steps of the turn get the same additions. The retry of a failed request gets the
 * additions in the failed request's record. Returns 0, or -1 on error. */
int ctx_enrich_window(struct ctx_enrich *e, const struct ctx_session *session,
    const struct ctx_enrich_message *list, size_t n, const struct ctx_enrich_room *room,
    size_t *turn, struct ctx_err *err);

/* Returns the number of tokens that were available for the additions. In the middle of a
 * turn, returns the number that was available at the turn's first step. */
int64_t ctx_enrich_room(const struct ctx_enrich *e);

/* If the additions were taken from the record of a failed request, returns that record;
 * otherwise returns an absent span. Valid until the next ctx_enrich_window. */
struct ctx_span ctx_enrich_failed(const struct ctx_enrich *e);

/* Returns the additions: those of the prefix, then the volatile ones. Valid until the
 * next ctx_enrich_window. */
const struct ctx_addition *ctx_enrich_additions(const struct ctx_enrich *e, size_t *n);

/* A candidate for an addition that was not added. what: a description of the candidate.
 * Valid until the next ctx_enrich_window. */
struct ctx_passed {
	char *what;
	/* true: the candidate did not fit; false: the candidate is not relevant */
	bool crowded;
};
const struct ctx_passed *ctx_enrich_passed(const struct ctx_enrich *e, size_t *n);

const char *ctx_enrich_mode(const struct ctx_enrich *e);
/* Returns true if the volatile additions came from the cache. */
bool ctx_enrich_cached(const struct ctx_enrich *e);

#endif
