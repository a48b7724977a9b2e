/* Private to lib/enrich. */
#ifndef CTX_ENRICH_INTERNAL_H
#define CTX_ENRICH_INTERNAL_H

#include "recall/embed.h"
#include "enrich/enrich.h"
#include "store/item.h"
#include "entity/resolve.h"
#include "entity/track.h"

/* A word or an entity that may be the subject of the conversation. */
struct enrich_subject {
	char *text; /* owned */
	double salience;
};

/* One entity in the text of the entity list (ctx_enrich.entities). */
struct enrich_part {
	/* byte offset in the text of the entity list at which the entity's description
	 * ends */
	size_t end;
	char *type, *name;
};

struct ctx_enrich {
	struct ctx_store *st;
	struct ctx_enrich_options o;
	struct ctx_tracker *tracker;
	char *tenant; /* tenant for which the tracker above was opened */
	struct ctx_resolver *resolver;
	struct ctx_embedder *embedder;
	bool embed_failed; /* true: the embedder failed and is not called again */
	struct ctx_addition *list;
	size_t n, cap;
	struct ctx_passed *passed;
	size_t n_passed, cap_passed;
	bool cached;
	/* true: an error made the additions incomplete, so they are not cached */
	bool lacking;

	/* the current window: */
	const struct ctx_session *session; /* NULL: no session */
	const struct ctx_enrich_message *messages;
	size_t n_messages, turn;
	/* number of tokens available for volatile additions; -1: no limit */
	int64_t room;
	int64_t room_limit;
	bool room_shared;
	struct ctx_buf query;
	/* if the current request retries a failed request: the record of the failed
	 * request; otherwise empty */
	struct ctx_buf failed;
	char *mode;
	/* entities that the conversation mentions again and again */
	struct enrich_subject *subjects;
	size_t n_subjects, cap_subjects;
	/* text of the entity list: all selected entities, the most useful first */
	struct ctx_buf entities;
	struct enrich_part *parts;
	size_t n_parts, cap_parts;
	struct ctx_definition *defs;
	size_t n_defs;
	struct ctx_session_item *items;
	size_t n_items;
};

void ctx_enrich_warn(struct ctx_enrich *e, const struct ctx_err *err);
/* Returns false if the addition with this "source" object is an item that is disabled or
 * no longer defined. Otherwise returns true. */
bool ctx_enrich_is_enabled(const struct ctx_enrich *e, struct ctx_span source);
void ctx_enrich_embed_failed(struct ctx_enrich *e, const struct ctx_err *err);
const char *ctx_enrich_tenant(const struct ctx_enrich *e);

/* Returns the lowest sequence number n such that the window contains all messages from n
 * up to its newest message. Returns 0 if there is no such number. */
int64_t ctx_enrich_window_seq(const struct ctx_enrich *e);

/* Appends an addition to e->list. source: the addition's "source" object; message: its
 * message. Both are JSON objects and are copied. */
void ctx_enrich_add(struct ctx_enrich *e, enum ctx_slot slot, struct ctx_span source,
    struct ctx_span message);
/* Appends a system message with this text, as JSON. */
void ctx_enrich_put_message(struct ctx_buf *b, struct ctx_span text);
/* Like ctx_enrich_add, but the message is a system message with this text. */
void ctx_enrich_add_system(struct ctx_enrich *e, enum ctx_slot slot,
    struct ctx_span source, struct ctx_span text);

/* Records in e->passed a candidate that was not added. what: a description of the
 * candidate; crowded: true if the candidate did not fit, false if it was not relevant. */
void ctx_enrich_pass(struct ctx_enrich *e, bool crowded, struct ctx_span what);

/* ctx_enrich_drop_last removes the last addition of e->list. ctx_enrich_move_last moves
 * the last addition of e->list to the index "where". The additions that were at and after
 * this index move up by one. */
