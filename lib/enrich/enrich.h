/* Enrichment: what a model should know besides the conversation, as additions to a
 * window: items, prompt modules, entities, attachments, older history, topic, notes. */
#ifndef CTX_ENRICH_ENRICH_H
#define CTX_ENRICH_ENRICH_H

#include "base/exec.h"
#include "record/record.h"
#include "store/store.h"
#include "tokens/tokens.h"

/* Which entities: the most relevant ones, or of one type the most recent ones. */
struct ctx_enrich_entities {
	const char *type; /* NULL: of any */
	int64_t max;
};

struct ctx_enrich_attachment {
	const char *name;
	struct ctx_span
	    text; /* NDJSON, each object a document of its own, or plain text */
};

struct ctx_enrich;

/* Strings are borrowed. */
struct ctx_enrich_options {
	int64_t now;
	const char *mode;     /* "auto", or the name of a mode */
	int64_t top_k, top_n; /* of the top_k most similar agent items at most top_n … */
	double min_score;     /* … that reach this similarity, 0…1 */
	const struct ctx_enrich_entities *entities;
	size_t n_entities;
	bool all_entities; /* those too of which nothing is known */
	const struct ctx_enrich_attachment *attachments;
	size_t n_attachments;
	const char *topic; /* a text; "auto": the session's or a derived one; "none" */
	const char *instructions; /* a text; "auto": when entities are listed; "none" */
	int64_t idle_ms;          /* note a pause of so long; -1 never */
	const char *resolve, *embed; /* shell commands, or NULL */
	int64_t exec_timeout_ms, resolve_ttl_ms;
	bool (*last)(void *arg); /* will no other window follow? May be NULL */
	void *last_arg;
	int64_t cache_ttl_ms;            /* 0: no cache */
	int64_t history_tokens;          /* of relevant older history, at most; 0: none;
					  * -1: what the room holds */
	struct ctx_tokenizer *tokenizer; /* that counts them */
	void (*warn)(void *arg, const char *text);
	void *warn_arg;
};

/* An addition. Owned by the enrichment. */
struct ctx_addition {
	enum ctx_slot slot;
	char *source;  /* JSON object */
	char *message; /* JSON object */
	bool rest; /* that for which there is no room, of one that was cut: never in */
};

/* One message of the window to enrich. */
struct ctx_enrich_message {
	struct ctx_span message;
	struct ctx_span metadata;
	int64_t seq;        /* -1 unknown */
	int64_t created_at; /* ms; CTX_TIME_NONE unknown */
	enum ctx_slot slot;
};

/* A run over one window or several: commands are started once. st may be NULL: then
 * nothing is known but what the options bring. */
struct ctx_enrich *ctx_enrich_new(
    struct ctx_store *st, const struct ctx_enrich_options *o);
void ctx_enrich_free(struct ctx_enrich *e);

/* What the volatile additions may take. */
struct ctx_enrich_room {
	int64_t tokens; /* -1: any */
	bool shared;    /* additions to the prefix come out of it, too */
	/* The limit that was given for it. The additions of a turn hold for one limit, while
	 * the room shrinks from step to step. */
	int64_t limit;
};

/* Make the additions of a window. session NULL: of none. The volatile ones are made for the
 * room; the entities are cut to what there is for them, the
 * rest an addition of its own, and older history is made to fit what the others leave;
 * nothing else is. The current turn's user message (the last that begins a turn) is the query; *turn is its index or n. What goes with it is
 * frozen: for the rest of the turn it comes again unchanged. */
int ctx_enrich_window(struct ctx_enrich *e, const struct ctx_session *session,
    const struct ctx_enrich_message *list, size_t n, const struct ctx_enrich_room *room,
    size_t *turn, struct ctx_err *err);

/* The tokens that they were made for: in the middle of a turn, those of its first step. */
int64_t ctx_enrich_room(const struct ctx_enrich *e);

/* What was made, in order: prefix, then volatile. Valid until the next window. */
const struct ctx_addition *ctx_enrich_additions(const struct ctx_enrich *e, size_t *n);

/* What was looked at for them and is not among them, in words. As long as they. */
struct ctx_passed {
	char *what;
	bool crowded; /* for want of room, not of relevance */
};
const struct ctx_passed *ctx_enrich_passed(const struct ctx_enrich *e, size_t *n);

const char *ctx_enrich_mode(const struct ctx_enrich *e);
bool ctx_enrich_cached(
    const struct ctx_enrich *e); /* did the volatile ones come from a cache? */

#endif
