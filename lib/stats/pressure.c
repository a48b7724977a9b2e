#include "stats/pressure.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "store/stats.h"

#define PLOT_WIDTH 60
#define PLOT_HEIGHT 10

/* Reads tokens and budget from a request record. If the record has no budget, uses the
 * argument. */
static void
read_request_pressure(struct ctx_pressure *p, struct ctx_span record, int64_t budget)
{
	struct ctx_span tokens = ctx_json_get(record, "tokens");

	p->tokens = p->budget = -1;
	if (!ctx_json_int(ctx_json_get(tokens, "total"), &p->tokens))
		p->tokens = -1;
	if (!ctx_json_int(ctx_json_get(record, "budget"), &p->budget))
		p->budget = budget;
}

int
ctx_pressure_percent(const struct ctx_pressure *p)
{
	return p->tokens < 0 || p->budget <= 0
		   ? -1
		   : (int)(100 * (double)p->tokens / (double)p->budget);
}

int
ctx_pressure_last(struct ctx_store *st, const struct ctx_session *s, int64_t budget,
    struct ctx_pressure *p, struct ctx_err *err)
{
	char *record;
	int rc = ctx_stats_last_request(st, s, &record, err);

	p->tokens = p->budget = -1;
	if (rc == 1)
		read_request_pressure(p, ctx_span_of(record), budget);
	free(record);
	return rc < 0 ? -1 : 0;
}

/* ---- plot ---- */

struct series {
	int64_t *v;
	size_t n, cap;
	int64_t given, budget;
};

static void
add_point(struct series *p, int64_t v)
{
	CTX_MEM_GROW(p->v, p->n, p->cap);
	p->v[p->n++] = v;
}

static int
add_pressure_request(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct series *p = arg;
	struct ctx_pressure u;

	read_request_pressure(&u, record, p->given);
	if (u.tokens >= 0)
		add_point(p, u.tokens);
	if (u.budget > 0)
		p->budget = u.budget;
	return 0;
}

static int
add_pressure_turn(
    void *arg, int64_t seq CTX_UNUSED, int64_t tokens, struct ctx_err *err CTX_UNUSED)
{
	add_point(arg, tokens);
	return 0;
}

/* Returns the maximum of the points that fall into column x. */
static int64_t
find_pressure_column_max(const struct series *p, size_t width, size_t x)
{
	int64_t max = 0;

	for (size_t i = x * p->n / width;
	     i < (x + 1) * p->n / width || i == x * p->n / width; i++)
		if (p->v[i] > max)
			max = p->v[i];
	return max;
}

static void
draw_pressure_plot(struct ctx_buf *out, const struct series *p)
{
	size_t width = p->n < PLOT_WIDTH ? p->n : PLOT_WIDTH;
	int64_t top = p->budget > 0 ? p->budget : 1;

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i] > top)
			top = p->v[i];
	for (int row = PLOT_HEIGHT; row > 0; row--) {
		/* the row covers values above low and up to high */
		double high = (double)top * row / PLOT_HEIGHT;
		double low = (double)top * (row - 1) / PLOT_HEIGHT;
		bool limit = p->budget > 0 && (double)p->budget > low &&
			     (double)p->budget <= high;
		ctx_buf_addf(out, "%9lld |", (long long)high);
		for (size_t x = 0; x < width; x++)
			ctx_buf_addc(
			    out, (double)find_pressure_column_max(p, width, x) > low ? '#'
				 : limit                                             ? '-'
					 : ' ');
		ctx_buf_adds(out, limit ? "- budget\n" : "\n");
	}
	ctx_buf_adds(out, "          +");
	for (size_t x = 0; x < width; x++)
		ctx_buf_addc(out, '-');
	ctx_buf_addc(out, '\n');
}

int
ctx_pressure_plot(struct ctx_buf *out, struct ctx_store *st, const struct ctx_session *s,
    int64_t budget, struct ctx_err *err)
{
	struct series p = {.given = budget, .budget = budget};
	const char *what = "requests";
	int rc = ctx_store_requests(st, s, add_pressure_request, &p, err);

	if (rc == 0 && p.n == 0) {
		what = "turns";
		rc = ctx_stats_turns(st, s, add_pressure_turn, &p, err);
	}
	if (rc == 0 && p.n > 0) {
		int64_t last = p.v[p.n - 1];
		ctx_buf_addf(out, "session %s: %zu %s; tokens of the last: %lld",
		    s->session_id, p.n, what, (long long)last);
		if (p.budget > 0)
			ctx_buf_addf(out, " of %lld (%lld %%)", (long long)p.budget,
			    (long long)(100 * (double)last / (double)p.budget));
		ctx_buf_addc(out, '\n');
		draw_pressure_plot(out, &p);
		rc = 1;
	}
	free(p.v);
	return rc;
}
