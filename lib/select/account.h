/* Records the result of a selection in the request record: what was kept, what was left
 * out and why, and the cost. */
#ifndef CTX_SELECT_ACCOUNT_H
#define CTX_SELECT_ACCOUNT_H

#include "record/request.h"
#include "select/select.h"

/* The parts of a request by which its tokens are counted, in the order of the record. */
enum ctx_component {
	CTX_COMPONENT_SYSTEM,
	CTX_COMPONENT_ITEMS,
	CTX_COMPONENT_ENTITIES,
	CTX_COMPONENT_SUMMARY,
	CTX_COMPONENT_HISTORY,
	CTX_COMPONENT_MESSAGE, /* the user message of the current turn */
	CTX_COMPONENTS
};

const char *ctx_component_name(enum ctx_component component);
/* The part that a message belongs to if it does not begin the current turn. source is the
 * source object of an addition, or absent. */
enum ctx_component ctx_component_of(
    enum ctx_slot slot, enum ctx_role role, struct ctx_span source);

/* Records in r->dropped that the messages from first to last are left out. */
void ctx_account_drop(
    struct ctx_request *r, int64_t first, int64_t last, enum ctx_reason why);

/* Sets r->messages (ranges of sequence numbers, and additions with source, slot, tokens
 * and SHA-256 of the message) and r->tokens from what h keeps. Adds what was dropped or
 * cut to r->dropped, in order, with neighbours of the same reason as one range.
 * sources[i] is the source object of item i, or absent; sources may be NULL. */
void ctx_account(
    struct ctx_request *r, const struct ctx_history *h, const struct ctx_span *sources);

/* Appends to member "strategy" of r's policy the strategies of p that were used: names
 * separated by commas, without repeating the last one. */
void ctx_account_strategies(struct ctx_request *r, const struct ctx_policy *p);

/* A message as it was sent. */
struct ctx_sent {
	struct ctx_span message; /* checked JSON */
	struct ctx_span source;  /* JSON object or absent */
	enum ctx_slot slot;
	int64_t seq; /* -1: not a message of the log */
	int64_t tokens;
};

/* Sets r->messages so that the request can be reproduced: ranges of sequence numbers for
 * messages sent as stored, and the text of everything else (additions, and messages that
 * r->dropped lists as changed). */
void ctx_account_sent(struct ctx_request *r, const struct ctx_sent sent[], size_t n);

/* Notes in r->dropped that an addition was not sent. */
void ctx_account_leave(
    struct ctx_request *r, const struct ctx_sent *addition, enum ctx_reason why);

/* Returns the tokens of what h keeps, including the start of the answer. */
int64_t ctx_account_total(const struct ctx_history *h);

#endif
