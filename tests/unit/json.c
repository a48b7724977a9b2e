#include "test.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "random.h"

static bool
valid(struct ctx_span s)
{
	struct ctx_err err = CTX_ERR_INIT;

	return ctx_json_check(s, NULL, NULL, &err) == 0;
}

static const char *
why(struct ctx_span s)
{
	static struct ctx_err err;

	err = (struct ctx_err)CTX_ERR_INIT;
	return ctx_json_check(s, NULL, NULL, &err) == 0 ? "accepted" : err.msg;
}

/* ---- known answers ---- */

static void
accepted(void)
{
	static const char *const good[] = {"0", "-0", "1.0", "1e400", "-1E+2", "0.0e-0",
	    "true", "false", "null", "\"\"", "[]", "{}", " [ ] ", "\t{\r\n}\n",
	    "[1,2,[3]]", "{\"a\":1,\"a\":2}", "12345678901234567890123456789",
	    "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", "\"\\u0000\"", "\"\x7f\"",
	    "\"\\/\"", "{\"\":{}}"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK_STR(why(ctx_span_of(good[i])), "accepted");
}

static void
refused(void)
{
	static const struct {
		const char *text, *why;
	} bad[] = {{"", "no JSON value at byte 1"}, {"  ", "no JSON value at byte 3"},
	    {"{} {}", "more than one JSON value on the line at byte 4"},
	    {"[1,]", "not a JSON value at byte 4"}, {"[1", "incomplete value at byte 3"},
	    {"{\"a\" 1}", "':' expected at byte 6"},
	    {"{\"a\":1,}", "a key must be a string at byte 8"},
	    {"{a:1}", "a key must be a string at byte 2"},
	    {"[1 2]", "',' or ']' expected at byte 4"},
	    {"{\"a\":1 2}", "',' or '}' expected at byte 8"},
	    {"[1}", "',' or ']' expected at byte 3"},
	    {"{\"a\":1]", "',' or '}' expected at byte 7"},
	    {"01", "more than one JSON value on the line at byte 2"},
	    {"+1", "not a JSON value at byte 1"}, {"-", "malformed number at byte 2"},
	    {"1.", "malformed number at byte 3"}, {".5", "not a JSON value at byte 1"},
	    {"1e", "malformed number at byte 3"}, {"NaN", "not a JSON value at byte 1"},
	    {"nul", "not a JSON value at byte 1"}, {"'a'", "not a JSON value at byte 1"},
	    {"\"a", "unterminated string at byte 3"},
	    {"\"\\x\"", "invalid escape at byte 2"},
	    {"\"\\u12g4\"", "invalid \\u escape at byte 2"},
	    {"\"\\ud800\"", "lone surrogate escape at byte 2"},
	    {"\"\\ude00\"", "lone surrogate escape at byte 2"},
	    {"\"\\ud800\\u0041\"", "lone surrogate escape at byte 2"},
	    {"\"\\ud83d\\ud83d\\ude00\"", "lone surrogate escape at byte 2"},
	    {"\"\n\"", "a string contains a control character at byte 2"},
	    {"\"\xff\"", "invalid UTF-8 at byte 2"},
	    {"\"\xed\xa0\x80\"", "invalid UTF-8 at byte 2"},
	    {"\"\xc0\x80\"", "invalid UTF-8 at byte 2"},
	    {"\xef\xbb\xbf{}", "not a JSON value at byte 1"},
	    {"[", "incomplete value at byte 2"}, {"{", "incomplete value at byte 2"},
	    {"]", "not a JSON value at byte 1"},
	    {"[1]/**/", "more than one JSON value on the line at byte 4"}};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_STR(why(ctx_span_of(bad[i].text)), bad[i].why);
	CHECK_STR(why(CTX_SPAN_NONE), "no JSON value at byte 1");
	CHECK_STR(why((struct ctx_span){"{}\0", 3}), "NUL byte at byte 3");
	CHECK_STR(why((struct ctx_span){"\0{}", 3}), "NUL byte at byte 1");
	CHECK_STR(why((struct ctx_span){"\"\0\"", 3}), "NUL byte at byte 2");
}

/* CTX_JSON_DEPTH levels pass, one more does not, a million neither. */
static void
depth(void)
{
	struct ctx_buf b = CTX_BUF_INIT;

	for (int pass = 0; pass < 2; pass++) {
		int n = CTX_JSON_DEPTH + pass;
		ctx_buf_reset(&b);
		for (int i = 0; i < n; i++)
			ctx_buf_adds(&b, i % 3 ? "[" : "{\"k\":");
		ctx_buf_adds(&b, "1");
		for (int i = n - 1; i >= 0; i--)
			ctx_buf_adds(&b, i % 3 ? "]" : "}");
		CHECK(valid(ctx_buf_span(&b)) == (pass == 0));
	}
	ctx_buf_reset(&b);
	for (int i = 0; i < 1000000; i++)
		ctx_buf_addc(&b, '[');
	CHECK_STR(why(ctx_buf_span(&b)), "nested too deeply at byte 1001");
	ctx_buf_release(&b);
}

static void
numbers(void)
{
	static const struct {
		const char *text;
		bool fits;
		int64_t v;
	} t[] = {{"0", true, 0}, {"-0", true, 0}, {"7", true, 7}, {"-7", true, -7},
	    {"9007199254740992", true, CTX_JSON_INT_MAX},
	    {"-9007199254740992", true, -CTX_JSON_INT_MAX},
	    {"9007199254740993", false, 0}, {"-9007199254740993", false, 0},
	    {"9223372036854775807", false, 0}, {"-9223372036854775808", false, 0},
	    {"9223372036854775808", false, 0}, {"1.0", false, 0}, {"1e2", false, 0},
	    {"\"1\"", false, 0}, {"null", false, 0},
	    {"99999999999999999999999999", false, 0}};
	int64_t v;
	double d;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		CHECK(ctx_json_int(ctx_span_of(t[i].text), &v) == t[i].fits);
		if (t[i].fits)
			CHECK_INT(v, t[i].v);
	}
	CHECK(!ctx_json_int(CTX_SPAN_NONE, &v));
	CHECK(ctx_json_double(ctx_span_of("-2.5e1"), &d) && d == -25);
	CHECK(!ctx_json_double(ctx_span_of("true"), &d));
}

