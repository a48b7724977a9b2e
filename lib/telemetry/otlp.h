/* Prints sessions as OpenTelemetry traces, in the JSON encoding of OTLP
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). Names follow the
 * semantic conventions for generative AI, 0.1.0
 * (https://github.com/open-telemetry/semantic-conventions-genai). */
#ifndef CTX_TELEMETRY_OTLP_H
#define CTX_TELEMETRY_OTLP_H

#include "render/transcript.h"

struct ctx_otlp_options {
	const char *software; /* version of this program */
	bool content;         /* include message texts, call arguments and results */
};

/* Appends one line for each turn of the session: an ExportTraceServiceRequest with one
 * trace. A trace has a span for the turn (invoke_agent), for each answer or failed
 * request (chat) and for each tool call (execute_tool). Trace and span ids are digests of
 * the session id, its tenant, its creation time and the message number, so that printing
 * a session again gives the same ids. */
int ctx_otlp_print(const struct ctx_transcript *s, const struct ctx_otlp_options *o,
    struct ctx_buf *out, struct ctx_err *err);

#endif
