#include "window/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "provider/compaction.h"
#include "record/record.h"
#include "select/account.h"

/* maximum number of additions of a turn that are kept when a run is cut inside the
 * turn */
#define CARRIED_MAX 64

void
ctx_run_init(struct ctx_run *run)
{
	*run = (struct ctx_run){.last = CTX_REQUEST_INIT};
}

void
ctx_run_release(struct ctx_run *run)
{
	ctx_buf_release(&run->record);
	ctx_request_release(&run->last);
}

/* ---- the sequence of runs ---- */

static void
hash_text(struct ctx_sha256 *h, const char *s)
{
	ctx_sha256_add(h, s == NULL ? "" : s, s == NULL ? 1 : strlen(s) + 1);
}

/* Writes the digest of the system text in the options. */
static void
hash_system_text(const struct ctx_window_options *o, char out[CTX_HASH_HEX + 1])
{
	uint8_t raw[CTX_HASH_RAW];
	struct ctx_sha256 h;

	ctx_sha256_start(&h);
	hash_text(&h, o->system);
	hash_text(&h, o->default_system);
	ctx_sha256_end(&h, raw);
	ctx_hash_hex(raw, sizeof(raw), out);
}

struct find {
	struct ctx_run *run;
	const struct ctx_window_options *o;
	int64_t until;
};

/* Called with requests, newest first; keeps the first one that belongs to the sequence of
 * runs. */
static int
take_request(void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	struct find *f = arg;
	struct ctx_span run = ctx_json_get(record, "run");
	struct ctx_span name = ctx_json_get(run, "name");

	if (f->run->record.n > 0 || response_seq > f->until ||
	    ctx_json_type(run) != CTX_JSON_OBJECT)
		return 0;
	if (*f->o->run == '\0'
		? name.p != NULL ||
		      !ctx_json_is(ctx_json_get(run, "front"), f->run->front)
		: !ctx_json_is(name, f->o->run))
		return 0;
	ctx_buf_addspan(&f->run->record, record);
	if (ctx_request_parse(&f->run->last, ctx_buf_span(&f->run->record), err) < 0)
		return -1;
	f->run->last.response_seq = response_seq;
	return 1;
}

/* Sets run->compaction to the number of the summary in use if a provider made it. When such
 * a summary is made or undone, the next request takes this into account. */
static int
find_compaction(struct ctx_run *run, const struct ctx_window_rows *l, struct ctx_err *err)
{
	struct ctx_store_summary m = {0};
	struct ctx_span block;
	int rc = ctx_window_summary(l, l->w->request.for_seq, &m, err);

	if (rc == 1 && ctx_compaction_find(ctx_span_of(m.message), &block) >= 0)
		run->compaction = m.n;
	ctx_store_summary_release(&m);
	return rc < 0 ? -1 : 0;
}

static struct ctx_span
get_run(const struct ctx_run *run)
{
	return ctx_span_of(run->last.run_json);
}

int
ctx_run_find(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err)
{
	struct find f = {run, l->o, l->w->request.for_seq};

	hash_system_text(l->o, run->front);
	if (l->st == NULL)
		return 0;
	if (ctx_run_hash_items(run, l, err) < 0 || find_compaction(run, l, err) < 0)
		return -1;
	if (ctx_store_answered(l->st, &l->w->session, take_request, &f, err) < 0)
		return -1;
	if (run->record.n == 0)
		return 0;
	if (ctx_run_cut(run, l, err) < 0)
		return -1;
	run->continues = run->cut == NULL;
	return 0;
}

