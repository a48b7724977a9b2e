/* Recognizes redacted texts: occurrences of match, or copies of pieces of messages. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _GNU_SOURCE /* memmem */
#include "record/redaction.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "json/json.h"

#define PIECE \
	32 /* bytes of a hashed piece: a copied passage of twice this length contains one */
#define SHORT 12 /* length in bytes of the shortest text that is recognized */
#define PIECE_BASE UINT64_C(0x9e3779b97f4a7c15)

void
ctx_redaction_release(struct ctx_redaction *r)
{
	for (size_t i = 0; i < r->n_shorts; i++)
		free((char *)r->shorts[i].p);
	free(r->shorts);
	free(r->pieces);
	memset(r, 0, sizeof(*r));
}

/* ---- recording values ---- */

static uint64_t
hash_redaction_piece(const char *p)
{
	uint64_t h = 0;

	for (size_t i = 0; i < PIECE; i++)
		h = h * PIECE_BASE + (unsigned char)p[i] + 1;
	return h;
}

static void
add_redaction_piece(struct ctx_redaction *r, const char *p)
{
	CTX_MEM_GROW(r->pieces, r->n_pieces, r->pieces_cap);
	r->pieces[r->n_pieces++] = hash_redaction_piece(p);
	r->sorted = false;
}

static void
learn_text(struct ctx_redaction *r, struct ctx_span text)
{
	text = ctx_span_trim(text);
	if (text.n < SHORT)
		return;
	if (text.n < PIECE) {
		CTX_MEM_GROW(r->shorts, r->n_shorts, r->shorts_cap);
		r->shorts[r->n_shorts++] = (struct ctx_span){
		    ctx_mem_dup(text.p, text.n), text.n};
		return;
	}
	for (size_t at = 0; at + PIECE <= text.n; at += PIECE)
		add_redaction_piece(r, text.p + at);
	add_redaction_piece(r, text.p + text.n - PIECE);
}

/* True for members with content. Ids and types may be long too, but occur in many
 * places. */
static bool
is_said(struct ctx_span key)
{
	return !CTX_JSON_IS_ANY(key, "id", "call_id", "tool_call_id", "tool_use_id",
	    "type", "role", "name", "media_type", "mime_type");
}

static void
learn_value(struct ctx_redaction *r, struct ctx_span value)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	if (ctx_json_type(value) == CTX_JSON_STRING)
		learn_text(r, ctx_json_text(value, &tmp));
	ctx_buf_release(&tmp);
	CTX_JSON_EACH(it, value)
		if (is_said(it.key))
			learn_value(r, it.value);
}

void
ctx_redaction_learn(struct ctx_redaction *r, struct ctx_span message)
{
	if (r->match.p == NULL)
		learn_value(r, message);
}

/* ---- finding recorded values ---- */

static bool
holds_piece(struct ctx_redaction *r, struct ctx_span text)
{
	uint64_t hash, leave = 1;

	if (r->n_pieces == 0 || text.n < PIECE)
		return false;
	if (!r->sorted)
		qsort(r->pieces, r->n_pieces, sizeof(*r->pieces), ctx_compare_uint64);
	r->sorted = true;
	for (size_t i = 0; i < PIECE; i++)
		leave *= PIECE_BASE;
	hash = hash_redaction_piece(text.p);
	for (size_t end = PIECE;; end++) {
		if (bsearch(&hash, r->pieces, r->n_pieces, sizeof(hash),
			ctx_compare_uint64) != NULL)
			return true;
		if (end == text.n)
			return false;
		hash = hash * PIECE_BASE + (unsigned char)text.p[end] + 1 -
		       ((uint64_t)(unsigned char)text.p[end - PIECE] + 1) * leave;
	}
}

static bool
holds_message(struct ctx_redaction *r, struct ctx_span text)
{
	for (size_t i = 0; i < r->n_shorts; i++)
		if (memmem(text.p, text.n, r->shorts[i].p, r->shorts[i].n) != NULL)
			return true;
	return holds_piece(r, text);
}

/* Replaces each occurrence of match by CTX_REDACTION_MARK. */
static bool
replace_text(struct ctx_span text, struct ctx_span match, struct ctx_buf *out)
{
	const char *p = text.p, *end = p + text.n, *at;

	if (match.n == 0 || (at = memmem(p, text.n, match.p, match.n)) == NULL)
		return false;
	do {
		ctx_buf_add(out, p, (size_t)(at - p));
		ctx_buf_adds(out, CTX_REDACTION_MARK);
		p = at + match.n;
		at = memmem(p, (size_t)(end - p), match.p, match.n);
	} while (at != NULL);
	ctx_buf_add(out, p, (size_t)(end - p));
	return true;
}

/* Replaces the text itself, and its escaped form in JSON that is quoted in the text, up
 * to two levels deep. */
static bool
replace_all_forms(struct ctx_span text, struct ctx_span match, struct ctx_buf *out)
{
	struct ctx_buf form = CTX_BUF_INIT, next = CTX_BUF_INIT, fresh = CTX_BUF_INIT;
	bool changed = replace_text(text, match, out);

	ctx_buf_addspan(&form, match);
	for (int level = 0; level < 2; level++) {
		struct ctx_span now = changed ? ctx_buf_span(out) : text;
		ctx_buf_reset(&next);
		ctx_json_escape(&next, ctx_buf_span(&form));
		if (ctx_span_eq(ctx_buf_span(&next), ctx_buf_span(&form)))
			break;
		ctx_buf_reset(&form);
		ctx_buf_addspan(&form, ctx_buf_span(&next));
		ctx_buf_reset(&fresh);
		if (replace_text(now, ctx_buf_span(&form), &fresh)) {
			ctx_buf_reset(out);
			ctx_buf_addspan(out, ctx_buf_span(&fresh));
			changed = true;
		}
	}
	ctx_buf_release(&form);
	ctx_buf_release(&next);
	ctx_buf_release(&fresh);
	return changed;
}

bool
ctx_redaction_find(struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out)
{
	if (text.p == NULL || text.n == 0)
		return false;
	if (r->match.p != NULL)
		return replace_all_forms(text, r->match, out);
	if (!holds_message(r, text))
		return false;
	ctx_buf_adds(out, CTX_REDACTION_MARK);
	return true;
}
