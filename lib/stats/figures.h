/* Prints figures as lines of NDJSON or in the text format of Prometheus. */
#ifndef CTX_STATS_FIGURES_H
#define CTX_STATS_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define CTX_FIGURES_MAX 32 /* metrics of one output */

struct ctx_figures {
	struct ctx_buf *out; /* set these two */
	bool prometheus;
	const char *group; /* prefix of metric names: ctx_GROUP_NAME; NULL: ctx_NAME */
	/* for metrics: label and value of the current line */
	const char *label;
	struct ctx_span value;
	/* Prometheus wants all samples of a metric together: they are collected here. */
	struct {
		const char *name;
		struct ctx_buf samples;
	} metrics[CTX_FIGURES_MAX];
};

/* Begins a line: a JSON object of kind stats with the member that it is about (NULL:
 * none; an absent value is left out), or metrics with that label. */
void ctx_figures_begin(
    struct ctx_figures *f, const char *member, const char *label, struct ctx_span value);
/* Adds a figure; one below 0 is left out. name must live as long as f. */
void ctx_figures_add(struct ctx_figures *f, const char *name, int64_t v);
/* Adds part / whole, from 0 to 1; null or no metric when whole is 0. */
void ctx_figures_add_share(
    struct ctx_figures *f, const char *name, int64_t part, int64_t whole);
void ctx_figures_end(struct ctx_figures *f);

/* Appends the collected metrics and releases them. */
void ctx_figures_finish(struct ctx_figures *f);

#endif
