#include "answer/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "record/message.h"

#define MAX_INPUT ((size_t)256 << 20)
#define HIGH "89abAB" /* possible second digits of \ud8… and \udc… */
#define LOW "cdefCDEF"
#define GARBAGE_CHARS 80
/* enough to show the beginning of the input in an error message */
#define GARBAGE_BYTES 1024

void
ctx_answer_release(struct ctx_answer *a)
{
	ctx_buf_release(&a->message);
	ctx_buf_release(&a->usage);
	ctx_buf_release(&a->details);
	free(a->id);
	free(a->model);
	free(a->stop_reason);
	*a = (struct ctx_answer)CTX_ANSWER_INIT;
}

#define KIND_ROW(id, name) [CTX_PROVIDER_##id] = &ctx_answer_##name,
static const struct ctx_answer_kind *const kinds[] = {CTX_PROVIDERS(KIND_ROW)};

struct ctx_answer_reader *
ctx_answer_reader_new(
    enum ctx_provider provider, void (*text)(void *arg, struct ctx_span piece), void *arg)
{
	struct ctx_answer_reader *r = ctx_mem_new(sizeof(*r));

	r->provider = provider;
	r->kind = kinds[provider];
	r->parts.full = r->usage.full = r->details.full = &r->full;
	r->text = text;
	r->arg = arg;
	return r;
}

void
ctx_answer_reader_free(struct ctx_answer_reader *r)
{
	if (r == NULL)
		return;
	ctx_buf_release(&r->head);
	ctx_sse_release(&r->events);
	ctx_buf_release(&r->elements.element);
	ctx_node_release(&r->parts);
	ctx_node_release(&r->usage);
	ctx_node_release(&r->details);
	ctx_buf_release(&r->message);
	ctx_buf_release(&r->mask);
	ctx_buf_release(&r->held);
	free(r->id);
	free(r->model);
	free(r->stop_reason);
	free(r->event_id);
	free(r);
}

/* ---- chunks of a stream ---- */

/* Returns whether p is an escaped surrogate whose second digit is in the set. */
static bool
is_surrogate(const char *p, const char *end, const char *second)
{
	return end - p >= 6 && p[0] == '\\' && p[1] == 'u' &&
	       (p[2] == 'd' || p[2] == 'D') && p[3] != '\0' &&
	       strchr(second, p[3]) != NULL && isxdigit((unsigned char)p[4]) &&
	       isxdigit((unsigned char)p[5]);
}

/* Copies text with the halves of surrogate pairs and of characters inside strings masked,
 * so that it can be checked and parsed. Its structure does not change. */
static void
mask_lone_halves(struct ctx_buf *out, struct ctx_span text)
{
	const char *end = text.p + text.n;
	bool string = false;
	size_t n;

	ctx_buf_reset(out);
	for (const char *p = text.p; p < end; p += n) {
		n = 1;
		if (*p == '"')
			string = !string;
		if (!string || ((unsigned char)*p < 0x80 && *p != '\\')) {
			ctx_buf_addc(out, *p);
		} else if (*p != '\\') {
			n = ctx_utf8_decode(p, (size_t)(end - p), NULL);
			ctx_buf_add(out, n == 0 ? "?" : p, n == 0 ? 1 : n);
			n = n == 0 ? 1 : n;
		} else if (is_surrogate(p, end, HIGH) && is_surrogate(p + 6, end, LOW)) {
			ctx_buf_add(out, p, n = 12);
		} else if (is_surrogate(p, end, HIGH) || is_surrogate(p, end, LOW)) {
			ctx_buf_add(out, "\\ufffd", n = 6);
		} else {
			n = end - p < 2 ? 1 : 2;
			ctx_buf_add(out, p, n);
		}
	}
}

/* Removes the next value from *data. Once a mask was needed, *data continues in the
 * mask. */
static int
next_value(struct ctx_answer_reader *r, struct ctx_span *data, struct ctx_span *value,
    struct ctx_err *err)
{
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_span rest;

