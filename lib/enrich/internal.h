/* Private to lib/enrich. */
#ifndef CTX_ENRICH_INTERNAL_H
#define CTX_ENRICH_INTERNAL_H

#include "recall/embed.h"
#include "enrich/enrich.h"
#include "store/item.h"
#include "entity/resolve.h"
#include "entity/track.h"

/* A possible subject of the conversation: a word or an entity. */
struct enrich_subject {
	char *text; /* owned */
	double salience;
};

/* One entity in the text that the model reads. */
struct enrich_part {
	size_t end; /* end of its text within the text of all entities */
	char *type, *name;
};

struct ctx_enrich {
	struct ctx_store *st;
	struct ctx_enrich_options o;
	struct ctx_tracker *tracker;
	char *tenant; /* of the tracker */
	struct ctx_resolver *resolver;
	struct ctx_embedder *embedder;
	bool embed_failed; /* the embedder failed once and is not called again */
	struct ctx_addition *list;
	size_t n, cap;
	struct ctx_passed *passed;
	size_t n_passed, cap_passed;
	bool cached;
	bool lacking; /* something failed; a later run may find more */

	/* of the current window */
	const struct ctx_session *session; /* NULL: none */
	const struct ctx_enrich_message *messages;
	size_t n_messages, turn;
	int64_t room; /* tokens for volatile additions; -1: no limit */
	int64_t room_limit;
	bool room_shared;
	struct ctx_buf query;
	struct ctx_buf failed; /* record of a request that is made again; empty: none */
	char *mode;
	/* entities that the conversation keeps returning to */
	struct enrich_subject *subjects;
	size_t n_subjects, cap_subjects;
	struct ctx_buf
	    entities; /* text of all selected entities, the most useful first */
	struct enrich_part *parts;
	size_t n_parts, cap_parts;
	struct ctx_definition *defs;
	size_t n_defs;
	struct ctx_session_item *items;
	size_t n_items;
};

void ctx_enrich_warn(struct ctx_enrich *e, const struct ctx_err *err);
/* True if the source is not an item, or is an item that is defined and enabled. */
bool ctx_enrich_is_enabled(const struct ctx_enrich *e, struct ctx_span source);
void ctx_enrich_embed_failed(struct ctx_enrich *e, const struct ctx_err *err);
const char *ctx_enrich_tenant(const struct ctx_enrich *e);

/* Returns the first sequence number from which the window contains every message. -1,
 * or a number after the session's last, if the window has no messages. */
int64_t ctx_enrich_window_seq(const struct ctx_enrich *e);

/* Adds an addition; source and message are JSON and are copied. */
void ctx_enrich_add(struct ctx_enrich *e, enum ctx_slot slot, struct ctx_span source,
    struct ctx_span message);
/* As ctx_enrich_add, with a system message made of text. */
void ctx_enrich_add_system(struct ctx_enrich *e, enum ctx_slot slot,
    struct ctx_span source, struct ctx_span text);

/* Records a candidate that was not added; crowded: it did not fit. */
void ctx_enrich_pass(struct ctx_enrich *e, bool crowded, struct ctx_span what);

/* Removes the addition added last, or moves it to an earlier index. */
void ctx_enrich_drop_last(struct ctx_enrich *e);
void ctx_enrich_move_last(struct ctx_enrich *e, size_t where);

/* Is it what a cached result can be? */
bool ctx_enrich_is_result(struct ctx_span value);

/* A source object: {type, name, server_name, include_mode, similarity_score, reason}.
 * NULL members and a negative score are left out. */
struct enrich_source {
	const char *type, *name, *server_name, *include_mode, *reason;
	double score;
};
void ctx_enrich_put_source(struct ctx_buf *b, const struct enrich_source *s);
/* Adds a system text as an addition. */
void ctx_enrich_add_text(struct ctx_enrich *e, enum ctx_slot slot,
    const struct enrich_source *s, struct ctx_span text);

/* Returns the mode of the window: the option's, or an inferred one. The caller frees it. */
char *ctx_enrich_choose_mode(struct ctx_enrich *e);

int ctx_enrich_add_prompts(struct ctx_enrich *e);
int ctx_enrich_add_session_items(struct ctx_enrich *e);
int ctx_enrich_add_agent_items(struct ctx_enrich *e, struct ctx_err *err);
int ctx_enrich_add_attachments(struct ctx_enrich *e);
/* Returns the most tokens of older history to add. */
int64_t ctx_enrich_history_max(const struct ctx_enrich *e);
/* Adds older history at index where. Call last, because it uses what the other additions
 * leave. */
int ctx_enrich_add_history(struct ctx_enrich *e, size_t where, struct ctx_err *err);
/* Fills in e->entities and their parts. */
int ctx_enrich_find_entities(struct ctx_enrich *e, struct ctx_err *err);
/* Adds the entities that fit after what precedes them, and the rest as an addition of its
 * own, at index where. Call when all but older history is made. */
void ctx_enrich_add_entities(struct ctx_enrich *e, size_t where);
void ctx_enrich_add_topic(struct ctx_enrich *e);

/* Finds the newest failed request for the current message, in the line of the window's
 * request: sets e->failed and e->mode. run: the member "run" of the window's request, or
 * absent. Returns true if there is one; errors are warnings. */
bool ctx_enrich_find_failed(struct ctx_enrich *e, struct ctx_span run);
/* Adds what the failed request held for the current message. */
void ctx_enrich_add_failed(struct ctx_enrich *e);

/* ---- topic and active entities ---- */

#define ENRICH_RECENT_TURNS 10 /* turns that show what the conversation is about now */

/* The weight of a mention that many turns ago; the current turn is 0. */
double ctx_enrich_recency(size_t age);

bool ctx_enrich_starts_turn(const struct ctx_enrich *e, size_t i);

/* How strongly a word or an entity represents the subject of a conversation: the summed
 * recency of the turns that name it, times its rarity, when with of n messages contain
 * it. */
double ctx_enrich_salience(double recent, int64_t n, int64_t with);
void ctx_enrich_add_idle_note(struct ctx_enrich *e);
void ctx_enrich_add_instructions(struct ctx_enrich *e, bool entities);

#endif
