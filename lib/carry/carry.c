#include "carry/carry.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "carry/internal.h"
#include "json/json.h"
#include "record/message.h"
#include "render/render.h"

static const struct carry_format *const formats[] = {&ctx_carry_atif,
    &ctx_carry_claude_code, &ctx_carry_codex, &ctx_carry_gemini_cli, &ctx_carry_goose,
    &ctx_carry_opencode, &ctx_carry_pi};
#define TITLE_MAX 80 /* bytes */
#define FORMATS ((int)(sizeof(formats) / sizeof(formats[0])))

const char *
ctx_carry_name(int i)
{
	return i >= 0 && i < FORMATS ? formats[i]->name : NULL;
}

int
ctx_carry_find(const char *name)
{
	for (int i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return i;
	return -1;
}

struct ctx_carry_home
ctx_carry_home(int format)
{
	return formats[format]->home;
}

/* ---- blocks ---- */

static void
read_image(struct carry_block *b)
{
	struct ctx_span source = ctx_json_get(b->json, "source");

	b->kind = CARRY_IMAGE;
	if (!ctx_json_has_type(source, "base64"))
		return;
	b->mime = ctx_json_get(source, "media_type");
	b->data = ctx_json_get(source, "data");
}

static void
read_block(struct carry_block *b)
{
	struct ctx_span type = ctx_json_get(b->json, "type");

	b->kind = CARRY_OTHER;
	if (ctx_json_is(type, "text")) {
		b->kind = CARRY_TEXT;
		b->text = ctx_json_get(b->json, "text");
	} else if (ctx_json_is(type, "tool_use")) {
		b->kind = CARRY_CALL;
		b->id = ctx_json_get(b->json, "id");
		b->name = ctx_json_get(b->json, "name");
		b->input = ctx_json_get(b->json, "input");
	} else if (ctx_json_is(type, "tool_result")) {
		b->kind = CARRY_RESULT;
		b->id = ctx_json_get(b->json, "tool_use_id");
		b->error = ctx_json_true(ctx_json_get(b->json, "is_error"));
	} else if (ctx_json_is(type, "image")) {
		read_image(b);
	}
}

bool
ctx_carry_next(struct carry_block *b, struct ctx_span content)
{
	size_t n = 0, at = b->next;

	*b = (struct carry_block){.kind = CARRY_TEXT, .next = at + 1};
	if (ctx_json_type(content) == CTX_JSON_STRING) {
		b->json = b->text = content;
		return at == 0;
	}
	CTX_JSON_EACH(it, content)
		if (n++ == at) {
			b->json = it.value;
			read_block(b);
			return true;
		}
	return false;
}

bool
ctx_carry_result(
    const struct carry *c, size_t i, struct ctx_span id, struct carry_block *b)
{
	*b = (struct carry_block){.next = 0};
	while (i + 1 < c->n && ctx_carry_next(b, c->turns[i + 1].content))
		if (b->kind == CARRY_RESULT && ctx_span_eq(b->id, id))
			return true;
	return false;
}

/* Appends the text of a block, or a description of it. */
static void
add_words(struct ctx_buf *text, const struct carry_block *b)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	if (b->kind == CARRY_TEXT) {
		ctx_json_decode(b->text, text);
	} else if (b->kind == CARRY_IMAGE) {
		ctx_buf_adds(text, "[image]");
	} else if (b->kind == CARRY_OTHER) {
		ctx_buf_addc(text, '[');
		ctx_buf_addspan(text, ctx_json_text(ctx_json_get(b->json, "type"), &tmp));
		ctx_buf_addc(text, ']');
	}
	ctx_buf_release(&tmp);
}

static void
add_words_of(struct ctx_buf *text, struct ctx_span content, const char *between)
{
	CARRY_EACH(b, content) {
		if (b.kind == CARRY_CALL || b.kind == CARRY_RESULT)
			continue;
		if (text->n > 0)
			ctx_buf_adds(text, between);
		add_words(text, &b);
	}
}

/* Appends the text as a JSON string, and releases it. */
static void
put_carried_text(struct ctx_buf *out, struct ctx_buf *text)
{
	ctx_json_put_string(out, ctx_buf_span(text));
	ctx_buf_release(text);
}

void
ctx_carry_put_result(struct ctx_buf *out, const struct carry_block *b)
{
	struct ctx_buf text = CTX_BUF_INIT;

	if (b == NULL)
		ctx_buf_adds(&text, "no result recorded");
	else
		add_words_of(&text, ctx_json_get(b->json, "content"), "\n");
	put_carried_text(out, &text);
}

void
ctx_carry_put_text(struct ctx_buf *out, struct ctx_span content)
{
	struct ctx_buf text = CTX_BUF_INIT;

	add_words_of(&text, content, "\n\n");
	put_carried_text(out, &text);
}

