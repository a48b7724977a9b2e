/* The request record. It lists the messages that a request contained, and the messages
 * that were left out, with the reasons. */
#ifndef CTX_RECORD_REQUEST_H
#define CTX_RECORD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/time.h"

/* A request record. Strings and buffers are owned. Missing members are NULL, empty, -1 or
 * CTX_TIME_NONE. */
struct ctx_request {
	char *session_id, *request_id, *provider, *mode, *tokenizer, *body_sha256;
	char *tenant_id; /* tenant of the session */
	char *status;    /* "failed" if the provider returned no answer */
	char *error;     /* error text from the provider, if the request failed */
	/* JSON: the part of the answer's message received before a failure; NULL if
	 * nothing was received */
	char *partial_json;
	char *params_json; /* the parameters that ctx-render merged into the body */
	/* how the model's thinking is sent back to the model (ctx-render --thinking);
	 * NULL: auto */
	char *thinking;
	/* lifetime of Anthropic's prompt cache marks in the body, "5m" or "1h"; NULL: the
	 * body has no such marks */
	char *cache;
	/* name of the compatible server that the request is for; NULL: the provider's own
	 * server */
	char *server;
	/* "inside": system messages were sent among the messages of other roles; NULL:
	 * system messages were not sent there */
	char *system;
	/* "typed": a Responses body that matches the types in OpenAI's SDK; NULL: the
	 * usual layout */
	char *layout;
	/* JSON object of renamed tools; key: name as sent, value: name as stored */
	char *names_json;
	/* JSON array of the parts of messages that were omitted because the provider does
	 * not accept them */
	char *omitted_json;
	/* JSON object: the position of the request in its run, a series of requests that
	 * each continue the previous one; NULL: no run */
	char *run_json;
	/* additions (texts from ctx-enrich) that were selected but not sent again,
	 * because an earlier request of the run contains them; elements of a JSON array,
	 * without brackets */
	struct ctx_buf in_view;
	/* JSON object: the settings with which the messages of the request were
	 * selected */
	char *policy_json;
	char *usage_json; /* JSON object: the tokens that the provider counted */
	/* JSON array: sequence numbers of messages in the request that were redacted
	 * later */
	char *redacted_json;
	/* sequence number of the newest message of the session when the messages for this
	 * request were read */
	int64_t for_seq;
	int64_t response_seq; /* sequence number of the answer */
	int64_t created_at;
	int64_t budget, reserve; /* in tokens */
	/* the messages sent: elements of a JSON array, without brackets */
	struct ctx_buf messages;
	/* the messages left out, with reasons; elements of a JSON array, without
	 * brackets */
	struct ctx_buf dropped;
	/* the token counts: members of a JSON object, without braces */
	struct ctx_buf tokens;
};

#define CTX_REQUEST_INIT                                                        \
	{                                                                       \
		.created_at = CTX_TIME_NONE, .for_seq = -1, .response_seq = -1, \
		.budget = -1, .reserve = -1                                     \
	}
/* Releases the members, and makes *r empty, as CTX_REQUEST_INIT does. */
void ctx_request_release(struct ctx_request *r);

/* Fills *r from a request record, which must be valid JSON. Returns -1 with CTX_EINPUT if
 * a member has the wrong type. */
int ctx_request_parse(struct ctx_request *r, struct ctx_span record, struct ctx_err *err);

/* Returns true if the request continues an earlier request of its run. */
bool ctx_request_continues(const struct ctx_request *r);

/* Makes the request the first request of a new run (a "cut" of the earlier run). why: the
 * reason, which is stored in the record. Does nothing if the request does not belong to a
 * run. */
void ctx_request_cut(struct ctx_request *r, const char *why);

/* Appends the request record and a newline. */
void ctx_request_print(struct ctx_buf *b, const struct ctx_request *r);

/* A request sends the tools and the system text before the messages; providers use
 * different names for the member with the system text. This function reads the possible
 * members one by one. params: the parameters of the request, a JSON object; i: number of
 * the member to read, from 0. Stores the member's value in *text, minified, or an empty
 * text if params does not have this member. Returns true, or false if i is too large. */
bool ctx_front_member(struct ctx_span params, size_t i, struct ctx_buf *text);

#endif
