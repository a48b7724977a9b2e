#include "entity/track.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "words/fold.h"
#include "entity/pattern.h"
#include "entity/scan.h"
#include "record/message.h"
#include "store/derived.h"
#include "store/fulltext.h"
#include "store/purge.h"
#include "entity/names.h"

#define KIND "entity"                 /* mark: how far a session has been read */
#define KIND_NAMES CTX_MARK_NAMES     /* mark: generation of the names used */
#define NAMES_FORM ((int64_t)2 << 48) /* added to the mark: version of the search rules */
#define PAGE_BYTES ((size_t)8 << 20)  /* read in one transaction */
#define PAGE_MESSAGES 20000

/* The entities mentioned in the current page. */
struct tally {
	struct ctx_entity_use *uses;
	size_t n, cap;
	struct ctx_map by_entity;
};

struct number {
	struct ctx_span type, name;
	int64_t no;
};

struct ctx_tracker {
	struct ctx_store *st;
	char *tenant;
	struct ctx_names names;
	struct ctx_patterns *patterns;
	struct ctx_recognisers *recognisers;
	struct ctx_scan track;
	ctx_tracker_warn_fn *warn;
	void *warn_arg;

	struct ctx_mentions mentions;
	struct ctx_message message;
	struct ctx_buf text;
	struct ctx_buf key; /* key of an unknown entity */
	struct ctx_mention_at *at;
	size_t cap_at;
	struct tally tally;
	/* numbers of unknown entities; valid in one transaction */
	struct number *numbers;
	size_t n_numbers, cap_numbers;
	struct ctx_map by_name;
	struct ctx_arena arena;
};

/* ---- opening ---- */

static void
report_pattern(void *arg, const char *type, const char *pattern, const char *why)
{
	struct ctx_tracker *t = arg;
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_addf(
	    &b, "pattern '%.200s' of type %.100s is ignored: %s", pattern, type, why);
	if (t->warn != NULL)
		t->warn(t->warn_arg, b.p);
	ctx_buf_release(&b);
}

static int
add_tracker_pattern(
    void *arg, struct ctx_span type, struct ctx_span pattern, struct ctx_err *err)
{
	struct ctx_tracker *t = arg;

	if (t->patterns == NULL) {
		t->patterns = ctx_patterns_new();
		ctx_patterns_on_limit(t->patterns, report_pattern, t);
	}
	return ctx_patterns_add(t->patterns, type, pattern, err);
}

static int
load_names(struct ctx_tracker *t, struct ctx_err *err)
{
	struct ctx_err why = CTX_ERR_INIT;
	bool kept;

	if (ctx_names_open(&t->names, t->st, t->tenant, &kept, &why) < 0) {
		*err = why;
		return -1;
	}
	if (!kept && t->warn != NULL)
		t->warn(t->warn_arg, why.msg);
	if (t->names.generation > 0 &&
	    ctx_entity_patterns(t->st, t->tenant, add_tracker_pattern, t, err) < 0)
		return -1;
	t->track = (struct ctx_scan){.builtin = t->recognisers,
	    .gazetteers = &t->names.gazetteer,
	    .n_gazetteers = t->names.any,
	    .patterns = t->patterns};
	return 0;
}

static void
unload_names(struct ctx_tracker *t)
{
	ctx_names_close(&t->names);
	ctx_patterns_free(t->patterns);
	t->patterns = NULL;
}

int
ctx_tracker_open(struct ctx_tracker **out, struct ctx_store *st, const char *tenant,
    ctx_tracker_warn_fn *warn, void *arg, struct ctx_err *err)
{
	struct ctx_tracker *t = ctx_mem_new(sizeof(*t));

	*out = NULL;
	t->st = st;
	t->tenant = ctx_mem_str(tenant == NULL ? "" : tenant);
	t->warn = warn;
	t->warn_arg = arg;
	t->recognisers = ctx_recognisers_new();
	if (load_names(t, err) < 0) {
		ctx_tracker_free(t);
		return -1;
	}
	*out = t;
	return 0;
}