	if (ctx_json_check_next(*data, value, &rest, &why) < 0 && r->original == NULL) {
		r->original = data->p;
		mask_lone_halves(&r->mask, *data);
		*data = ctx_buf_span(&r->mask);
		why.code = CTX_OK;
		ctx_json_check_next(*data, value, &rest, &why);
	}
	if (why.code != CTX_OK)
		return ctx_err_set(err, CTX_EIO,
		    "the stream is damaged: an event contains invalid JSON: %s", why.msg);
	*data = ctx_span_trim(rest);
	return 0;
}

/* Sets an error that quotes the beginning of input that is not an answer. */
static int
fail_text(const char *what, struct ctx_span text, struct ctx_err *err)
{
	struct ctx_buf shown = CTX_BUF_INIT;
	size_t i = 0;

	text = ctx_span_trim(text);
	for (int chars = 0; i < text.n && chars < GARBAGE_CHARS; chars++) {
		size_t n = ctx_utf8_decode(text.p + i, text.n - i, NULL);
		if (n == 0)
			ctx_buf_addc(&shown, '?');
		else if (n == 1 && (unsigned char)text.p[i] <= ' ')
			ctx_buf_addc(&shown, ' ');
		else
			ctx_buf_add(&shown, text.p + i, n);
		i += n == 0 ? 1 : n;
	}
	ctx_err_set(err, CTX_EIO, "%s: %.*s%s", what, (int)shown.n,
	    ctx_buf_span(&shown).p, i < text.n ? "…" : "");
	ctx_buf_release(&shown);
	return -1;
}

static int
take_error(struct ctx_span data, struct ctx_err *err)
{
	struct ctx_buf wrapped = CTX_BUF_INIT;
	struct ctx_span value;
	int rc = 0;

	if (ctx_json_check(data, &value, NULL, NULL) == 0) {
		rc = ctx_answer_error(value, err);
		if (rc == 0 && ctx_json_type(value) == CTX_JSON_OBJECT) {
			/* the error object itself, without a wrapper */
			ctx_buf_adds(&wrapped, "{\"error\":");
			ctx_buf_addspan(&wrapped, value);
			ctx_buf_addc(&wrapped, '}');
			rc = ctx_answer_error(ctx_buf_span(&wrapped), err);
			ctx_buf_release(&wrapped);
		}
	}
	return rc < 0 ? -1 : fail_text("the stream ended with an error", data, err);
}

/* Returns whether the chunk begins another answer after a complete one. */
static bool
begins_answer(struct ctx_span chunk)
{
	static const char *const keys[] = {"type", "event_type", "choices", "candidates"};
	struct ctx_span v[4];

	ctx_json_get_all(chunk, keys, v, 4);
	return CTX_JSON_IS_ANY(v[0], "message_start", "response.created") ||
	       ctx_json_is(v[1], "interaction.created") ||
	       (ctx_json_type(v[2]) == CTX_JSON_ARRAY && v[2].n > 2) ||
	       (ctx_json_type(v[3]) == CTX_JSON_ARRAY && v[3].n > 2);
}

bool
ctx_answer_is_another(
    struct ctx_answer_reader *r, struct ctx_span id, struct ctx_span chunk)
{
	struct ctx_buf text = CTX_BUF_INIT;
	bool other = false;

	if (r->ended && r->id != NULL && ctx_json_is_text(id) && begins_answer(chunk)) {
		ctx_json_decode(id, &text);
		other = text.n > 0 && !ctx_span_is(ctx_buf_span(&text), r->id);
	}
	ctx_buf_release(&text);
	r->followed |= other;
	return other;
}

static int
check_size(const struct ctx_answer_reader *r, struct ctx_err *err)
{
	return r->full ? ctx_err_set(err, CTX_EIO, "the answer has more than %d parts",
			     CTX_NODE_KIDS)
		       : 0;
}

