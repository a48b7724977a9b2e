#include "stats/drawn.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "stats/texts.h"

#define WORDS_MIN 3 /* shared words needed if none is special */

/* Owner of a mark in the answer if it is not the index of an entry. */
enum { NOBODY = -1, SEVERAL = -2 };

struct entry {
	struct ctx_span server, name, sha256; /* JSON strings or absent */
	int64_t first, last; /* range of messages if the entry is history; 0: it is not */
	bool tool, item;     /* item: an item of text, not a tool */
};

struct ctx_drawn_run {
	struct ctx_store *st;
	struct ctx_texts *texts;
	/* the current request: */
	struct entry *entries;
	enum ctx_drawn *out;
	size_t n, cap;
	struct ctx_buf answer;
	struct ctx_marks marks; /* marks of the answer */
	/* for each of these marks, the index of the entry that it is from */
	int64_t *owner;
	size_t cap_owner;
	size_t owned; /* number of marks with such an owner */
	/* the current turn: the names that it calls from message seq on, one on each
	 * line */
	int64_t no, turn, seq;
	struct ctx_buf calls;
	bool answered; /* the answer, message seq, is in the store */
};

struct ctx_drawn_run *
ctx_drawn_new(struct ctx_store *st)
{
	struct ctx_drawn_run *d = ctx_mem_new(sizeof(*d));

	d->st = st;
	d->texts = ctx_texts_new(st);
	d->turn = -1;
	return d;
}

void
ctx_drawn_free(struct ctx_drawn_run *d)
{
	if (d == NULL)
		return;
	ctx_texts_free(d->texts);
	free(d->entries);
	free(d->out);
	free(d->owner);
	ctx_buf_release(&d->answer);
	ctx_buf_release(&d->calls);
	ctx_marks_release(&d->marks);
	free(d);
}

/* ---- tools ---- */

/* Appends the name with each run of characters other than letters and digits as one
 * '_'. */
static void
add_plain(struct ctx_buf *b, struct ctx_span name)
{
	for (size_t i = 0; i < name.n; i++)
		if (ctx_mark_word_char(name.p[i]))
			ctx_buf_addc(b, name.p[i]);
		else if (b->n > 0 && b->p[b->n - 1] != '_')
			ctx_buf_addc(b, '_');
}

bool
ctx_drawn_calls(struct ctx_span called, struct ctx_span server, struct ctx_span name)
{
	struct ctx_buf got = CTX_BUF_INIT, alone = CTX_BUF_INIT, whole = CTX_BUF_INIT;
	bool same;

	add_plain(&got, called);
	add_plain(&alone, name);
	add_plain(&whole, server);
	ctx_buf_adds(&whole, whole.n > 0 && whole.p[whole.n - 1] != '_' ? "_" : "");
	add_plain(&whole, name);
	same = alone.n > 0 &&
	       (ctx_span_eq(ctx_buf_span(&got), ctx_buf_span(&alone)) ||
		   (server.n > 0 && got.n >= whole.n &&
		       memcmp(got.p + got.n - whole.n, whole.p, whole.n) == 0 &&
		       (got.n == whole.n || got.p[got.n - whole.n - 1] == '_')));
	ctx_buf_release(&got);
	ctx_buf_release(&alone);
	ctx_buf_release(&whole);
	return same;
}

static void
add_drawn_calls(struct ctx_drawn_run *d, struct ctx_span message)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_buf name = CTX_BUF_INIT;

	if (ctx_message_parse(&m, message, &ignored) == 0)
		for (size_t i = 0; i < m.n; i++) {
			if (m.parts[i].type != CTX_PART_TOOL_CALL ||
			    ctx_json_type(m.parts[i].name) != CTX_JSON_STRING)
				continue;
			ctx_buf_reset(&name);
			ctx_json_decode(m.parts[i].name, &name);
			if (memchr(name.p == NULL ? "" : name.p, '\n', name.n) != NULL)
				continue;
			ctx_buf_addspan(&d->calls, ctx_buf_span(&name));
			ctx_buf_addc(&d->calls, '\n');
		}
	ctx_buf_release(&name);
	ctx_message_release(&m);
}

/* Reads the answer to r, and the calls that follow it in the same turn, except those that
 * the previous call of this function has read. With texts, also reads the texts of the
 * turn's later answers. */
static int
read_drawn_turn(struct ctx_drawn_run *d, const struct ctx_item_request *r, bool texts,
    struct ctx_err *err)
{
	struct ctx_cursor *c = NULL;
	struct ctx_stored m;
	int64_t before = d->no == r->session->no ? d->turn : -1, until = d->seq;
	int rc;

