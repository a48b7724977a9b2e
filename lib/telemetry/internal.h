/* Private to lib/telemetry. */
#ifndef CTX_TELEMETRY_INTERNAL_H
#define CTX_TELEMETRY_INTERNAL_H

#include "record/message.h"
#include "telemetry/otlp.h"

/* ---- stored request records ---- */

/* A stored request record, with the members that traces need. */
struct otlp_request {
	/* sequence number of the answer or, if the request failed, of the message for
	 * which the request was made */
	int64_t at_seq;
	bool failed;
	int64_t created_at;
	struct ctx_span record;
};

/* The requests of a session, sorted by at_seq, then by created_at. */
struct otlp_requests {
	struct otlp_request *list;
	size_t n;
};

/* ---- attributes: each function appends one element of an attribute array, or nothing if
 * the value is absent ---- */

void ctx_otlp_text(struct ctx_buf *b, const char *key, struct ctx_span text);
void ctx_otlp_str(struct ctx_buf *b, const char *key, const char *s);
/* Appends an attribute whose value is the text of a JSON string. json: the string. If
 * this value is of another JSON type, appends nothing. */
void ctx_otlp_string(struct ctx_buf *b, const char *key, struct ctx_span json);
/* Appends an attribute whose value is an array of strings. json: a JSON string or an
 * array of JSON strings. */
void ctx_otlp_strings(struct ctx_buf *b, const char *key, struct ctx_span json);

/* ctx_otlp_params appends the attributes for the parameters of a request. ctx_otlp_usage
 * appends the attributes for the token usage of an answer. */
void ctx_otlp_params(struct ctx_buf *b, struct ctx_span params);
void ctx_otlp_usage(struct ctx_buf *b, struct ctx_span usage);

/* Appends the attribute for the provider. name: the provider's name in the session
 * (JSON), or absent; model: the model's name (JSON). The attribute's value is the name
 * that the OpenTelemetry conventions use for this provider or, if they do not list the
 * provider, the name in the session. If the name is absent, the provider is derived from
 * the model. If the model is unknown too, the value is "_OTHER". */
void ctx_otlp_provider(struct ctx_buf *b, struct ctx_span name, struct ctx_span model);

/* ---- message content, in the format of the OpenTelemetry conventions ---- */

/* Appends the message as an element of an array. answer: true if the message is an answer
 * of the model, false if it is part of the input; stop_reason: the stop reason of the
 * answer (JSON), or absent. */
void ctx_otlp_message(struct ctx_buf *b, const struct ctx_message *m, bool answer,
    struct ctx_span stop_reason);
/* Appends the arguments of a tool call: verbatim if they are valid JSON, otherwise as a
 * JSON string. */
void ctx_otlp_arguments(struct ctx_buf *b, const struct ctx_part *call);

#endif
