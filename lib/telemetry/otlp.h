/* Sessions as traces of OpenTelemetry, by its semantic conventions for generative AI (0.1.0,
 * https://github.com/open-telemetry/semantic-conventions-genai), in the JSON encoding of OTLP
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
#ifndef CTX_TELEMETRY_OTLP_H
#define CTX_TELEMETRY_OTLP_H

#include "render/transcript.h"

struct ctx_otlp_options {
	const char *software; /* version of this program */
	bool content;         /* texts, arguments and results too */
};

/* Appends a line for each turn of the session, an ExportTraceServiceRequest with one trace:
 * the turn (invoke_agent), and in it each answer or failed request (chat) and each tool call
 * (execute_tool). Ids are digests of the session, its tenant, its time of creation and the
 * message's number, so that the same session gives the same ones. */
int ctx_otlp_print(const struct ctx_transcript *s, const struct ctx_otlp_options *o,
    struct ctx_buf *out, struct ctx_err *err);

#endif
