/* Writes the result of a selection into the request record: the messages that were kept,
 * the messages that were left out and why, and the token counts. */
#ifndef CTX_SELECT_ACCOUNT_H
#define CTX_SELECT_ACCOUNT_H

#include "record/request.h"
#include "select/select.h"

/* The parts of a request whose tokens are counted separately. The request record has one
 * count for each part, in this order. */
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
/* Returns the part of the request (enum ctx_component) to which a message belongs, given
 * its slot and role. source: the message's "source" object if the message is an addition
 * (a text that ctx-enrich added); otherwise absent. Must not be called for the message
 * that starts the current turn, because this message alone is the part
 * CTX_COMPONENT_MESSAGE. */
enum ctx_component ctx_component_of(
    enum ctx_slot slot, enum ctx_role role, struct ctx_span source);

/* Records in r->dropped that the messages with sequence numbers from first to last were
 * left out. why: the reason. */
void ctx_account_drop(
    struct ctx_request *r, int64_t first, int64_t last, enum ctx_reason why);

/* Records in *r the decisions of ctx_select about the items of *h. r->messages lists the
 * kept items: messages as ranges of sequence numbers, and each addition as an object with
 * its source, slot, token count and SHA-256. r->tokens has the token counts of the kept
 * items. r->dropped gets the dropped and the changed items, in order; adjacent items with
 * the same reason become one range. sources[i] is the "source" object of item i, or
 * absent; sources may be NULL. */
void ctx_account(
    struct ctx_request *r, const struct ctx_history *h, const struct ctx_span *sources);

/* Appends the names of the strategies in *p, separated by commas, to the member
 * "strategy" of the policy in *r. Skips a name that equals the name before it. */
void ctx_account_strategies(struct ctx_request *r, const struct ctx_policy *p);

/* A message in the form in which it was sent to the provider. */
struct ctx_sent {
	struct ctx_span message; /* valid JSON */
	struct ctx_span source;  /* JSON object, or absent */
	enum ctx_slot slot;
	/* sequence number; -1 if the message is not a stored message of the session */
	int64_t seq;
	int64_t tokens;
};

/* Stores in r->messages what is needed to reproduce the request. Messages that were sent
 * unchanged are recorded as ranges of sequence numbers. All other messages (additions,
 * and messages that r->dropped lists as changed) are recorded in full. */
void ctx_account_sent(struct ctx_request *r, const struct ctx_sent sent[], size_t n);

/* Records in r->dropped that an addition was not sent. why: the reason. */
void ctx_account_leave(
    struct ctx_request *r, const struct ctx_sent *addition, enum ctx_reason why);

/* Returns the number of tokens of the kept items of *h, plus the tokens that the provider
 * adds to start the answer. */
int64_t ctx_account_total(const struct ctx_history *h);

#endif
