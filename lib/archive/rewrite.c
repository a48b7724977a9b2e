#include "archive/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "archive/save.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/record.h"
#include "store/redaction.h"

struct summary_seen {
	int64_t number, previous;
	bool covers;
};

/* The state of rewriting: a first reading finds what changes, a second one writes. */
struct rewriting_archive {
	struct ctx_redaction *r;
	int64_t tokens;      /* change of the session's token count */
	int64_t token_count; /* the session's token count before */
	bool changes;
	struct ctx_archive_writer *w; /* set during the second reading */
	/* summaries that the first reading found */
	struct summary_seen *summaries;
	size_t n, cap;
	/* number of the summary in use before, and of the one in use afterwards; 0:
	 * none */
	int64_t current, usable;
	struct ctx_buf out, tmp, metadata;
};

/* ---- one record ---- */

/* Copies an object with some members replaced; an absent value drops the member. */
static void
copy_members(struct ctx_buf *out, struct ctx_span object, const char *const keys[],
    const struct ctx_span values[], size_t n)
{
	bool seen[4] = {false};

	ctx_json_put_open(out, '{');
	CTX_JSON_EACH(it, object) {
		struct ctx_span value = it.value;
		for (size_t i = 0; i < n; i++)
			if (ctx_json_is(it.key, keys[i])) {
				value = values[i];
				seen[i] = true;
			}
		if (value.p == NULL)
			continue;
		ctx_json_put_member(out, it.key, value);
	}
	for (size_t i = 0; i < n; i++)
		if (!seen[i])
			ctx_json_add_raw(out, keys[i], values[i]);
	ctx_json_put_close(out, '}');
}

static bool
rewrite_message_record(
    struct rewriting_archive *a, const struct ctx_record *record, struct ctx_err *err)
{
	static const char *const keys[] = {
	    "token_count", "tokenizer", "metadata", "message"};
	struct ctx_buf number = CTX_BUF_INIT;
	int64_t tokens;

	if (!ctx_redaction_has(a->r, record->seq) ||
	    !ctx_redaction_message(a->r, record->message, &a->tmp) ||
	    ctx_store_redaction_count(ctx_buf_span(&a->tmp), &tokens, err) < 0)
		return false;
	ctx_redaction_metadata(a->r, record->metadata, &a->metadata);
	if (a->w == NULL)
		a->tokens += tokens - (record->token_count > 0 ? record->token_count : 0);
	ctx_buf_addi(&number, tokens);
	ctx_buf_reset(&a->out);
	copy_members(&a->out, record->line, keys,
	    (struct ctx_span[]){ctx_buf_span(&number), ctx_span_of("\"approx\""),
		ctx_buf_span(&a->metadata), ctx_buf_span(&a->tmp)},
	    4);
	ctx_buf_release(&number);
	return true;
}

static bool
rewrite_session_record(struct rewriting_archive *a, struct ctx_span line)
{
	static const char *const texts[] = {"title", "topic", "metadata", "preferences"};
	struct ctx_span value;
	struct ctx_buf number = CTX_BUF_INIT, from = CTX_BUF_INIT;
	bool changed = a->tokens != 0;
	int64_t tokens = 0;

	ctx_buf_reset(&a->out);
	ctx_json_int(ctx_json_get(line, "token_count"), &tokens);
	a->token_count = tokens;
	ctx_buf_addi(&number, tokens + a->tokens);
	copy_members(&a->out, line, (const char *const[]){"token_count"},
	    (struct ctx_span[]){ctx_buf_span(&number)}, 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ctx_buf_reset(&from);
		ctx_buf_addspan(&from, ctx_buf_span(&a->out));
		value = ctx_json_get(ctx_buf_span(&from), texts[i]);
		if (value.p == NULL || !ctx_redaction_json(a->r, value, &a->tmp))
			continue;
		changed = true;
		ctx_buf_reset(&a->out);
		copy_members(&a->out, ctx_buf_span(&from), &texts[i],
		    (struct ctx_span[]){i < 2 && a->r->match.p == NULL
					    ? CTX_SPAN_NONE
					    : ctx_buf_span(&a->tmp)},
		    1);
	}
	ctx_buf_release(&number);
	ctx_buf_release(&from);
	return changed;
}

static bool
rewrite_summary_record(struct rewriting_archive *a, struct ctx_span line)
{
	struct ctx_span message = ctx_json_get(line, "message"), raw = message,
			current = CTX_SPAN_NONE;
	int64_t first = 0, last = 0, number = 0, previous = 0;
	bool covers, changed;

	ctx_json_int(ctx_json_get(line, "first_seq"), &first);
	ctx_json_int(ctx_json_get(line, "last_seq"), &last);
	ctx_json_int(ctx_json_get(line, "number"), &number);
	ctx_json_int(ctx_json_get(line, "previous"), &previous);
	covers = ctx_redaction_covers(a->r, first, last);
	if (a->w == NULL) {
		CTX_MEM_GROW(a->summaries, a->n, a->cap);
		a->summaries[a->n++] = (struct summary_seen){number, previous, covers};
		if (ctx_json_true(ctx_json_get(line, "current")))
			a->current = number;
	}
	changed = message.p != NULL &&
		  ctx_redaction_summary(a->r, message, covers, &a->tmp);
	if (changed)
		raw = ctx_buf_span(&a->tmp);
	if (a->w != NULL && a->usable != a->current) {
		current = ctx_span_of(number == a->usable ? "true" : "false");
		changed = true;
	} else {
		current = ctx_json_get(line, "current");
	}
	ctx_buf_reset(&a->out);
	copy_members(&a->out, line, (const char *const[]){"current", "message"},
	    (struct ctx_span[]){current, raw}, 2);
	return changed;
}

