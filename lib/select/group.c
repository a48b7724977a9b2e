#include "select/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

void
ctx_history_reset(struct ctx_history *h)
{
	h->n = h->n_refs = 0;
	ctx_arena_reset(&h->arena);
}

void
ctx_history_release(struct ctx_history *h)
{
	free(h->items);
	free(h->refs);
	ctx_message_release(&h->scratch);
	ctx_arena_release(&h->arena);
	memset(h, 0, sizeof(*h));
}

static void
add_ref(struct ctx_history *h, struct ctx_ref ref)
{
	CTX_MEM_GROW(h->refs, h->n_refs, h->cap_refs);
	h->refs[h->n_refs++] = ref;
}

static void
add_refs_of(struct ctx_history *h, const struct ctx_message *m)
{
	for (size_t i = 0; i < m->n; i++) {
		enum ctx_part_type type = m->parts[i].type;
		if (type == CTX_PART_TOOL_CALL || type == CTX_PART_TOOL_RESULT)
			add_ref(h, (struct ctx_ref){
				       ctx_message_call_id(m->parts[i].id, &h->arena),
				       m->parts[i].name, type == CTX_PART_TOOL_RESULT,
				       m->parts[i].async});
	}
}

int
ctx_history_add(struct ctx_history *h, const struct ctx_item *item, struct ctx_err *err)
{
	struct ctx_message *m = &h->scratch;
	struct ctx_item *it;

	if (!item->known && ctx_message_parse(m, item->message, err) < 0)
		return -1;
	CTX_MEM_GROW(h->items, h->n, h->cap);
	it = &h->items[h->n];
	*it = *item;
	if (!item->known) {
		it->role = m->role;
		it->starts_turn = it->slot == CTX_SLOT_HISTORY &&
				  ctx_message_starts_turn(m);
	}
	it->first_ref = h->n_refs;
	it->group = h->n++;
	it->malformed = CTX_REASON_NONE;
	it->flawed = it->slot == CTX_SLOT_HISTORY && !it->flawless &&
		     ctx_message_has_flaw(it->message);
	for (size_t i = 0; i < item->n_calls; i++)
		add_ref(h, item->calls[i]);
	if (!item->known && it->slot == CTX_SLOT_HISTORY)
		add_refs_of(h, m);
	it->n_refs = h->n_refs - it->first_ref;
	it->calls = NULL;
	return 0;
}

/* ---- calls by id ---- */

struct call {
	struct ctx_span id;
	size_t item;
	bool answered, async;
};

struct calls {
	struct call *v;
	size_t n, cap;
	struct ctx_map newest; /* index in v + 1 of the newest call, by id */
	struct ctx_span sought;
};

static bool
has_sought_id(const void *arg, size_t value)
{
	const struct calls *c = arg;

	return ctx_span_eq(c->v[value - 1].id, c->sought);
}

/* Returns the newest call with this id, or NULL. */
static struct call *
find_group_call(struct calls *c, struct ctx_span id)
{
	size_t i;

	if (id.p == NULL)
		return NULL;
	c->sought = id;
	i = ctx_map_get(&c->newest, ctx_hash_bytes(0, id.p, id.n), has_sought_id, c);
	return i == 0 ? NULL : &c->v[i - 1];
}

static void
add_group_call(struct calls *c, struct ctx_span id, size_t item, bool async)
{
	c->sought = id;
	CTX_MEM_GROW(c->v, c->n, c->cap);
	c->v[c->n++] = (struct call){id, item, false, async};
	*ctx_map_at(&c->newest, ctx_hash_bytes(0, id.p, id.n), has_sought_id, c) = c->n;
}

/* ---- groups as trees: the root is the first item of the group ---- */

static size_t
root_of(struct ctx_history *h, size_t i)
{
	while (h->items[i].group != i) {
		h->items[i].group = h->items[h->items[i].group].group;
		i = h->items[i].group;
	}
	return i;
}

static void
join_item_groups(struct ctx_history *h, size_t a, size_t b)
{
	size_t ra = root_of(h, a), rb = root_of(h, b);

	if (ra < rb)
		h->items[rb].group = ra;
	else
		h->items[ra].group = rb;
}

static void
mark_group_malformed(struct ctx_history *h, size_t item, enum ctx_reason why)
{
	struct ctx_item *root = &h->items[root_of(h, item)];

	if (root->malformed == CTX_REASON_NONE)
		root->malformed = why;
}

