#include "entity/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "words/fold.h"
#include "json/json.h"
#include "store/derived.h"

bool
ctx_entity_known(const struct ctx_entity *e, int64_t now)
{
	if (e->data_json == NULL)
		return e->id_json != NULL;
	return e->data_expires_at == CTX_TIME_NONE || e->data_expires_at > now;
}

struct ctx_resolver {
	struct ctx_store *st;
	struct ctx_resolver_options o;
	struct ctx_exec *exec;
	size_t asked;
};

struct ctx_resolver *
ctx_resolver_new(struct ctx_store *st, const struct ctx_resolver_options *o)
{
	struct ctx_resolver *r = ctx_mem_new(sizeof(*r));

	r->st = st;
	r->o = *o;
	r->exec = ctx_exec_new(&o->exec);
	return r;
}

void
ctx_resolver_free(struct ctx_resolver *r)
{
	if (r == NULL)
		return;
	ctx_exec_free(r->exec);
	free(r);
}

static void
make_resolver_key(const struct ctx_resolver *r, const struct ctx_candidate *c,
    char key[CTX_HASH_HEX + 1])
{
	const char *parts[] = {r->o.tenant, r->o.exec.command, c->type, c->name};
	struct ctx_buf b = CTX_BUF_INIT;

	for (size_t i = 0; i < 4; i++)
		ctx_buf_add(&b, parts[i], strlen(parts[i]) + 1);
	ctx_hash_sha256(b.p, b.n, key);
	ctx_buf_release(&b);
}

/* The cached value "null" means that there is no such entity. */
static int
look_up_cached_answer(
    struct ctx_resolver *r, struct ctx_candidate *c, struct ctx_err *err)
{
	char key[CTX_HASH_HEX + 1];
	int rc;

	make_resolver_key(r, c, key);
	rc = ctx_cache_get(r->st, "resolve", key, r->o.now, &c->record, err);
	c->done = rc == 1;
	if (c->done && ctx_span_is(ctx_buf_span(&c->record), "null"))
		ctx_buf_reset(&c->record);
	return rc < 0 ? -1 : 0;
}

static int
cache_resolver_answer(struct ctx_resolver *r, int64_t session_no,
    const struct ctx_candidate *c, int64_t ttl, struct ctx_err *err)
{
	struct ctx_span value = c->record.n > 0 ? ctx_buf_span(&c->record)
						: ctx_span_of("null");
	char key[CTX_HASH_HEX + 1];

	make_resolver_key(r, c, key);
	return ctx_cache_put(
	    r->st, "resolve", key, session_no, r->o.now, ttl, value, err);
}

/* ---- the resolver's output ---- */

static bool
is_same_candidate_name(struct ctx_span json, const char *name)
{
	struct ctx_buf tmp = CTX_BUF_INIT, a = CTX_BUF_INIT, b = CTX_BUF_INIT;
	bool same;

	if (ctx_json_type(json) == CTX_JSON_OBJECT)
		json = ctx_json_get(json, "name");
	ctx_fold_text(ctx_json_text(json, &tmp), &a);
	ctx_fold_text(ctx_span_of(name), &b);
	same = b.n > 0 && ctx_span_eq(ctx_buf_span(&a), ctx_buf_span(&b));
	ctx_buf_release(&tmp);
	ctx_buf_release(&a);
	ctx_buf_release(&b);
	return same;
}

static bool
is_candidate_answer(struct ctx_span record, const struct ctx_candidate *c)
{
	struct ctx_span query = ctx_json_find(record, "query");

	return is_same_candidate_name(
	    query.p != NULL ? query : ctx_json_get(record, "name"), c->name);
}

static void
accept_resolver_record(
    struct ctx_candidate *c, struct ctx_span record, struct ctx_err *said)
{
	struct ctx_buf why = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(ctx_json_get(record, "error"), &why);

	if (text.p == NULL)
		text = ctx_json_get(record, "error");
	c->done = true;
	c->failed = ctx_json_find(record, "error").p != NULL &&
		    ctx_json_find(record, "name").p == NULL;
	if (c->failed && said->code == CTX_OK)
		ctx_err_set(said, CTX_EIO,
		    "the resolver has no result for %s '%.100s': %.*s", c->type, c->name,
		    (int)(text.n < 300 ? text.n : 300), text.n > 0 ? text.p : "");
	ctx_buf_release(&why);
	if (ctx_json_type(record) == CTX_JSON_OBJECT &&
	    ctx_json_type(ctx_json_get(record, "name")) == CTX_JSON_STRING)
		ctx_json_minify(record, &c->record);
}

