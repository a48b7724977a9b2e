/* Shared by the files of lib/enrich. */
#ifndef CTX_ENRICH_INTERNAL_H
#define CTX_ENRICH_INTERNAL_H

#include "embed/embed.h"
#include "enrich/enrich.h"
#include "store/item.h"
#include "track/resolve.h"
#include "track/track.h"

/* What a conversation may be about: a word or an entity. */
struct enrich_subject {
	char *text; /* owned */
	double salience;
};

/* An entity as the model reads it. */
struct enrich_part {
	size_t end; /* of its text, in that of all */
	char *type, *name;
};

struct ctx_enrich {
	struct ctx_store *st;
	struct ctx_enrich_options o;
	struct ctx_tracker *tracker;
	char *tenant; /* of the tracker */
	struct ctx_resolver *resolver;
	struct ctx_embedder *embedder;
	bool embed_failed; /* it did once: it is asked no more */
	struct ctx_addition *list;
	size_t n, cap;
	struct ctx_passed *passed;
	size_t n_passed, cap_passed;
	bool cached;
	bool lacking; /* something failed: another time there may be more */

	/* of the window at hand */
	const struct ctx_session *session; /* NULL: none */
	const struct ctx_enrich_message *messages;
	size_t n_messages, turn;
	int64_t room; /* tokens for volatile additions; -1: any */
	int64_t room_limit;
	bool room_shared;
	struct ctx_buf query;
	char *mode;
	struct enrich_subject *subjects; /* entities that it keeps coming back to */
	size_t n_subjects, cap_subjects;
	struct ctx_buf
	    entities; /* the texts of all that are wanted, the most useful first */
	struct enrich_part *parts;
	size_t n_parts, cap_parts;
	struct ctx_definition *defs;
	size_t n_defs;
	struct ctx_session_item *items;
	size_t n_items;
};

void ctx_enrich_warn(struct ctx_enrich *e, const struct ctx_err *err);
/* Is the source no item, or one that is defined and enabled? */
bool ctx_enrich_is_enabled(const struct ctx_enrich *e, struct ctx_span source);
void ctx_enrich_embed_failed(struct ctx_enrich *e, const struct ctx_err *err);
const char *ctx_enrich_tenant(const struct ctx_enrich *e);

/* Messages from this seq on are in the window, without a gap; 0: none is. */
int64_t ctx_enrich_window_seq(const struct ctx_enrich *e);

/* Add one; source and message are JSON and copied. */
void ctx_enrich_add(struct ctx_enrich *e, enum ctx_slot slot, struct ctx_span source,
    struct ctx_span message);
/* The same with a system message of the text. */
void ctx_enrich_add_system(struct ctx_enrich *e, enum ctx_slot slot,
    struct ctx_span source, struct ctx_span text);

/* Say of what is not added. */
void ctx_enrich_pass(struct ctx_enrich *e, bool crowded, struct ctx_span what);

/* Take back the one added last, or move it to an index before. */
void ctx_enrich_drop_last(struct ctx_enrich *e);
void ctx_enrich_move_last(struct ctx_enrich *e, size_t where);

/* A source object: {type, name, server_name, include_mode, similarity_score, reason};
 * absent members are left out, score < 0 too. */
struct enrich_source {
	const char *type, *name, *server_name, *include_mode, *reason;
	double score;
};
void ctx_enrich_put_source(struct ctx_buf *b, const struct enrich_source *s);
/* Add a text of the system's as an addition. */
void ctx_enrich_add_text(struct ctx_enrich *e, enum ctx_slot slot,
    const struct enrich_source *s, struct ctx_span text);

/* The mode of the window, owned: from the option, else inferred. */
char *ctx_enrich_choose_mode(struct ctx_enrich *e);

int ctx_enrich_add_prompts(struct ctx_enrich *e);
int ctx_enrich_add_session_items(struct ctx_enrich *e);
int ctx_enrich_add_agent_items(struct ctx_enrich *e, struct ctx_err *err);
int ctx_enrich_add_attachments(struct ctx_enrich *e);
/* Tokens of older history, at most. */
int64_t ctx_enrich_history_max(const struct ctx_enrich *e);
/* The last to be made, for it fits what the others leave; it stands at the index where. */
int ctx_enrich_add_history(struct ctx_enrich *e, size_t where, struct ctx_err *err);
/* Make e->entities and their parts. */
int ctx_enrich_find_entities(struct ctx_enrich *e, struct ctx_err *err);
/* Add as many as there is room for beside what comes before them, and what is left over, at
 * the index where; when everything but older history is made. */
void ctx_enrich_add_entities(struct ctx_enrich *e, size_t where);
void ctx_enrich_add_topic(struct ctx_enrich *e);

/* ---- topic and active entities ---- */

#define ENRICH_RECENT_TURNS 10 /* that tell what a conversation is about now */

/* What a mention so many turns ago counts; the current turn is 0. */
double ctx_enrich_recency(size_t age);

bool ctx_enrich_starts_turn(const struct ctx_enrich *e, size_t i);

/* How much a word or an entity stands for what a conversation is about: the recency of the
 * turns that name it, added up, times its rarity, as with of n messages hold it. */
double ctx_enrich_salience(double recent, int64_t n, int64_t with);
void ctx_enrich_add_idle_note(struct ctx_enrich *e);
void ctx_enrich_add_instructions(struct ctx_enrich *e, bool entities);

#endif