int
ctx_tracker_follow(struct ctx_tracker **t, struct ctx_store *st,
    const struct ctx_session *s, ctx_tracker_warn_fn *warn, void *arg,
    struct ctx_err *err)
{
	const char *of = s->tenant_id == NULL ? "" : s->tenant_id;

	if (*t != NULL && strcmp((*t)->tenant, of) == 0)
		return 0;
	ctx_tracker_free(*t);
	return ctx_tracker_open(t, st, of, warn, arg, err);
}

void
ctx_tracker_free(struct ctx_tracker *t)
{
	if (t == NULL)
		return;
	unload_names(t);
	ctx_recognisers_free(t->recognisers);
	ctx_mentions_release(&t->mentions);
	ctx_message_release(&t->message);
	ctx_buf_release(&t->text);
	ctx_buf_release(&t->key);
	ctx_map_release(&t->tally.by_entity);
	ctx_map_release(&t->by_name);
	ctx_arena_release(&t->arena);
	free(t->tally.uses);
	free(t->numbers);
	free(t->at);
	free(t->tenant);
	free(t);
}

struct ctx_store *
ctx_tracker_store(const struct ctx_tracker *t)
{
	return t->st;
}

const char *
ctx_tracker_tenant(const struct ctx_tracker *t)
{
	return t->tenant;
}

void
ctx_tracker_text(struct ctx_tracker *t, struct ctx_span text, struct ctx_mentions *m)
{
	ctx_scan_text(&t->track, text, m);
}

size_t
ctx_tracker_find(
    const struct ctx_tracker *t, struct ctx_span name, uint64_t *nos, size_t max)
{
	return t->names.any ? ctx_gazetteer_find(&t->names.gazetteer, name, nos, max) : 0;
}

int64_t
ctx_tracker_known(struct ctx_tracker *t, const char *type, struct ctx_span name)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_entity e = CTX_ENTITY_INIT;
	uint64_t nos[16];
	size_t n = ctx_tracker_find(t, name, nos, 16);
	int64_t found = 0;

	for (size_t i = 0; i < n && i < 16 && found == 0; i++)
		if (ctx_entity_get(t->st, (int64_t)nos[i], &e, &ignored) == 1 &&
		    strcmp(e.type, type) == 0)
			found = e.no;
	ctx_entity_release(&e);
	return found;
}

void
ctx_seen_key(const char *type, struct ctx_span name, struct ctx_buf *key)
{
	if (strcmp(type, "path") == 0 || strcmp(type, "url") == 0)
		ctx_buf_addspan(key, name);
	else
		ctx_fold_text(name, key);
}

/* ---- reading one message ---- */

struct wanted {
	const struct ctx_tracker *t;
	struct ctx_span type, name;
};

static bool
is_same_entity_name(const void *arg, size_t value)
{
	const struct wanted *w = arg;
	const struct number *have = &w->t->numbers[value - 1];

	return ctx_span_eq(have->name, w->name) && ctx_span_eq(have->type, w->type);
}

/* Finds the number of a mention without an id: a known entity in another spelling, or an
 * entity that was only seen in messages. */
static int
find_entity_number(struct ctx_tracker *t, const char *type, struct ctx_span name,
    int64_t *no, struct ctx_err *err)
{
	struct wanted w = {.t = t, .type = ctx_span_of(type), .name = name};
	uint64_t hash = ctx_hash_bytes(ctx_hash_bytes(0, type, w.type.n), name.p, name.n);
	size_t at = ctx_map_get(&t->by_name, hash, is_same_entity_name, &w);

	if (at != 0) {
		*no = t->numbers[at - 1].no;
		return 0;
	}
	*no = ctx_tracker_known(t, type, name);
	if (*no == 0) {
		ctx_buf_reset(&t->key);
		ctx_seen_key(type, name, &t->key);
		if (ctx_seen_number(t->st, w.type, ctx_buf_span(&t->key), name, no, err) <
		    0)
			return -1;
	}
	CTX_MEM_GROW(t->numbers, t->n_numbers, t->cap_numbers);
	t->numbers[t->n_numbers] = (struct number){
	    ctx_arena_copy(&t->arena, w.type), ctx_arena_copy(&t->arena, name), *no};
	*ctx_map_at(&t->by_name, hash, is_same_entity_name, &w) = ++t->n_numbers;
	return 0;
}

