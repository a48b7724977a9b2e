#include "entity/load_waiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "words/fold.h"
#include "entity/pattern.h"
#include "json/json.h"

struct ctx_loader *
ctx_loader_new(struct ctx_store *st, const char *tenant, int64_t now)
{
	struct ctx_loader *l = ctx_mem_new(sizeof(*l));

	l->st = st;
	l->tenant = ctx_mem_str(tenant);
	l->now = now;
	return l;
}

void
ctx_loader_replace(struct ctx_loader *l)
{
	l->replace = true;
}

void
ctx_loader_free(struct ctx_loader *l)
{
	if (l == NULL)
		return;
	ctx_waiting_drop(l, 0);
	free(l->waiting);
	free(l->replaced);
	free(l->tenant);
	free(l);
}

enum {
	TYPE,
	NAME,
	PATTERN,
	ID,
	SLUG,
	ALIASES,
	RELATIONS,
	PARENT,
	PARENT_TYPE,
	CHILDREN,
	ACTION,
	DATA,
	EXPIRES,
	N_KEYS
};

static const char *const keys[N_KEYS] = {"type", "name", "pattern", "id", "slug",
    "aliases", "relations", "parent", "parent_type", "children", "action", "data",
    "data_expires_at"};

/* Checks the types of the members; null counts as absent. */
static int
check_types(struct ctx_span v[N_KEYS], struct ctx_err *err)
{
	static const enum ctx_json_type want[N_KEYS] = {[TYPE] = CTX_JSON_STRING,
	    [NAME] = CTX_JSON_STRING,
	    [PATTERN] = CTX_JSON_STRING,
	    [SLUG] = CTX_JSON_STRING,
	    [ALIASES] = CTX_JSON_ARRAY,
	    [RELATIONS] = CTX_JSON_ARRAY,
	    [PARENT_TYPE] = CTX_JSON_STRING,
	    [CHILDREN] = CTX_JSON_ARRAY,
	    [ACTION] = CTX_JSON_STRING,
	    [EXPIRES] = CTX_JSON_STRING};

	for (int i = 0; i < N_KEYS; i++) {
		enum ctx_json_type have = ctx_json_type(v[i]);
		if (have == CTX_JSON_NULL)
			v[i] = CTX_SPAN_NONE;
		else if (have != CTX_JSON_NONE && want[i] != CTX_JSON_NONE &&
			 have != want[i])
			return ctx_err_set(
			    err, CTX_EINPUT, "%s has a value of the wrong type", keys[i]);
		else if (want[i] == CTX_JSON_STRING && have == want[i] &&
			 !ctx_json_is_text(v[i]))
			return ctx_err_set(err, CTX_EINPUT,
			    "%s must be a string without NUL characters", keys[i]);
	}
	if (v[ID].p != NULL && ctx_json_type(v[ID]) != CTX_JSON_STRING &&
	    ctx_json_type(v[ID]) != CTX_JSON_NUMBER)
		return ctx_err_set(err, CTX_EINPUT, "id must be a string or a number");
	if (v[TYPE].p == NULL || (v[NAME].p == NULL && v[PATTERN].p == NULL))
		return ctx_err_set(
		    err, CTX_EINPUT, "an entity needs a type, and a name or a pattern");
	return 0;
}

/* Returns the text of a name or type, to be freed by the caller, or NULL with err set if
 * it is not valid as one. */
char *
ctx_load_name(struct ctx_span json, const char *what, struct ctx_err *err)
{
	char *s = ctx_json_strdup(json);
	struct ctx_span v = ctx_span_of(s);
	struct ctx_buf key = CTX_BUF_INIT;

	if (s != NULL)
		ctx_fold_text(v, &key);
	if (s == NULL || key.n == 0 || v.n > CTX_ENTITY_NAME_MAX) {
		bool cut = s == NULL && ctx_json_type(json) == CTX_JSON_STRING;
		ctx_err_set(err, CTX_EINPUT, "%s must be a string of 1 to %d bytes%s",
		    what, CTX_ENTITY_NAME_MAX, cut ? " without NUL characters" : "");
		free(s);
		s = NULL;
	}
	ctx_buf_release(&key);
	return s;
}