/* Returns true if the record changes, with the new record in a->out. */
static bool
rewrite_record(
    struct rewriting_archive *a, const struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_span line = ctx_span_trim(record->line);

	switch (record->kind) {
	case CTX_KIND_MESSAGE:
		return rewrite_message_record(a, record, err);
	case CTX_KIND_SESSION:
		return rewrite_session_record(a, line);
	case CTX_KIND_REQUEST:
		return ctx_redaction_request(a->r, line, &a->out);
	case CTX_KIND_EVENT:
		return ctx_redaction_json(a->r, line, &a->out);
	case CTX_KIND_OTHER:
		return ctx_json_is(ctx_json_get(line, "kind"), "summary") &&
		       rewrite_summary_record(a, line);
	default:
		return false;
	}
}

/* ---- passes over an archive: learn the texts, find changes, write ---- */

static int
read_archive_records(
    struct ctx_source *source, ctx_archive_check *fn, void *arg, struct ctx_err *err)
{
	int rc = ctx_source_records(source, fn, arg, NULL, err);

	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER, "archive not found");
	return rc < 0 ? -1 : 0;
}

static int
learn_archive_record(
    void *arg, const struct ctx_record *record, struct ctx_err *err CTX_UNUSED)
{
	struct rewriting_archive *a = arg;

	if (record->kind == CTX_KIND_MESSAGE && ctx_redaction_has(a->r, record->seq))
		ctx_redaction_learn(a->r, record->message);
	return 0;
}

static int
look_at_archive_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	struct rewriting_archive *a = arg;

	a->changes |= rewrite_record(a, record, err);
	return err->code == CTX_OK ? 0 : -1;
}

static int
write_archive_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	struct rewriting_archive *a = arg;
	bool changed = rewrite_record(a, record, err);

	if (err->code != CTX_OK)
		return -1;
	return ctx_archive_put(a->w, record->kind,
	    changed ? ctx_buf_span(&a->out) : ctx_span_trim(record->line), err);
}

static int
write_rewritten(struct rewriting_archive *a, struct ctx_source *source,
    const char *session_id, struct ctx_archive_info *info, struct ctx_err *err)
{
	struct ctx_blob_put *put;
	int rc;

	if (ctx_blob_put_open(source->blobs, source->name, false, &put, err) < 0)
		return -1;
	a->w = ctx_archive_writer_new(session_id, 0, ctx_blob_put_write, put);
	rc = read_archive_records(source, write_archive_record, a, err);
	if (rc == 0)
		rc = ctx_archive_finish(a->w, info, err);
	ctx_archive_writer_free(a->w);
	if (rc < 0)
		ctx_blob_put_abort(put);
	else
		rc = ctx_blob_put_commit(put, err);
	return rc < 0 ? -1 : 0;
}

static void
release_rewriting_archive(struct rewriting_archive *a)
{
	free(a->summaries);
	ctx_buf_release(&a->out);
	ctx_buf_release(&a->tmp);
	ctx_buf_release(&a->metadata);
}

int
ctx_rewrite_archive(struct ctx_source *source, struct ctx_redaction *r,
    struct ctx_archive_info *info, struct ctx_err *err)
{
	struct rewriting_archive a = {.r = r};
	struct ctx_archive_info before = {.session_id = NULL};
	char sha256[CTX_HASH_HEX + 1];
	int rc = ctx_save_verify(source, NULL, &before, err);

	memset(info, 0, sizeof(*info));
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER, "archive not found");
	if (rc == 1)
		rc = read_archive_records(source, learn_archive_record, &a, err);
	if (rc == 0)
		rc = read_archive_records(source, look_at_archive_record, &a, err);
	/* the summary in use or its newest predecessor that covers no redacted message */
	a.usable = a.current;
	for (size_t i = a.n; i-- > 0 && a.usable > 0;)
		if (a.summaries[i].number == a.usable && a.summaries[i].covers)
			a.usable = a.summaries[i].previous;
	a.changes |= a.usable != a.current;
	if (rc == 0 && !a.changes) {
		*info = before;
		before.session_id = NULL;
	} else if (rc == 0) {
		rc = write_rewritten(&a, source, before.session_id, info, err);
		memcpy(sha256, info->file_sha256, sizeof(sha256));
		ctx_archive_info_release(info);
		if (rc == 0)
			rc = ctx_save_verify(source, sha256, info, err);
		if (rc == 0)
			rc = ctx_err_set(err, CTX_EANSWER,
			    "the archive disappeared right after it was written");
	}
	info->token_count = a.token_count + a.tokens;
	ctx_archive_info_release(&before);
	release_rewriting_archive(&a);
	return rc;
}

/* ---- reading messages ---- */

struct reading_messages {
	struct rewriting_archive a;
	ctx_rewrite_fn *fn;
	void *arg;
};

static int
give_archived_message(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	struct reading_messages *m = arg;
	struct rewriting_archive *a = &m->a;

	if (record->kind != CTX_KIND_MESSAGE || !ctx_redaction_has(a->r, record->seq) ||
	    (a->r->match.p != NULL &&
		!ctx_redaction_message(a->r, record->message, &a->tmp)))
		return 0;
	return m->fn(m->arg, record->seq, record->message, err);
}

int
ctx_rewrite_messages(struct ctx_source *source, struct ctx_redaction *r,
    ctx_rewrite_fn *fn, void *arg, struct ctx_err *err)
{
	struct reading_messages m = {.a = {.r = r}, .fn = fn, .arg = arg};
	int rc = read_archive_records(source, give_archived_message, &m, err);

	release_rewriting_archive(&m.a);
	return rc;
}
