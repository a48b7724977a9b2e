/* Writes one trace for each turn of a session. */
#include "telemetry/otlp.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "telemetry/internal.h"

enum { KIND_INTERNAL = 1, KIND_CLIENT = 3 };

struct open_call {
	struct ctx_span id, name; /* JSON strings */
	int64_t started;
	/* sequence number of the message; number of the call within it */
	int64_t seq, number;
	struct ctx_buf content;
};

struct tracing {
	const struct ctx_otlp_options *o;
	const struct ctx_transcript *s;
	struct ctx_span session_id, agent, user_id;
	struct ctx_buf key; /* identifies the session; input of the ids' digests */
	struct otlp_requests requests;
	/* the current turn: */
	char trace[33], root[17];
	int64_t first_seq, started, ended; /* first_seq 0: no message yet */
	struct ctx_buf spans, inputs;
	struct open_call *calls; /* calls that have no result yet */
	size_t n_calls, cap_calls;
	struct ctx_span model, provider; /* of the last answer */
};

/* ---- ids and times ---- */

static int64_t
read_request_time(struct ctx_span record)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	int64_t ms = CTX_TIME_NONE;
	struct ctx_span text = ctx_json_text(ctx_json_find(record, "created_at"), &tmp);

	if (text.p != NULL && ctx_time_parse(text, &ms, &ignored) < 0)
		ms = CTX_TIME_NONE;
	ctx_buf_release(&tmp);
	return ms;
}

static int
compare_otlp_requests(const void *a, const void *b)
{
	const struct otlp_request *x = a, *y = b;

	if (x->at_seq != y->at_seq)
		return x->at_seq < y->at_seq ? -1 : 1;
	return x->created_at < y->created_at ? -1 : x->created_at > y->created_at;
}

/* Stores in *all the requests of s that were answered or failed, sorted. The caller frees
 * all->list. The spans in all->list borrow from s. */
static void
read_otlp_requests(struct otlp_requests *all, const struct ctx_transcript *s)
{
	all->list = ctx_mem_new((s->n_requests + 1) * sizeof(*all->list));
	for (size_t i = 0; i < s->n_requests; i++) {
		struct otlp_request *q = &all->list[all->n];
		struct ctx_span record = s->requests[i];
		bool answered = ctx_json_int(
		    ctx_json_find(record, "response_seq"), &q->at_seq);
		q->failed = !answered &&
			    ctx_json_is(ctx_json_find(record, "status"), "failed");
		if (!answered &&
		    (!q->failed ||
			!ctx_json_int(ctx_json_find(record, "for_seq"), &q->at_seq)))
			continue;
		q->created_at = read_request_time(record);
		q->record = record;
		all->n++;
	}
	qsort(all->list, all->n, sizeof(*all->list), compare_otlp_requests);
}

/* Returns the index of the first request whose at_seq is at least seq, or all->n if there
 * is no such request. */
static size_t
find_otlp_request(const struct otlp_requests *all, int64_t seq)
{
	size_t i;

	CTX_BOUND(i, all->n, all->list[i].at_seq < seq);
	return i;
}

static void
make_span_id(const struct tracing *t, const char *kind, int64_t seq, int64_t number,
    size_t digits, char *id)
{
	struct ctx_buf text = CTX_BUF_INIT;
	char digest[CTX_HASH_HEX + 1];

	ctx_buf_addspan(&text, ctx_buf_span(&t->key));
	ctx_buf_addf(&text, "\n%s %lld %lld", kind, (long long)seq, (long long)number);
	ctx_hash_sha256(text.p, text.n, digest);
	memcpy(id, digest, digits);
	id[digits] = '\0';
	ctx_buf_release(&text);
}

static void
add_span_time(struct ctx_buf *b, const char *key, int64_t ms)
{
	ctx_json_put_key(b, key);
	ctx_buf_addf(b, "\"%lld000000\"", ms < 0 ? 0LL : (long long)ms);
}

/* ---- one span ---- */

struct span {
	char id[17];
	const char *parent; /* id of the parent span; may be NULL */
	const char *operation;
	/* JSON string that follows the operation in the span's name, or absent */
	struct ctx_span subject;
	int kind;
	int64_t started, ended;
	bool failed;
	struct ctx_span failure; /* plain text */
};

