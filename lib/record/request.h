/* The request record: what was sent, why each thing was in, what was left out. */
#ifndef CTX_RECORD_REQUEST_H
#define CTX_RECORD_REQUEST_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Strings and buffers are owned; absent: NULL, empty, -1 or CTX_TIME_NONE. */
struct ctx_request {
	char *session_id, *request_id, *provider, *mode, *tokenizer, *body_sha256;
	char *tenant_id;      /* of the session */
	char *status;         /* "failed" when the provider gave no answer */
	char *error;          /* and what it said */
	char *partial_json;   /* and the message that had come so far; NULL: nothing */
	char *params_json;    /* what ctx-render merged in */
	char *thinking;       /* how it was told to treat thinking; NULL: auto */
	char *cache;          /* lifetime of its cache marks; NULL: it has none */
	char *names_json;     /* names of tools that were changed: sent to stored */
	char *omitted_json;   /* an array: what the provider has no place for */
	char *run_json;       /* its run of requests; NULL: it has none */
	struct ctx_buf in_view; /* chosen, but in an earlier request of the run: elements */
	char *policy_json;    /* how the window was chosen */
	char *usage_json;     /* what the provider counted */
	int64_t for_seq;      /* newest message of the session when it was read */
	int64_t response_seq; /* the answer's message */
	int64_t created_at;
	int64_t budget, reserve; /* tokens */
	struct ctx_buf messages; /* elements of the JSON array, without its brackets */
	struct ctx_buf dropped;  /* the same */
	struct ctx_buf tokens;   /* members of the JSON object, without its braces */
};

void ctx_request_init(struct ctx_request *r);
void ctx_request_release(struct ctx_request *r); /* and init */

/* Fill in from a checked request record; members of the wrong type are CTX_EINPUT. */
int ctx_request_parse(struct ctx_request *r, struct ctx_span record, struct ctx_err *err);

/* Append the record and a newline. */
void ctx_request_print(struct ctx_buf *b, const struct ctx_request *r);

#endif
