/* Enrichment: what a model should know besides the conversation, as additions to a
 * window: items, prompt modules, entities, attachments, older history, topic, notes. */
#ifndef CTX_ENRICH_ENRICH_H
#define CTX_ENRICH_ENRICH_H

#include "base/exec.h"
#include "record/record.h"
#include "store/store.h"
#include "tokens/tokens.h"

/* Selects entities: the most relevant ones or, with a type, the most recent ones of that
 * type. */
struct ctx_enrich_entities {
	const char *type; /* NULL: of any */
	int64_t max;
};

struct ctx_enrich_attachment {
	const char *name;
	struct ctx_span text; /* NDJSON with one document per object, or plain text */
};

struct ctx_enrich;

/* Strings are borrowed. */
struct ctx_enrich_options {
	int64_t now;
	const char *mode; /* "auto" or the name of a mode */
	/* of the top_k most similar agent items, add at most top_n … */
	int64_t top_k, top_n;
	double min_score; /* … with at least this similarity, 0…1 */
	const struct ctx_enrich_entities *entities;
	size_t n_entities;
	bool all_entities; /* also list entities without any data */
	const struct ctx_enrich_attachment *attachments;
	size_t n_attachments;
	/* a text; "auto": the session's topic, or a derived one; "none" */
	const char *topic;
	/* a text; "auto": only when entities are listed; "none" */
	const char *instructions;
	int64_t idle_ms; /* add a note after a pause of this length; -1: never */
	const char *resolve, *embed; /* shell commands, or NULL */
	int64_t exec_timeout_ms, resolve_ttl_ms;
	/* returns true if no further window follows; may be NULL */
	bool (*last)(void *arg);
	void *last_arg;
	int64_t cache_ttl_ms; /* 0: no cache */
	/* most tokens of relevant older history; 0: none; -1: all the room that is
	 * left */
	int64_t history_tokens;
	struct ctx_tokenizer *tokenizer; /* that counts them */
	void (*warn)(void *arg, const char *text);
	void *warn_arg;
};

/* An addition. Owned by the enrichment. */
struct ctx_addition {
	enum ctx_slot slot;
	char *source;  /* JSON object */
	char *message; /* JSON object */
	/* true for the part of a cut addition that did not fit; it is never sent */
	bool rest;
};

/* One message of the window to enrich. */
struct ctx_enrich_message {
	struct ctx_span message;
	struct ctx_span metadata;
	int64_t seq;        /* -1 unknown */
	int64_t created_at; /* ms; CTX_TIME_NONE unknown */
	enum ctx_slot slot;
};

/* Creates an enrichment for one or more windows; external commands are started once. With
 * st NULL only what the options bring is added. */
struct ctx_enrich *ctx_enrich_new(
    struct ctx_store *st, const struct ctx_enrich_options *o);
void ctx_enrich_free(struct ctx_enrich *e);

/* The room for volatile additions. */
struct ctx_enrich_room {
	int64_t tokens; /* -1: any */
	bool shared;    /* additions to the prefix use the same room */
	/* The limit as given. The additions of a turn are made for one limit, while the
	 * room shrinks with each step of the turn. */
	int64_t limit;
	struct ctx_span run; /* of the window's request record, or absent */
};

/* Makes the additions of a window; session may be NULL. Volatile additions are made for
 * the room: the list of entities is cut to fit, the rest of it becomes an addition of its
 * own, and older history gets what the others leave. The query is the current turn's user
 * message (the last that begins a turn); *turn is its index, or n if there is none. Its
 * additions are frozen: later steps of the turn get the same ones, and a request that is made
 * again after a failure gets those of the failed request's record. */
int ctx_enrich_window(struct ctx_enrich *e, const struct ctx_session *session,
    const struct ctx_enrich_message *list, size_t n, const struct ctx_enrich_room *room,
    size_t *turn, struct ctx_err *err);

/* Returns how many tokens were available for the additions; in the middle of a turn, how many
 * were at the turn's first step. */
int64_t ctx_enrich_room(const struct ctx_enrich *e);

/* Returns the record of the failed request that the additions were taken from, or an absent
 * span. Valid until the next window. */
struct ctx_span ctx_enrich_failed(const struct ctx_enrich *e);

/* Returns the additions in order: prefix, then volatile. Valid until the next window. */
const struct ctx_addition *ctx_enrich_additions(const struct ctx_enrich *e, size_t *n);

/* What was considered and not added, in words. Valid as long as the additions. */
struct ctx_passed {
	char *what;
	bool crowded; /* true: it did not fit; false: it was not relevant */
};
const struct ctx_passed *ctx_enrich_passed(const struct ctx_enrich *e, size_t *n);

const char *ctx_enrich_mode(const struct ctx_enrich *e);
bool ctx_enrich_cached(
    const struct ctx_enrich *e); /* true if the volatile additions came from a cache */

#endif