static void
members(void)
{
	struct ctx_span o = ctx_span_of(
	    "{\"a\":1, \"b\" : [2] ,\"a\":{\"a\":3},\"\\u0063\":null}");
	struct ctx_span v[3];
	static const char *const keys[] = {"c", "a", "missing"};

	CHECK(ctx_span_is(ctx_json_get(o, "a"), "{\"a\":3}"));
	CHECK(ctx_span_is(ctx_json_get(o, "b"), "[2]"));
	ctx_json_get_all(o, keys, v, 3);
	CHECK(ctx_span_is(v[0], "null"));
	CHECK(ctx_span_is(v[1], "{\"a\":3}"));
	CHECK(v[2].p == NULL);
	CHECK(ctx_json_get(ctx_span_of("[\"a\",1]"), "a").p == NULL);
	CHECK(ctx_json_get(CTX_SPAN_NONE, "a").p == NULL);
	CHECK(ctx_json_is(ctx_span_of("\"a\\u0062c\""), "abc"));
	CHECK(!ctx_json_is(ctx_span_of("\"a\\u0000\""), "a"));
	CHECK(!ctx_json_is(ctx_span_of("\"a\\\\b\""), "a\\\\b"));
	CHECK(ctx_json_is(ctx_span_of("\"a\\\\b\""), "a\\b"));
	CHECK(!ctx_json_is(ctx_span_of("abc"), "abc"));
}