void
ctx_carry_put_words(struct ctx_buf *out, const struct carry_block *b)
{
	struct ctx_buf text = CTX_BUF_INIT;

	add_words(&text, b);
	put_carried_text(out, &text);
}

void
ctx_carry_put_data_url(struct ctx_buf *out, const struct carry_block *image)
{
	ctx_buf_adds(out, "\"data:");
	ctx_buf_add(out, image->mime.p + 1, image->mime.n - 2);
	ctx_buf_adds(out, ";base64,");
	ctx_buf_add(out, image->data.p + 1, image->data.n - 1);
}

bool
ctx_carry_only_results(struct ctx_span content)
{
	CARRY_EACH(b, content)
		if (b.kind != CARRY_RESULT)
			return false;
	return true;
}

bool
ctx_carry_has_calls(struct ctx_span content)
{
	CARRY_EACH(b, content)
		if (b.kind == CARRY_CALL)
			return true;
	return false;
}

/* ---- ids ---- */

struct carry_id
ctx_carry_uuid(const struct carry *c, size_t n)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct carry_id id;
	char h[CTX_HASH_HEX + 1];

	ctx_buf_addf(&b, "%s/%zu", c->hash, n);
	ctx_hash_sha256(b.p, b.n, h);
	ctx_buf_release(&b);
	snprintf(id.text, sizeof(id.text), "%.8s-%.4s-4%.3s-8%.3s-%.12s", h, h + 8,
	    h + 13, h + 17, h + 20);
	return id;
}

struct carry_id
ctx_carry_id(const struct carry *c, const char *prefix, size_t n)
{
	struct carry_id id;

	/* ids ascend with n, because some tools sort by them */
	snprintf(id.text, sizeof(id.text), "%s%.12s%014zu", prefix, c->hash, n);
	return id;
}

void
ctx_carry_put_slug(struct ctx_buf *out, struct ctx_span path)
{
	for (size_t i = 0; i < path.n; i++)
		ctx_buf_addc(out, isalnum((unsigned char)path.p[i]) ? path.p[i] : '-');
}

/* ---- a session ---- */

/* Reads the model of the newest answer that names one. */
static void
read_model(struct carry *c, const struct ctx_record *messages, size_t n)
{
	for (size_t i = n; i-- > 0 && c->model.n == 0;)
		ctx_json_decode(ctx_json_get(messages[i].metadata, "model"), &c->model);
	if (c->model.n == 0)
		ctx_buf_adds(&c->model, "unknown");
}

static void
read_session(struct carry *c, const char *format)
{
	struct ctx_span metadata = ctx_json_get(c->session, "metadata");
	struct ctx_buf id = CTX_BUF_INIT;

	ctx_json_decode(ctx_json_get(c->session, "session_id"), &id);
	/* different formats get different ids, since the copies of a session develop
	 * separately */
	ctx_buf_addf(&id, "/%s", format);
	ctx_hash_sha256(id.p, id.n, c->hash);
	ctx_json_decode(ctx_json_get(c->session, "title"), &c->title);
	ctx_json_decode(ctx_json_get(metadata, "cwd"), &c->directory);
	if (c->o->directory != NULL)
		ctx_buf_reset(&c->directory);
	if (c->directory.n == 0)
		ctx_buf_adds(&c->directory,
		    c->o->directory != NULL ? c->o->directory : c->o->fallback);
	ctx_buf_release(&id);
	c->id = ctx_carry_uuid(c, 0);
}

/* Converts all messages to the format of one provider, in which roles alternate and
 * results follow their calls. */
static int
make_body(
    struct carry *c, const struct ctx_record *messages, size_t n, struct ctx_err *err)
{
	struct ctx_render_item *items = ctx_mem_new((n + 1) * sizeof(*items));
	struct ctx_render_options o = {.provider = CTX_PROVIDER_ANTHROPIC,
	    .thinking = CTX_THINKING_STRIP,
	    .transcript = true};
	int rc;

	for (size_t i = 0; i < n; i++)
		items[i] = (struct ctx_render_item){.message = messages[i].message,
		    .slot = messages[i].slot,
		    .seq = messages[i].seq,
		    .created_at = messages[i].created_at};
	rc = ctx_render_body(&c->body, items, n, &o, err);
	free(items);
	return rc;
}

/* Makes times ascend, because tools sort by time. A message without a time has the time
 * at which it was stored, which can be later than those of later messages. */
