/* The request record: what was sent, why each part was included, and what was left out. */
#ifndef CTX_RECORD_REQUEST_H
#define CTX_RECORD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Strings and buffers are owned. Absent: NULL, empty, -1 or CTX_TIME_NONE. */
struct ctx_request {
	char *session_id, *request_id, *provider, *mode, *tokenizer, *body_sha256;
	char *tenant_id;    /* of the session */
	char *status;       /* "failed" if the provider gave no answer */
	char *error;        /* and what it said */
	char *partial_json; /* the message received before a failure; NULL: nothing */
	char *params_json;  /* what ctx-render merged in */
	char *thinking;     /* how thinking is treated; NULL: auto */
	char *cache;        /* lifetime of its cache marks; NULL: no marks */
	char *server;     /* the compatible server that it is for; NULL: the provider's */
	char *system;     /* "inside": system messages stood among the others */
	char *layout;     /* "typed": a body for Responses as its types have it */
	char *names_json; /* tool names that were changed: from sent to stored */
	char *omitted_json; /* JSON array of what the provider has no place for */
	char *run_json;     /* its run of requests, or NULL */
	struct ctx_buf
	    /* JSON elements: chosen, but sent by an earlier request of the run */
	    in_view;
	char *policy_json; /* how the window was chosen */
	char *usage_json;  /* what the provider counted */
	/* JSON array: messages that it held and that are redacted now */
	char *redacted_json;
	/* sequence number of the session's newest message when the window was read */
	int64_t for_seq;
	int64_t response_seq; /* the answer's message */
	int64_t created_at;
	int64_t budget, reserve; /* tokens */
	struct ctx_buf messages; /* elements of a JSON array, without brackets */
	struct ctx_buf dropped;  /* the same */
	struct ctx_buf tokens;   /* members of a JSON object, without braces */
};

void ctx_request_init(struct ctx_request *r);
void ctx_request_release(struct ctx_request *r); /* and init */

/* Parses a valid JSON request record. CTX_EINPUT when a member has the wrong type. */
int ctx_request_parse(struct ctx_request *r, struct ctx_span record, struct ctx_err *err);

/* Does the request continue an earlier one of its run? */
bool ctx_request_continues(const struct ctx_request *r);

/* Makes the request the first one of a new run, which begins for that reason. */
void ctx_request_cut(struct ctx_request *r, const char *why);

/* Append the record and a newline. */
void ctx_request_print(struct ctx_buf *b, const struct ctx_request *r);

/* The part of a request before its messages, as given by its parameters. Sets text to part
 * i of params, minified, empty if it is missing: the tools, then the system text under each
 * name that a provider uses for it. Returns false if there is no part i. */
bool ctx_front_member(struct ctx_span params, size_t i, struct ctx_buf *text);

#endif