int
ctx_run_find_before(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err)
{
	struct ctx_run before = *run;
	struct find f = {&before, l->o, run->last.response_seq - 1};
	int rc;

	before.record = (struct ctx_buf)CTX_BUF_INIT;
	before.last = (struct ctx_request)CTX_REQUEST_INIT;
	run->continues = false;
	run->cut = "order";
	rc = ctx_store_answered(l->st, &l->w->session, take_request, &f, err);
	if (rc < 0 || before.record.n == 0 ||
	    !ctx_span_eq(
		ctx_json_get(get_run(&before), "id"), ctx_json_get(get_run(run), "id"))) {
		ctx_run_release(&before);
		return rc < 0 ? -1 : 0;
	}
	ctx_run_release(run);
	*run = before;
	run->cut = NULL;
	if (ctx_run_cut(run, l, err) < 0)
		return -1;
	run->continues = run->cut == NULL;
	return 0;
}

/* ---- the history ---- */

static int
add_run_row(struct ctx_window_rows *l, const struct ctx_stored *m,
    struct ctx_span message, bool sent, struct ctx_err *err)
{
	struct ctx_stored row = *m;
	struct ctx_item item = {.seq = m->seq,
	    .created_at = m->created_at,
	    .token_sum = m->token_sum,
	    .slot = CTX_SLOT_HISTORY,
	    .sent = sent,
	    .flawless = message.p == NULL && m->flawless};

	row.message = ctx_arena_copy(
	    &l->w->arena, message.p != NULL ? message : m->message);
	row.id = ctx_arena_copy(&l->w->arena, m->id);
	row.metadata = ctx_arena_copy(&l->w->arena, m->metadata);
	row.token_count = message.p != NULL ? ctx_recount_message(l->t,
						  &l->w->history.scratch, row.message)
					    : ctx_recount_tokens(l->recount, m);
	row.tokenizer = ctx_tokenizer_name(l->t);
	row.sent = sent;
	item.message = row.message;
	item.tokens = row.token_count;
	if (ctx_history_add(&l->w->history, &item, err) < 0)
		return -1;
	ctx_window_note_item(l->w, ctx_window_keep_row(l->w, &row), CTX_SPAN_NONE);
	return 0;
}

/* Adds the stored messages first to last. If message (JSON) is present, the range is a
 * single message and this text is used in its place. */
static int
add_run_range(struct ctx_window_rows *l, int64_t first, int64_t last, int64_t sent,
    struct ctx_span message, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	if (first > last)
		return 0;
	c = ctx_cursor_open(l->st, &l->w->session, first, last, false, err);
	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		if (ctx_seq_range_at(l->hidden, l->n_hidden, m.seq) != NULL)
			continue;
		if (add_run_row(l, &m, message, m.seq <= sent, err) < 0) {
			rc = -1;
			break;
		}
	}
	ctx_cursor_close(c);
	return rc;
}

static enum ctx_slot
read_slot(struct ctx_span entry)
{
	struct ctx_span name = ctx_json_get(entry, "slot");
	enum ctx_slot slots[] = {CTX_SLOT_PREFIX, CTX_SLOT_SUMMARY};

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
		if (ctx_json_is(name, ctx_slot_name(slots[i])))
			return slots[i];
	return CTX_SLOT_VOLATILE;
}

static int
add_addition(struct ctx_window_rows *l, struct ctx_span entry, struct ctx_err *err)
{
	struct ctx_span message = ctx_json_get(entry, "message");
	struct ctx_item item = {.slot = read_slot(entry),
	    .message = ctx_arena_copy(&l->w->arena, message),
	    .created_at = CTX_TIME_NONE,
	    .sent = true};

	if (message.p == NULL)
		return ctx_err_set(err, CTX_EANSWER,
		    "the request was stored without the texts that were added to its messages");
	item.tokens = ctx_recount_message(l->t, &l->w->history.scratch, item.message);
	return ctx_window_add(l, &item, -1, CTX_SPAN_NONE,
	    ctx_arena_copy(&l->w->arena, ctx_json_get(entry, "source")), err);
}

