/* Reads and writes JSON (RFC 8259) as text. A text is checked once; its values are then
 * read as spans of the original bytes. Numbers are never converted to double and back, so
 * that output equals input. Functions that read require text that ctx_json_check
 * accepted. */
#ifndef CTX_JSON_JSON_H
#define CTX_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_JSON_DEPTH 1000 /* deepest accepted nesting of arrays and objects */

enum ctx_json_type {
	CTX_JSON_NONE, /* an absent span */
	CTX_JSON_NULL,
	CTX_JSON_BOOL,
	CTX_JSON_NUMBER,
	CTX_JSON_STRING,
	CTX_JSON_ARRAY,
	CTX_JSON_OBJECT,
};

/* ---- check ---- */

/* Checks that a text is exactly one JSON value, optionally surrounded by white space. The
 * check is strict: it requires the grammar of RFC 8259, well-formed UTF-8 (RFC 3629), no
 * NUL, no lone surrogate escape, and nesting of at most CTX_JSON_DEPTH; duplicate keys
 * are allowed. Sets *value to the value without surrounding white space. Sets *spaced to
 * true if there is white space between tokens of the value, and otherwise to false. The
 * arguments "value" and "spaced" may be NULL. Fails with CTX_EINPUT and an error message
 * that gives the position of the wrong byte, counted from 1. */
int ctx_json_check(
    struct ctx_span text, struct ctx_span *value, bool *spaced, struct ctx_err *err);

/* ctx_json_check_get is like ctx_json_check, but also reads n members of the value in
 * the same pass: it sets out[i] to the value of the member named keys[i], or to an
 * absent span if there is no such member. On error, the contents of out are undefined. */
struct ctx_json_members {
	const char *const *keys;
	struct ctx_span *out;
	size_t n;
};
int ctx_json_check_get(struct ctx_span text, struct ctx_span *value, bool *spaced,
    const struct ctx_json_members *members, struct ctx_err *err);

/* Like ctx_json_check, but checks only the first value in the text. Sets *rest to the
 * text after this value, without leading white space. If the text has only white space,
 * succeeds with *value absent. */
int ctx_json_check_next(struct ctx_span text, struct ctx_span *value,
    struct ctx_span *rest, struct ctx_err *err);

/* Appends a JSON value without the white space between its tokens. */
void ctx_json_minify(struct ctx_span value, struct ctx_buf *out);

/* ---- walk ---- */

enum ctx_json_type ctx_json_type(struct ctx_span value);

/* Iterates over the members of an object or the elements of an array, in order. Any other
 * value is treated as an empty array. */
struct ctx_json_iter {
	struct ctx_span key; /* the key with its quotes; absent in an array */
	struct ctx_span value;
	const char *p, *end;
	bool object;
};
struct ctx_json_iter ctx_json_iter_of(struct ctx_span container);
bool ctx_json_iter_next(struct ctx_json_iter *it);

/* A loop over the members of an object or the elements of an array. it: a name for the
 * iterator, which the macro declares; container: the object or array. CTX_JSON_EACH_WHILE
 * evaluates the condition before each member or element, and ends the loop when the
 * condition is false. */
#define CTX_JSON_EACH(it, container)                                \
	for (struct ctx_json_iter it = ctx_json_iter_of(container); \
	     ctx_json_iter_next(&(it));)
#define CTX_JSON_EACH_WHILE(condition, it, container)               \
	for (struct ctx_json_iter it = ctx_json_iter_of(container); \
	     (condition) && ctx_json_iter_next(&(it));)

/* Returns the number of members of an object or of elements of an array; 0 for any other
 * value. */
size_t ctx_json_count(struct ctx_span container);
/* Returns the value of the first member of an object, or the first element of an array.
 * Returns an absent span for an empty object or array, and for any other value. */
struct ctx_span ctx_json_first(struct ctx_span container);

/* Returns the value of the object's member with this key. If several members have this
 * name, returns the value of the last one, as jq and most parsers do. Returns an absent
 * span if there is no such member, or if the value passed as "object" is not a JSON
 * object. */
struct ctx_span ctx_json_get(struct ctx_span object, const char *key);

/* Like ctx_json_get, but returns an absent span if the value is null. Use this function
 * for members that the program acts on, so that null means the same as a missing
 * member. */
struct ctx_span ctx_json_find(struct ctx_span object, const char *key);

/* Like ctx_json_get, but returns an absent span if the value is not a string. */
struct ctx_span ctx_json_get_string(struct ctx_span object, const char *key);

/* Returns true if the object's member "type" is a string with this text. */
bool ctx_json_has_type(struct ctx_span object, const char *type);

/* Reads n members in one pass. Sets out[i] to the value of the member named keys[i], or
 * to an absent span if there is no such member. */
void ctx_json_get_all(
    struct ctx_span object, const char *const keys[], struct ctx_span out[], size_t n);

/* Returns true if the decoded text of a JSON string (with its quotes) equals the C string
 * s. */
bool ctx_json_is(struct ctx_span string, const char *s);
/* ctx_json_is_any returns true if the decoded text of a JSON string equals one of the C
 * strings in the NULL-terminated list. CTX_JSON_IS_ANY does the same, but takes the C
 * strings as separate arguments. */
bool ctx_json_is_any(struct ctx_span string, const char *const list[]);
#define CTX_JSON_IS_ANY(string, ...) \
	ctx_json_is_any(string, (const char *const[]){__VA_ARGS__, NULL})

/* Returns the decoded text of a JSON string. If the string has no escapes, the result
 * borrows from it; otherwise the text is decoded into *tmp, which is reset first. Returns
 * an absent span if the value is not a string. */
