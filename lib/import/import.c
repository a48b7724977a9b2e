#include "import/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "import/internal.h"
#include "json/jq.h"
#include "json/json.h"
#include "record/session.h"

/* maximum number of ids remembered; sources repeat messages only within a session */
#define IDS 200000

/* Returns whether the program reads whole files: its note "whole" means always, "whole
 * with --current" only with that option. */
static bool
wants_whole(struct ctx_span program, bool current)
{
	struct ctx_span value;

	while (ctx_import_note(&program, "whole", &value))
		if (value.n == 0 || (current && ctx_span_is(value, "with --current")))
			return true;
	return false;
}

bool
ctx_import_has_branches(struct ctx_span program)
{
	static const char name[] = "info.current";

	for (size_t i = 0; i + sizeof(name) <= program.n; i++)
		if (memcmp(program.p + i, name, sizeof(name) - 1) == 0)
			return true;
	return false;
}

int
ctx_import_open(struct ctx_import **out, const struct ctx_import_options *o,
    ctx_import_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_import *im = ctx_mem_new(sizeof(*im));

	*out = im;
	im->o = *o;
	im->format = ctx_mem_str(o->format);
	im->session = ctx_mem_str(o->session);
	im->program = ctx_span_dup(o->program);
	im->whole = wants_whole(o->program, o->current);
	im->fn = fn;
	im->arg = arg;
	im->source = ctx_mem_str("stdin");
	if (ctx_jq_open(&im->jq, o->program, o->format, err) < 0) {
		ctx_import_close(im);
		*out = NULL;
		return -1;
	}
	return 0;
}

void
ctx_import_close(struct ctx_import *im)
{
	if (im == NULL)
		return;
	ctx_jq_close(im->jq);
	free(im->format);
	free(im->session);
	free(im->program);
	free(im->path);
	free(im->source);
	ctx_import_own_release(&im->own[0]);
	ctx_import_own_release(&im->own[1]);
	ctx_import_names_release(&im->made);
	ctx_buf_release(&im->state);
	ctx_buf_release(&im->all);
	ctx_buf_release(&im->beside);
	ctx_import_held_release(&im->held);
	ctx_import_names_release(&im->sessions);
	ctx_import_names_release(&im->refused);
	ctx_import_names_release(&im->ids);
	ctx_import_names_release(&im->skipped);
	ctx_import_names_release(&im->lost);
	free(im);
}

bool
ctx_import_reads_text(const struct ctx_import *im)
{
	struct ctx_span rest = ctx_span_of(im->program), value;

	return ctx_import_note(&rest, "text", &value);
}

/* ---- output of the program ---- */

static int
give_imported_record(struct ctx_import *im, struct ctx_span record, struct ctx_err *err)
{
	return im->fn(im->arg, record, err);
}

/* Sources repeat messages, and use one id for several messages. An identical message is
 * output once; a different one gets "#2" and so on after its id. */
static int
give_held(void *arg, struct ctx_span record, struct ctx_err *err)
{
	struct ctx_import *im = arg;
	struct ctx_buf key = CTX_BUF_INIT, tmp = CTX_BUF_INIT, other = CTX_BUF_INIT;
	struct ctx_span id = ctx_json_text(ctx_json_get(record, "id"), &tmp);
	char hash[CTX_HASH_HEX + 1];
	int64_t copies = 1;
	int rc = 0;

	if (im->ids.n > IDS)
		ctx_import_names_release(&im->ids);
	ctx_buf_addspan(&key, ctx_json_get(record, "session_id"));
	ctx_buf_addspan(&key, id);
	if (id.p != NULL) {
		size_t n = key.n;
		struct ctx_span message = ctx_json_get(record, "message");
		ctx_hash_sha256(message.p, message.n, hash);
		ctx_buf_add(&key, hash, 16);
		copies = ctx_import_names_count(&im->ids, ctx_buf_span(&key)) > 1
			     ? 0
			     : ctx_import_names_count(
				   &im->ids, (struct ctx_span){key.p, n});
	}
	if (copies == 0) {
		ctx_import_names_count(&im->skipped, ctx_span_of("repeated"));
	} else {
		if (copies > 1 || id.n > IMPORT_ID_MAX)
			ctx_import_rename(&other, record, id, copies);
		im->messages++;
		rc = give_imported_record(
		    im, other.n > 0 ? ctx_buf_span(&other) : record, err);
	}
	ctx_buf_release(&key);
	ctx_buf_release(&tmp);
	ctx_buf_release(&other);
	return rc;
}

static int
check_imported_session(struct ctx_import *im, struct ctx_span record, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_session_parse(&s, record, err);

	if (rc == 0 && s.session_id == NULL)
		rc = ctx_err_set(err, CTX_EINPUT,
		    "%s: a session record has no session_id", im->format);
	if (rc == 0)
		rc = ctx_session_check(&s, err);
	ctx_session_release(&s);
	return rc;
}