void ctx_enrich_drop_last(struct ctx_enrich *e);
void ctx_enrich_move_last(struct ctx_enrich *e, size_t where);

/* Returns true if a JSON value from the cache has the form in which the results of
 * ctx_enrich_window are cached. */
bool ctx_enrich_is_result(struct ctx_span value);

/* The members of a "source" object: {type, name, server_name, include_mode,
 * similarity_score, reason}. Members that are NULL, and a negative score, are omitted
 * from the object. */
struct enrich_source {
	const char *type, *name, *server_name, *include_mode, *reason;
	double score;
};
void ctx_enrich_put_source(struct ctx_buf *b, const struct enrich_source *s);
/* Like ctx_enrich_add_system, but takes the members of the "source" object. */
void ctx_enrich_add_text(struct ctx_enrich *e, enum ctx_slot slot,
    const struct enrich_source *s, struct ctx_span text);

/* Returns the mode of the window: the mode in the options or, if that is "auto", an
 * inferred mode. The caller frees the result. */
char *ctx_enrich_choose_mode(struct ctx_enrich *e);

void ctx_enrich_add_prompts(struct ctx_enrich *e);
void ctx_enrich_add_session_items(struct ctx_enrich *e);
void ctx_enrich_add_agent_items(struct ctx_enrich *e);
void ctx_enrich_add_attachments(struct ctx_enrich *e);
/* Returns the maximum number of tokens of older history that may be added, without
 * regard to the other additions. */
int64_t ctx_enrich_history_max(const struct ctx_enrich *e);
/* Appends the quotations of older history that the window already contains. */
void ctx_enrich_put_quotations(const struct ctx_enrich *e, struct ctx_buf *out);
/* Inserts an addition with older history into e->list at the index "where". Call after
 * all other additions are made, because older history uses the tokens that they leave. */
int ctx_enrich_add_history(struct ctx_enrich *e, size_t where, struct ctx_err *err);
/* Selects the entities for the entity list, and sets e->entities and e->parts. */
int ctx_enrich_find_entities(struct ctx_enrich *e, struct ctx_err *err);
/* Inserts up to two additions into e->list at the index "where": a list of the entities
 * that fit into the available tokens, and a list of the other entities, which is never
 * sent (the member "rest" of this addition is true). Call before ctx_enrich_add_history,
 * and after all other additions are made. */
void ctx_enrich_add_entities(struct ctx_enrich *e, size_t where);
void ctx_enrich_add_topic(struct ctx_enrich *e);

/* Finds the newest failed request for the current message in the run of the current
 * request. A run is a series of requests in which each one continues the previous one.
 * run: the member "run" of the window's request record, or absent. If there is such a
 * request, sets e->failed and e->mode and returns true; otherwise returns false. Errors
 * are reported as warnings. */
bool ctx_enrich_find_failed(struct ctx_enrich *e, struct ctx_span run);
/* Adds the volatile additions that the failed request contained for the current
 * message. */
void ctx_enrich_add_failed(struct ctx_enrich *e);

/* ---- topic and active entities ---- */

/* number of recent turns that decide the current subject */
#define ENRICH_RECENT_TURNS 10

/* Returns the weight of a mention. age: how many turns ago the mention was; 0: in the
 * current turn. */
double ctx_enrich_recency(size_t age);

bool ctx_enrich_starts_turn(const struct ctx_enrich *e, size_t i);

/* Returns how well a term (a word or an entity) represents the subject of the
 * conversation. recent: sum of ctx_enrich_recency over the turns that mention the term;
 * n: number of all messages; with: number of messages that contain the term. The result
 * is the argument "recent" multiplied by the rarity of the term (ctx_words_rarity), which
 * is higher if fewer messages contain the term. */
double ctx_enrich_salience(double recent, int64_t n, int64_t with);
void ctx_enrich_add_idle_note(struct ctx_enrich *e);
void ctx_enrich_add_instructions(struct ctx_enrich *e, bool entities);

#endif
