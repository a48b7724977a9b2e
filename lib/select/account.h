/* Writes the result of a selection into the request record: what was kept, what was left
 * out and why, and the token counts. */
#ifndef CTX_SELECT_ACCOUNT_H
#define CTX_SELECT_ACCOUNT_H

#include "record/request.h"
#include "select/select.h"

/* The parts of a request whose tokens are counted separately, in the order of the
 * record. */
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
/* Returns the part to which a message belongs, unless it starts the current turn. source
 * is the source object of an addition, or absent. */
enum ctx_component ctx_component_of(
    enum ctx_slot slot, enum ctx_role role, struct ctx_span source);

/* Records in r->dropped that the messages first to last (sequence numbers) are left
 * out. */
void ctx_account_drop(
    struct ctx_request *r, int64_t first, int64_t last, enum ctx_reason why);

/* Sets r->messages and r->tokens from the items that h keeps. r->messages gets ranges of
 * sequence numbers, and additions with source, slot, tokens and the SHA-256 of the
 * message. Adds the items that were dropped or changed to r->dropped, in order; neighbors
 * with the same reason become one range. sources[i] is the source object of item i, or
 * absent; sources may be NULL. */
void ctx_account(
    struct ctx_request *r, const struct ctx_history *h, const struct ctx_span *sources);

/* Appends the names of the strategies of p to the member "strategy" of r's policy. Names
 * are separated by commas; a name is not added twice in a row. */
void ctx_account_strategies(struct ctx_request *r, const struct ctx_policy *p);

/* A message as it was sent. */
struct ctx_sent {
	struct ctx_span message; /* valid JSON */
	struct ctx_span source;  /* JSON object, or absent */
	enum ctx_slot slot;
	int64_t seq; /* -1 if it is not a stored message of the session */
	int64_t tokens;
};

/* Sets r->messages so that the request can be reproduced: ranges of sequence numbers for
 * messages that were sent as stored, and the full text of all others (additions, and
 * messages that r->dropped lists as changed). */
void ctx_account_sent(struct ctx_request *r, const struct ctx_sent sent[], size_t n);

/* Records in r->dropped that an addition was not sent, with the reason. */
void ctx_account_leave(
    struct ctx_request *r, const struct ctx_sent *addition, enum ctx_reason why);

/* Returns the number of tokens of the items that h keeps, plus those that start the
 * answer. */
int64_t ctx_account_total(const struct ctx_history *h);

#endif
