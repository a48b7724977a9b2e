/* Prints figures (named numbers) as NDJSON lines or in the text format of Prometheus. */
#ifndef CTX_STATS_FIGURES_H
#define CTX_STATS_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/price.h"
#include "record/usage.h"

#define CTX_FIGURES_MAX 32 /* maximum number of metrics of one output */

struct ctx_figures {
	struct ctx_buf *out; /* the caller sets "out" and "prometheus" */
	bool prometheus;
	/* middle part of the metrics' names, GROUP in ctx_GROUP_NAME; NULL: the names are
	 * ctx_NAME */
	const char *group;
	/* for Prometheus: name and value of the label that the metrics of the current
	 * line get */
	const char *label;
	struct ctx_span value;
	/* for Prometheus: the samples of each metric. They are collected here until
	 * ctx_figures_finish, because all samples of a metric must be adjacent in the
	 * output. */
	struct {
		const char *name;
		struct ctx_buf samples;
	} metrics[CTX_FIGURES_MAX];
};

/* Begins a line. In JSON, the line is an object of kind "stats". member: name of the
 * object's member that gets the given value; if the name is NULL or the value is absent,
 * there is no such member. label: for Prometheus, name of a label that all metrics of the
 * line get, with the given value. */
void ctx_figures_begin(
    struct ctx_figures *f, const char *member, const char *label, struct ctx_span value);
/* Adds a figure with this name and the value v to the current line. Does nothing if v is
 * negative. name: must stay valid as long as *f is used. */
void ctx_figures_add(struct ctx_figures *f, const char *name, int64_t v);
/* Adds a figure with the value part / whole, a number from 0 to 1. If whole is 0, adds
 * null in JSON and nothing for Prometheus. */
void ctx_figures_add_share(
    struct ctx_figures *f, const char *name, int64_t part, int64_t whole);
void ctx_figures_end(struct ctx_figures *f);

/* Appends the collected Prometheus metrics to out and frees them. */
void ctx_figures_finish(struct ctx_figures *f);

/* ---- the cost of answers ---- */

struct ctx_cost {
	int64_t answers; /* number of answers with known token usage */
	/* number of those answers whose price is not known; the cost of these answers is
	 * not included in the member "dollars" */
	int64_t unpriced;
	struct ctx_usage usage;
	double dollars;
};

/* Adds the cost and the usage of one answer to *sum. model: name of the model; at: time
 * of the answer (ms since the epoch); prices: the user's price table, or absent. Returns
 * false if the price is not known. */
bool ctx_cost_add(struct ctx_cost *sum, struct ctx_span model, int64_t at,
    const struct ctx_usage *u, struct ctx_span prices);

#endif