/* Adds aliases to entity no. With no == 0 only checks that they are valid. */
static int
add_aliases(struct ctx_loader *l, int64_t no, struct ctx_span list, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int rc = 0;

	CTX_JSON_EACH_WHILE(rc >= 0, it, list) {
		char *alias = ctx_load_name(it.value, "an alias", err);
		rc = alias == NULL ? -1 : 0;
		if (rc == 0 && no != 0) {
			ctx_buf_reset(&key);
			ctx_fold_text(ctx_span_of(alias), &key);
			rc = ctx_entity_alias(
			    l->st, no, ctx_buf_span(&key), ctx_span_of(alias), err);
		}
		free(alias);
	}
	ctx_buf_release(&key);
	return rc < 0 ? -1 : 0;
}

struct stale {
	struct ctx_buf keys;     /* the keys in the record, each followed by a NUL */
	struct ctx_buf key, out; /* out: the stored keys that the record lacks */
};

static bool
is_listed_key(const struct ctx_buf *list, struct ctx_span key)
{
	for (size_t at = 0; at < list->n; at += strlen(list->p + at) + 1)
		if (ctx_span_is(key, list->p + at))
			return true;
	return false;
}

static int
find_stale(void *arg, struct ctx_span alias, int64_t other CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct stale *s = arg;

	ctx_buf_reset(&s->key);
	ctx_fold_text(alias, &s->key);
	if (!is_listed_key(&s->keys, ctx_buf_span(&s->key))) {
		ctx_buf_addspan(&s->out, ctx_buf_span(&s->key));
		ctx_buf_addc(&s->out, '\0');
	}
	return 0;
}

/* Removes the stored aliases that are not in the list. */
static int
remove_aliases(
    struct ctx_loader *l, int64_t no, struct ctx_span list, struct ctx_err *err)
{
	struct stale s = {CTX_BUF_INIT, CTX_BUF_INIT, CTX_BUF_INIT};
	struct ctx_buf tmp = CTX_BUF_INIT;
	int rc;

	CTX_JSON_EACH(it, list) {
		ctx_fold_text(ctx_json_text(it.value, &tmp), &s.keys);
		ctx_buf_addc(&s.keys, '\0');
	}
	rc = ctx_entity_aliases(l->st, no, find_stale, &s, err);
	for (size_t at = 0; rc >= 0 && at < s.out.n;) {
		struct ctx_span key = ctx_span_of(s.out.p + at);
		rc = ctx_entity_unalias(l->st, no, key, err);
		at += key.n + 1;
	}
	ctx_buf_release(&tmp);
	ctx_buf_release(&s.keys);
	ctx_buf_release(&s.key);
	ctx_buf_release(&s.out);
	return rc < 0 ? -1 : 0;
}

/* Removes stale aliases. The old parent and relations are removed in ctx_loader_finish,
 * where the new ones are stored. */
static int
replace_rest(struct ctx_loader *l, int64_t no, const struct ctx_span v[N_KEYS],
    struct ctx_err *err)
{
	CTX_MEM_GROW(l->replaced, l->n_replaced, l->cap_replaced);
	l->replaced[l->n_replaced++] = no;
	return remove_aliases(l, no, v[ALIASES], err);
}

/* Queues the relations of an entity whose number is not known yet. */
static int
note_others(struct ctx_loader *l, const struct ctx_span v[N_KEYS], struct ctx_err *err)
{
	CTX_JSON_EACH(it, v[RELATIONS]) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		if (type.p == NULL)
			return ctx_err_set(
			    err, CTX_EINPUT, "a relation needs a type and a target");
		if (ctx_waiting_add(l, type, ctx_json_get(it.value, "target"),
			ctx_json_get(it.value, "target_type"), false, err) < 0)
			return -1;
	}
	if (v[PARENT].p != NULL &&
	    ctx_waiting_add(l, CTX_SPAN_NONE, v[PARENT], v[PARENT_TYPE], false, err) < 0)
		return -1;
	CTX_JSON_EACH(it, v[CHILDREN])
		if (ctx_waiting_add(
			l, CTX_SPAN_NONE, it.value, CTX_SPAN_NONE, true, err) < 0)
			return -1;
	return 0;
}

static int
load_entity_pattern(
    struct ctx_loader *l, const struct ctx_span v[N_KEYS], struct ctx_err *err)
{
	struct ctx_patterns *check = ctx_patterns_new();
	char *type = ctx_load_name(v[TYPE], "type", err),
	     *pattern = ctx_json_strdup(v[PATTERN]);
	int rc = type == NULL ? -1
			      : ctx_patterns_add(
				    check, ctx_span_of(type), ctx_span_of(pattern), err);