static int
take_imported_session(struct ctx_import *im, struct ctx_span record, struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span id = ctx_json_text(ctx_json_get(record, "session_id"), &tmp);
	int rc = 0;

	if (id.p == NULL || !ctx_import_names_has(&im->sessions, id)) {
		rc = check_imported_session(im, record, err);
		if (rc == 0) {
			ctx_import_names_count(&im->sessions, id);
			rc = give_imported_record(im, record, err);
		} else if (id.p != NULL) {
			ctx_import_names_count(&im->refused, id);
		}
	}
	ctx_buf_release(&tmp);
	return rc;
}

/* Returns whether the session record of the message was refused. Without it, the session
 * would be created with other values. */
static bool
is_refused_import_message(struct ctx_import *im, struct ctx_span message)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span id;
	bool refused = false;

	if (im->refused.n == 0)
		return false;
	id = ctx_json_text(ctx_json_get(message, "session_id"), &tmp);
	if (id.p != NULL)
		refused = ctx_import_names_has(&im->refused, id) &&
			  !ctx_import_names_has(&im->sessions, id);
	ctx_buf_release(&tmp);
	return refused;
}

static void
count_import_name(struct import_names *names, struct ctx_span record, const char *key)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s = ctx_json_text(ctx_json_get(record, key), &tmp);

	ctx_import_names_count(names, s.p == NULL ? ctx_span_of("unknown") : s);
	ctx_buf_release(&tmp);
}

/* Counts a value that the program declares not to be part of the conversation. */
static void
take_skip(struct ctx_import *im, struct ctx_span json)
{
	char *reason;

	count_import_name(&im->skipped, json, "reason");
	if (im->o.left_out == NULL || ctx_json_true(ctx_json_get(json, "known")))
		return;
	reason = ctx_json_strdup(ctx_json_get(json, "reason"));
	im->o.left_out(im->arg, reason == NULL ? "left out" : reason);
	free(reason);
}

/* Returns whether the message has a role. A message without a role is useless: the
 * program converted something that is not a message. */
static bool
has_role(struct ctx_span record)
{
	struct ctx_span message = ctx_json_get(record, "message");

	return ctx_json_type(ctx_json_get(message, "role")) == CTX_JSON_STRING;
}

static int
take_imported_value(struct ctx_import *im, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_span kind = ctx_json_get(json, "kind"), v;

	if (ctx_json_is(kind, "message") && is_refused_import_message(im, json))
		ctx_import_names_count(&im->skipped, ctx_span_of("session refused"));
	else if (ctx_json_is(kind, "message") && !has_role(json))
		take_skip(im, ctx_span_of("{\"reason\":\"message without a role\"}"));
	else if (ctx_json_is(kind, "message"))
		return ctx_import_held_add(&im->held, json, give_held, im, err);
	else if (ctx_json_is(kind, "session"))
		return take_imported_session(im, json, err);
	else if (ctx_json_is(kind, "state")) {
		v = ctx_json_get(json, "state");
		ctx_buf_reset(&im->state);
		ctx_buf_addspan(&im->state, v);
	} else if (ctx_json_is(kind, "skip")) {
		take_skip(im, json);
	} else if (ctx_json_is(kind, "lost")) {
		count_import_name(&im->lost, json, "field");
	} else {
		return ctx_err_set(err, CTX_EINPUT,
		    "%s: the format's output is neither a session nor a message record",
		    im->format);
	}
	return 0;
}

/* ---- sessions without an id ---- */

static int
take_named(struct ctx_import *im, const struct import_own *o, struct ctx_span record,
    struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	ctx_import_own_name_record(o, &b, record);
	rc = take_imported_value(im, ctx_buf_span(&b), err);
	ctx_buf_release(&b);
	return rc;
}

/* Makes the id, and continues with the records that were queued for it. */
static int
name_own(struct ctx_import *im, struct import_own *o, struct ctx_err *err)
{
	struct ctx_err first = CTX_ERR_INIT;
	struct ctx_span rest = ctx_buf_span(&o->records), record;

	ctx_import_own_make(o, im->format, im->source, im->path, &im->made);
	while (ctx_span_split(&rest, '\n', &record)) {
		struct ctx_err this = CTX_ERR_INIT;
		if (take_named(im, o, record, &this) < 0 && first.code == CTX_OK)
			first = this;
		if (first.code != CTX_OK && first.code != CTX_EINPUT)
			break;
	}
	ctx_buf_release(&o->records);
	ctx_buf_release(&o->text);
	if (first.code == CTX_OK)
		return 0;
	*err = first;
	return -1;
}

static int
end_own(struct ctx_import *im, struct import_own *o, struct ctx_err *err)
{
	int rc = o->waiting > 0 && o->id == NULL ? name_own(im, o, err) : 0;

	ctx_import_own_release(o);
	return rc;
}

static int
take_output(void *arg, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_import *im = arg;
	int which = ctx_import_own_of(json);
	struct import_own *o;

	if (which < 0)
		return take_imported_value(im, json, err);
	o = &im->own[which];
	if (o->id != NULL)
		return take_named(im, o, json, err);
	return ctx_import_own_add(o, json, im->path != NULL) ? name_own(im, o, err) : 0;
}

