#include "json/jq_value.h"

#include <jq.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

/* How the original text is preserved: each array, object and string with an escape that
 * is made from the input is remembered together with its bytes, and a reference to it is
 * held. jq's values are shared, and copied before they are changed. So a value that
 * appears in the output with the same address is unchanged, and its bytes are printed.
 * Numbers have no address; each number that jq would print differently is given a double
 * of its own. */
struct ctx_jq_known {
	jv value;
	struct ctx_span json;
};

/* ---- the table ---- */

static uint64_t
mix_jq_hash(uint64_t h)
{
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdU;
	return h ^ h >> 33;
}

/* Returns the bits of a double, so that -0 and 0 differ. */
static uint64_t
bits_of(jv v)
{
	double d = jv_number_value(v);
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* Hashes the identity of a value. libjq has no function for that, so the address is read
 * from its struct. */
static uint64_t
hash_jq_value(jv v)
{
	if (jv_get_kind(v) == JV_KIND_NUMBER)
		return mix_jq_hash(bits_of(v) ^ 0x5bd1e995);
	return mix_jq_hash((uint64_t)(uintptr_t)v.u.ptr);
}

static bool
is_same_jq_value(jv a, jv b)
{
	if (jv_get_kind(a) != jv_get_kind(b))
		return false;
	if (jv_get_kind(a) == JV_KIND_NUMBER)
		return bits_of(a) == bits_of(b);
	return jv_identical(jv_copy(a), jv_copy(b));
}

static void
put_jq_slot(struct ctx_jq_values *q, size_t index)
{
	size_t i = (size_t)hash_jq_value(q->known[index].value) & q->mask;

	while (q->slot[i] != 0)
		i = (i + 1) & q->mask;
	q->slot[i] = index + 1;
}

static struct ctx_jq_known *
find_jq_known_value(const struct ctx_jq_values *q, jv v)
{
	size_t i = (size_t)hash_jq_value(v) & q->mask;

	for (; q->slot[i] != 0; i = (i + 1) & q->mask)
		if (is_same_jq_value(q->known[q->slot[i] - 1].value, v))
			return &q->known[q->slot[i] - 1];
	return NULL;
}

static void
remember_jq_value(struct ctx_jq_values *q, jv v, struct ctx_span json)
{
	CTX_MEM_GROW(q->known, q->n, q->cap);
	q->known[q->n++] = (struct ctx_jq_known){jv_copy(v), json};
	if (2 * q->n <= q->mask) {
		put_jq_slot(q, q->n - 1);
		return;
	}
	free(q->slot);
	q->mask = 2 * q->mask + 1;
	q->slot = ctx_mem_new((q->mask + 1) * sizeof(*q->slot));
	for (size_t i = 0; i < q->n; i++)
		put_jq_slot(q, i);
}

void
ctx_jq_values_forget(struct ctx_jq_values *q)
{
	for (size_t i = 0; i < q->n; i++)
		jv_free(q->known[i].value);
	q->n = 0;
	memset(q->slot, 0, (q->mask + 1) * sizeof(*q->slot));
}

void
ctx_jq_values_init(struct ctx_jq_values *q)
{
	*q = (struct ctx_jq_values){.mask = 1023};
	q->slot = ctx_mem_new((q->mask + 1) * sizeof(*q->slot));
}

void
ctx_jq_values_release(struct ctx_jq_values *q)
{
	ctx_jq_values_forget(q);
	free(q->known);
	free(q->slot);
	ctx_buf_release(&q->tmp);
}

/* ---- text to values ---- */

/* Returns whether a double prints this number unchanged: a whole number of at most 15
 * digits. */
static bool
is_plain_jq_number(struct ctx_span s)
{
	size_t i = s.p[0] == '-';

	if (s.n - i > 15 || (s.p[i] == '0' && s.n > 1))
		return false;
	for (; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return true;
}

static jv
make_jq_number(struct ctx_jq_values *q, struct ctx_span s)
{
	struct ctx_jq_known *k;
	double d = 0;
	jv v;

	ctx_json_double(s, &d);
	if (is_plain_jq_number(s))
		return jv_number(d);
	/* must differ from all plain numbers and from all other spellings */
	while ((fabs(d) < 1e15 && d == floor(d)) ||
	       ((k = find_jq_known_value(q, jv_number(d))) != NULL &&
		   !ctx_span_eq(k->json, s)))
		d = nextafter(d, d > 1e300 ? 0 : INFINITY);
	v = jv_number(d);
	if (find_jq_known_value(q, v) == NULL)
		remember_jq_value(q, v, s);
	return v;
}

static jv
make_jq_string(struct ctx_jq_values *q, struct ctx_span s)
{
	struct ctx_span text = ctx_json_text(s, &q->tmp);
	jv v = jv_string_sized(text.p, (int)text.n);

	if (memchr(s.p, '\\', s.n) != NULL)
		remember_jq_value(q, v, s);
	return v;
}

jv
ctx_jq_values_read(struct ctx_jq_values *q, struct ctx_span s)
{
	enum ctx_json_type type = ctx_json_type(s);
	jv v;

	switch (type) {
	case CTX_JSON_NUMBER:
		return make_jq_number(q, s);
	case CTX_JSON_STRING:
		return make_jq_string(q, s);
	case CTX_JSON_BOOL:
		return jv_bool(ctx_json_true(s));
	case CTX_JSON_ARRAY:
	case CTX_JSON_OBJECT:
		break;
	default:
		return jv_null();
	}
	v = type == CTX_JSON_ARRAY ? jv_array() : jv_object();
	CTX_JSON_EACH(it, s) {
		jv kid = ctx_jq_values_read(q, it.value);
		if (type == CTX_JSON_ARRAY) {
			v = jv_array_append(v, kid);
		} else {
			struct ctx_span key = ctx_json_text(it.key, &q->tmp);
			v = jv_object_set(v, jv_string_sized(key.p, (int)key.n), kid);
		}
	}
	remember_jq_value(q, v, s);
	return v;
}

/* ---- values to text; each consumes v ---- */

static void
put_jq_number(struct ctx_buf *b, double d)
{
	char text[40] = "null";

	if (fabs(d) < 1e17 && d == floor(d))
		snprintf(text, sizeof(text), "%.0f", d == 0 ? 0.0 : d);
	for (int digits = 15; isfinite(d) && text[0] == 'n' && digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (digits < 17 && strtod(text, NULL) != d)
			strcpy(text, "null");
	}
	ctx_json_put_raw(b, ctx_span_of(text));
}

/* Appends the JSON in a {"$json": TEXT} object verbatim. Returns false if v is not such
 * an object. */
static bool
put_jq_spelled_json(struct ctx_buf *b, jv v)
{
	struct ctx_span text, value;
	bool done = false;
	jv inner;

	if (jv_object_length(jv_copy(v)) != 1)
		return false;
	inner = jv_object_get(jv_copy(v), jv_string("$json"));
	if (jv_get_kind(inner) == JV_KIND_STRING) {
		text = (struct ctx_span){jv_string_value(inner),
		    (size_t)jv_string_length_bytes(jv_copy(inner))};
		done = ctx_json_check(text, &value, NULL, NULL) == 0;
		if (done) {
			ctx_json_put_raw(b, CTX_SPAN_NONE);
			ctx_json_minify(value, b);
		}
	}
	jv_free(inner);
	return done;
}

/* Appends v to text as a string would contain it: a string's text, or the JSON of another
 * value. Consumes v. */
static int
add_jq_text(struct ctx_jq_values *q, struct ctx_buf *text, jv v, bool json, int depth)
{
	struct ctx_buf one = CTX_BUF_INIT;
	int rc = 0;

	if (!json && jv_get_kind(v) == JV_KIND_STRING) {
		ctx_buf_add(
		    text, jv_string_value(v), (size_t)jv_string_length_bytes(jv_copy(v)));
		jv_free(v);
	} else {
		rc = ctx_jq_values_write(q, &one, v, depth);
		ctx_buf_addspan(text, ctx_buf_span(&one));
	}
	ctx_buf_release(&one);
	return rc;
}

/* Appends the string for an object {"$text": VALUE}, which is the JSON of the value, or
 * {"$lines": LIST}, which is the texts or JSON of the elements as lines. Returns 1; 0 if
 * v is not such an object; -1 if it is nested too deep. */
static int
put_string_of(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth)
{
	struct ctx_buf text = CTX_BUF_INIT;
	jv one = jv_object_get(jv_copy(v), jv_string("$text"));
	jv list = jv_object_get(jv_copy(v), jv_string("$lines"));
	bool lines = jv_get_kind(list) == JV_KIND_ARRAY;
	int rc = 0, n = lines ? jv_array_length(jv_copy(list)) : 0;
	bool is = jv_object_length(jv_copy(v)) == 1 && (lines || jv_is_valid(one));

	if (is && !lines)
		rc = add_jq_text(q, &text, jv_copy(one), true, depth);
	for (int i = 0; is && rc == 0 && i < n; i++) {
		if (i > 0)
			ctx_buf_addc(&text, '\n');
		rc = add_jq_text(q, &text, jv_array_get(jv_copy(list), i), false, depth);
	}
	if (is)
		ctx_json_put_string(b, ctx_buf_span(&text));
	jv_free(one);
	jv_free(list);
	ctx_buf_release(&text);
	return rc < 0 ? -1 : is;
}

static int
put_jq_object(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth)
{
	int rc = 0;

	if (put_jq_spelled_json(b, v))
		return 0;
	if ((rc = put_string_of(q, b, v, depth)) != 0)
		return rc < 0 ? -1 : 0;
	ctx_json_put_open(b, '{');
	for (int i = jv_object_iter(v); rc == 0 && jv_object_iter_valid(v, i);
	     i = jv_object_iter_next(v, i)) {
		jv key = jv_object_iter_key(v, i);
		ctx_json_put_string(b, (struct ctx_span){jv_string_value(key),
					   (size_t)jv_string_length_bytes(jv_copy(key))});
		ctx_buf_addc(b, ':');
		jv_free(key);
		rc = ctx_jq_values_write(q, b, jv_object_iter_value(v, i), depth);
	}
	ctx_json_put_close(b, '}');
	return rc;
}

static int
put_jq_array(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth)
{
	int n = jv_array_length(jv_copy(v)), rc = 0;

	ctx_json_put_open(b, '[');
	for (int i = 0; rc == 0 && i < n; i++)
		rc = ctx_jq_values_write(q, b, jv_array_get(jv_copy(v), i), depth);
	ctx_json_put_close(b, ']');
	return rc;
}

int
ctx_jq_values_write(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth)
{
	struct ctx_jq_known *k = NULL;
	jv_kind kind = jv_get_kind(v);
	int rc = 0;

	if (kind >= JV_KIND_NUMBER)
		k = find_jq_known_value(q, v);
	if (k != NULL) {
		ctx_json_put_raw(b, CTX_SPAN_NONE);
		ctx_json_minify(k->json, b);
	} else if (kind == JV_KIND_NUMBER) {
		put_jq_number(b, jv_number_value(v));
	} else if (kind == JV_KIND_STRING) {
		ctx_json_put_string(b, (struct ctx_span){jv_string_value(v),
					   (size_t)jv_string_length_bytes(jv_copy(v))});
	} else if (depth == 0) {
		rc = -1;
	} else if (kind == JV_KIND_OBJECT) {
		rc = put_jq_object(q, b, v, depth - 1);
	} else if (kind == JV_KIND_ARRAY) {
		rc = put_jq_array(q, b, v, depth - 1);
	} else {
		ctx_json_put_raw(b, ctx_span_of(kind == JV_KIND_TRUE    ? "true"
						: kind == JV_KIND_FALSE ? "false"
									: "null"));
	}
	jv_free(v);
	return rc;
}
