/* Writes JSON. */
#include "json/json.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "json/plain.h"

static void
separate_json_value(struct ctx_buf *b)
{
	char last = b->n > 0 ? b->p[b->n - 1] : '\n';

	if (last != '{' && last != '[' && last != ':' && last != ',' && last != '\n')
		ctx_buf_addc(b, ',');
}

void
ctx_json_put_open(struct ctx_buf *b, char bracket)
{
	separate_json_value(b);
	ctx_buf_addc(b, bracket);
}

void
ctx_json_put_close(struct ctx_buf *b, char bracket)
{
	ctx_buf_addc(b, bracket);
}

void
ctx_json_put_key(struct ctx_buf *b, const char *key)
{
	size_t n = strlen(key);
	char *p;

	ctx_buf_reserve(b, n + 4);
	separate_json_value(b);
	p = b->p + b->n;
	*p++ = '"';
	memcpy(p, key, n);
	p += n;
	*p++ = '"';
	*p++ = ':';
	*p = '\0';
	b->n += n + 3;
}

void
ctx_json_put_raw(struct ctx_buf *b, struct ctx_span json)
{
	separate_json_value(b);
	ctx_buf_addspan(b, json);
}

void
ctx_json_put_name(struct ctx_buf *b, struct ctx_span name)
{
	ctx_json_put_raw(b, name);
	ctx_buf_addc(b, ':');
}

void
ctx_json_put_member(struct ctx_buf *b, struct ctx_span name, struct ctx_span json)
{
	ctx_json_put_name(b, name);
	ctx_buf_addspan(b, json);
}

void
ctx_json_put_members(struct ctx_buf *b, struct ctx_span object, const char *except)
{
	CTX_JSON_EACH(it, object)
		if (it.object && (except == NULL || !ctx_json_is(it.key, except)))
			ctx_json_put_member(b, it.key, it.value);
}

void
ctx_json_put_changed(
    struct ctx_buf *b, struct ctx_span object, const char *key, struct ctx_span json)
{
	ctx_json_put_open(b, '{');
	CTX_JSON_EACH(it, object) {
		struct ctx_span value = ctx_json_is(it.key, key) ? json : it.value;
		if (value.p != NULL)
			ctx_json_put_member(b, it.key, value);
	}
	ctx_json_put_close(b, '}');
}

static void
put_escape(struct ctx_buf *b, char c)
{
	static const char special[] = "\"\\\n\r\t\b\f", letters[] = "\"\\nrtbf";
	const char *at = memchr(special, c, sizeof(special) - 1);

	if (at != NULL) {
		ctx_buf_addc(b, '\\');
		ctx_buf_addc(b, letters[at - special]);
	} else {
		ctx_buf_addf(b, "\\u%04x", (unsigned char)c);
	}
}

void
ctx_json_escape(struct ctx_buf *b, struct ctx_span text)
{
	size_t done = 0, i = 0;

	for (;;) {
		size_t len = 1;
		unsigned char c;
		if (i < text.n)
			i = (size_t)(ctx_json_skip_plain(text.p + i, text.p + text.n) -
				     text.p);
		if (i >= text.n)
			break;
		c = (unsigned char)text.p[i];
		if (c >= 0x80) {
			len = ctx_utf8_decode(text.p + i, text.n - i, NULL);
			if (len > 0) {
				i += len;
				continue;
			}
		}
		ctx_buf_add(b, text.p + done, i - done);
		if (len == 0)
			ctx_buf_add(b, "\xef\xbf\xbd", 3);
		else
			put_escape(b, (char)c);
		done = ++i;
	}
	if (done < text.n)
		ctx_buf_add(b, text.p + done, text.n - done);
}

void
ctx_json_quote(struct ctx_buf *b, struct ctx_span text)
{
	ctx_buf_addc(b, '"');
	ctx_json_escape(b, text);
	ctx_buf_addc(b, '"');
}

void
ctx_json_put_string(struct ctx_buf *b, struct ctx_span text)
{
	separate_json_value(b);
	ctx_json_quote(b, text);
}

void
ctx_json_put_int(struct ctx_buf *b, int64_t v)
{
	separate_json_value(b);
	ctx_buf_addi(b, v);
}

void
ctx_json_add_open(struct ctx_buf *b, const char *key, char bracket)
{
	ctx_json_put_key(b, key);
	ctx_buf_addc(b, bracket);
}