static void
count_entity_use(struct ctx_tracker *t, int64_t entity, const struct ctx_stored *m)
{
	uint64_t key = ctx_hash_end((uint64_t)entity * UINT64_C(0x9e3779b97f4a7c15));
	size_t *at = ctx_map_at(&t->tally.by_entity, key, NULL, NULL);
	struct ctx_entity_use *u;

	if (*at == 0) {
		CTX_MEM_GROW(t->tally.uses, t->tally.n, t->tally.cap);
		*at = ++t->tally.n;
		t->tally.uses[*at - 1] = (struct ctx_entity_use){.entity = entity,
		    .first_seq = m->seq,
		    .first_at = m->created_at,
		    .last_at = m->created_at};
	}
	u = &t->tally.uses[*at - 1];
	u->last_seq = m->seq;
	if (u->last_at < m->created_at)
		u->last_at = m->created_at;
	u->mentions++;
}

/* Finds the mentions in the text of message m, counts them, and stores them. */
static int
track_text(struct ctx_tracker *t, const struct ctx_session *s, struct ctx_span text,
    const struct ctx_stored *m, struct ctx_err *err)
{
	ctx_scan_text(&t->track, text, &t->mentions);
	if (t->mentions.n == 0)
		return 0;
	if (t->cap_at < t->mentions.n) {
		t->cap_at = 2 * t->mentions.n;
		t->at = ctx_mem_resize(t->at, t->cap_at, sizeof(*t->at));
	}
	for (size_t i = 0; i < t->mentions.n; i++) {
		const struct ctx_mention *found = &t->mentions.list[i];
		int64_t no = (int64_t)found->id;
		if (found->source != CTX_MENTION_NAME &&
		    find_entity_number(
			t, found->type, ctx_mentions_name(&t->mentions, i), &no, err) < 0)
			return -1;
		t->at[i] = (struct ctx_mention_at){
		    no, (int64_t)found->offset, (int64_t)found->len};
		count_entity_use(t, no, m);
	}
	return ctx_mention_put(t->st, s, m->seq, t->at, t->mentions.n, err);
}

/* ---- tracking in pages ---- */

static void
reset_page(struct ctx_tracker *t)
{
	t->tally.n = t->n_numbers = 0;
	ctx_map_reset(&t->tally.by_entity);
	ctx_map_reset(&t->by_name);
	ctx_arena_reset(&t->arena);
}

/* A page: the messages after seq, and how far they were read. */
struct page {
	struct ctx_tracker *t;
	const struct ctx_session *s;
	int64_t seq;
	size_t bytes;
	int n;
	bool full;
};

static bool
count_page_message(struct page *p, int64_t seq, size_t bytes)
{
	p->seq = seq;
	p->bytes += bytes;
	p->n++;
	return p->full = p->bytes >= PAGE_BYTES || p->n >= PAGE_MESSAGES;
}

