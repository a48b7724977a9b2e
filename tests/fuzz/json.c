/* Whatever bytes come: what is accepted can be walked, and minifies to the same value. */
#include "fuzz.h"

#include <string.h>

#include "json/json.h"

/* Walk all of v, decode what is text, write it again from its parts. */
static void
rebuild(struct ctx_span v, struct ctx_buf *out)
{
	enum ctx_json_type t = ctx_json_type(v);
	struct ctx_buf tmp = CTX_BUF_INIT;
	int64_t i;
	double d;

	MUST(t != CTX_JSON_NONE);
	if (t == CTX_JSON_STRING) {
		struct ctx_span text = ctx_json_text(v, &tmp);
		MUST(text.p != NULL);
		MUST(memchr(text.p, '\0', text.n) != NULL || text.p != tmp.p ||
		     ctx_json_is(v, tmp.p));
	}
	if (t == CTX_JSON_NUMBER)
		MUST(ctx_json_double(v, &d) && (!ctx_json_int(v, &i) || d == (double)i));
	if (t != CTX_JSON_ARRAY && t != CTX_JSON_OBJECT) {
		ctx_json_put_raw(out, v);
	} else {
		ctx_json_put_open(out, t == CTX_JSON_OBJECT ? '{' : '[');
		CTX_JSON_EACH(it, v) {
			if (it.object) {
				ctx_json_put_raw(out, it.key);
				ctx_buf_addc(out, ':');
			}
			rebuild(it.value, out);
		}
		ctx_json_put_close(out, t == CTX_JSON_OBJECT ? '}' : ']');
	}
	ctx_buf_release(&tmp);
}

/* Reading members while checking finds what reading them afterwards finds. */
static void
check_members(struct ctx_span text, struct ctx_span value)
{
	static const char *const keys[] = {"", "a", "role", "content", "\n"};
	struct ctx_span read[5], found[5];
	struct ctx_json_members members = {keys, found, 5};
	struct ctx_err err = CTX_ERR_INIT;

	MUST(ctx_json_check_get(text, NULL, NULL, &members, &err) == 0);
	ctx_json_get_all(value, keys, read, 5);
	for (size_t i = 0; i < 5; i++)
		MUST(found[i].p == read[i].p && found[i].n == read[i].n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx_buf min = CTX_BUF_INIT, again = CTX_BUF_INIT, quoted = CTX_BUF_INIT;
	struct ctx_span text = {(const char *)data, n}, v, w, rest;
	struct ctx_err err = CTX_ERR_INIT;
	bool spaced;

	ctx_json_put_string(&quoted, text);
	MUST(ctx_json_check(ctx_buf_span(&quoted), NULL, NULL, &err) == 0);
	if (ctx_json_check(text, &v, &spaced, &err) == 0) {
		MUST(ctx_json_check_next(text, &w, &rest, &err) == 0);
		MUST(w.p == v.p && w.n == v.n && rest.n == 0);
		check_members(text, v);
		ctx_json_minify(v, &min);
		MUST(spaced == (min.n != v.n));
		rebuild(v, &again);
		MUST(ctx_span_eq(ctx_buf_span(&min), ctx_buf_span(&again)));
		MUST(ctx_json_check(ctx_buf_span(&min), NULL, &spaced, &err) == 0 &&
		     !spaced);
	} else {
		MUST(err.code == CTX_EINPUT && err.msg[0] != '\0');
		for (rest = text;
		     ctx_json_check_next(rest, &v, &rest, &err) == 0 && v.p != NULL;)
			MUST(ctx_json_check(v, NULL, NULL, &err) == 0);
	}
	ctx_buf_release(&min);
	ctx_buf_release(&again);
	ctx_buf_release(&quoted);
	return 0;
}
