#include "render/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "render/internal.h"
#include "render/render.h"

int
ctx_transcript_add(struct ctx_transcript *s, enum ctx_kind kind, struct ctx_span line,
    struct ctx_err *err)
{
	line = ctx_arena_copy(&s->arena, ctx_span_trim(line));
	if (kind == CTX_KIND_SESSION && s->session.p == NULL) {
		s->session = line;
	} else if (kind == CTX_KIND_MESSAGE) {
		CTX_MEM_GROW(s->messages, s->n, s->cap);
		return ctx_record_parse(&s->messages[s->n++], line, err);
	} else if (kind == CTX_KIND_REQUEST) {
		CTX_MEM_GROW(s->requests, s->n_requests, s->cap_requests);
		s->requests[s->n_requests++] = line;
	} else if (kind == CTX_KIND_OTHER) {
		CTX_MEM_GROW(s->marks, s->n_marks, s->cap_marks);
		s->marks[s->n_marks++] = line;
	}
	return 0;
}

void
ctx_transcript_release(struct ctx_transcript *s)
{
	ctx_arena_release(&s->arena);
	free(s->messages);
	free(s->requests);
	free(s->marks);
	memset(s, 0, sizeof(*s));
}

static struct ctx_render_item *
make_items(const struct ctx_transcript *s)
{
	struct ctx_render_item *items = ctx_mem_new((s->n + 1) * sizeof(*items));

	for (size_t i = 0; i < s->n; i++) {
		const struct ctx_record *r = &s->messages[i];
		items[i] = (struct ctx_render_item){.message = r->message,
		    .slot = r->slot,
		    .seq = r->seq,
		    .created_at = r->created_at,
		    .source = r->source};
	}
	return items;
}

/* The session id precedes the members of the provider's body, so that ctx-import can read
 * the transcript again. */
static int
print_body(const struct ctx_transcript *s, enum ctx_provider provider,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_render_item *items = make_items(s);
	struct ctx_buf params = CTX_BUF_INIT;
	struct ctx_render_options o = {
	    .provider = provider, .thinking = CTX_THINKING_KEEP, .transcript = true};
	int rc;

	ctx_json_print(&params, "{'session_id':%j,'title':%j,'created_at':%j}",
	    ctx_json_get(s->session, "session_id"), ctx_json_get(s->session, "title"),
	    ctx_json_get(s->session, "created_at"));
	o.params = ctx_buf_span(&params);
	rc = ctx_render_body(out, items, s->n, &o, err);
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&params);
	free(items);
	return rc;
}

/* ---- ShareGPT: text only ---- */

/* Appends the texts of a message without tool results, for which ShareGPT has no
 * place. */
static void
add_spoken(const struct ctx_message *m, struct ctx_buf *out)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->parts[i].type != CTX_PART_TEXT)
			continue;
		if (out->n > 0)
			ctx_buf_addc(out, '\n');
		ctx_json_decode(m->parts[i].body, out);
	}
}

static int
print_sharegpt(const struct ctx_transcript *s, struct ctx_buf *out, struct ctx_err *err)
{
	static const char *const from[] = {"system", "system", "human", "gpt", NULL};
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = 0;

	ctx_json_print(out, "{'id':%j,'title':%j,'conversations':[",
	    ctx_json_get(s->session, "session_id"), ctx_json_get(s->session, "title"));
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		rc = ctx_message_parse(&m, s->messages[i].message, err);
		if (rc < 0 || from[m.role] == NULL)
			continue;
		ctx_buf_reset(&text);
		add_spoken(&m, &text);
		if (text.n == 0)
			continue;
		ctx_json_print(
		    out, "{'from':%s,'value':%t}", from[m.role], ctx_buf_span(&text));
	}
	ctx_json_print(out, "]}");
	ctx_buf_addc(out, '\n');
	ctx_message_release(&m);
	ctx_buf_release(&text);
	return rc;
}

/* ---- formats for people ---- */

/* A request that failed; it is printed after message for_seq. */
struct partial {
	int64_t for_seq;
	size_t order;
	struct ctx_span request, message; /* what had come of an answer, or absent */
	struct ctx_span error;            /* a JSON string, or absent */
	int64_t times;
};

