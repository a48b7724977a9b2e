#include "stats/texts.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/message.h"
#include "store/content.h"

#define SLOTS 8192 /* more than the messages of any request */
/* maximum number of marks cached for all texts, of 8 bytes each */
#define MARKS_MAX ((size_t)4 << 20)

struct slot {
	uint64_t key[2];
	bool used;
	struct ctx_marks marks;
};

struct ctx_texts {
	struct ctx_store *st;
	struct slot *slots;
	size_t total; /* number of marks cached */
};

struct ctx_texts *
ctx_texts_new(struct ctx_store *st)
{
	struct ctx_texts *t = ctx_mem_new(sizeof(*t));

	t->st = st;
	t->slots = ctx_mem_new(SLOTS * sizeof(*t->slots));
	return t;
}

static void
clear_text_slot(struct ctx_texts *t, struct slot *s)
{
	t->total -= s->marks.n;
	ctx_marks_release(&s->marks);
	s->used = false;
}

void
ctx_texts_free(struct ctx_texts *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		clear_text_slot(t, &t->slots[i]);
	free(t->slots);
	free(t);
}

/* Returns the slot for a text. It may still hold another text. */
static struct slot *
find_text_slot(struct ctx_texts *t, uint64_t a, uint64_t b)
{
	uint64_t at = (a * UINT64_C(0x9e3779b97f4a7c15) + b) % SLOTS;
	struct slot *s = &t->slots[at];

	if (s->used && s->key[0] == a && s->key[1] == b)
		return s;
	clear_text_slot(t, s);
	s->key[0] = a;
	s->key[1] = b;
	return s;
}

static const struct ctx_marks *
store_text_marks(struct ctx_texts *t, struct slot *s, struct ctx_span text)
{
	ctx_marks_add(&s->marks, text);
	ctx_marks_settle(&s->marks);
	if (t->total + s->marks.n > MARKS_MAX)
		for (size_t i = 0; i < SLOTS; i++)
			if (t->slots[i].used)
				clear_text_slot(t, &t->slots[i]);
	s->used = true;
	t->total += s->marks.n;
	return &s->marks;
}

/* ---- texts ---- */

static void
add_strings(struct ctx_span json, struct ctx_buf *out)
{
	if (ctx_json_type(json) == CTX_JSON_STRING) {
		ctx_json_decode(json, out);
		ctx_buf_addc(out, '\n');
		return;
	}
	CTX_JSON_EACH(it, json)
		add_strings(it.value, out);
	if (ctx_json_type(json) == CTX_JSON_NUMBER) {
		ctx_buf_addspan(out, json);
		ctx_buf_addc(out, '\n');
	}
}

void
ctx_texts_of(struct ctx_span message, struct ctx_buf *out)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;

	if (ctx_message_parse(&m, message, &ignored) == 0) {
		ctx_message_text(&m, out);
		for (size_t i = 0; i < m.n; i++)
			if (m.parts[i].type == CTX_PART_TOOL_CALL) {
				ctx_buf_addc(out, '\n');
				add_strings(m.parts[i].name, out);
				add_strings(m.parts[i].body, out);
			}
	}
	ctx_message_release(&m);
}

int
ctx_texts_addition(struct ctx_texts *t, const struct ctx_session *session,
    struct ctx_span sha256, struct ctx_span name, const struct ctx_marks **marks,
    struct ctx_err *err)
{
	struct ctx_buf message = CTX_BUF_INIT, text = CTX_BUF_INIT;
	struct slot *s;
	int rc = 1;

	if (ctx_json_type(sha256) != CTX_JSON_STRING)
		return 0;
	s = find_text_slot(
	    t, ctx_hash_bytes(1, sha256.p, sha256.n), ctx_hash_bytes(2, name.p, name.n));
	if (!s->used) {
		ctx_json_decode(sha256, &text);
		rc = ctx_content_get(
		    t->st, session->no, ctx_buf_span(&text), &message, err);
		ctx_buf_reset(&text);
	}
	if (!s->used && rc == 1) {
		ctx_texts_of(ctx_buf_span(&message), &text);
		if (ctx_json_type(name) == CTX_JSON_STRING) {
			ctx_buf_addc(&text, '\n');
			ctx_json_decode(name, &text);
		}
		store_text_marks(t, s, ctx_buf_span(&text));
	}
	*marks = &s->marks;
	ctx_buf_release(&message);
	ctx_buf_release(&text);
	return rc;
}

int
ctx_texts_message(struct ctx_texts *t, const struct ctx_session *s, int64_t seq,
    const struct ctx_marks **marks, struct ctx_err *err)
{
	struct slot *slot = find_text_slot(t, (uint64_t)s->no, (uint64_t)seq);
	struct ctx_cursor *c;
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_stored m;
	int rc;

	*marks = &slot->marks;
	if (slot->used)
		return 1;
	c = ctx_cursor_open(t->st, s, seq, seq, false, err);
	rc = ctx_cursor_next(c, &m, err);
	if (rc == 1) {
		ctx_texts_of(m.message, &text);
		store_text_marks(t, slot, ctx_buf_span(&text));
	}
	ctx_cursor_close(c);
	ctx_buf_release(&text);
	return rc;
}

const struct ctx_marks *
ctx_texts_json(struct ctx_texts *t, struct ctx_span json)
{
	struct slot *s = find_text_slot(t, ctx_hash_bytes(3, json.p, json.n), json.n);
	struct ctx_buf text = CTX_BUF_INIT;

	if (!s->used) {
		add_strings(json, &text);
		store_text_marks(t, s, ctx_buf_span(&text));
		ctx_buf_release(&text);
	}
	return &s->marks;
}