static int
take_event(void *arg, struct ctx_span name, struct ctx_span data, struct ctx_err *err)
{
	struct ctx_answer_reader *r = arg;
	struct ctx_span value;
	bool stream = r->mode == CTX_ANSWER_STREAM;

	if (r->ended && r->kind->ends_once) {
		r->followed |= ctx_json_check(data, &value, NULL, NULL) == 0 &&
			       begins_answer(value);
		return 0;
	}
	if (ctx_span_is(name, "error"))
		return take_error(data, err);
	r->original = NULL;
	/* one value; but servers that omit the empty line send several at once */
	for (data = ctx_span_trim(data); data.n > 0;) {
		if (stream && data.n >= 6 && memcmp(data.p, "[DONE]", 6) == 0) {
			data = ctx_span_trim((struct ctx_span){data.p + 6, data.n - 6});
			r->marked = true;
			continue;
		}
		if (next_value(r, &data, &value, err) < 0)
			return -1;
		if (r->marked && begins_answer(value)) {
			r->followed = true;
			continue;
		}
		if (ctx_answer_error(value, err) < 0)
			return -1;
		if (ctx_json_type(value) != CTX_JSON_OBJECT)
			return fail_text(
			    "an event of the stream is not a JSON object", value, err);
		if (!stream && !r->kind->array)
			return ctx_err_set(err, CTX_EIO,
			    "the answer is a JSON array, which this provider does not send");
		if (r->kind->chunk(r, value, err) < 0 || check_size(r, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- input ---- */

/* Determines from the first characters whether the input is a body or a stream, however
 * the input was split. */
static void
detect_answer_mode(struct ctx_answer_reader *r, bool last)
{
	static const char *const fields[] = {
	    ":", "data:", "event:", "id:", "retry:", "error:"};
	const char *p = ctx_buf_span(&r->head).p, *end = p + r->head.n;

	if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	while (p < end && strchr(" \t\r\n", *p) != NULL && *p != '\0')
		p++;
	if (p == end) {
		/* White space is not collected. One space is kept: it shows that a byte
		 * order mark after it comes too late. */
		if (r->head.n > 0) {
			r->head.p[0] = ' ';
			r->head.n = 1;
		}
		return;
	}
	if (*p == '{' || *p == '[') {
		r->mode = *p == '{' ? CTX_ANSWER_BODY : CTX_ANSWER_ARRAY;
	} else {
		r->mode = CTX_ANSWER_GARBAGE;
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			size_t n = strlen(fields[i]), left = (size_t)(end - p);
			if (memcmp(p, fields[i], left < n ? left : n) != 0)
				continue;
			r->mode = left >= n ? CTX_ANSWER_STREAM
				  : last    ? CTX_ANSWER_GARBAGE
					    : CTX_ANSWER_START;
			break;
		}
		/* part of a byte order mark */
		if (!last && end - p < 3 &&
		    memcmp(p, "\xef\xbb\xbf", (size_t)(end - p)) == 0)
			r->mode = CTX_ANSWER_START;
	}
	if (r->mode != CTX_ANSWER_START) {
		size_t skipped = (size_t)(p - r->head.p);
		memmove(r->head.p, p, r->head.n - skipped);
		r->head.n -= skipped;
	}
	if (r->mode == CTX_ANSWER_GARBAGE && r->head.n > GARBAGE_BYTES)
		r->head.n = GARBAGE_BYTES;
}

static int
take_answer_bytes(struct ctx_answer_reader *r, struct ctx_span s, struct ctx_err *err)
{
	size_t room;

	switch (r->mode) {
	case CTX_ANSWER_START:
	case CTX_ANSWER_BODY:
		ctx_buf_addspan(&r->head, s);
		return 0;
	case CTX_ANSWER_ARRAY:
		return ctx_elements_feed(&r->elements, s, take_event, r, err);
	case CTX_ANSWER_STREAM:
		return ctx_sse_feed(&r->events, s, take_event, r, err);
	case CTX_ANSWER_GARBAGE:
		room = GARBAGE_BYTES - r->head.n;
		ctx_buf_add(&r->head, s.p, s.n < room ? s.n : room);
		return 0;
	}
	return 0;
}

static int
feed_answer_bytes(
    struct ctx_answer_reader *r, struct ctx_span s, bool last, struct ctx_err *err)
{
	if (s.n > MAX_INPUT - r->total)
		return ctx_err_set(
		    err, CTX_EIO, "the answer is larger than %zu MiB", MAX_INPUT >> 20);
	r->total += s.n;
	if (r->mode != CTX_ANSWER_START)
		return take_answer_bytes(r, s, err);
	ctx_buf_addspan(&r->head, s);
	detect_answer_mode(r, last);
	if (r->mode == CTX_ANSWER_STREAM || r->mode == CTX_ANSWER_ARRAY) {
		struct ctx_buf head = r->head;
		int rc;
		r->head = (struct ctx_buf)CTX_BUF_INIT;
		rc = take_answer_bytes(r, ctx_buf_span(&head), err);
		ctx_buf_release(&head);
		return rc;
	}
	return 0;
}

/* Stores the error, so that all later calls fail with it. */
static int
fail_answer(struct ctx_answer_reader *r, struct ctx_err *err)
{
	ctx_err_prefix(&r->failed, "%s", ctx_provider_name(r->provider));
	r->failed.code = CTX_EIO;
	*err = r->failed;
	return -1;
}

int
ctx_answer_feed(struct ctx_answer_reader *r, const void *p, size_t n, struct ctx_err *err)
{
	if (r->failed.code != CTX_OK) {
		*err = r->failed;
		return -1;
	}
	if (n > 0 && feed_answer_bytes(r, (struct ctx_span){p, n}, false, &r->failed) < 0)
		return fail_answer(r, err);
	return 0;
}

/* ---- the end ---- */

/* Parses a stream of JSON lines, as Ollama's own API sends it. */
static int
read_lines(struct ctx_answer_reader *r, struct ctx_err *err)
{
	struct ctx_span rest = ctx_buf_span(&r->head), value;

	while (ctx_span_trim(rest).n > 0) {
		struct ctx_err why = CTX_ERR_INIT;
		if (ctx_json_check_next(rest, &value, &rest, &why) < 0)
			return ctx_err_set(err, CTX_EIO,
			    "the stream is damaged or incomplete: %s", why.msg);
		if (ctx_answer_error(value, err) < 0 ||
		    r->kind->chunk(r, value, err) < 0 || check_size(r, err) < 0)
			return -1;
	}
	return r->kind->end(r, err);
}

static int
finish_body(struct ctx_answer_reader *r, struct ctx_err *err)
{
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_span json, rest;

	r->original = NULL;
	if (ctx_json_check_next(ctx_buf_span(&r->head), &json, &rest, &why) == 0 &&
	    r->kind->lines && ctx_span_trim(rest).n > 0 &&
	    ctx_json_get(json, "done").p != NULL)
		return read_lines(r, err);
	why = (struct ctx_err)CTX_ERR_INIT;
	if (ctx_json_check(ctx_buf_span(&r->head), &json, NULL, &why) < 0)
		return ctx_err_set(
		    err, CTX_EIO, "the answer is damaged or incomplete: %s", why.msg);
	if (ctx_answer_error(json, err) < 0)
		return -1;
	return r->kind->body(r, json, err);
}

static int
finish_input(struct ctx_answer_reader *r, struct ctx_err *err)
{
	if (r->mode == CTX_ANSWER_START &&
	    feed_answer_bytes(r, (struct ctx_span){"", 0}, true, err) < 0)
		return -1;
	switch (r->mode) {
	case CTX_ANSWER_START:
		return ctx_err_set(err, CTX_EIO, "no answer: the input is empty");
	case CTX_ANSWER_GARBAGE:
		return fail_text("not a valid answer", ctx_buf_span(&r->head), err);
	case CTX_ANSWER_BODY:
		return finish_body(r, err);
	case CTX_ANSWER_ARRAY:
		if (ctx_elements_finish(&r->elements, err) < 0)
			return -1;
		return r->kind->end(r, err);
	case CTX_ANSWER_STREAM:
		if (ctx_sse_finish(&r->events, take_event, r, err) < 0)
			return -1;
		return r->kind->end(r, err);
	}
	return -1;
}

/* Fails if the answer ended with an error or is incomplete. */
static int
check_ending(const struct ctx_answer_reader *r, struct ctx_err *err)
{
	switch (ctx_answer_ending(r->provider, r->stop_reason)) {
	case CTX_ENDING_FAILED:
		return ctx_err_set(
		    err, CTX_EIO, "the answer failed: %.80s", r->stop_reason);
	case CTX_ENDING_PENDING:
		return ctx_err_set(
		    err, CTX_EIO, "the answer is incomplete: %.80s", r->stop_reason);
	case CTX_ENDING_COMPLETE:
	case CTX_ENDING_PARTIAL:
	case CTX_ENDING_REFUSED:
		break;
	}
	return 0;
}

/* Checks that the message can be stored. For a whole body, passes the text to the
 * callback. */
static int
check_answer_message(
    struct ctx_answer_reader *r, struct ctx_span usage, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = -1;

	if (ctx_json_check(ctx_buf_span(&r->message), NULL, NULL, &why) < 0 ||
	    (usage.n > 0 && ctx_json_check(usage, NULL, NULL, &why) < 0) ||
	    ctx_message_parse(&m, ctx_buf_span(&r->message), &why) < 0) {
		ctx_err_set(err, CTX_EIO, "the answer cannot be stored: %s", why.msg);
	} else if (m.role != CTX_ROLE_ASSISTANT) {
		ctx_err_set(err, CTX_EIO, "the answer's role is %s, not assistant",
		    ctx_role_name(m.role));
	} else if (m.n > 0 && m.parts[0].stray) {
		ctx_err_set(err, CTX_EIO, "the answer's content has the wrong type");
	} else {
		rc = 0;
		if (r->mode == CTX_ANSWER_BODY && r->text != NULL)
			ctx_message_text(&m, &text);
		if (text.n > 0)
			r->text(r->arg, ctx_buf_span(&text));
	}
	ctx_buf_release(&text);
	ctx_message_release(&m);
	return rc;
}

/* Adds up members of the usage into *out, which stays unchanged if none of them is a
 * number. */
static void
sum_tokens(struct ctx_span usage, const char *const keys[], size_t n, int64_t *out)
{
	int64_t sum = 0, v;

	for (size_t i = 0; i < n && keys[i] != NULL; i++)
		if (ctx_json_int(ctx_json_get(usage, keys[i]), &v))
			*out = sum += v;
}

static void
move_string(char **to, char **from)
{
	*to = *from;
	*from = NULL;
}

int
ctx_answer_finish(
    struct ctx_answer_reader *r, struct ctx_answer *out, struct ctx_err *err)
{
	struct ctx_buf usage = CTX_BUF_INIT;
	bool cut = false;

	if (r->failed.code != CTX_OK) {
		*err = r->failed;
		return -1;
	}
	if (finish_input(r, &r->failed) < 0 || check_size(r, &r->failed) < 0 ||
	    check_ending(r, &r->failed) < 0 ||
	    (ctx_answer_is_empty(ctx_buf_span(&r->message)) &&
		ctx_answer_fail_empty(r, &r->failed) < 0) ||
	    ctx_answer_complete_calls(r, &cut, &r->failed) < 0)
		return fail_answer(r, err);
	if (r->usage.kind != CTX_NODE_LEAF || r->usage.text.n > 0)
		ctx_node_print(&r->usage, &usage);
	if (check_answer_message(r, (struct ctx_span){usage.p, usage.n}, &r->failed) <
	    0) {
		ctx_buf_release(&usage);
		return fail_answer(r, err);
	}
	ctx_answer_release(out);
	out->message = r->message;
	r->message = (struct ctx_buf)CTX_BUF_INIT;
	out->usage = usage;
	if (r->details.kind == CTX_NODE_OBJECT)
		ctx_node_print(&r->details, &out->details);
	move_string(&out->id, &r->id);
	move_string(&out->model, &r->model);
	out->ending = ctx_answer_ending(r->provider, r->stop_reason);
	out->cut = cut;
	out->choices = r->choices;
	out->followed = r->followed;
	move_string(&out->stop_reason, &r->stop_reason);
	if (ctx_json_int(ctx_json_get(ctx_buf_span(&usage), r->kind->input[0]),
		&out->input_tokens))
		sum_tokens(ctx_buf_span(&usage), r->kind->input, 3, &out->input_tokens);
	sum_tokens(ctx_buf_span(&usage), r->kind->output, 2, &out->output_tokens);
	ctx_err_set(&r->failed, CTX_EIO, "the answer was already read to its end");
	return 0;
}