static int
add_run_entry(struct ctx_window_rows *l, struct ctx_span entry, struct ctx_err *err)
{
	int64_t first, last;

	if (ctx_json_int(ctx_json_get(entry, "seq"), &first))
		last = first;
	else if (!ctx_json_int(ctx_json_get(entry, "first_seq"), &first) ||
		 !ctx_json_int(ctx_json_get(entry, "last_seq"), &last))
		return add_addition(l, entry, err);
	return add_run_range(l, first, last, last, ctx_json_get(entry, "message"), err);
}

static int64_t
sum_tokens(const struct ctx_window_rows *l)
{
	int64_t sum = 0;

	for (size_t i = 0; i < l->w->history.n; i++)
		sum += l->w->history.items[i].tokens;
	return sum;
}

/* Returns a number of tokens of a request record; 0 if it cannot be one. */
static int64_t
read_run_tokens(struct ctx_span value)
{
	int64_t n;

	return ctx_json_int(value, &n) && n >= 0 && n <= CTX_RECORD_TOKENS_MAX ? n : 0;
}

/* Returns the tokens of the last request outside its messages. If another tokenizer counted
 * the request, they are the part of its total that belongs to no component, converted to
 * the factor of this tokenizer. */
static int64_t
count_run_extra(const struct ctx_run *run, const struct ctx_window_rows *l)
{
	struct ctx_span tokens = ctx_json_get(ctx_buf_span(&run->record), "tokens");
	const char *counted_by = run->last.tokenizer;
	struct ctx_buf base = CTX_BUF_INIT;
	int64_t total = read_run_tokens(ctx_json_get(tokens, "total"));
	int64_t sum = sum_tokens(l), factor;

	if (counted_by == NULL || strcmp(counted_by, ctx_tokenizer_name(l->t)) == 0)
		return total > sum + CTX_TOKENS_REPLY ? total - sum - CTX_TOKENS_REPLY
						      : 0;
	total -= CTX_TOKENS_REPLY;
	CTX_JSON_EACH(it, tokens)
		if (!ctx_json_is(it.key, "total"))
			total -= read_run_tokens(it.value);
	factor = ctx_tokenizer_split(&base, counted_by);
	ctx_buf_release(&base);
	return total <= 0 ? 0 : total * ctx_tokenizer_factor(l->t) / factor;
}

/* Returns whether a turn begins after message seq. */
static bool
begins_turn(const struct ctx_window_rows *l, int64_t seq)
{
	for (size_t i = l->w->history.n; i-- > 0 && l->w->history.items[i].seq > seq;)
		if (l->w->history.items[i].starts_turn)
			return true;
	return false;
}

/* At the beginning of a turn, the reserve for additions must remain free; inside a turn
 * the whole budget may be used. */
static bool
is_within_run_budget(const struct ctx_run *run, const struct ctx_window_rows *l)
{
	int64_t most = l->o->budget;

	if (most < 0)
		return true;
	if (begins_turn(l, run->last.response_seq))
		most -= l->o->reserve;
	return sum_tokens(l) + CTX_TOKENS_REPLY + run->extra <= most;
}

/* Returns whether the last request ends with a system message that is allowed only before
 * an answer, and that answer is not sent. */
static bool
ends_in_rules(const struct ctx_run *run, const struct ctx_window_rows *l)
{
	enum ctx_provider provider = ctx_provider_parse(run->last.provider);
	const struct ctx_history *h = &l->w->history;
	size_t i = h->n;

	if (provider == CTX_PROVIDER_NONE ||
	    !ctx_json_is(ctx_json_get(get_run(run), "rules"), "system") ||
	    !ctx_provider_facts(provider)->system_inside)
		return false;
	while (i > 0 && h->items[i - 1].seq != run->last.response_seq)
		i--;
	if (i == 0 || (!run->withheld && h->items[i - 1].malformed == CTX_REASON_NONE))
		return false;
	for (i--; i-- > 0;) {
		if (h->items[i].slot == CTX_SLOT_VOLATILE)
			return true;
		if (h->items[i].role == CTX_ROLE_ASSISTANT &&
		    h->items[i].malformed == CTX_REASON_NONE)
			return false;
	}
	return false;
}