void
ctx_json_add_raw(struct ctx_buf *b, const char *key, struct ctx_span json)
{
	if (json.n == 0)
		return;
	ctx_json_put_key(b, key);
	ctx_buf_addspan(b, json);
}

void
ctx_json_add_string(struct ctx_buf *b, const char *key, struct ctx_span text)
{
	if (text.p == NULL)
		return;
	ctx_json_put_key(b, key);
	ctx_json_quote(b, text);
}

void
ctx_json_add_str(struct ctx_buf *b, const char *key, const char *s)
{
	ctx_json_add_string(b, key, ctx_span_of(s));
}

void
ctx_json_add_int(struct ctx_buf *b, const char *key, int64_t v)
{
	ctx_json_put_key(b, key);
	ctx_buf_addi(b, v);
}

void
ctx_json_add_bool(struct ctx_buf *b, const char *key, bool v)
{
	ctx_json_put_key(b, key);
	ctx_buf_adds(b, v ? "true" : "false");
}

void
ctx_json_add_double(struct ctx_buf *b, const char *key, double v, int decimals)
{
	ctx_json_put_key(b, key);
	if (isfinite(v))
		ctx_buf_addf(b, "%.*f", decimals, v);
	else
		ctx_buf_adds(b, "null");
}

/* Appends a time, ms since the epoch, as a string. */
static void
put_time(struct ctx_buf *b, int64_t ms)
{
	char text[CTX_TIME_LEN + 1];

	ctx_time_format(ms, text);
	separate_json_value(b);
	ctx_buf_addc(b, '"');
	ctx_buf_add(b, text, CTX_TIME_LEN);
	ctx_buf_addc(b, '"');
}

void
ctx_json_add_time(struct ctx_buf *b, const char *key, int64_t ms)
{
	if (ms == CTX_TIME_NONE)
		return;
	ctx_json_put_key(b, key);
	put_time(b, ms);
}

/* Appends the next argument, whose type is given by the letter kind of the conversion.
 * Returns false, and appends nothing, if the value is absent. */
static bool
print_argument(struct ctx_buf *b, char kind, va_list *args)
{
	struct ctx_span text = CTX_SPAN_NONE;
	int64_t ms;

	switch (kind) {
	case 'd':
		ctx_json_put_int(b, va_arg(*args, int64_t));
		return true;
	case 'b':
		ctx_json_put_raw(b, ctx_span_of(va_arg(*args, int) ? "true" : "false"));
		return true;
	case 'j':
		text = va_arg(*args, struct ctx_span);
		if (text.n > 0)
			ctx_json_put_raw(b, text);
		return text.n > 0;
	case 't':
		text = va_arg(*args, struct ctx_span);
		break;
	case 's':
		text = ctx_span_of(va_arg(*args, const char *));
		break;
	case 'm':
		ms = va_arg(*args, int64_t);
		if (ms != CTX_TIME_NONE)
			put_time(b, ms);
		return ms != CTX_TIME_NONE;
	}
	if (text.p != NULL)
		ctx_json_put_string(b, text);
	return text.p != NULL;
}

static bool
is_after_key(const struct ctx_buf *b)
{
	return b->n > 0 && b->p[b->n - 1] == ':';
}

void
ctx_json_print(struct ctx_buf *b, const char *form, ...)
{
	size_t begin = b->n; /* where the current member or element begins */
	size_t n, at;
	va_list args;

	va_start(args, form);
	for (; *form != '\0'; form += n) {
		n = 1;
		switch (*form) {
		case ',':
			break;
		case '{':
		case '[':
			ctx_json_put_open(b, *form);
			break;
		case '}':
		case ']':
		case ':':
		case '\n':
			ctx_buf_addc(b, *form);
			break;
		case '\'':
			begin = is_after_key(b) ? begin : b->n;
			n = (size_t)(strchr(form + 1, '\'') - form) + 1;
			n += form[n] == ':'; /* a key */
			separate_json_value(b);
			at = b->n;
			ctx_buf_add(b, form, n);
			b->p[at] = '"';
			b->p[at + n - (form[n - 1] == ':' ? 2 : 1)] = '"';
			break;
		case '%':
			begin = is_after_key(b) ? begin : b->n;
			n = 2;
			if (!print_argument(b, form[1], &args) && b->p != NULL)
				b->p[b->n = begin] = '\0';
			break;
		default:
			n = strcspn(form, ",]}");
			ctx_json_put_raw(b, (struct ctx_span){form, n});
		}
	}
	va_end(args);
}