struct ctx_span ctx_json_text(struct ctx_span value, struct ctx_buf *tmp);

/* Appends the decoded text of a JSON string. */
void ctx_json_decode(struct ctx_span string, struct ctx_buf *out);
/* Appends the text and decodes its escapes, which have the form of escapes in JSON
 * strings. Incomplete escapes and lone surrogates are left out. */
void ctx_json_unescape(struct ctx_span text, struct ctx_buf *out);

/* Returns true if the value is a JSON string whose text has no NUL character, so that the
 * text can be converted to a C string. */
bool ctx_json_is_text(struct ctx_span value);

/* Returns the decoded text of a JSON string as a heap string that the caller frees.
 * Returns NULL if the value is not a string, or if its text contains a NUL character. */
char *ctx_json_strdup(struct ctx_span value);

/* Reads an optional member of an object. value: the member's value, which must be a
 * string, null or absent; name: the member's name in error messages. Sets *out to the
 * decoded text of the string, as a heap string that the caller frees, or to NULL if the
 * value is null or absent. Fails with CTX_EINPUT if the value has another type, or if the
 * text contains a NUL character. */
int ctx_json_member(
    char **out, struct ctx_span value, const char *name, struct ctx_err *err);

/* If the value is an integer from -CTX_JSON_INT_MAX to CTX_JSON_INT_MAX, written without
 * a fraction and without an exponent, sets *out to this integer and returns true.
 * Otherwise returns false. Programs that store numbers as double agree on the integers in
 * this range (RFC 8259, section 6), and sums and small multiples of them fit into
 * int64_t. */
#define CTX_JSON_INT_MAX (INT64_C(1) << 53)
bool ctx_json_int(struct ctx_span value, int64_t *out);

/* If the value is a number, converts the number to double, stores the result in *out, and
 * returns true. Otherwise returns false. */
bool ctx_json_double(struct ctx_span value, double *out);

/* Returns true only if the value is the JSON literal true. */
bool ctx_json_true(struct ctx_span value);

/* ---- write ----
 *
 * Values and members can be written one after the other, because each of these functions
 * first appends a comma if the last byte in the buffer requires one. */

void ctx_json_put_open(struct ctx_buf *b, char bracket);   /* '{' or '[' */
void ctx_json_put_close(struct ctx_buf *b, char bracket);  /* '}' or ']' */
void ctx_json_put_key(struct ctx_buf *b, const char *key); /* key: plain ASCII */
/* ctx_json_put_name appends a key. name: the key, a JSON string with its quotes, such as
 * the key of an iterator. */
void ctx_json_put_name(struct ctx_buf *b, struct ctx_span name);
void ctx_json_put_member(struct ctx_buf *b, struct ctx_span name, struct ctx_span json);
/* Appends the members of an object without the braces around them. except: name of the
 * members to leave out; NULL: all members are appended. */
void ctx_json_put_members(struct ctx_buf *b, struct ctx_span object, const char *except);
/* Appends an object with a new value for each member that has this key. json: the new
 * value; absent: these members are left out. An object without such a member is appended
 * unchanged. */
void ctx_json_put_changed(
    struct ctx_buf *b, struct ctx_span object, const char *key, struct ctx_span json);
void ctx_json_put_raw(struct ctx_buf *b, struct ctx_span json);
/* Appends the text as a JSON string, with as few escapes as possible. Writes U+FFFD in
 * place of invalid UTF-8. */
void ctx_json_put_string(struct ctx_buf *b, struct ctx_span text);
/* Like ctx_json_put_string, but never puts a comma before the string. */
void ctx_json_quote(struct ctx_buf *b, struct ctx_span text);
void ctx_json_put_int(struct ctx_buf *b, int64_t v);

/* Appends a key, and the bracket that begins the value of this key. */
void ctx_json_add_open(struct ctx_buf *b, const char *key, char bracket);
/* Each of these functions appends a member of an object. It appends nothing if the text
 * is absent, or if the JSON value is absent or empty. */
void ctx_json_add_raw(struct ctx_buf *b, const char *key, struct ctx_span json);
void ctx_json_add_string(struct ctx_buf *b, const char *key, struct ctx_span text);
void ctx_json_add_str(struct ctx_buf *b, const char *key, const char *s);
void ctx_json_add_int(struct ctx_buf *b, const char *key, int64_t v);
void ctx_json_add_bool(struct ctx_buf *b, const char *key, bool v);
void ctx_json_add_double(struct ctx_buf *b, const char *key, double v, int decimals);
/* Appends a member whose value is a time in the format of RFC 3339. ms: the time in ms
 * since the epoch; CTX_TIME_NONE: nothing is appended. */
void ctx_json_add_time(struct ctx_buf *b, const char *key, int64_t ms);

/* Appends JSON text made from a template. form: the template. In the template, single
 * quotes enclose keys and strings, and commas may be left out. Each of the following
 * conversions stands for the next argument:
 *
 *   %j  struct ctx_span: a JSON value        %d  int64_t: an integer
 *   %t  struct ctx_span: text, as a string   %b  int: true or false
 *   %s  const char *: text, as a string      %m  int64_t: a time, as ctx_json_add_time does
 *
 * A member is left out if its value is absent, NULL, CTX_TIME_NONE or, for %j, empty. The
 * template may end within an object or array; the caller then appends the rest.
 *
 * Example: ctx_json_print(b, "{'kind':'event','seq':%d,'created_at':%m}\n", seq, ms) */
void ctx_json_print(struct ctx_buf *b, const char *form, ...);

/* Appends the text, escaped as in a JSON string, but without the quotes. */
void ctx_json_escape(struct ctx_buf *b, struct ctx_span text);

#endif