/* Returns the index of the candidate that the record is about, or n. The search starts at
 * from, because answers usually have the order of the questions. */
static size_t
find_answered_candidate(
    const struct ctx_candidate *list, size_t n, size_t from, struct ctx_span record)
{
	for (size_t k = 0; k < n; k++) {
		size_t i = from + k < n ? from + k : from + k - n;
		if (!list[i].done && is_candidate_answer(record, &list[i]))
			return i;
	}
	return n;
}

/* Reads the answers for the candidates that were asked for (not done), in order. */
static int
take_resolver_answers(struct ctx_candidate *list, size_t n, size_t asked,
    struct ctx_span out, struct ctx_err *said, struct ctx_err *err)
{
	size_t lines = ctx_span_count(out, '\n'), next = 0, at;
	struct ctx_span line, v;

	if (out.n > 0 && out.p[out.n - 1] != '\n')
		lines++;
	while (ctx_span_split(&out, '\n', &line)) {
		if (ctx_span_trim(line).n == 0)
			continue;
		if (ctx_json_check(line, &v, NULL, err) < 0)
			return ctx_err_prefix(err, "output of the resolver");
		if (lines != asked)
			at = find_answered_candidate(list, n, next, v);
		else
			for (at = next; at < n && list[at].done;)
				at++;
		if (at == n)
			continue;
		accept_resolver_record(&list[at], v, said);
		next = at;
	}
	return 0;
}

static size_t
put_resolver_questions(const struct ctx_candidate *list, size_t n, struct ctx_buf *lines)
{
	size_t asked = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i].done)
			continue;
		ctx_json_print(
		    lines, "{'type':%s,'name':%s}\n", list[i].type, list[i].name);
		asked++;
	}
	return asked;
}

/* Asks the command about the candidates that are not done, and caches its answers. */
static int
ask_resolver(struct ctx_resolver *r, int64_t session_no, struct ctx_candidate *list,
    size_t n, struct ctx_err *err)
{
	struct ctx_buf lines = CTX_BUF_INIT, out = CTX_BUF_INIT;
	struct ctx_err kept = CTX_ERR_INIT, said = CTX_ERR_INIT;
	bool *open = ctx_mem_new(n * sizeof(*open));
	size_t asked = put_resolver_questions(list, n, &lines);
	int rc;

	for (size_t i = 0; i < n; i++)
		open[i] = !list[i].done;
	r->asked += asked;
	rc = ctx_exec_ask(r->exec, ctx_buf_span(&lines), asked, &out, err);
	if (rc == 0)
		rc = take_resolver_answers(
		    list, n, asked, ctx_buf_span(&out), &said, err);
	for (size_t i = 0; i < n; i++) {
		int64_t ttl = list[i].record.n > 0       ? r->o.ttl_ms
			      : rc < 0 || list[i].failed ? CTX_RESOLVE_TTL_FAILURE
							 : CTX_RESOLVE_TTL_NONE;
		if (open[i] && kept.code == CTX_OK)
			cache_resolver_answer(r, session_no, &list[i],
			    ttl < r->o.ttl_ms ? ttl : r->o.ttl_ms, &kept);
	}
	if (rc == 0 && kept.code == CTX_OK)
		kept = said; /* the other candidates were answered */
	if (rc == 0 && kept.code != CTX_OK) {
		*err = kept;
		rc = -1;
	}
	free(open);
	ctx_buf_release(&lines);
	ctx_buf_release(&out);
	return rc;
}

int
ctx_resolver_ask(struct ctx_resolver *r, int64_t session_no, struct ctx_candidate *list,
    size_t n, struct ctx_err *err)
{
	size_t open = 0;

	for (size_t i = 0; i < n; i++) {
		if (look_up_cached_answer(r, &list[i], err) < 0)
			return -1;
		open += !list[i].done;
	}
	return open == 0 ? 0 : ask_resolver(r, session_no, list, n, err);
}