static void
ascend_times(struct carry *c)
{
	int64_t *least = ctx_mem_new(
	    (c->n + 1) * sizeof(*least)); /* least time of a turn and all later ones */

	least[c->n] = INT64_MAX;
	for (size_t i = c->n; i-- > 0;)
		least[i] = c->turns[i].at < least[i + 1] ? c->turns[i].at : least[i + 1];
	for (size_t i = 1; i < c->n; i++) {
		int64_t before = c->turns[i - 1].at, at = least[i];
		if (at < before) {
			at = INT64_MAX;
			for (size_t k = i; k < c->n; k++)
				if (c->turns[k].at >= before && c->turns[k].at < at)
					at = c->turns[k].at;
		}
		c->turns[i].at = at == INT64_MAX ? before : at;
	}
	free(least);
}

/* Sets the time at which each turn began. A turn is a run of messages by the assistant,
 * or by others. */
static void
set_times(struct carry *c, const struct ctx_record *messages, size_t n)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	int64_t at = c->o->now;
	size_t turn = 0;

	for (size_t i = 0; i < n; i++) {
		bool assistant;
		if (ctx_message_parse(&m, messages[i].message, &ignored) < 0 ||
		    m.role == CTX_ROLE_SYSTEM || m.role == CTX_ROLE_DEVELOPER)
			continue;
		assistant = m.role == CTX_ROLE_ASSISTANT;
		if (turn < c->n && c->turns[turn].assistant != assistant &&
		    c->turns[turn].at != CTX_TIME_NONE)
			turn++;
		if (messages[i].created_at != CTX_TIME_NONE)
			at = messages[i].created_at;
		if (turn < c->n && c->turns[turn].assistant == assistant &&
		    c->turns[turn].at == CTX_TIME_NONE)
			c->turns[turn].at = at;
	}
	ctx_message_release(&m);
	for (size_t i = 0; i < c->n; i++)
		if (c->turns[i].at == CTX_TIME_NONE)
			c->turns[i].at = i == 0 ? c->o->now : c->turns[i - 1].at;
	ascend_times(c);
}

/* Makes a title from the first line of the first question. */
static void
make_title(struct carry *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n && c->title.n == 0; i++)
		if (!c->turns[i].assistant)
			add_words_of(&c->title, c->turns[i].content, "\n");
	while (n < c->title.n && c->title.p[n] != '\n')
		n++;
	if (n > TITLE_MAX)
		for (n = TITLE_MAX;
		     n > 0 && ((unsigned char)c->title.p[n] & 0xc0) == 0x80;)
			n--;
	if (c->title.n == 0)
		ctx_buf_adds(&c->title, "Untitled");
	else if (n < c->title.n) {
		c->title.n = n;
		c->title.p[n] = '\0';
	}
}

static int
read_turns(
    struct carry *c, const struct ctx_record *messages, size_t n, struct ctx_err *err)
{
	struct ctx_span list, body = ctx_buf_span(&c->body);
	size_t cap = 0;

	add_words_of(&c->system, ctx_json_get(body, "system"), "\n\n");
	list = ctx_json_get(body, "messages");
	CTX_JSON_EACH(it, list) {
		CTX_MEM_GROW(c->turns, c->n, cap);
		c->turns[c->n++] = (struct carry_turn){
		    ctx_json_is(ctx_json_get(it.value, "role"), "assistant"),
		    ctx_json_get(it.value, "content"), CTX_TIME_NONE};
	}
	if (c->n == 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "the session has no message to export");
	set_times(c, messages, n);
	c->titled = c->title.n > 0;
	if (!c->titled)
		make_title(c);
	return 0;
}

static void
release_carry(struct carry *c)
{
	ctx_buf_release(&c->system);
	ctx_buf_release(&c->title);
	ctx_buf_release(&c->directory);
	ctx_buf_release(&c->model);
	ctx_buf_release(&c->body);
	free(c->turns);
}

void
ctx_carried_release(struct ctx_carried *carried)
{
	free(carried->place);
	free(carried->directory);
}

int
ctx_carry_print(int format, struct ctx_span session, const struct ctx_record *messages,
    size_t n, const struct ctx_carry_options *o, struct ctx_buf *out,
    struct ctx_carried *carried, struct ctx_err *err)
{
	const struct carry_format *f = formats[format];
	struct carry c = {.o = o, .session = session};
	struct ctx_buf path = CTX_BUF_INIT;
	int rc;

	read_session(&c, f->name);
	read_model(&c, messages, n);
	rc = make_body(&c, messages, n, err);
	if (rc == 0)
		rc = read_turns(&c, messages, n, err);
	if (rc == 0) {
		f->print(&c, out);
		if (f->place != NULL)
			f->place(&c, &path);
		carried->place = path.n > 0 ? ctx_buf_detach(&path) : NULL;
		carried->directory = ctx_mem_str(c.directory.p);
		carried->system = c.system.n > 0 && !f->system;
	}
	ctx_buf_release(&path);
	release_carry(&c);
	return rc;
}
