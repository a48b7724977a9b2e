/* Sorts the requests of a session by the messages that they belong to. */
#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "telemetry/internal.h"

static int
compare_otlp_requests(const void *a, const void *b)
{
	const struct otlp_request *x = a, *y = b;

	if (x->at_seq != y->at_seq)
		return x->at_seq < y->at_seq ? -1 : 1;
	return x->created_at < y->created_at ? -1 : x->created_at > y->created_at;
}

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

void
ctx_otlp_requests_read(struct otlp_requests *all, const struct ctx_transcript *s)
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

size_t
ctx_otlp_request_at(const struct otlp_requests *all, int64_t seq)
{
	size_t i;

	CTX_BOUND(i, all->n, all->list[i].at_seq < seq);
	return i;
}
