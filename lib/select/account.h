/* The account of a selection, in the request record: what is in, what is out and why,
 * and at what cost. */
#ifndef CTX_SELECT_ACCOUNT_H
#define CTX_SELECT_ACCOUNT_H

#include "record/request.h"
#include "select/select.h"

/* Note in r->dropped that the messages from first to last are out. */
void ctx_account_drop(
    struct ctx_request *r, int64_t first, int64_t last, enum ctx_reason why);

/* Set r->messages (ranges of seq, and additions with source, slot, tokens and SHA-256 of
 * the message) and r->tokens from what h keeps, and add what it dropped or cut to
 * r->dropped, which is put in order, neighbours with one reason as one range. sources[i] is the source object of
 * item i or absent; NULL: none has one. */
void ctx_account(
    struct ctx_request *r, const struct ctx_history *h, const struct ctx_span *sources);

/* Add to the member "strategy" of r's policy which strategies of p have chosen, behind those
 * that did before: names with commas between, one after itself once. */
void ctx_account_strategies(struct ctx_request *r, const struct ctx_policy *p);

/* What was sent, in its order. */
struct ctx_sent {
	struct ctx_span message; /* checked JSON */
	struct ctx_span source;  /* JSON object or absent */
	enum ctx_slot slot;
	int64_t seq; /* -1: not of the log */
	int64_t tokens;
};

/* Set r->messages so that the request can be made again: ranges of seq for messages that
 * went as the log has them, and the text of everything else: additions, and messages that
 * r->dropped says were changed. */
void ctx_account_sent(struct ctx_request *r, const struct ctx_sent sent[], size_t n);

/* Note in r->dropped that an addition was not sent. */
void ctx_account_leave(
    struct ctx_request *r, const struct ctx_sent *addition, enum ctx_reason why);

/* Tokens of what h keeps, with the primer of the answer. */
int64_t ctx_account_total(const struct ctx_history *h);

#endif