/* Members are found while the text is checked as they are found afterwards. */
static void
members_while_checking(void)
{
	static const char *const keys[] = {"a", "b", "", "d"};
	struct ctx_span text = ctx_span_of(
	    " {\"b\" : {\"a\":1,\"d\":2} , \"a\":[{\"d\":3}],\"\":\"}\", \"b\":4,\"\\u0064\":null }\n");
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span v[4], value;
	struct ctx_json_members members = {keys, v, 4};
	bool spaced;

	CHECK(ctx_json_check_get(text, &value, &spaced, &members, &err) == 0);
	CHECK(value.p == text.p + 1 && value.n == text.n - 2 && spaced);
	CHECK(ctx_span_is(v[0], "[{\"d\":3}]"));
	CHECK(ctx_span_is(v[1], "4"));
	CHECK(ctx_span_is(v[2], "\"}\""));
	CHECK(ctx_span_is(v[3], "null"));
	CHECK(v[3].p > text.p && v[3].p < text.p + text.n);
	CHECK(ctx_json_check_get(
		  ctx_span_of("[{\"a\":1}]"), NULL, NULL, &members, &err) == 0);
	CHECK(v[0].p == NULL);
	CHECK(
	    ctx_json_check_get(ctx_span_of("{\"a\":1"), NULL, NULL, &members, &err) < 0);
	CHECK(err.code == CTX_EINPUT);
}

static void
text_of_strings(void)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span plain = ctx_span_of("\"plain\"");
	struct ctx_err err = CTX_ERR_INIT;
	char *s;

	CHECK(ctx_json_text(plain, &tmp).p == plain.p + 1);
	CHECK(ctx_span_is(
	    ctx_json_text(ctx_span_of("\"\\n\\u00e9\\ud83d\\ude00\\/\""), &tmp),
	    "\n\xc3\xa9\xf0\x9f\x98\x80/"));
	CHECK(ctx_json_text(ctx_span_of("12"), &tmp).p == NULL);
	CHECK(ctx_json_text(ctx_span_of("\"\""), &tmp).p != NULL);
	s = ctx_json_strdup(ctx_span_of("\"\\b\\f\\r\\t\\\"\""));
	CHECK_STR(s, "\b\f\r\t\"");
	free(s);
	CHECK(ctx_json_strdup(ctx_span_of("{}")) == NULL);
	CHECK(ctx_json_strdup(ctx_span_of("\"a\\u0000b\"")) == NULL);
	CHECK(ctx_json_member(&s, ctx_span_of("\"a\\\\u0000b\""), "title", &err) == 0);
	CHECK_STR(s, "a\\u0000b");
	free(s);
	CHECK(ctx_json_member(&s, CTX_SPAN_NONE, "title", &err) == 0 && s == NULL);
	CHECK(ctx_json_member(&s, ctx_span_of("null"), "title", &err) == 0 && s == NULL);
	CHECK(ctx_json_member(&s, ctx_span_of("\"a\\u0000\""), "title", &err) == -1);
	CHECK_STR(err.msg, "title must be a string without NUL characters");
	CHECK(ctx_json_member(&s, ctx_span_of("1"), "title", &err) == -1 && s == NULL);
	CHECK_STR(err.msg, "title must be a string");
	ctx_buf_release(&tmp);
}

/* A stream of values, as they come without newlines between them. */
static void
next_value(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span v, rest = ctx_span_of(" {\"a\":1}[2] \"x\"3 ");

	CHECK(ctx_json_check_next(rest, &v, &rest, &err) == 0 &&
	      ctx_span_is(v, "{\"a\":1}"));
	CHECK(ctx_json_check_next(rest, &v, &rest, &err) == 0 && ctx_span_is(v, "[2]"));
	CHECK(ctx_json_check_next(rest, &v, &rest, &err) == 0 && ctx_span_is(v, "\"x\""));
	CHECK(ctx_json_check_next(rest, &v, &rest, &err) == 0 && ctx_span_is(v, "3"));
	CHECK(ctx_json_check_next(rest, &v, &rest, &err) == 0 && v.p == NULL &&
	      rest.n == 0);
	CHECK(ctx_json_check_next(ctx_span_of("{\"a\""), &v, &rest, &err) < 0);
	CHECK_INT(err.code, CTX_EINPUT);
}