	if (before >= 0 && d->seq == r->response_seq)
		return 0;
	d->no = r->session->no;
	d->seq = r->response_seq;
	d->answered = false;
	ctx_buf_reset(&d->answer);
	c = ctx_cursor_open(d->st, r->session, d->seq, CTX_SEQ_MAX, false, err);
	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		if (m.seq == d->seq) {
			d->answered = true;
			d->turn = m.turn;
			if (m.turn != before)
				ctx_buf_reset(&d->calls);
			ctx_texts_of(m.message, &d->answer);
		} else if (!d->answered || m.turn != d->turn ||
			   (!texts && m.turn == before && m.seq >= until)) {
			break;
		} else if (texts && m.type == CTX_TYPE_RESPONSE) {
			ctx_buf_addc(&d->answer, '\n');
			ctx_texts_of(m.message, &d->answer);
		}
		if (m.tool_calls > 0 && !(m.turn == before && m.seq >= until))
			add_drawn_calls(d, m.message);
	}
	ctx_cursor_close(c);
	if (!d->answered)
		d->turn = -1;
	return rc < 0 ? -1 : 0;
}

static bool
was_called(const struct ctx_drawn_run *d, const struct entry *e)
{
	struct ctx_buf server = CTX_BUF_INIT, name = CTX_BUF_INIT;
	bool called = false;

	if (e->server.p != NULL)
		ctx_json_decode(e->server, &server);
	ctx_json_decode(e->name, &name);
	for (size_t i = 0; i < d->calls.n && !called;) {
		const char *p = d->calls.p + i;
		size_t n = (size_t)(strchr(p, '\n') - p);
		called = ctx_drawn_calls(
		    (struct ctx_span){p, n}, ctx_buf_span(&server), ctx_buf_span(&name));
		i += n + 1;
	}
	ctx_buf_release(&server);
	ctx_buf_release(&name);
	return called;
}

/* ---- texts ---- */

/* Assigns the marks that this entry shares with the answer to the entry; a mark that
 * another entry has too becomes SEVERAL. */
static void
claim_drawn_marks(struct ctx_drawn_run *d, const struct ctx_marks *marks, int64_t who)
{
	size_t k = 0;

	for (size_t i = 0; i < d->marks.n; i++) {
		uint64_t mark = d->marks.list[i];
		while (k < marks->n && marks->list[k] < mark)
			k++;
		if (k == marks->n)
			break;
		if (marks->list[k] != mark || d->owner[i] == SEVERAL)
			continue;
		d->owned -= d->owner[i] >= 0;
		d->owner[i] = d->owner[i] == NOBODY ? who : SEVERAL;
		d->owned += d->owner[i] >= 0;
	}
}

static int
claim_additions(
    struct ctx_drawn_run *d, const struct ctx_item_request *r, struct ctx_err *err)
{
	const struct ctx_marks *marks;
	struct ctx_span params = ctx_json_get(r->record, "params");

	if (ctx_json_type(params) == CTX_JSON_OBJECT)
		claim_drawn_marks(d, ctx_texts_json(d->texts, params), SEVERAL);
	for (size_t i = 0; i < d->n; i++) {
		const struct entry *e = &d->entries[i];
		int rc = ctx_texts_addition(d->texts, r->session, e->sha256,
		    e->item ? e->name : CTX_SPAN_NONE, &marks, err);
		if (rc < 0)
			return -1;
		if (rc == 0) {
			if (e->item)
				d->out[i] = CTX_DRAWN_UNKNOWN;
			continue;
		}
		claim_drawn_marks(d, marks, e->item ? (int64_t)i : SEVERAL);
	}
	return 0;
}

/* Reads backward, because the latest messages share the most marks with the answer. */
static int
claim_history(
    struct ctx_drawn_run *d, const struct ctx_item_request *r, struct ctx_err *err)
{
	const struct ctx_marks *marks;

	for (size_t i = d->n; i-- > 0;) {
		const struct entry *e = &d->entries[i];
		for (int64_t seq = e->last; e->first > 0 && seq >= e->first; seq--) {
			int rc;
			if (d->owned == 0)
				return 0;
			rc = ctx_texts_message(d->texts, r->session, seq, &marks, err);
			if (rc < 0)
				return -1;
			if (rc == 1)
				claim_drawn_marks(d, marks, SEVERAL);
		}
	}
	return 0;
}

static bool
is_word_at(struct ctx_span text, size_t at, struct ctx_span name)
{
	size_t end = at + name.n;

	return memcmp(text.p + at, name.p, name.n) == 0 &&
	       (at == 0 || !ctx_mark_word_char(text.p[at - 1]) ||
		   !ctx_mark_word_char(name.p[0])) &&
	       (end == text.n || !ctx_mark_word_char(text.p[end]) ||
		   !ctx_mark_word_char(name.p[name.n - 1]));
}

static bool
stands_in(struct ctx_span name, struct ctx_span text)
{
	for (size_t at = 0; at + name.n <= text.n; at++) {
		const char *p = memchr(text.p + at, name.p[0], text.n - name.n + 1 - at);
		if (p == NULL)
			return false;
		at = (size_t)(p - text.p);
		if (is_word_at(text, at, name))
			return true;
	}
	return false;
}

