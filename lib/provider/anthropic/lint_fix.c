/* Repairs blocks: adds required members whose value is known, and removes members that
 * Anthropic refuses and that carry no information. */
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/anthropic/internal.h"
#include "provider/anthropic/lint.h"

/* Returns the block without the members that a compaction block must not have. */
static struct ctx_span
drop_compaction_members(struct lint_doc *d, struct ctx_span block)
{
	struct ctx_buf key = CTX_BUF_INIT;
	struct ctx_span left = block;

	CTX_JSON_EACH(it, block) {
		if (ctx_anthropic_compaction_member(it.key))
			continue;
		ctx_buf_reset(&key);
		ctx_json_decode(it.key, &key);
		if (key.n > 0 && memchr(key.p, '\0', key.n) == NULL)
			left = ctx_lint_unset(d, left, key.p);
	}
	ctx_buf_release(&key);
	return left;
}

/* Returns the repaired part, absent if nothing had to change. */
static struct ctx_span
mend_block(struct lint_doc *d, const struct lint_part *p, void *unused CTX_UNUSED)
{
	struct ctx_span mended = p->raw, toolset;

	if (!p->block || ctx_json_type(p->raw) != CTX_JSON_OBJECT)
		return CTX_SPAN_NONE;
	if (p->type == LINT_RESULT) {
		toolset = ctx_anthropic_toolset(d, p);
		if (toolset.p != NULL)
			mended = ctx_lint_set(d, mended, "toolset_name", toolset);
	}
	if (ctx_json_has_type(p->raw, "compaction"))
		mended = drop_compaction_members(d, mended);
	if (ctx_anthropic_takes_no_mark(p->raw) &&
	    ctx_json_type(ctx_json_get(p->raw, "cache_control")) == CTX_JSON_OBJECT)
		mended = ctx_lint_unset(d, mended, "cache_control");
	return mended.p == p->raw.p ? CTX_SPAN_NONE : mended;
}

bool
ctx_anthropic_fix_blocks(struct lint_doc *d)
{
	return ctx_lint_mend_parts(d, mend_block, NULL);
}
