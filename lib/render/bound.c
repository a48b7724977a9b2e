#include "render/bound.h"

#include "json/json.h"
#include "record/front.h"

static void
hash_span(struct ctx_sha256 *h, struct ctx_span s)
{
	uint64_t n = s.n;

	ctx_sha256_add(h, &n, sizeof(n));
	ctx_sha256_add(h, s.p, s.n);
}

/* What params put before the messages. */
static void
hash_bound_front(struct ctx_sha256 *h, const struct ctx_render_options *o)
{
	struct ctx_buf text = CTX_BUF_INIT;

	hash_span(h, ctx_span_of(ctx_provider_name(o->provider)));
	for (size_t i = 0; ctx_front_member(o->params, i, &text); i++)
		hash_span(h, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

/* The digest so far; more can be added after it. */
static void
take_digest(struct ctx_sha256 h, char out[CTX_HASH_HEX + 1])
{
	uint8_t raw[CTX_HASH_RAW];

	ctx_sha256_end(&h, raw);
	ctx_hash_hex(raw, sizeof(raw), out);
}

int64_t
ctx_bound_find(struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_span run,
    char digest[CTX_HASH_HEX + 1])
{
	struct ctx_span id = ctx_json_get(run, "id");
	struct ctx_sha256 h;
	int64_t broken = -1;

	ctx_sha256_start(&h);
	hash_bound_front(&h, o);
	for (size_t i = 0; i < n; i++) {
		struct ctx_span made = ctx_json_get(items[i].metadata, "run");
		bool ours = ctx_json_type(id) == CTX_JSON_STRING &&
			    ctx_span_eq(ctx_json_get(made, "id"), id);
		take_digest(h, digest);
		items[i].unbound = !ours ||
				   !ctx_json_is(ctx_json_get(made, "digest"), digest);
		if (ours && items[i].unbound && items[i].seq > broken)
			broken = items[i].seq;
		hash_span(&h, ctx_span_of(ctx_slot_name(items[i].slot)));
		hash_span(&h, items[i].message);
	}
	take_digest(h, digest);
	return broken;
}