static bool
is_drawn_mark_owner(const struct ctx_drawn_run *d, uint64_t mark, size_t who)
{
	for (size_t i = 0; i < d->marks.n; i++)
		if (d->marks.list[i] == mark)
			return d->owner[i] == (int64_t)who;
	return false;
}

static bool
was_named(const struct ctx_drawn_run *d, size_t who)
{
	struct ctx_marks marks = CTX_MARKS_INIT;
	struct ctx_buf name = CTX_BUF_INIT;
	bool named = false;

	ctx_json_decode(d->entries[who].name, &name);
	if (name.n > 0 && stands_in(ctx_buf_span(&name), ctx_buf_span(&d->answer))) {
		ctx_marks_add(&marks, ctx_buf_span(&name));
		ctx_marks_settle(&marks);
		named = marks.n > 1 ||
			(marks.n == 1 && (ctx_mark_special(marks.list[0]) ||
					     is_drawn_mark_owner(d, marks.list[0], who)));
	}
	ctx_marks_release(&marks);
	ctx_buf_release(&name);
	return named;
}

static bool
was_repeated(const struct ctx_drawn_run *d, size_t who)
{
	size_t words = 0;

	for (size_t i = 0; i < d->marks.n; i++)
		if (d->owner[i] == (int64_t)who &&
		    (ctx_mark_special(d->marks.list[i]) || ++words == WORDS_MIN))
			return true;
	return false;
}

static int
judge_texts(
    struct ctx_drawn_run *d, const struct ctx_item_request *r, struct ctx_err *err)
{
	ctx_marks_reset(&d->marks);
	ctx_marks_add(&d->marks, ctx_buf_span(&d->answer));
	ctx_marks_settle(&d->marks);
	if (d->marks.n > d->cap_owner) {
		d->cap_owner = d->marks.n;
		d->owner = ctx_mem_resize(d->owner, d->cap_owner, sizeof(*d->owner));
	}
	for (size_t i = 0; i < d->marks.n; i++)
		d->owner[i] = NOBODY;
	d->owned = 0;
	if (claim_additions(d, r, err) < 0 || claim_history(d, r, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++)
		if (d->entries[i].item && d->out[i] == CTX_DRAWN_NO &&
		    (was_repeated(d, i) || was_named(d, i)))
			d->out[i] = CTX_DRAWN_YES;
	return 0;
}

/* ---- entries ---- */

static struct entry
read_drawn_entry(struct ctx_span json)
{
	enum { SOURCE, SHA256, SEQ, FIRST, LAST, N };
	static const char *const keys[N] = {
	    "source", "sha256", "seq", "first_seq", "last_seq"};
	static const char *const source_keys[] = {"type", "server_name", "name"};
	struct ctx_span v[N], s[3];
	struct entry e = {0};

	ctx_json_get_all(json, keys, v, N);
	ctx_json_get_all(v[SOURCE], source_keys, s, 3);
	e.server = ctx_json_type(s[1]) == CTX_JSON_STRING ? s[1] : CTX_SPAN_NONE;
	e.name = s[2];
	e.sha256 = v[SHA256];
	if (v[SEQ].p == NULL && (!ctx_json_int(v[FIRST], &e.first) ||
				    !ctx_json_int(v[LAST], &e.last) || e.first < 1))
		e.first = e.last = 0;
	if (ctx_json_type(e.name) == CTX_JSON_STRING) {
		e.tool = ctx_json_is(s[0], "tool");
		e.item = CTX_JSON_IS_ANY(s[0], "rule", "reference", "prompt");
	}
	return e;
}

int
ctx_drawn_judge(struct ctx_drawn_run *d, const struct ctx_item_request *r,
    const enum ctx_drawn **out, size_t *n, struct ctx_err *err)
{
	static const char *const lists[] = {"messages", "in_view"};
	/* in a run, later requests contain the additions too, but do not list them */
	bool run = ctx_json_get(r->record, "run").p != NULL;
	bool texts = false;

	d->n = 0;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		CTX_JSON_EACH(it, ctx_json_get(r->record, lists[i])) {
			CTX_MEM_GROW(d->entries, d->n, d->cap);
			d->entries[d->n++] = read_drawn_entry(it.value);
			texts |= d->entries[d->n - 1].item;
		}
	}
	d->out = ctx_mem_resize(d->out, d->n + 1, sizeof(*d->out));
	*out = d->out;
	*n = d->n;
	for (size_t i = 0; i < d->n; i++)
		d->out[i] = CTX_DRAWN_UNKNOWN;
	if (r->response_seq <= 0)
		return 0;
	if (read_drawn_turn(d, r, run && texts, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n && d->answered; i++)
		if (d->entries[i].tool)
			d->out[i] = was_called(d, &d->entries[i]) ? CTX_DRAWN_YES
								  : CTX_DRAWN_NO;
		else if (d->entries[i].item)
			d->out[i] = CTX_DRAWN_NO;
	return d->answered && texts ? judge_texts(d, r, err) : 0;
}