static void
open_span(struct ctx_buf *b, const struct tracing *t, const struct span *sp)
{
	struct ctx_buf name = CTX_BUF_INIT;

	ctx_buf_adds(&name, sp->operation);
	if (ctx_json_type(sp->subject) == CTX_JSON_STRING) {
		ctx_buf_addc(&name, ' ');
		ctx_json_decode(sp->subject, &name);
	}
	ctx_json_print(b,
	    "{'traceId':%s,'spanId':%s,'parentSpanId':%s,'name':%t,'kind':%d", t->trace,
	    sp->id, sp->parent, ctx_buf_span(&name), (int64_t)sp->kind);
	add_span_time(
	    b, "startTimeUnixNano", sp->started < sp->ended ? sp->started : sp->ended);
	add_span_time(b, "endTimeUnixNano", sp->ended);
	ctx_json_print(b, "'attributes':[");
	ctx_otlp_str(b, "gen_ai.operation.name", sp->operation);
	ctx_otlp_string(b, "gen_ai.conversation.id", t->session_id);
	if (sp->failed)
		ctx_otlp_str(b, "error.type", "_OTHER");
	ctx_buf_release(&name);
}

static void
close_span(struct ctx_buf *b, const struct span *sp)
{
	ctx_json_print(b, "]");
	if (sp->failed)
		ctx_json_print(b, "'status':{'code':2,'message':%t}", sp->failure);
	ctx_json_print(b, "}");
}

/* ---- turns ---- */

static void
put_tool_span(struct tracing *t, struct open_call *call, int64_t ended,
    const struct ctx_part *result)
{
	struct ctx_buf *b = &t->spans, text = CTX_BUF_INIT;
	struct span sp = {.parent = t->root,
	    .operation = "execute_tool",
	    .subject = call->name,
	    .kind = KIND_INTERNAL,
	    .started = call->started,
	    .ended = ended,
	    .failed = result != NULL && result->error};

	make_span_id(t, "tool", call->seq, call->number, 16, sp.id);
	open_span(b, t, &sp);
	ctx_otlp_string(b, "gen_ai.tool.name", call->name);
	ctx_otlp_string(b, "gen_ai.tool.call.id", call->id);
	ctx_otlp_str(b, "gen_ai.tool.type", "function");
	if (call->content.n > 0)
		ctx_otlp_text(
		    b, "gen_ai.tool.call.arguments", ctx_buf_span(&call->content));
	if (t->o->content && result != NULL) {
		ctx_content_text(result->body, &text);
		ctx_otlp_text(b, "gen_ai.tool.call.result", ctx_buf_span(&text));
	}
	close_span(b, &sp);
	ctx_buf_release(&text);
	ctx_buf_release(&call->content);
}

/* Writes the line of the current turn, if it has spans. A call without a result ends when
 * it began. */
static void
end_turn(struct tracing *t, struct ctx_buf *out)
{
	struct span sp = {.operation = "invoke_agent",
	    .subject = t->agent,
	    .kind = KIND_INTERNAL,
	    .started = t->started,
	    .ended = t->ended};
	struct ctx_span format = ctx_json_find(
	    ctx_json_find(t->s->session, "metadata"), "format");

	for (size_t i = 0; i < t->n_calls; i++)
		put_tool_span(t, &t->calls[i], t->calls[i].started, NULL);
	t->n_calls = 0;
	if (t->spans.n > 0) {
		ctx_json_print(out, "{'resourceSpans':[{'resource':{'attributes':[");
		ctx_otlp_string(out, "service.name",
		    ctx_json_type(format) == CTX_JSON_STRING ? format
							     : ctx_span_of("\"ctx\""));
		ctx_json_print(out,
		    "]},'scopeSpans':[{'scope':{'name':'ctx','version':%s},'spans':[",
		    t->o->software);
		memcpy(sp.id, t->root, sizeof(sp.id));
		open_span(out, t, &sp);
		ctx_otlp_provider(out, t->provider, t->model);
		ctx_otlp_string(out, "gen_ai.agent.name", t->agent);
		ctx_otlp_string(out, "user.id", t->user_id);
		close_span(out, &sp);
		ctx_json_put_raw(out, ctx_buf_span(&t->spans));
		ctx_json_print(out, "]}]}]}\n");
	}
	ctx_buf_reset(&t->spans);
	ctx_buf_reset(&t->inputs);
	t->first_seq = 0;
}

static void
begin_turn(struct tracing *t, const struct ctx_record *r)
{
	t->first_seq = r->seq;
	t->started = t->ended = r->created_at;
	make_span_id(t, "trace", r->seq, 0, 32, t->trace);
	make_span_id(t, "turn", r->seq, 0, 16, t->root);
}

/* ---- requests and answers ---- */