int
ctx_run_load(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err)
{
	const struct ctx_request *q = &run->last;

	CTX_JSON_EACH(it, ctx_json_get(ctx_buf_span(&run->record), "messages"))
		if (add_run_entry(l, it.value, err) < 0)
			return -1;
	run->extra = count_run_extra(run, l);
	if (add_run_range(l, q->for_seq + 1, l->w->request.for_seq, q->response_seq,
		CTX_SPAN_NONE, err) < 0)
		return -1;
	ctx_history_group(&l->w->history);
	if (ends_in_rules(run, l)) {
		ctx_history_reset(&l->w->history);
		return 2;
	}
	if (!is_within_run_budget(run, l))
		run->cut = "full";
	else if (begins_turn(l, q->response_seq) && ctx_run_superseded(run))
		run->cut = "superseded";
	if (run->cut != NULL) {
		ctx_history_reset(&l->w->history);
		run->continues = false;
		return 0;
	}
	for (size_t i = 0; i < l->w->history.n; i++) {
		struct ctx_item *it = &l->w->history.items[i];
		it->keep = it->malformed == CTX_REASON_NONE;
		it->reason = it->malformed;
	}
	return 1;
}

int
ctx_run_add_carried(const struct ctx_run *run, struct ctx_window_rows *l, int64_t seq,
    struct ctx_err *err)
{
	struct ctx_span before[CARRIED_MAX];
	size_t n = 0;
	int64_t begins = 0;

	if (run->record.n == 0 || seq > run->last.for_seq)
		return 0;
	CTX_JSON_EACH(it, ctx_json_get(ctx_buf_span(&run->record), "messages")) {
		if (ctx_json_int(ctx_json_get(it.value, "seq"), &begins) ||
		    ctx_json_int(ctx_json_get(it.value, "first_seq"), &begins)) {
			if (begins == seq)
				break;
			n = 0;
		} else if (read_slot(it.value) == CTX_SLOT_VOLATILE && n < CARRIED_MAX) {
			before[n++] = it.value;
		}
		if (begins > seq)
			return 0;
	}
	if (ctx_run_drop_gone(l, before, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (add_addition(l, before[i], err) < 0)
			return -1;
	return 0;
}

/* ---- the record ---- */

void
ctx_run_note(const struct ctx_run *run, struct ctx_window_rows *l)
{
	struct ctx_span last = get_run(run);
	struct ctx_request *r = &l->w->request;
	struct ctx_buf b = CTX_BUF_INIT;
	char hidden[CTX_HASH_HEX + 1];
	int64_t n = 0;

	ctx_run_hash_hidden(l, hidden);
	ctx_json_print(&b, "{'name':%s", *l->o->run != '\0' ? l->o->run : NULL);
	if (run->continues) {
		ctx_json_int(ctx_json_get(last, "n"), &n);
		ctx_json_print(&b,
		    "'id':%j,'session':%j,'n':%d,'continues':%s,'sent_seq':%d,"
		    "'reasoning_after':%j,'breakpoint':%j,'rules':%j",
		    ctx_json_get(last, "id"), ctx_json_get(last, "session"), n + 1,
		    run->last.request_id, run->last.for_seq,
		    ctx_json_get(last, "reasoning_after"),
		    ctx_json_get(last, "breakpoint"), ctx_json_get(last, "rules"));
	} else {
		ctx_json_print(&b, "'id':%s,'session':%s,'n':1,'cut':%s", r->request_id,
		    r->session_id, run->cut);
	}
	ctx_json_print(&b, "'hidden':%s,'items':%s", l->n_hidden > 0 ? hidden : NULL,
	    *run->items != '\0' ? run->items : NULL);
	if (run->compaction > 0)
		ctx_json_add_int(&b, "compaction", run->compaction);
	ctx_json_print(&b, "'front':%s}", run->front);
	free(r->run_json);
	r->run_json = ctx_buf_detach(&b);
}