static void
absent(void)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_put_string(&b, CTX_SPAN_NONE);
	ctx_json_minify(CTX_SPAN_NONE, &b);
	ctx_json_decode(CTX_SPAN_NONE, &b);
	CHECK_STR(b.p, "\"\"");
	CHECK(ctx_json_first(CTX_SPAN_NONE).p == NULL);
	CHECK_INT(ctx_json_type(CTX_SPAN_NONE), CTX_JSON_NONE);
	CHECK(!ctx_json_true(CTX_SPAN_NONE) && !ctx_json_is(CTX_SPAN_NONE, ""));
	ctx_buf_release(&b);
}

static void
writing(void)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_put_open(&b, '{');
	ctx_json_add_str(&b, "s", "a\"b\\c\x01\x1f\n\xff\xc3\xa9");
	ctx_json_add_str(&b, "none", NULL);
	ctx_json_add_int(&b, "i", INT64_MIN);
	ctx_json_add_bool(&b, "t", true);
	ctx_json_add_double(&b, "d", 0.125, 2);
	ctx_json_add_time(&b, "at", 0);
	ctx_json_add_raw(&b, "r", ctx_span_of("{}"));
	ctx_json_put_key(&b, "l");
	ctx_json_put_open(&b, '[');
	ctx_json_put_int(&b, 1);
	ctx_json_put_string(&b, ctx_span_of("{"));
	ctx_json_put_open(&b, '[');
	ctx_json_put_close(&b, ']');
	ctx_json_put_raw(&b, ctx_span_of("null"));
	ctx_json_put_close(&b, ']');
	ctx_json_put_close(&b, '}');
	CHECK_STR(b.p, "{\"s\":\"a\\\"b\\\\c\\u0001\\u001f\\n\xef\xbf\xbd\xc3\xa9\","
		       "\"i\":-9223372036854775808,\"t\":true,\"d\":0.12,"
		       "\"at\":\"1970-01-01T00:00:00.000Z\",\"r\":{},"
		       "\"l\":[1,\"{\",[],null]}");
	ctx_buf_release(&b);
}

static void
printing(void)
{
	static const char *const absent = NULL;
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_print(&b, "{'kind':'event','n':%d,'on':%b,'off':%b,'list':[1,true,null]",
	    INT64_C(-9007199254740993), true, false);
	ctx_json_print(&b, "'text':%t,'json':%j,'string':%s,'at':%m}\n",
	    ctx_span_of("a'\"b"), ctx_span_of("[1.50]"), "%s", INT64_C(0));
	CHECK_STR(b.p,
	    "{\"kind\":\"event\",\"n\":-9007199254740993,\"on\":true,\"off\":false,"
	    "\"list\":[1,true,null],\"text\":\"a'\\\"b\",\"json\":[1.50],\"string\":\"%s\","
	    "\"at\":\"1970-01-01T00:00:00.000Z\"}\n");
	ctx_buf_reset(&b);
	/* absent values leave no member and no comma */
	ctx_json_print(&b, "{'a':%s,'b':%t,'c':{'d':%j,'e':1,'f':%m},'g':%s}", absent,
	    CTX_SPAN_NONE, CTX_SPAN_NONE, CTX_TIME_NONE, absent);
	ctx_json_print(&b, "[%s,'x',%j]", absent, CTX_SPAN_NONE);
	CHECK_STR(b.p, "{\"c\":{\"e\":1}},[\"x\"]");
	ctx_buf_release(&b);
}

/* ---- generated values ----
 * A tree is made first and written down in two ways, so that the tree is the reference:
 * nothing of the code under test helps to build it. */

struct node {
	enum ctx_json_type type;
	struct ctx_buf raw;  /* scalars: spelling */
	struct ctx_buf text; /* strings: what it stands for */
	struct node *kids;   /* of an object: key, value, key, value */
	size_t n;
};

