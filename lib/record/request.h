/* The request record: what a request contained and why, and what was left out. */
#ifndef CTX_RECORD_REQUEST_H
#define CTX_RECORD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* A request record. Strings and buffers are owned. Missing members are NULL, empty, -1 or
 * CTX_TIME_NONE. */
struct ctx_request {
	char *session_id, *request_id, *provider, *mode, *tokenizer, *body_sha256;
	char *tenant_id; /* tenant of the session */
	char *status;    /* "failed" if the provider returned no answer */
	char *error;     /* the provider's error text, if status is "failed" */
	/* the message received before a failure; NULL if nothing was received */
	char *partial_json;
	char *params_json; /* the parameters that ctx-render merged into the body */
	/* how thinking is sent back (ctx-render --thinking); NULL: auto */
	char *thinking;
	char *cache; /* lifetime of the cache marks, "5m" or "1h"; NULL: no marks */
	/* the compatible server that the request is for; NULL: the provider's own */
	char *server;
	char *system; /* "inside": system messages were sent among the other messages */
	/* "typed": a Responses body in the form of the types of OpenAI's SDK */
	char *layout;
	/* JSON object of renamed tools; key: name as sent, value: name as stored */
	char *names_json;
	/* JSON array of the parts that the provider does not accept */
	char *omitted_json;
	/* JSON object: the request's place in its run of requests; NULL without a run */
	char *run_json;
	/* elements of a JSON array: additions that were selected but not sent again,
	 * because an earlier request of the run contains them */
	struct ctx_buf in_view;
	char *policy_json; /* JSON object: how the window was chosen */
	char *usage_json;  /* JSON object: the tokens that the provider counted */
	/* JSON array: sequence numbers of the contained messages that were redacted
	 * later */
	char *redacted_json;
	/* sequence number of the newest message of the session when the window was
	 * read */
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

void ctx_request_init(struct ctx_request *r);
void ctx_request_release(struct ctx_request *r); /* also initializes r again */

/* Fills r from a request record, which is valid JSON. Returns -1 with CTX_EINPUT if a
 * member has the wrong type. */
int ctx_request_parse(struct ctx_request *r, struct ctx_span record, struct ctx_err *err);

/* True if the request continues an earlier request of its run. */
bool ctx_request_continues(const struct ctx_request *r);

/* Makes the request the first one of a new run. why is the recorded reason for the
 * cut. */
void ctx_request_cut(struct ctx_request *r, const char *why);

/* Appends the request record and a newline. */
void ctx_request_print(struct ctx_buf *b, const struct ctx_request *r);

/* Reads the members of params that are sent before the messages: the tools, then the
 * system text under each name that a provider has for it. Stores member number i (from
 * 0), minified, in text; text is empty if params does not have that member. Returns false
 * if i is past the last member. */
bool ctx_front_member(struct ctx_span params, size_t i, struct ctx_buf *text);

#endif
