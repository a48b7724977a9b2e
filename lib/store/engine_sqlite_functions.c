/* SQL functions for scripts that read databases of other programs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/exec.h"
#include "json/json.h"
#include "store/engine_sqlite.h"

#define UNPACK_MS 60000

/* SQL function unhex(text): the decoded bytes; NULL if the text is not hexadecimal. */
static void
sql_unhex(sqlite3_context *c, int n CTX_UNUSED, sqlite3_value **v)
{
	const unsigned char *text = sqlite3_value_text(v[0]);
	int size = sqlite3_value_bytes(v[0]);
	struct ctx_buf out = CTX_BUF_INIT;

	if (text == NULL || size % 2 != 0)
		return;
	for (int i = 0; i < size; i += 2) {
		char two[] = {(char)text[i], (char)text[i + 1], '\0'};
		if (!isxdigit(text[i]) || !isxdigit(text[i + 1])) {
			ctx_buf_release(&out);
			return;
		}
		ctx_buf_addc(&out, (char)strtol(two, NULL, 16));
	}
	sqlite3_result_blob(c, out.p == NULL ? "" : out.p, (int)out.n, SQLITE_TRANSIENT);
	ctx_buf_release(&out);
}

/* SQL function unbase64(text): the decoded bytes; NULL if the text is not base64. */
static void
sql_unbase64(sqlite3_context *c, int n CTX_UNUSED, sqlite3_value **v)
{
	const char *text = (const char *)sqlite3_value_text(v[0]);
	int size = sqlite3_value_bytes(v[0]), bits = 0;
	struct ctx_buf out = CTX_BUF_INIT;
	uint32_t value = 0;

	while (size > 0 && text[size - 1] == '=')
		size--;
	for (int i = 0; i < size; i++) {
		int digit = ctx_base64_value(text[i]);
		if (digit < 0) {
			ctx_buf_release(&out);
			return;
		}
		value = value << 6 | (uint32_t)digit;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			ctx_buf_addc(&out, (char)(value >> bits));
		}
	}
	if (text != NULL)
		sqlite3_result_blob(
		    c, out.p == NULL ? "" : out.p, (int)out.n, SQLITE_TRANSIENT);
	ctx_buf_release(&out);
}

/* Reads a base-128 number. Returns false at the end of the data. */
static bool
take_varint(struct ctx_span *s, uint64_t *value)
{
	*value = 0;
	for (int shift = 0; s->n > 0 && shift < 64; shift += 7) {
		unsigned char byte = (unsigned char)*s->p++;
		s->n--;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static void
add_hex(struct ctx_buf *out, struct ctx_span bytes)
{
	struct ctx_buf text = CTX_BUF_INIT;

	for (size_t i = 0; i < bytes.n; i++)
		ctx_buf_addf(&text, "%02x", (unsigned char)bytes.p[i]);
	ctx_json_put_string(out, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

/* Skips the value of a field. *bytes is the value of a field with a length, else absent.
 * Returns false if the data is invalid. */
static bool
take_field(struct ctx_span *s, unsigned wire, struct ctx_span *bytes)
{
	uint64_t n = wire == 1 ? 8 : 4;

	*bytes = CTX_SPAN_NONE;
	if (wire == 0)
		return take_varint(s, &n);
	if (wire != 1 && wire != 2 && wire != 5)
		return false;
	if ((wire == 2 && !take_varint(s, &n)) || n > s->n)
		return false;
	if (wire == 2)
		*bytes = (struct ctx_span){s->p, (size_t)n};
	s->p += n;
	s->n -= n;
	return true;
}

/* SQL function protobuf_field(message, number): the values of this bytes field as a JSON
 * array of hexadecimal strings. */
static void
sql_protobuf_field(sqlite3_context *c, int n CTX_UNUSED, sqlite3_value **v)
{
	const char *data = sqlite3_value_blob(v[0]);
	struct ctx_span s = {data, (size_t)sqlite3_value_bytes(v[0])}, bytes;
	uint64_t field = (uint64_t)sqlite3_value_int64(v[1]), tag;
	struct ctx_buf out = CTX_BUF_INIT;

	ctx_json_put_open(&out, '[');
	while (s.n > 0 && take_varint(&s, &tag) &&
	       take_field(&s, (unsigned)(tag & 7), &bytes))
		if (bytes.p != NULL && tag >> 3 == field)
			add_hex(&out, bytes);
	ctx_json_put_close(&out, ']');
	sqlite3_result_text(c, out.p, (int)out.n, SQLITE_TRANSIENT);
	ctx_buf_release(&out);
}

/* SQL function unzstd(bytes): the bytes decompressed by zstd(1); NULL if that fails. */
static void
sql_unzstd(sqlite3_context *c, int n CTX_UNUSED, sqlite3_value **v)
{
	const size_t *max = sqlite3_user_data(c);
	struct ctx_exec_options o = {.command = "zstd -dcq 2>/dev/null",
	    .timeout_ms = UNPACK_MS,
	    .max_output = *max};
	const char *data = sqlite3_value_blob(v[0]);
	struct ctx_span in = {data, (size_t)sqlite3_value_bytes(v[0])};
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_buf out = CTX_BUF_INIT;

	if (in.p != NULL && ctx_exec_run(&o, in, &out, &ignored) == 0)
		sqlite3_result_text(c, out.p, (int)out.n, SQLITE_TRANSIENT);
	ctx_buf_release(&out);
}

int
ctx_foreign_add_functions(struct sqlite3 *h, const size_t *max)
{
	static const struct {
		const char *name;
		int arguments;
		void (*call)(sqlite3_context *c, int n, sqlite3_value **v);
	} functions[] = {{"unhex", 1, sql_unhex}, {"unbase64", 1, sql_unbase64},
	    {"protobuf_field", 2, sql_protobuf_field}, {"unzstd", 1, sql_unzstd}};
	int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions) && rc == SQLITE_OK;
	     i++)
		rc = sqlite3_create_function(h, functions[i].name, functions[i].arguments,
		    flags, (void *)max, functions[i].call, NULL, NULL);
	return rc;
}