static void
make_string(struct node *t)
{
	static const char *const pieces[][2] = {{"a", "a"}, {"bc ", "bc "}, {"\\n", "\n"},
	    {"\\\"", "\""}, {"\\\\", "\\"}, {"\\/", "/"}, {"\\u0041", "A"},
	    {"\\u00e9", "\xc3\xa9"}, {"\\uD83D\\uDe00", "\xf0\x9f\x98\x80"},
	    {"\xe4\xb8\xad", "\xe4\xb8\xad"}, {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
	    {"{}[]:,", "{}[]:,"}, {"\\t\\b\\f\\r", "\t\b\f\r"},
	    {"long enough for the vector", "long enough for the vector"},
	    {"\x7f", "\x7f"}};

	t->type = CTX_JSON_STRING;
	ctx_buf_addc(&t->raw, '"');
	for (uint32_t n = random_below(5); n > 0; n--) {
		uint32_t i = random_below(sizeof(pieces) / sizeof(pieces[0]));
		ctx_buf_adds(&t->raw, pieces[i][0]);
		ctx_buf_adds(&t->text, pieces[i][1]);
	}
	ctx_buf_addc(&t->raw, '"');
}

static void
make_number(struct node *t)
{
	t->type = CTX_JSON_NUMBER;
	if (random_below(3) == 0)
		ctx_buf_addc(&t->raw, '-');
	ctx_buf_addf(&t->raw, "%u", random_below(2) ? random_below(10) : random_next());
	if (random_below(4) == 0)
		ctx_buf_addf(&t->raw, ".%03u", random_below(1000));
	if (random_below(4) == 0)
		ctx_buf_addf(&t->raw, "%c%s%u", random_below(2) ? 'e' : 'E',
		    &"+\0-\0\0"[2 * random_below(3)], random_below(500));
}

static void
make(struct node *t, int levels)
{
	uint32_t kind = random_below(levels > 0 ? 8 : 5);

	memset(t, 0, sizeof(*t));
	if (kind < 2) {
		make_string(t);
	} else if (kind < 4) {
		make_number(t);
	} else if (kind < 5) {
		uint32_t i = random_below(3);
		t->type = i == 2 ? CTX_JSON_NULL : CTX_JSON_BOOL;
		ctx_buf_adds(&t->raw, i == 0 ? "true" : i == 1 ? "false" : "null");
	} else {
		t->type = kind == 5 ? CTX_JSON_ARRAY : CTX_JSON_OBJECT;
		t->n = random_below(5) * (t->type == CTX_JSON_OBJECT ? 2 : 1);
		t->kids = ctx_mem_new(t->n * sizeof(*t->kids));
		for (size_t i = 0; i < t->n; i++)
			if (t->type == CTX_JSON_OBJECT && i % 2 == 0)
				make_string(&t->kids[i]);
			else
				make(&t->kids[i], levels - 1);
	}
}

static void
unmake(struct node *t)
{
	for (size_t i = 0; i < t->n; i++)
		unmake(&t->kids[i]);
	free(t->kids);
	ctx_buf_release(&t->raw);
	ctx_buf_release(&t->text);
}

static void
gap(struct ctx_buf *out, bool loose)
{
	while (loose && random_below(3) == 0)
		ctx_buf_addc(out, " \t\r\n"[random_below(4)]);
}

static void
spell(const struct node *t, struct ctx_buf *out, bool loose)
{
	bool object = t->type == CTX_JSON_OBJECT;

	if (!object && t->type != CTX_JSON_ARRAY) {
		ctx_buf_addspan(out, ctx_buf_span(&t->raw));
		return;
	}
	ctx_buf_addc(out, object ? '{' : '[');
	gap(out, loose);
	for (size_t i = 0; i < t->n; i++) {
		if (i > 0) {
			ctx_buf_addc(out, object && i % 2 ? ':' : ',');
			gap(out, loose);
		}
		spell(&t->kids[i], out, loose);
		gap(out, loose);
	}
	ctx_buf_addc(out, object ? '}' : ']');
}

/* The last value under the key's text, as the tree has it. */
static const struct node *
last_of(const struct node *t, struct ctx_span key)
{
	for (size_t i = t->n; i >= 2; i -= 2)
		if (ctx_span_eq(ctx_buf_span(&t->kids[i - 2].text), key))
			return &t->kids[i - 1];
	return NULL;
}

static bool
same(const struct node *t, struct ctx_span v)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	bool ok = ctx_json_type(v) == t->type;
	size_t i = 0;

	if (t->type == CTX_JSON_STRING) {
		ctx_json_decode(v, &tmp);
		ok &= ctx_span_eq(ctx_buf_span(&tmp), ctx_buf_span(&t->text));
		ok &= ctx_json_is(v, tmp.p == NULL ? "" : tmp.p);
	}
	if (t->type != CTX_JSON_ARRAY && t->type != CTX_JSON_OBJECT)
		ok &= ctx_span_eq(v, ctx_buf_span(&t->raw));
	CTX_JSON_EACH_WHILE(ok, it, v) {
		if (t->type == CTX_JSON_OBJECT) {
			ok = i < t->n && same(&t->kids[i], it.key);
			i++;
		}
		ok = ok && i < t->n && same(&t->kids[i], it.value);
		i++;
	}
	ok &= i == t->n;
	for (i = 0; ok && t->type == CTX_JSON_OBJECT && i < t->n; i += 2) {
		struct ctx_span key = ctx_buf_span(&t->kids[i].text);
		ok = same(last_of(t, key), ctx_json_get(v, key.p));
	}
	ctx_buf_release(&tmp);
	return ok;
}