/* True for a string that is not blank. Rendering refuses other ids and names. */
static bool
is_filled_group_string(struct ctx_span string)
{
	if (string.n <= 2 || string.p[0] != '"')
		return false;
	for (size_t i = 1; i + 1 < string.n; i++)
		if (string.p[i] != ' ')
			return true;
	return false;
}

static void
match_refs(struct ctx_history *h, struct calls *calls, size_t i)
{
	struct ctx_item *it = &h->items[i];

	for (size_t r = it->first_ref; r < it->first_ref + it->n_refs; r++) {
		struct ctx_ref *ref = &h->refs[r];
		struct call *call;
		if (!is_filled_group_string(ref->id) ||
		    (!ref->result && !is_filled_group_string(ref->name)))
			mark_group_malformed(h, i, CTX_REASON_MALFORMED_CALL);
		if (!ref->result) {
			add_group_call(calls, ref->id, i, ref->async);
			continue;
		}
		call = find_group_call(calls, ref->id);
		if (call == NULL) {
			mark_group_malformed(h, i, CTX_REASON_ORPHAN_RESULT);
		} else if (call->answered) {
			mark_group_malformed(h, i, CTX_REASON_DUPLICATE_RESULT);
		} else {
			enum ctx_reason mine = h->items[root_of(h, i)].malformed;
			call->answered = true;
			join_item_groups(h, call->item, i);
			if (mine != CTX_REASON_NONE)
				mark_group_malformed(h, i, mine);
		}
	}
}

/* Marks calls without a result as malformed, unless only items of their own group follow
 * them. */
static void
check_open(struct ctx_history *h, const struct calls *calls)
{
	size_t last_group = h->n;

	for (size_t i = h->n; i-- > 0 && last_group == h->n;)
		if (h->items[i].slot == CTX_SLOT_HISTORY)
			last_group = root_of(h, i);
	for (size_t c = 0; c < calls->n; c++) {
		size_t from = calls->v[c].item;
		if (calls->v[c].answered || calls->v[c].async)
			continue;
		h->items[from].open = true;
		if (root_of(h, from) != last_group) {
			mark_group_malformed(h, from, CTX_REASON_UNANSWERED_CALL);
			continue;
		}
		for (size_t i = from + 1; i < h->n; i++)
			if (h->items[i].slot == CTX_SLOT_HISTORY &&
			    root_of(h, i) != last_group) {
				mark_group_malformed(h, from, CTX_REASON_UNANSWERED_CALL);
				break;
			}
	}
}

static void
attach_volatile(struct ctx_history *h)
{
	size_t current = ctx_history_current_turn(h), owner = h->n;

	for (size_t i = h->n; i-- > 0;) {
		if (h->items[i].starts_turn)
			owner = i;
		if (h->items[i].slot == CTX_SLOT_VOLATILE && owner != h->n &&
		    owner != current)
			join_item_groups(h, owner, i);
	}
}

void
ctx_history_group(struct ctx_history *h)
{
	struct calls calls = {0};

	for (size_t i = 0; i < h->n; i++) {
		h->items[i].group = i;
		h->items[i].malformed = CTX_REASON_NONE;
		h->items[i].open = false;
		match_refs(h, &calls, i);
		if (h->items[i].flawed)
			mark_group_malformed(h, i, CTX_REASON_MALFORMED_CONTENT);
	}
	check_open(h, &calls);
	attach_volatile(h);
	for (size_t i = 0; i < h->n; i++) {
		h->items[i].group = root_of(h, i);
		h->items[i].malformed = h->items[h->items[i].group].malformed;
	}
	free(calls.v);
	ctx_map_release(&calls.newest);
}

size_t
ctx_history_current_turn(const struct ctx_history *h)
{
	for (size_t i = h->n; i-- > 0;)
		if (h->items[i].starts_turn)
			return i;
	return h->n;
}

int64_t
ctx_history_kept(const struct ctx_history *h)
{
	int64_t sum = 0;

	for (size_t i = 0; i < h->n; i++)
		sum += h->items[i].keep ? h->items[i].tokens : 0;
	return sum;
}

bool
ctx_history_has_result(const struct ctx_history *h, size_t item)
{
	const struct ctx_item *it = &h->items[item];

	for (size_t r = it->first_ref; r < it->first_ref + it->n_refs; r++)
		if (h->refs[r].result)
			return true;
	return false;
}