	if (rc == 0)
		rc = ctx_entity_pattern_put(
		    l->st, l->tenant, ctx_span_of(type), ctx_span_of(pattern), err);
	ctx_patterns_free(check);
	free(type);
	free(pattern);
	return rc < 0 ? -1 : 0;
}

static int
fill_loaded_entity(struct ctx_loader *l, struct ctx_entity *e,
    const struct ctx_span v[N_KEYS], struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	int rc = 0;

	e->type = ctx_load_name(v[TYPE], "type", err);
	e->name = e->type == NULL ? NULL : ctx_load_name(v[NAME], "name", err);
	e->id_json = ctx_span_dup(v[ID]);
	e->slug = ctx_json_strdup(v[SLUG]);
	e->action = ctx_json_strdup(v[ACTION]);
	if (v[DATA].p != NULL) { /* on one line */
		ctx_json_minify(v[DATA], &tmp);
		e->data_json = ctx_buf_detach(&tmp);
	}
	e->updated_at = l->now;
	if (v[EXPIRES].p != NULL &&
	    ctx_time_parse(ctx_json_text(v[EXPIRES], &tmp), &e->data_expires_at, err) < 0)
		rc = ctx_err_prefix(err, "data_expires_at");
	ctx_buf_release(&tmp);
	return e->name == NULL ? -1 : rc;
}

int
ctx_loader_add(
    struct ctx_loader *l, struct ctx_span record, int64_t *no, struct ctx_err *err)
{
	struct ctx_span v[N_KEYS];
	struct ctx_buf key = CTX_BUF_INIT;
	struct ctx_entity e = CTX_ENTITY_INIT;
	size_t noted = l->n;
	int rc;

	*no = 0;
	ctx_json_get_all(record, keys, v, N_KEYS);
	if (check_types(v, err) < 0)
		return -1;
	if (v[PATTERN].p != NULL)
		return load_entity_pattern(l, v, err);
	/* The whole record is read before any of it is stored. */
	rc = fill_loaded_entity(l, &e, v, err);
	if (rc == 0)
		rc = add_aliases(l, 0, v[ALIASES], err);
	if (rc == 0)
		rc = note_others(l, v, err);
	if (rc == 0) {
		ctx_fold_text(ctx_span_of(e.name), &key);
		if (l->replace)
			rc = ctx_entity_reset(
			    l->st, l->tenant, e.type, ctx_buf_span(&key), err);
	}
	if (rc == 0)
		rc = ctx_entity_put(l->st, l->tenant, &e, ctx_buf_span(&key), err);
	if (rc >= 0 && l->replace && replace_rest(l, e.no, v, err) < 0)
		rc = -1;
	if (rc >= 0)
		rc = add_aliases(l, e.no, v[ALIASES], err);
	if (rc >= 0 && l->replace)
		noted -= ctx_waiting_take_back(l, e.no, noted);
	if (rc < 0)
		ctx_waiting_drop(l, noted);
	for (size_t i = noted; i < l->n; i++)
		l->waiting[i].no = e.no;
	*no = e.no;
	ctx_entity_release(&e);
	ctx_buf_release(&key);
	return rc;
}

int
ctx_loader_remove(struct ctx_loader *l, struct ctx_span record, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span v[N_KEYS];
	char *type, *name = NULL;
	int rc = -1;

	ctx_json_get_all(record, keys, v, N_KEYS);
	if (check_types(v, err) < 0)
		return -1;
	type = ctx_load_name(v[TYPE], "type", err);
	if (type != NULL && v[PATTERN].p != NULL) {
		ctx_json_decode(v[PATTERN], &text);
		rc = ctx_entity_pattern_remove(
		    l->st, l->tenant, ctx_span_of(type), ctx_buf_span(&text), err);
	} else if (type != NULL && (name = ctx_load_name(v[NAME], "name", err)) != NULL) {
		ctx_fold_text(ctx_span_of(name), &text);
		rc = ctx_entity_remove(l->st, l->tenant, type, ctx_buf_span(&text), err);
	}
	ctx_buf_release(&text);
	free(type);
	free(name);
	return rc < 0 ? -1 : 0;
}