static sqlite3_stmt *oracle;

static bool
sqlite_valid(struct ctx_span s)
{
	bool yes;

	sqlite3_bind_text(oracle, 1, s.p, (int)s.n, SQLITE_STATIC);
	yes = sqlite3_step(oracle) == SQLITE_ROW && sqlite3_column_int(oracle, 0) == 1;
	sqlite3_reset(oracle);
	return yes;
}

static void
generated(void)
{
	struct ctx_buf loose = CTX_BUF_INIT, tight = CTX_BUF_INIT, min = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span v;
	struct node t;
	bool spaced;

	for (int i = 0; i < 20000 && !test_bad; i++) {
		size_t lead;
		make(&t, 4);
		ctx_buf_reset(&loose);
		ctx_buf_reset(&tight);
		ctx_buf_reset(&min);
		gap(&loose, i % 2);
		lead = loose.n;
		spell(&t, &loose, i % 3 != 0);
		spell(&t, &tight, false);
		v = (struct ctx_span){loose.p + lead, loose.n - lead};
		spaced = !ctx_span_eq(v, ctx_buf_span(&tight));
		gap(&loose, i % 2);
		CHECK(sqlite_valid(ctx_buf_span(&loose)));
		{
			struct ctx_span got;
			bool got_spaced;
			CHECK(ctx_json_check(
				  ctx_buf_span(&loose), &got, &got_spaced, &err) == 0);
			CHECK(got.p == loose.p + lead && got.n == v.n);
			CHECK(got_spaced == spaced);
			ctx_json_minify(got, &min);
			CHECK(same(&t, got));
		}
		CHECK(ctx_span_eq(ctx_buf_span(&min), ctx_buf_span(&tight)));
		if (test_bad)
			printf("# %s\n", loose.p);
		unmake(&t);
	}
	ctx_buf_release(&loose);
	ctx_buf_release(&tight);
	ctx_buf_release(&min);
}