static int
compare_partials(const void *a, const void *b)
{
	const struct partial *x = a, *y = b;

	if (x->for_seq != y->for_seq)
		return x->for_seq < y->for_seq ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Counts failures without an answer that follow each other for the same reason as one. */
static void
join_failures(struct partial *list, size_t *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		struct partial *p = &list[i], *last = kept > 0 ? &list[kept - 1] : NULL;
		if (last != NULL && last->for_seq == p->for_seq &&
		    last->message.p == NULL && p->message.p == NULL &&
		    ctx_span_eq(last->error, p->error))
			last->times++;
		else
			list[kept++] = *p;
	}
	*n = kept;
}

/* The requests that failed: all of them, or those of which some answer had come. */
static struct partial *
find_partials(const struct ctx_transcript *s, bool all, size_t *n)
{
	static const char *const keys[] = {"partial", "for_seq", "status", "error"};
	struct partial *list = ctx_mem_new((s->n_requests + 1) * sizeof(*list));
	struct ctx_span m[4];

	*n = 0;
	for (size_t i = 0; i < s->n_requests; i++) {
		ctx_json_get_all(s->requests[i], keys, m, 4);
		if (ctx_json_type(m[0]) != CTX_JSON_OBJECT)
			m[0] = CTX_SPAN_NONE;
		if (m[0].p == NULL && !(all && ctx_json_is(m[2], "failed")))
			continue;
		if (ctx_json_type(m[3]) != CTX_JSON_STRING)
			m[3] = CTX_SPAN_NONE;
		list[*n] = (struct partial){0, i, s->requests[i], m[0], m[3], 1};
		ctx_json_int(m[1], &list[(*n)++].for_seq);
	}
	qsort(list, *n, sizeof(*list), compare_partials);
	join_failures(list, n);
	return list;
}

static int64_t
read_transcript_time(struct ctx_span record)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int64_t ms;

	if (ctx_time_parse(
		ctx_json_text(ctx_json_get(record, "created_at"), &text), &ms, NULL) < 0)
		ms = CTX_TIME_NONE;
	ctx_buf_release(&text);
	return ms;
}

/* Returns the messages with the partial answers inserted at their places. The caller
 * frees the array. */
static struct ctx_render_item *
weave_partials(const struct ctx_transcript *s, const struct partial *partials,
    size_t n_partials, size_t *n)
{
	static const char source[] = "{\"type\":\"partial answer, never sent\"}";
	size_t k = 0;
	struct ctx_render_item *messages = make_items(s);
	struct ctx_render_item *all = ctx_mem_new((s->n + n_partials + 1) * sizeof(*all));

	*n = 0;
	for (size_t i = 0; i <= s->n; i++) {
		while (k < n_partials &&
		       (i == s->n || partials[k].for_seq < s->messages[i].seq)) {
			const struct partial *p = &partials[k++];
			all[(*n)++] = (struct ctx_render_item){.message = p->message,
			    .slot = CTX_SLOT_HISTORY,
			    .seq = -1,
			    .created_at = read_transcript_time(p->request),
			    .source = ctx_span_of(source)};
		}
		if (i < s->n)
			all[(*n)++] = messages[i];
	}
	free(messages);
	return all;
}

static int
print_markdown(const struct ctx_transcript *s, struct ctx_buf *out, struct ctx_err *err)
{
	size_t n, n_partials;
	struct partial *partials = find_partials(s, false, &n_partials);
	struct ctx_render_item *items = weave_partials(s, partials, n_partials, &n);
	struct ctx_buf text = CTX_BUF_INIT;
	int rc;

	ctx_buf_adds(out, "# ");
	ctx_render_markdown_line(out, ctx_json_text(ctx_render_title(s->session), &text));
	ctx_buf_adds(out, "\n\n");
	rc = ctx_render_markdown(out, items, n, err);
	ctx_buf_release(&text);
	free(items);
	free(partials);
	return rc;
}

/* Returns the record of the request that the message answers. A linear search is enough:
 * a session has few requests. */