static int
read_page_messages(struct page *p, struct ctx_err *err)
{
	struct ctx_tracker *t = p->t;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_cursor *c = ctx_cursor_open(
	    t->st, p->s, p->seq + 1, p->s->last_seq, false, err);
	struct ctx_stored m;
	int rc = 0;

	while (!p->full && (rc = ctx_cursor_next(c, &m, err)) == 1) {
		count_page_message(p, m.seq, m.message.n);
		if (ctx_message_parse(&t->message, m.message, &ignored) < 0)
			continue;
		ctx_buf_reset(&t->text);
		ctx_message_text(&t->message, &t->text);
		rc = track_text(t, p->s, ctx_buf_span(&t->text), &m, err);
		if (rc < 0)
			break;
	}
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

static int
track_page_text(
    void *arg, int64_t seq, struct ctx_span text, int64_t created_at, struct ctx_err *err)
{
	struct ctx_stored m = {.seq = seq, .created_at = created_at};
	struct page *p = arg;

	return track_text(p->t, p->s, text, &m, err) < 0
		   ? -1
		   : count_page_message(p, seq, text.n);
}

static int
track_page(
    struct ctx_tracker *t, const struct ctx_session *s, int64_t *seq, struct ctx_err *err)
{
	struct page p = {.t = t, .s = s, .seq = *seq};
	int rc = ctx_archive_cleaned(s)
		     ? ctx_fulltext_texts(t->st, s, *seq + 1, track_page_text, &p, err)
		     : read_page_messages(&p, err);

	*seq = p.full ? p.seq : s->last_seq; /* the whole log, even if it has gaps */
	for (size_t i = 0; rc == 0 && i < t->tally.n; i++)
		rc = ctx_mention_count(t->st, s, &t->tally.uses[i], err);
	return rc;
}

/* The mentions found depend on the names and on the search rules. */
static int64_t
names_mark(const struct ctx_tracker *t)
{
	return t->names.generation > 0 ? t->names.generation + NAMES_FORM : 0;
}

/* If the session was tracked with other names, restarts it; if those names are newer than
 * ours, loads the new names first. */
static int
check_names(
    struct ctx_tracker *t, const struct ctx_session *s, int64_t *seq, struct ctx_err *err)
{
	int64_t names;

	if (ctx_derived_mark(t->st, KIND_NAMES, s->no, &names, err) < 0)
		return -1;
	if (*seq == 0 || names == names_mark(t))
		return 0;
	if (names > names_mark(t)) {
		unload_names(t);
		if (load_names(t, err) < 0)
			return -1;
		if (names == names_mark(t))
			return 0;
	}
	*seq = 0;
	return ctx_mention_forget(t->st, s->no, s->no, err);
}

/* Tracks one page, in one transaction. Returns 1 if there are further pages. */
static int
track_next_page(struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err)
{
	int64_t seq;
	int rc;

	reset_page(t);
	if (ctx_derived_begin(t->st, err) < 0)
		return -1;
	rc = ctx_derived_wanted(t->st, s->no, err);
	if (rc != 1) {
		ctx_derived_rollback(t->st);
		return rc;
	}
	rc = ctx_derived_mark(t->st, KIND, s->no, &seq, err);
	if (rc == 0)
		rc = check_names(t, s, &seq, err);
	if (rc == 0 && seq < s->last_seq)
		rc = track_page(t, s, &seq, err);
	if (rc == 0)
		rc = ctx_derived_set_mark(t->st, KIND, s->no, seq, err);
	if (rc == 0)
		rc = ctx_derived_set_mark(t->st, KIND_NAMES, s->no, names_mark(t), err);
	rc = ctx_derived_end(t->st, rc, err);
	return rc < 0 ? -1 : seq < s->last_seq;
}

/* True if the session's messages can be read. Returns 1, 0, or -1 on error. */
static int
is_readable(struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err)
{
	int64_t kept = 1;

	if (ctx_archive_cleaned(s) &&
	    ctx_fulltext_last_kept(t->st, s->no, &kept, err) < 0)
		return -1;
	return kept > 0;
}

static int
catch_up_tracker(struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err)
{
	int64_t seq, names;
	int rc;

	/* Usually there is nothing to do, so no lock is taken. */
	if (ctx_derived_mark(t->st, KIND, s->no, &seq, err) < 0 ||
	    ctx_derived_mark(t->st, KIND_NAMES, s->no, &names, err) < 0)
		return -1;
	if (seq >= s->last_seq && (names == names_mark(t) || seq == 0))
		return 0;
	rc = is_readable(t, s, err);
	while (rc == 1)
		rc = track_next_page(t, s, err);
	return rc;
}

int
ctx_tracker_catch_up(
    struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = catch_up_tracker(t, s, err);

	while (rc < 0 && ctx_session_moved(t->st, s, &now, err))
		rc = catch_up_tracker(t, &now, err);
	ctx_session_release(&now);
	return rc;
}

int
ctx_tracker_rebuild(
    struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err)
{
	int rc = is_readable(t, s, err);

	if (rc <= 0)
		return rc;
	rc = ctx_derived_begin(t->st, err);
	if (rc == 0)
		rc = ctx_mention_forget(t->st, s->no, s->no, err);
	rc = ctx_derived_end(t->st, rc, err);
	return rc == 0 ? ctx_tracker_catch_up(t, s, err) : -1;
}
