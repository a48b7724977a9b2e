/* Private to lib/telemetry. */
#ifndef CTX_TELEMETRY_INTERNAL_H
#define CTX_TELEMETRY_INTERNAL_H

#include "record/message.h"
#include "telemetry/otlp.h"

/* ---- stored request records ---- */

/* The members of a request record that count here. */
struct otlp_request {
	int64_t at_seq; /* the answer; of a failed one, the message that it was for */
	bool failed;
	int64_t created_at;
	struct ctx_span record;
};

/* Ascending by at_seq. */
struct otlp_requests {
	struct otlp_request *list;
	size_t n;
};

/* Answered and failed requests; the caller frees the list, which borrows from s. */
void ctx_otlp_requests_read(struct otlp_requests *all, const struct ctx_transcript *s);
/* The index of the first request of that message or a later one. */
size_t ctx_otlp_request_at(const struct otlp_requests *all, int64_t seq);

/* ---- attributes: elements of an array. An absent value adds none. ---- */

void ctx_otlp_text(struct ctx_buf *b, const char *key, struct ctx_span text);
void ctx_otlp_str(struct ctx_buf *b, const char *key, const char *s);
/* A JSON value of the type that the attribute has; another type adds none. */
void ctx_otlp_string(struct ctx_buf *b, const char *key, struct ctx_span json);
/* An array of strings: of one, or the elements of a JSON array of strings. */
void ctx_otlp_strings(struct ctx_buf *b, const char *key, struct ctx_span json);

/* The parameters of a request, and what an answer used. */
void ctx_otlp_params(struct ctx_buf *b, struct ctx_span params);
void ctx_otlp_usage(struct ctx_buf *b, struct ctx_span usage);

/* The conventions' name of a provider or server; the name itself if they have none. From the
 * model if the name is absent. */
void ctx_otlp_provider(struct ctx_buf *b, struct ctx_span name, struct ctx_span model);

/* ---- content: what the conventions' schemas for messages say ---- */

/* Appends the message as an element of an array. stop_reason: of an answer, JSON; absent: an
 * input. */
void ctx_otlp_message(struct ctx_buf *b, const struct ctx_message *m, bool answer,
    struct ctx_span stop_reason);
/* Appends the arguments of a call: the JSON that they are, else a JSON string. */
void ctx_otlp_arguments(struct ctx_buf *b, const struct ctx_part *call);

#endif
