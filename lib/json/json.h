/* JSON as text (RFC 8259): check it once, then walk it as spans of the original bytes.
 * Nothing here turns a number into a double on its way through, so what went in comes
 * out. Functions that walk expect text that ctx_json_check accepted. */
#ifndef CTX_JSON_JSON_H
#define CTX_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_JSON_DEPTH 1000 /* containers inside each other that are accepted */

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

/* Is text exactly one JSON value, with white space allowed around it? Strict: the
 * grammar of RFC 8259, well-formed UTF-8 (RFC 3629), no NUL and no lone surrogate
 * escape, at most CTX_JSON_DEPTH deep. Duplicate keys are allowed. On success *value is
 * the value without the white space around it and *spaced tells whether white space
 * stands between its tokens (either may be NULL). On failure CTX_EINPUT and a message
 * that names the byte, counted from 1. */
int ctx_json_check(
    struct ctx_span text, struct ctx_span *value, bool *spaced, struct ctx_err *err);

/* The same for the first value in text, whatever stands behind it; *rest is what does,
 * without leading white space. Text of white space alone gives an absent value. */
int ctx_json_check_next(struct ctx_span text, struct ctx_span *value,
    struct ctx_span *rest, struct ctx_err *err);

/* Append value without the white space between its tokens. */
void ctx_json_minify(struct ctx_span value, struct ctx_buf *out);

/* ---- walk ---- */

enum ctx_json_type ctx_json_type(struct ctx_span value);

/* Iteration over the members of an object or the elements of an array, in order. A
 * value of another type has none. */
struct ctx_json_iter {
	struct ctx_span key; /* with its quotes; absent in an array */
	struct ctx_span value;
	const char *p, *end;
	bool object;
};
void ctx_json_iter_init(struct ctx_json_iter *it, struct ctx_span container);
bool ctx_json_iter_next(struct ctx_json_iter *it);

/* The member's value; of duplicate keys the last (as jq and most parsers do). Absent
 * when there is none or object is no object. */
struct ctx_span ctx_json_get(struct ctx_span object, const char *key);

/* The same, and absent when it is null: what a record's member that decides something is
 * read by. */
struct ctx_span ctx_json_find(struct ctx_span object, const char *key);

/* n members in one pass: out[i] is the value of keys[i] or absent. */
void ctx_json_get_all(
    struct ctx_span object, const char *const keys[], struct ctx_span out[], size_t n);

/* Does a string (with its quotes, escapes resolved) equal the C string? */
bool ctx_json_is(struct ctx_span string, const char *s);

/* Text of a string value: borrowed from the value where it holds no escape, else
 * decoded into tmp (which is reset first). Absent when value is no string. */
struct ctx_span ctx_json_text(struct ctx_span value, struct ctx_buf *tmp);

/* Append the decoded text of a string value. */
void ctx_json_decode(struct ctx_span string, struct ctx_buf *out);

/* A string without the character NUL, so that a C string holds all of it? */
bool ctx_json_is_text(struct ctx_span value);

/* Text of a string value as a NUL-terminated heap string; NULL when value is no string or
 * holds a NUL: nothing is cut. */
char *ctx_json_strdup(struct ctx_span value);

/* The same of a member, by name for the message: *out is NULL when it is absent or null;
 * CTX_EINPUT when ctx_json_is_text says no. */
int ctx_json_member(
    char **out, struct ctx_span value, const char *name, struct ctx_err *err);

/* A number without fraction or exponent, of CTX_JSON_INT_MAX at most either way; false for
 * all else. The bound is that of RFC 8259, section 6, for what all programs agree on, and
 * leaves int64_t room for the sums and products that are made of it. */
#define CTX_JSON_INT_MAX (INT64_C(1) << 53)
bool ctx_json_int(struct ctx_span value, int64_t *out);

/* A number, to double precision; false when value is no number. */
bool ctx_json_double(struct ctx_span value, double *out);

bool ctx_json_true(struct ctx_span value); /* is it the literal true? */

/* ---- write ----
 * Each puts a comma first where the buffer's last byte calls for one, so that values and
 * members can be put one after the other. */

void ctx_json_put_open(struct ctx_buf *b, char bracket);   /* '{' or '[' */
void ctx_json_put_close(struct ctx_buf *b, char bracket);  /* '}' or ']' */
void ctx_json_put_key(struct ctx_buf *b, const char *key); /* key: plain ASCII */
void ctx_json_put_raw(struct ctx_buf *b, struct ctx_span json);
/* Text is quoted and escaped as little as JSON demands; bytes that are not UTF-8 become
 * U+FFFD. */
void ctx_json_put_string(struct ctx_buf *b, struct ctx_span text);
void ctx_json_put_int(struct ctx_buf *b, int64_t v);
void ctx_json_put_bool(struct ctx_buf *b, bool v);

/* Members. An absent text or value puts nothing. */
void ctx_json_add_raw(struct ctx_buf *b, const char *key, struct ctx_span json);
void ctx_json_add_string(struct ctx_buf *b, const char *key, struct ctx_span text);
void ctx_json_add_str(struct ctx_buf *b, const char *key, const char *s);
void ctx_json_add_int(struct ctx_buf *b, const char *key, int64_t v);
void ctx_json_add_bool(struct ctx_buf *b, const char *key, bool v);
void ctx_json_add_double(struct ctx_buf *b, const char *key, double v, int decimals);
/* RFC 3339; CTX_TIME_NONE puts nothing. */
void ctx_json_add_time(struct ctx_buf *b, const char *key, int64_t ms);

/* Only the inside of the quotes. */
void ctx_json_escape(struct ctx_buf *b, struct ctx_span text);

#endif
