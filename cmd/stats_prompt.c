/* ctx-stats: prints what providers read from their prompt caches, by model, session or
 * day. */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "stats/prompt_cache.h"

struct group {
	char *key;
	struct ctx_prompt_cache sum;
};

struct prompt {
	struct ctx_store *store;
	const char *by; /* NULL: a single group */
	const char *session_id;
	struct ctx_prompt_before before; /* the previous request of the current session */
	char *missed;                    /* the last request that missed its cache */
	struct group *groups;
	size_t n, cap;
};

static struct prompt all;

static struct ctx_prompt_cache *
find_group(struct prompt *p, const char *key)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->groups[i].key, key) == 0)
			return &p->groups[i].sum;
	CTX_MEM_GROW(p->groups, p->n, p->cap);
	p->groups[p->n] = (struct group){.key = ctx_mem_str(key)};
	return &p->groups[p->n++].sum;
}

/* Writes the key of the group that a request belongs to. */
static void
put_prompt_group_key(
    struct ctx_buf *b, const struct prompt *p, const struct ctx_request *r)
{
	char time[CTX_TIME_LEN + 1];

	ctx_buf_adds(b, "");
	if (p->by == NULL)
		return;
	if (strcmp(p->by, "session") == 0) {
		ctx_buf_adds(b, p->session_id);
	} else if (strcmp(p->by, "day") == 0) {
		ctx_time_format(r->created_at, time);
		ctx_buf_add(b, time, strlen("2026-01-31"));
	} else {
		ctx_json_decode(ctx_json_get(ctx_span_of(r->params_json), "model"), b);
	}
}

static int
add_prompt_request(
    void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	struct prompt *p = arg;
	struct ctx_buf key = CTX_BUF_INIT;
	struct ctx_request r = CTX_REQUEST_INIT;
	int rc;

	if (response_seq == 0)
		return 0;
	rc = ctx_request_parse(&r, record, err);
	if (rc == 0) {
		put_prompt_group_key(&key, p, &r);
		if (ctx_prompt_cache_add(
			find_group(p, key.n > 0 ? key.p : ""), &r, &p->before)) {
			free(p->missed);
			p->missed = ctx_mem_str(r.request_id);
		}
	}
	ctx_buf_release(&key);
	ctx_request_release(&r);
	return rc;
}

static int
add_prompt_session(void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	int rc;

	all.session_id = s->session_id;
	rc = ctx_store_requests_stored(all.store, s, add_prompt_request, &all, err);
	ctx_prompt_before_release(&all.before);
	return rc;
}

static void
print_prompt_group(struct ctx_figures *f, const struct prompt *p, const struct group *g)
{
	const char *member = p->by == NULL                   ? NULL
			     : strcmp(p->by, "session") == 0 ? "session_id"
							     : p->by;
	const struct ctx_prompt_cache *s = &g->sum;

	if (s->answers == 0)
		return;
	ctx_figures_begin(
	    f, member, p->by, p->by == NULL ? CTX_SPAN_NONE : ctx_span_of(g->key));
	ctx_figures_add(f, "answers", s->answers);
	ctx_figures_add(f, "input_tokens", s->input);
	ctx_figures_add(f, "cache_read_tokens", s->read);
	ctx_figures_add(f, "cache_write_tokens", s->written);
	ctx_figures_add(f, "cache_write_1h_tokens", s->written_1h);
	ctx_figures_add(f, "uncached_tokens", s->uncached);
	ctx_figures_add_share(f, "read_share", s->read, s->input);
	ctx_figures_add(f, "cuts", s->cuts);
	ctx_figures_add(f, "cut_tokens", s->cut_input);
	ctx_figures_add(f, "missed", s->missed);
	ctx_figures_end(f);
}

int
stats_prompt_cache(struct ctx_store *store, struct ctx_session_filter *which,
    const struct cli_list *sessions, const char *by, struct ctx_figures *figures,
    struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int64_t missed = 0;
	int rc = 0;

	all = (struct prompt){.store = store, .by = by};
	for (size_t i = 0; rc == 0 && i < sessions->n; i++) {
		rc = cli_session_find(store, sessions->v[i], &s, err);
		if (rc == 0)
			rc = add_prompt_session(NULL, &s, err);
		ctx_session_release(&s);
	}
	if (sessions->n == 0)
		rc = cli_each_session(store, which, add_prompt_session, NULL, err);
	for (size_t i = 0; i < all.n; i++) {
		if (rc == 0)
			print_prompt_group(figures, &all, &all.groups[i]);
		missed += all.groups[i].sum.missed;
		free(all.groups[i].key);
	}
	free(all.groups);
	if (rc == 0 && missed > 0)
		cli_warn(
		    "%lld request%s read less than half of the previous request from the provider's cache, although the cache was still valid (last such request: %s)",
		    (long long)missed, CTX_PLURAL(missed), all.missed);
	free(all.missed);
	ctx_figures_finish(figures);
	return rc < 0 ? -1 : cli_flush(err);
}
