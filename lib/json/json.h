/* JSON as text (RFC 8259): checked once, then read as spans of the original bytes.
 * Numbers are never converted to double and back, so that output equals input. Functions
 * that read require text that ctx_json_check accepted. */
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

/* Checks that text is exactly one JSON value, optionally surrounded by white space.
 * Strict: the grammar of RFC 8259, well-formed UTF-8 (RFC 3629), no NUL, no lone
 * surrogate escape, nesting of at most CTX_JSON_DEPTH; duplicate keys are allowed. Sets
 * *value to the value without surrounding white space and *spaced to whether there is
 * white space between its tokens; either may be NULL. CTX_EINPUT on failure; the message
 * gives the byte's position, counted from 1. */
int ctx_json_check(
    struct ctx_span text, struct ctx_span *value, bool *spaced, struct ctx_err *err);

/* Like ctx_json_check, for the first value in text. *rest is set to the text after the
 * value, without leading white space. *value is absent if text has only white space. */
int ctx_json_check_next(struct ctx_span text, struct ctx_span *value,
    struct ctx_span *rest, struct ctx_err *err);

/* Appends value without the white space between its tokens. */
void ctx_json_minify(struct ctx_span value, struct ctx_buf *out);

/* ---- walk ---- */

enum ctx_json_type ctx_json_type(struct ctx_span value);

/* Iterates over the members of an object or the elements of an array, in order. Other
 * values are treated as empty. */
struct ctx_json_iter {
	struct ctx_span key; /* includes the quotes; absent in an array */
	struct ctx_span value;
	const char *p, *end;
	bool object;
};
void ctx_json_iter_init(struct ctx_json_iter *it, struct ctx_span container);
bool ctx_json_iter_next(struct ctx_json_iter *it);

/* Returns the value of the member named key; of duplicate keys the last one, as jq and
 * most parsers do. Absent if the object has no such member or is not an object. */
struct ctx_span ctx_json_get(struct ctx_span object, const char *key);

/* Like ctx_json_get, but a null value counts as absent. Use it for members that change
 * the program's behavior. */
struct ctx_span ctx_json_find(struct ctx_span object, const char *key);

/* Reads n members in one pass: out[i] is the value of keys[i], or absent. */
void ctx_json_get_all(
    struct ctx_span object, const char *const keys[], struct ctx_span out[], size_t n);

/* Returns whether a JSON string (with quotes, escapes decoded) equals a C string. */
bool ctx_json_is(struct ctx_span string, const char *s);

/* Returns the text of a JSON string: borrowed from value if it has no escapes, otherwise
 * decoded into tmp, which is reset first. Absent if value is not a string. */
struct ctx_span ctx_json_text(struct ctx_span value, struct ctx_buf *tmp);

/* Appends the decoded text of a JSON string. */
void ctx_json_decode(struct ctx_span string, struct ctx_buf *out);

/* Returns true for a JSON string without a NUL character, which thus fits into a C
 * string. */
bool ctx_json_is_text(struct ctx_span value);

/* Returns the text of a JSON string, which the caller frees; NULL if value is not a
 * string or contains NUL. */
char *ctx_json_strdup(struct ctx_span value);

/* Like ctx_json_strdup, for the value of a member; name is used in the message. *out is
 * NULL if the value is absent or null. Fails with CTX_EINPUT if it is another type or
 * contains NUL. */
int ctx_json_member(
    char **out, struct ctx_span value, const char *name, struct ctx_err *err);

/* Reads an integer without fraction or exponent, from -CTX_JSON_INT_MAX to
 * CTX_JSON_INT_MAX. Returns false for any other value. RFC 8259, section 6, names this
 * range as the one on which all programs agree; sums and small multiples of such values
 * fit into int64_t. */
#define CTX_JSON_INT_MAX (INT64_C(1) << 53)
bool ctx_json_int(struct ctx_span value, int64_t *out);

/* Reads a number as a double. Returns false if value is not a number. */
bool ctx_json_double(struct ctx_span value, double *out);

bool ctx_json_true(struct ctx_span value); /* true for the literal true only */

/* ---- write ---- Each function writes a comma first if the buffer's last byte requires
 * one, so that values and members can be written one after the other. */

void ctx_json_put_open(struct ctx_buf *b, char bracket);   /* '{' or '[' */
void ctx_json_put_close(struct ctx_buf *b, char bracket);  /* '}' or ']' */
void ctx_json_put_key(struct ctx_buf *b, const char *key); /* key: plain ASCII */
void ctx_json_put_raw(struct ctx_buf *b, struct ctx_span json);
/* Appends text as a JSON string with as few escapes as possible; invalid UTF-8 becomes
 * U+FFFD. */
void ctx_json_put_string(struct ctx_buf *b, struct ctx_span text);
void ctx_json_put_int(struct ctx_buf *b, int64_t v);

/* Each appends a member of an object. An absent text or value appends nothing. */
void ctx_json_add_raw(struct ctx_buf *b, const char *key, struct ctx_span json);
void ctx_json_add_string(struct ctx_buf *b, const char *key, struct ctx_span text);
void ctx_json_add_str(struct ctx_buf *b, const char *key, const char *s);
void ctx_json_add_int(struct ctx_buf *b, const char *key, int64_t v);
void ctx_json_add_bool(struct ctx_buf *b, const char *key, bool v);
void ctx_json_add_double(struct ctx_buf *b, const char *key, double v, int decimals);
/* Appends a time as RFC 3339; CTX_TIME_NONE appends nothing. */
void ctx_json_add_time(struct ctx_buf *b, const char *key, int64_t ms);

/* Appends text escaped as in a JSON string, but without the quotes. */
void ctx_json_escape(struct ctx_buf *b, struct ctx_span text);

#endif
