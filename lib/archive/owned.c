#include "archive/owned.h"

#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "archive/save.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/purge.h"

void
ctx_owned_print(struct ctx_buf *out, const struct ctx_owner *owner, bool redacted)
{
	ctx_json_print(
	    out, redacted ? "{'store':%s,'redacted':true}" : "{'store':%s}", owner->id);
}

bool
ctx_owned_redacted(struct ctx_span session)
{
	return ctx_json_true(ctx_json_get(ctx_json_get(session, "archive"), "redacted"));
}

/* Returns 1 if the session record of an archive names this store, 0 if it names
 * another one, -1 if it names no store. */
static int
compare_archive_owner(const struct ctx_session *in_archive, const struct ctx_owner *owner)
{
	struct ctx_span store = CTX_SPAN_NONE;

	if (in_archive->archive_json != NULL)
		store = ctx_json_get(ctx_span_of(in_archive->archive_json), "store");
	if (ctx_json_type(store) != CTX_JSON_STRING)
		return -1;
	return owner->id[0] != '\0' && ctx_json_is(store, owner->id);
}

bool
ctx_owned_is_restoring(const struct ctx_session *s)
{
	return s->archive_json != NULL &&
	       ctx_json_true(ctx_json_get(ctx_span_of(s->archive_json), "restoring"));
}

/* ---- archives that the store's records name ---- */

/* Collects the records of the events after the last restore, one per line. The restore
 * may have added the earlier events. */
static int
collect_event(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct ctx_buf *records = arg;

	if (ctx_json_is(ctx_json_get(record, "event"), "restore")) {
		ctx_buf_reset(records);
	} else if (ctx_json_type(ctx_json_get(record, "uri")) == CTX_JSON_STRING) {
		ctx_buf_addspan(records, record);
		ctx_buf_addc(records, '\n');
	}
	return 0;
}

static int
give_owned_object(
    struct ctx_span object, ctx_owner_fn *fn, void *arg, struct ctx_err *err)
{
	char *uri = ctx_json_strdup(ctx_json_get(object, "uri"));
	char *sha256 = ctx_json_strdup(ctx_json_get(object, "sha256"));
	struct ctx_owner_file f = {uri, sha256, CTX_OWNER_WRITTEN};
	int rc = uri == NULL || sha256 == NULL ? 0 : fn(arg, &f, err);

	free(uri);
	free(sha256);
	return rc;
}

int
ctx_owned_told(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_buf records = CTX_BUF_INIT;
	struct ctx_span rest, record;
	int rc = 0;

	if (ctx_owned_is_restoring(s))
		return 0;
	if (s->archive_json != NULL)
		rc = give_owned_object(ctx_span_of(s->archive_json), fn, arg, err);
	if (rc == 0)
		rc = ctx_store_events(st, s, collect_event, &records, err);
	rest = ctx_buf_span(&records);
	while (rc == 0 && ctx_span_split(&rest, '\n', &record))
		rc = give_owned_object(record, fn, arg, err);
	ctx_buf_release(&records);
	return rc;
}

struct digest {
	char hex[CTX_HASH_HEX + 1];
	/* compare only archives at this address, whichever store wrote them; NULL: all
	 * archives written by this store */
	const char *uri;
	bool told;
};

static int
compare_digest(void *arg, const struct ctx_owner_file *f, struct ctx_err *err CTX_UNUSED)
{
	struct digest *d = arg;

	if (d->uri != NULL ? strcmp(d->uri, f->uri) != 0 : f->state < CTX_OWNER_WRITTEN)
		return 0;
	d->told = d->told || (f->sha256 != NULL && strcmp(d->hex, f->sha256) == 0);
	return 0;
}