static struct ctx_span
get_request_provider(struct ctx_span request)
{
	struct ctx_span server = ctx_json_find(request, "server");

	return server.p != NULL ? server : ctx_json_find(request, "provider");
}

static void
put_input_messages(struct tracing *t, struct ctx_buf *b)
{
	if (!t->o->content || t->inputs.n == 0)
		return;
	ctx_buf_addc(&t->inputs, ']');
	ctx_otlp_text(b, "gen_ai.input.messages", ctx_buf_span(&t->inputs));
	t->inputs.n--; /* the inputs of a failed request are also those of its retry */
}

static void
put_failed_request(struct tracing *t, const struct otlp_request *q, int64_t number)
{
	struct ctx_buf *b = &t->spans, text = CTX_BUF_INIT;
	struct ctx_span params = ctx_json_find(q->record, "params");
	struct span sp = {.parent = t->root,
	    .operation = "chat",
	    .subject = ctx_json_find(params, "model"),
	    .kind = KIND_CLIENT,
	    .failed = true};

	sp.started = sp.ended = q->created_at != CTX_TIME_NONE ? q->created_at : t->ended;
	sp.failure = ctx_json_text(ctx_json_find(q->record, "error"), &text);
	make_span_id(t, "failed", q->at_seq, number, 16, sp.id);
	open_span(b, t, &sp);
	t->provider = get_request_provider(q->record);
	t->model = sp.subject;
	ctx_otlp_provider(b, t->provider, t->model);
	ctx_otlp_string(b, "gen_ai.request.model", sp.subject);
	ctx_otlp_params(b, params);
	put_input_messages(t, b);
	close_span(b, &sp);
	if (sp.ended > t->ended)
		t->ended = sp.ended;
	ctx_buf_release(&text);
}

static void
put_failed_requests(struct tracing *t, int64_t seq)
{
	int64_t number = 0;

	for (size_t i = find_otlp_request(&t->requests, seq);
	     i < t->requests.n && t->requests.list[i].at_seq == seq; i++)
		if (t->requests.list[i].failed)
			put_failed_request(t, &t->requests.list[i], number++);
}

static void
put_answer_span(
    struct tracing *t, const struct ctx_record *r, const struct ctx_message *m)
{
	struct ctx_buf *b = &t->spans, output = CTX_BUF_INIT;
	struct ctx_span asked = CTX_SPAN_NONE, params, usage, model;
	struct span sp = {.parent = t->root,
	    .operation = "chat",
	    .kind = KIND_CLIENT,
	    .started = t->ended,
	    .ended = r->created_at};

	for (size_t i = find_otlp_request(&t->requests, r->seq);
	     i < t->requests.n && t->requests.list[i].at_seq == r->seq; i++)
		if (!t->requests.list[i].failed) {
			asked = t->requests.list[i].record;
			if (t->requests.list[i].created_at != CTX_TIME_NONE)
				sp.started = t->requests.list[i].created_at;
		}
	params = ctx_json_find(asked, "params");
	model = ctx_json_find(r->metadata, "model");
	sp.subject = ctx_json_find(params, "model");
	if (sp.subject.p == NULL)
		sp.subject = model;
	make_span_id(t, "chat", r->seq, 0, 16, sp.id);
	t->provider = get_request_provider(asked);
	if (t->provider.p == NULL)
		t->provider = ctx_json_find(r->metadata, "provider");
	t->model = sp.subject;
	open_span(b, t, &sp);
	ctx_otlp_provider(b, t->provider, t->model);
	ctx_otlp_string(b, "gen_ai.request.model", sp.subject);
	ctx_otlp_string(b, "gen_ai.response.model", model);
	ctx_otlp_string(b, "gen_ai.response.id", ctx_json_find(r->metadata, "answer_id"));
	ctx_otlp_strings(b, "gen_ai.response.finish_reasons",
	    ctx_json_find(r->metadata, "stop_reason"));
	ctx_otlp_params(b, params);
	usage = ctx_json_find(r->metadata, "usage");
	ctx_otlp_usage(b, usage.p != NULL ? usage : ctx_json_find(asked, "usage"));
	put_input_messages(t, b);
	if (t->o->content) {
		ctx_json_put_open(&output, '[');
		ctx_otlp_message(
		    &output, m, true, ctx_json_find(r->metadata, "stop_reason"));
		ctx_json_put_close(&output, ']');
		ctx_otlp_text(b, "gen_ai.output.messages", ctx_buf_span(&output));
	}
	close_span(b, &sp);
	ctx_buf_reset(&t->inputs);
	ctx_buf_release(&output);
}

