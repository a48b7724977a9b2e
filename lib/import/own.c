/* Makes ids for sessions whose source has none. The same conversation must get the same
 * id again after its file has grown, and different conversations must get different ids.
 * So the id is derived from the file's path and from the part of a conversation that
 * never changes, the first messages. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "import/internal.h"
#include "json/json.h"

/* maximum number of queued records while waiting for a message that is not a system
 * message */
#define WAIT 100
#define NAME 40 /* bytes of the file's name that are used in an id */

/* Ids in sources cannot contain control characters. */
const char *const ctx_import_own_name[2] = {"\001value", "\001file"};

void
ctx_import_own_release(struct import_own *o)
{
	free(o->id);
	ctx_buf_release(&o->records);
	ctx_buf_release(&o->text);
	memset(o, 0, sizeof(*o));
}

/* Returns the length of the placeholder name if the id begins with it, else 0. */
static size_t
begins_with(struct ctx_span id, const char *name)
{
	size_t n = strlen(name);

	return id.p != NULL && id.n >= n && memcmp(id.p, name, n) == 0 ? n : 0;
}

int
ctx_import_own_of(struct ctx_span record)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span id = ctx_json_text(ctx_json_get(record, "session_id"), &tmp);
	int which = begins_with(id, ctx_import_own_name[0])   ? 0
		    : begins_with(id, ctx_import_own_name[1]) ? 1
							      : -1;

	ctx_buf_release(&tmp);
	return which;
}

bool
ctx_import_own_add(struct import_own *o, struct ctx_span record, bool path)
{
	struct ctx_span message = ctx_json_get(record, "message"), role;
	bool known;

	ctx_buf_addspan(&o->records, record);
	ctx_buf_addc(&o->records, '\n');
	o->waiting++;
	if (!ctx_json_is(ctx_json_get(record, "kind"), "message"))
		return o->waiting > WAIT;
	ctx_buf_addspan(&o->text, message);
	ctx_buf_addc(&o->text, '\n');
	role = ctx_json_get(message, "role");
	if (!o->spoken && (ctx_json_is(role, "system") || ctx_json_is(role, "developer")))
		return o->waiting > WAIT;
	/* without a path, the answer is needed to distinguish conversations with the same
	 * question */
	known = o->spoken || path;
	o->spoken = true;
	return known;
}

static bool
is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

void
ctx_import_own_make(struct import_own *o, const char *format, const char *source,
    const char *path, struct import_names *made)
{
	char hash[CTX_HASH_HEX + 1];
	struct ctx_buf b = CTX_BUF_INIT;
	size_t n = strlen(source);
	int64_t times;

	ctx_buf_adds(&b, path == NULL ? "" : path);
	ctx_buf_addc(&b, '\n');
	ctx_buf_addspan(&b, ctx_buf_span(&o->text));
	ctx_hash_sha256(b.p, b.n, hash);
	times = ctx_import_names_count(made, (struct ctx_span){hash, 16});
	while (n > NAME || (n > 0 && ((unsigned char)source[n] & 0xc0) == 0x80))
		n--;
	ctx_buf_reset(&b);
	ctx_buf_addf(&b, "%s-", format);
	for (size_t i = 0; i < n; i++) /* ids must not contain control characters */
		ctx_buf_addc(&b, is_control(source[i]) ? '_' : source[i]);
	ctx_buf_addf(&b, "-%.16s", hash);
	if (times > 1)
		ctx_buf_addf(&b, "-%lld", (long long)times);
	o->id = ctx_buf_detach(&b);
}

/* Appends the id with the placeholder at its beginning replaced. */
static void
put_own_import_id(const struct import_own *o, struct ctx_buf *b, struct ctx_span value)
{
	struct ctx_buf id = CTX_BUF_INIT, tmp = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(value, &tmp);
	size_t n = 0;

	for (int i = 0; i < 2 && n == 0; i++)
		n = begins_with(text, ctx_import_own_name[i]);
	if (n == 0) {
		ctx_buf_addspan(b, value);
	} else {
		ctx_buf_adds(&id, o->id);
		ctx_buf_add(&id, text.p + n, text.n - n);
		ctx_json_put_string(b, ctx_buf_span(&id));
	}
	ctx_buf_release(&id);
	ctx_buf_release(&tmp);
}

void
ctx_import_own_name_record(
    const struct import_own *o, struct ctx_buf *b, struct ctx_span record)
{
	ctx_json_put_open(b, '{');
	CTX_JSON_EACH(it, record) {
		ctx_json_put_name(b, it.key);
		if (CTX_JSON_IS_ANY(it.key, "session_id", "parent_session_id"))
			put_own_import_id(o, b, it.value);
		else
			ctx_buf_addspan(b, it.value);
	}
	ctx_json_put_close(b, '}');
}
