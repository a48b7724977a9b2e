/* Prints sessions as OpenTelemetry traces, in the JSON encoding of OTLP
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). Names follow the
 * semantic conventions for generative AI, 0.1.0
 * (https://github.com/open-telemetry/semantic-conventions-genai). */
#ifndef CTX_TELEMETRY_OTLP_H
#define CTX_TELEMETRY_OTLP_H

#include "render/transcript.h"

struct ctx_otlp_options {
	const char *software; /* version of this program */
	/* true: the output includes message texts, tool arguments and tool results */
	bool content;
};

/* Appends one line for each turn of the session. The line is an
 * ExportTraceServiceRequest with one trace. The trace has a span for the turn
 * (invoke_agent), a span for each answer or failed request (chat), and a span for each
 * tool call (execute_tool). The ids of traces and spans are digests of the session's id,
 * tenant and creation time, and of the sequence number of the message. Therefore they
 * are the same when the session is printed again. Returns 0, or -1 with err set. */
int ctx_otlp_print(const struct ctx_transcript *s, const struct ctx_otlp_options *o,
    struct ctx_buf *out, struct ctx_err *err);

#endif