/* ---- messages ---- */

static void
open_calls(struct tracing *t, const struct ctx_record *r, const struct ctx_message *m)
{
	int64_t number = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct open_call *call;
		if (m->parts[i].type != CTX_PART_TOOL_CALL)
			continue;
		CTX_MEM_GROW(t->calls, t->n_calls, t->cap_calls);
		call = &t->calls[t->n_calls++];
		*call = (struct open_call){.id = m->parts[i].id,
		    .name = m->parts[i].name,
		    .started = r->created_at,
		    .seq = r->seq,
		    .number = number};
		number++;
		if (t->o->content && m->parts[i].body.p != NULL)
			ctx_otlp_arguments(&call->content, &m->parts[i]);
	}
}

static bool
is_same_id(struct ctx_span a, struct ctx_span b)
{
	struct ctx_buf x = CTX_BUF_INIT, y = CTX_BUF_INIT;
	bool same = ctx_json_type(a) == CTX_JSON_STRING &&
		    ctx_json_type(b) == CTX_JSON_STRING &&
		    ctx_span_eq(ctx_json_text(a, &x), ctx_json_text(b, &y));

	ctx_buf_release(&x);
	ctx_buf_release(&y);
	return same;
}

static void
close_calls(struct tracing *t, const struct ctx_record *r, const struct ctx_message *m)
{
	for (size_t i = 0; i < m->n; i++) {
		size_t k = 0;
		if (m->parts[i].type != CTX_PART_TOOL_RESULT)
			continue;
		while (k < t->n_calls && !is_same_id(t->calls[k].id, m->parts[i].id))
			k++;
		if (k == t->n_calls)
			continue;
		put_tool_span(t, &t->calls[k], r->created_at, &m->parts[i]);
		memmove(&t->calls[k], &t->calls[k + 1],
		    (t->n_calls - k - 1) * sizeof(t->calls[k]));
		t->n_calls--;
	}
}

static int
trace_message(struct tracing *t, const struct ctx_record *r, struct ctx_message *m,
    struct ctx_buf *out, struct ctx_err *err)
{
	if (ctx_message_parse(m, r->message, err) < 0)
		return -1;
	if (ctx_message_starts_turn(m) && t->first_seq != 0)
		end_turn(t, out);
	if (t->first_seq == 0)
		begin_turn(t, r);
	if (m->role == CTX_ROLE_ASSISTANT) {
		put_answer_span(t, r, m);
		open_calls(t, r, m);
	} else {
		close_calls(t, r, m);
		if (t->o->content) {
			if (t->inputs.n == 0)
				ctx_json_put_open(&t->inputs, '[');
			ctx_otlp_message(&t->inputs, m, false, CTX_SPAN_NONE);
		}
	}
	if (r->created_at > t->ended)
		t->ended = r->created_at;
	put_failed_requests(t, r->seq);
	return 0;
}

static void
open_tracing(struct tracing *t)
{
	static const char *const apart[] = {"tenant_id", "session_id", "created_at"};
	struct ctx_span about = t->s->session;

	for (size_t i = 0; i < 3; i++) {
		struct ctx_span v = ctx_json_find(about, apart[i]);
		if (v.p != NULL)
			ctx_buf_addspan(&t->key, v);
		ctx_buf_addc(&t->key, '\n');
	}
	t->session_id = ctx_json_find(about, "session_id");
	t->user_id = ctx_json_find(about, "user_id");
	t->agent = ctx_json_find(about, "agent");
	if (t->agent.p == NULL)
		t->agent = ctx_json_find(ctx_json_find(about, "metadata"), "format");
	read_otlp_requests(&t->requests, t->s);
}

int
ctx_otlp_print(const struct ctx_transcript *s, const struct ctx_otlp_options *o,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct tracing t = {.o = o, .s = s};
	struct ctx_message m = CTX_MESSAGE_INIT;
	int rc = 0;

	open_tracing(&t);
	for (size_t i = 0; i < s->n && rc == 0; i++)
		rc = trace_message(&t, &s->messages[i], &m, out, err);
	if (rc == 0)
		end_turn(&t, out);
	for (size_t i = 0; i < t.n_calls; i++)
		ctx_buf_release(&t.calls[i].content);
	ctx_message_release(&m);
	ctx_buf_release(&t.key);
	ctx_buf_release(&t.spans);
	ctx_buf_release(&t.inputs);
	free(t.requests.list);
	free(t.calls);
	return rc;
}

/* Sorts the requests of a session by the messages that they belong to. */