static int
read_digest(struct ctx_source *source, char hex[CTX_HASH_HEX + 1], struct ctx_err *err)
{
	struct ctx_sha256 sha;
	uint8_t raw[CTX_HASH_RAW];
	char chunk[16384];
	long n;

	ctx_sha256_start(&sha);
	while ((n = ctx_source_read(source, chunk, sizeof(chunk), err)) > 0)
		ctx_sha256_add(&sha, chunk, (size_t)n);
	ctx_sha256_end(&sha, raw);
	ctx_hash_hex(raw, sizeof(raw), hex);
	return n < 0 ? -1 : 0;
}

int
ctx_owned_recorded(struct ctx_source *source, const char *uri, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct digest d = {.uri = uri};
	int rc = ctx_source_open(source, err);

	if (rc != 1)
		return rc;
	rc = read_digest(source, d.hex, err);
	ctx_source_close(source);
	if (rc == 0)
		rc = ctx_owned_told(st, s, compare_digest, &d, err);
	if (rc == 0)
		rc = ctx_owner_each(st, s, compare_digest, &d, err);
	return rc < 0 ? -1 : d.told;
}

/* ---- information in the archive ---- */

struct first_record {
	struct ctx_session *session;
	bool valid;
};

/* The records after the first one are not needed. */
static int
take_first_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	struct first_record *first = arg;

	first->valid = record->kind == CTX_KIND_SESSION &&
		       ctx_session_parse(first->session, record->line, err) == 0;
	return -1;
}

int
ctx_owned_session(struct ctx_source *source, struct ctx_session *of, struct ctx_err *err)
{
	struct first_record first = {of, false};
	struct ctx_err why = CTX_ERR_INIT;

	ctx_source_records(source, take_first_record, &first, NULL, &why);
	if (why.code == CTX_OK || why.code == CTX_EANSWER || why.code == CTX_EINPUT)
		return first.valid;
	*err = why;
	return -1;
}

int
ctx_owned_look(enum ctx_owned *owned, struct ctx_source *source, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_owner owner;
	struct ctx_session of = CTX_SESSION_INIT;
	int rc = ctx_source_open(source, err), names;

	*owned = CTX_OWNED_MISSING;
	if (rc != 1)
		return rc;
	ctx_source_close(source);
	rc = ctx_owned_session(source, &of, err);
	*owned = rc == 0 ? CTX_OWNED_UNREADABLE : CTX_OWNED_NO;
	if (rc == 1 && ctx_session_is_same(&of, s)) {
		rc = ctx_owner_get(st, &owner, err);
		names = compare_archive_owner(&of, &owner);
		/* an archive that does not name the store that wrote it may be recorded */
		if (rc == 0 && names < 0 && !owner.copied)
			rc = names = ctx_owned_recorded(source, NULL, st, s, err);
		if (rc >= 0 && names == 1)
			*owned = CTX_OWNED_YES;
	}
	ctx_session_release(&of);
	return rc < 0 ? -1 : 0;
}

int
ctx_owned_source(struct ctx_store *st, struct ctx_span session_record,
    struct ctx_owner_file *file, struct ctx_err *err)
{
	struct ctx_session of = CTX_SESSION_INIT, there = CTX_SESSION_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_span archive;
	int rc = 0;

	if (ctx_session_parse(&of, session_record, &ignored) == 0 &&
	    of.session_id != NULL)
		rc = ctx_store_session_of(st, of.tenant_id != NULL ? of.tenant_id : "",
		    of.session_id, &there, err);
	if (rc == 1 && there.archive_json != NULL && !ctx_owned_is_restoring(&there) &&
	    ctx_session_is_same(&of, &there)) {
		archive = ctx_span_of(there.archive_json);
		if (ctx_json_is(ctx_json_get(archive, "uri"), file->uri) &&
		    ctx_json_is(ctx_json_get(archive, "sha256"), file->sha256))
			file->state = CTX_OWNER_WRITTEN;
	}
	ctx_session_release(&of);
	ctx_session_release(&there);
	return rc < 0 ? -1 : 0;
}
