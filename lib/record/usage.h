/* The token usage of an answer, in one format for all the providers and tools that
 * report it. */
#ifndef CTX_RECORD_USAGE_H
#define CTX_RECORD_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_usage {
	/* number of all input tokens: read from a cache, written to a cache, or
	 * neither */
	int64_t input;
	int64_t read; /* input tokens read from a cache */
	/* input tokens written to a cache; 0 if the provider did not report them */
	int64_t written;
	/* input tokens written to a cache for an hour or longer; they are also counted in
	 * the member "written" */
	int64_t written_1h;
	int64_t uncached; /* input tokens neither read from nor written to a cache */
	int64_t output;
};

/* Reads the token usage of an answer into *u. usage: a JSON object in the format of any
 * provider or coding agent that ctx knows. Returns true, or false if the format is
 * unknown. */
bool ctx_usage_read(struct ctx_usage *u, struct ctx_span usage);

/* Appends a text for people that says how many input tokens of a request were not read
 * from a cache. The text is shown for the first request of a new run, because this number
 * is the cost of starting a new run. usage: as for ctx_usage_read. Appends nothing if the
 * format is unknown. */
void ctx_usage_put_cut(struct ctx_buf *out, struct ctx_span usage);

#endif
