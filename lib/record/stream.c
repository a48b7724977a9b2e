#include "record/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

static int
fail_incomplete_window(const struct ctx_stream *s, struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EINPUT,
	    "the window of session '%.*s' is incomplete: it does not end with a request record",
	    (int)(s->records[0].session_id.n > 130 ? 130 : s->records[0].session_id.n),
	    s->records[0].session_id.p == NULL ? "?" : s->records[0].session_id.p);
}

int
ctx_stream_add(struct ctx_stream *s, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_record *r;

	CTX_MEM_GROW(s->records, s->n, s->cap);
	r = &s->records[s->n];
	if (ctx_record_parse(r, ctx_arena_copy(&s->arena, line), err) < 0)
		return -1;
	if (ctx_record_refuse_body(r, err) < 0)
		return -1;
	if (r->kind == CTX_KIND_SESSION) {
		if (s->window)
			return fail_incomplete_window(s, err);
		s->window = true;
	}
	r->place = ++s->seen;
	s->n++;
	if (r->kind == CTX_KIND_REQUEST && s->window) {
		s->request = s->n - 1;
		return 1;
	}
	s->request = s->n;
	return 0;
}

int
ctx_stream_end(struct ctx_stream *s, struct ctx_err *err)
{
	if (s->window && s->request == s->n)
		return fail_incomplete_window(s, err);
	return s->n > 0;
}

void
ctx_stream_reset(struct ctx_stream *s)
{
	ctx_arena_reset(&s->arena);
	s->n = s->request = 0;
	s->seen = 0;
	s->window = false;
}

void
ctx_stream_forget(struct ctx_stream *s, const bool gone[])
{
	struct ctx_arena old = s->arena;
	size_t n = 0;

	s->arena = (struct ctx_arena)CTX_ARENA_INIT;
	for (size_t i = 0; i < s->n; i++) {
		struct ctx_record *r = &s->records[n];
		int64_t place = s->records[i].place;
		if (gone[i])
			continue;
		ctx_record_parse(r, ctx_arena_copy(&s->arena, s->records[i].line), NULL);
		r->place = place;
		n++;
	}
	s->n = s->request = n;
	ctx_arena_release(&old);
}

void
ctx_stream_cut(struct ctx_stream *s)
{
	struct ctx_buf line = CTX_BUF_INIT;

	for (size_t i = 0; i < s->n; i++) {
		struct ctx_record *r = &s->records[i];
		int64_t place = r->place;
		if (!r->sent || r->seq < 0)
			continue;
		ctx_buf_reset(&line);
		ctx_json_put_changed(&line, r->line, "sent", CTX_SPAN_NONE);
		ctx_record_parse(r, ctx_arena_copy(&s->arena, ctx_buf_span(&line)), NULL);
		r->place = place;
	}
	ctx_buf_release(&line);
}

void
ctx_stream_release(struct ctx_stream *s)
{
	ctx_arena_release(&s->arena);
	free(s->records);
	memset(s, 0, sizeof(*s));
}