static struct ctx_span
request_of(const struct ctx_transcript *s, int64_t seq)
{
	int64_t answer;

	for (size_t i = s->n_requests; seq > 0 && i-- > 0;)
		if (ctx_json_int(ctx_json_get(s->requests[i], "response_seq"), &answer) &&
		    answer == seq)
			return s->requests[i];
	return CTX_SPAN_NONE;
}

/* Makes the messages of a page, with the partial answers or with all failures. The caller
 * frees *messages. */
static int
make_page(const struct ctx_transcript *s, bool failures,
    struct ctx_page_message **messages, size_t *n, struct ctx_err *err)
{
	size_t n_partials;
	struct partial *partials = find_partials(s, failures, &n_partials);
	struct ctx_render_item *items = weave_partials(s, partials, n_partials, n);
	struct ctx_page_message *list = ctx_mem_new((*n + 1) * sizeof(*list));
	struct ctx_message m = CTX_MESSAGE_INIT;
	int rc = 0;

	for (size_t i = 0, next = 0, failed = 0; rc == 0 && i < *n; i++) {
		const struct ctx_render_item *it = &items[i];
		const struct ctx_record *r = next < s->n && s->messages[next].message.p ==
								it->message.p
						 ? &s->messages[next++]
						 : NULL;
		bool answer = false;
		if (it->message.p != NULL) {
			rc = ctx_message_parse(&m, it->message, err);
			answer = rc == 0 && r != NULL && m.role == CTX_ROLE_ASSISTANT;
		}
		list[i] = (struct ctx_page_message){.message = it->message,
		    .seq = it->seq,
		    .created_at = it->created_at,
		    .tokens = r == NULL ? -1 : r->token_count,
		    .request = answer && r != NULL ? request_of(s, r->seq)
						   : CTX_SPAN_NONE,
		    .partial = r == NULL && it->message.p != NULL};
		if (r == NULL) {
			list[i].failure = partials[failed].error;
			list[i].failures = partials[failed++].times;
		}
	}
	ctx_message_release(&m);
	free(items);
	free(partials);
	*messages = list;
	return rc;
}

int
ctx_transcript_html(
    const struct ctx_transcript *s, struct ctx_html *html, struct ctx_err *err)
{
	struct ctx_page_message *messages;
	size_t n;
	int rc = make_page(s, false, &messages, &n, err);
	struct ctx_page page = {s->session, messages, n};

	if (rc == 0)
		rc = ctx_html_add(html, &page, err);
	free(messages);
	return rc;
}

int
ctx_transcript_view(const struct ctx_transcript *s, const struct ctx_view_options *o,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_page_message *messages;
	size_t n;
	int rc = make_page(s, true, &messages, &n, err);
	struct ctx_page page = {s->session, messages, n};

	if (rc == 0)
		rc = ctx_view_print(out, &page, s->marks, s->n_marks, o, err);
	free(messages);
	return rc;
}

/* ---- table of formats ---- */

/* The formats other than the providers', in the order of the enumeration. HTML has its
 * own function, because a page can contain several sessions. */
static const struct {
	const char *name;
	int (*print)(const struct ctx_transcript *, struct ctx_buf *, struct ctx_err *);
} formats[] = {
    {"sharegpt", print_sharegpt},
    {"markdown", print_markdown},
    {"html", NULL},
};
#define FORMATS ((int)(sizeof(formats) / sizeof(formats[0])))

int
ctx_transcript_parse(const char *name)
{
	for (int i = 0; i < FORMATS; i++)
		if (strcmp(name, formats[i].name) == 0)
			return CTX_PROVIDER_COUNT + i;
	return ctx_provider_parse(name);
}

void
ctx_transcript_names(struct ctx_buf *out)
{
	ctx_provider_names(out, ", ");
	for (int i = 0; i < FORMATS; i++)
		ctx_buf_addf(
		    out, "%s%s", i + 1 < FORMATS ? ", " : " or ", formats[i].name);
}

int
ctx_transcript_print(struct ctx_transcript *s, enum ctx_transcript_format format,
    struct ctx_buf *out, struct ctx_err *err)
{
	if ((int)format < CTX_PROVIDER_COUNT)
		return print_body(s, (enum ctx_provider)format, out, err);
	return formats[format - CTX_PROVIDER_COUNT].print(s, out, err);
}