static void
mutate(struct ctx_buf *b)
{
	static const char bytes[] =
	    "{}[]\",:\\ \n\tu0e9dD8-+.1truefalsn/\x01\x7f\x80\xc3\xa9\xed"
	    "\xa0\xf0\x9f\xff";
	uint32_t at = random_below((uint32_t)b->n);

	switch (random_below(4)) {
	case 0: /* drop a byte */
		memmove(b->p + at, b->p + at + 1, b->n - at);
		b->n--;
		break;
	case 1: /* cut the end off */
		b->n = at;
		break;
	case 2: /* put one in */
		ctx_buf_addc(b, ' ');
		memmove(b->p + at + 1, b->p + at, b->n - at - 1);
		/* fall through */
	default:
		b->p[at] = bytes[random_below(sizeof(bytes))];
	}
}

/* SQLite's check is laxer in known ways, each with its own message here; in all else the
 * two must agree. */
static void
mutations(void)
{
	static const char *const stricter[] = {
	    "invalid UTF-8 ", "NUL byte ", "lone surrogate "};
	struct ctx_buf b = CTX_BUF_INIT;
	struct node t;
	int good = 0, bad = 0;

	for (int i = 0; i < 60000 && !test_bad; i++) {
		bool ours, theirs;
		make(&t, 3);
		ctx_buf_reset(&b);
		spell(&t, &b, i % 2);
		for (uint32_t n = 1 + random_below(3); n > 0 && b.n > 0; n--)
			mutate(&b);
		ours = valid(ctx_buf_span(&b));
		theirs = sqlite_valid(ctx_buf_span(&b));
		good += ours;
		bad += !ours;
		if (theirs && !ours)
			for (size_t j = 0; j < sizeof(stricter) / sizeof(stricter[0]);
			     j++)
				ours |= strncmp(why(ctx_buf_span(&b)), stricter[j],
					    strlen(stricter[j])) == 0;
		CHECK(ours == theirs);
		if (test_bad)
			printf("# %s: %.*s\n", why(ctx_buf_span(&b)), (int)b.n, b.p);
		unmake(&t);
	}
	CHECK(good > 1000 && bad > 1000); /* both sides were tried */
	ctx_buf_release(&b);
}

/* Any bytes, written as a string, are valid JSON and read back as themselves, with
 * U+FFFD for each byte that is no part of a character. */
static void
escape_round_trip(void)
{
	struct ctx_buf in = CTX_BUF_INIT, want = CTX_BUF_INIT, json = CTX_BUF_INIT,
		       got = CTX_BUF_INIT;

	for (int i = 0; i < 20000 && !test_bad; i++) {
		ctx_buf_reset(&in);
		ctx_buf_reset(&want);
		ctx_buf_reset(&json);
		ctx_buf_reset(&got);
		for (uint32_t n = random_below(40); n > 0; n--) {
			uint32_t cp = random_next() >> random_below(32);
			char c[4];
			if (random_below(8) == 0) {
				ctx_buf_addc(&in, (char)0xff);
				ctx_buf_adds(&want, "\xef\xbf\xbd");
			} else if (cp < 0x110000 && (cp < 0xd800 || cp >= 0xe000)) {
				size_t len = ctx_utf8_encode(cp, c);
				ctx_buf_add(&in, c, len);
				ctx_buf_add(&want, c, len);
			}
		}
		ctx_json_put_string(&json, ctx_buf_span(&in));
		CHECK(valid(ctx_buf_span(&json)));
		ctx_json_decode(ctx_buf_span(&json), &got);
		CHECK(ctx_span_eq(ctx_buf_span(&got), ctx_buf_span(&want)));
	}
	ctx_buf_release(&in);
	ctx_buf_release(&want);
	ctx_buf_release(&json);
	ctx_buf_release(&got);
}

int
main(void)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, "select json_valid(?)", -1, &oracle, NULL) !=
		SQLITE_OK)
		return 1;
	RUN(accepted);
	RUN(refused);
	RUN(depth);
	RUN(numbers);
	RUN(members);
	RUN(members_while_checking);
	RUN(text_of_strings);
	RUN(next_value);
	RUN(absent);
	RUN(writing);
	RUN(printing);
	RUN(generated);
	RUN(mutations);
	RUN(escape_round_trip);
	sqlite3_finalize(oracle);
	sqlite3_close(db);
	return TEST_END();
}