/* ---- input ---- */

void
ctx_import_begin(struct ctx_import *im, const char *path)
{
	const char *name = path == NULL ? "stdin" : path;
	const char *base = strrchr(name, '/'), *dot;
	size_t n;

	base = base == NULL ? name : base + 1;
	dot = strrchr(base, '.');
	n = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
	free(im->source);
	im->source = ctx_mem_dup(base, n);
	free(im->path);
	im->path = ctx_mem_str(path);
	ctx_import_own_release(&im->own[0]);
	ctx_import_own_release(&im->own[1]);
	ctx_import_names_release(&im->made);
	im->no = 0;
	ctx_buf_reset(&im->state);
	ctx_buf_reset(&im->all);
	ctx_buf_reset(&im->beside);
}

void
ctx_import_skip(struct ctx_import *im, const char *reason)
{
	im->records++;
	ctx_import_names_count(&im->skipped, ctx_span_of(reason));
}

static int
run(struct ctx_import *im, struct ctx_span value, struct ctx_err *err)
{
	char hash[CTX_HASH_HEX + 1];
	struct ctx_buf info = CTX_BUF_INIT;
	struct ctx_jq_input input[3];
	struct ctx_err late = CTX_ERR_INIT;
	int rc;

	ctx_hash_sha256(value.p, value.n, hash);
	hash[32] = '\0';
	if (im->path != NULL && im->beside.n == 0)
		ctx_import_beside(&im->beside, ctx_span_of(im->program), im->path,
		    im->source, value, im->o.max_all);
	ctx_json_print(&info,
	    "{'format':%s,'source':%s,'hash':%s,'own':%s,'own_file':%s,'session':%s,"
	    "'path':%s,'n':%d,'current':%b,'beside':%j}",
	    im->format, im->source, hash, ctx_import_own_name[0], ctx_import_own_name[1],
	    im->session, im->path, im->no, im->o.current,
	    im->path != NULL ? ctx_buf_span(&im->beside) : CTX_SPAN_NONE);
	input[0] = (struct ctx_jq_input){"record", value};
	input[1] = (struct ctx_jq_input){
	    "state", im->state.n > 0 ? ctx_buf_span(&im->state) : CTX_SPAN_NONE};
	input[2] = (struct ctx_jq_input){"info", ctx_buf_span(&info)};
	/* the state may be replaced while its bytes are still in use */
	struct ctx_buf old = im->state;
	im->state = (struct ctx_buf)CTX_BUF_INIT;
	ctx_buf_addspan(&im->state, ctx_buf_span(&old));
	rc = ctx_jq_run(im->jq, input, 3, take_output, im, err);
	if (end_own(im, &im->own[0], &late) < 0 && rc == 0) {
		*err = late;
		rc = -1;
	}
	if (rc < 0 && err->code == CTX_EINPUT)
		ctx_import_names_count(&im->skipped, ctx_span_of(err->msg));
	ctx_buf_release(&old);
	ctx_buf_release(&info);
	return rc;
}

int
ctx_import_add(struct ctx_import *im, struct ctx_span value, struct ctx_err *err)
{
	im->records++;
	im->no++;
	if (!im->whole)
		return run(im, value, err);
	if (im->all.n + value.n > im->o.max_all)
		return ctx_err_set(
		    err, CTX_EINPUT, "the file is longer than %zu bytes", im->o.max_all);
	if (im->all.n == 0)
		ctx_json_put_open(&im->all, '[');
	ctx_json_put_raw(&im->all, value);
	return 0;
}

int
ctx_import_end(struct ctx_import *im, struct ctx_err *err)
{
	struct ctx_err first = CTX_ERR_INIT, late = CTX_ERR_INIT;
	int rc = 0;

	if (im->whole && im->all.n > 0) {
		ctx_json_put_close(&im->all, ']');
		rc = run(im, ctx_buf_span(&im->all), &first);
		ctx_buf_reset(&im->all);
	}
	if (end_own(im, &im->own[1], &late) < 0 && rc == 0) {
		first = late;
		rc = -1;
	}
	if ((rc == 0 || first.code == CTX_EINPUT) &&
	    ctx_import_held_flush(&im->held, give_held, im, err) < 0)
		return -1;
	if (rc < 0)
		*err = first;
	return rc;
}

/* ---- the report ---- */

void
ctx_import_report(const struct ctx_import *im, struct ctx_buf *out)
{
	ctx_json_print(out,
	    "{'kind':'report','format':%s,'records':%d,'sessions':%d,'messages':%d,"
	    "'skipped':",
	    im->format, im->records, (int64_t)im->sessions.n, im->messages);
	ctx_import_names_print(&im->skipped, out);
	ctx_json_print(out, "'lost':");
	ctx_import_names_print(&im->lost, out);
	ctx_json_print(out, "}\n");
}
