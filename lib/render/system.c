/* System and developer messages: which parts of them are sent, and whether they stay in
 * their place. */

#include "json/json.h"
#include "record/calls.h"
#include "render/internal.h"

bool
ctx_render_is_system(const struct render *r, size_t item)
{
	return (r->items[item].slot != CTX_SLOT_VOLATILE || r->items[item].inside) &&
	       (r->msgs[item].role == CTX_ROLE_SYSTEM ||
		   r->msgs[item].role == CTX_ROLE_DEVELOPER);
}

bool
ctx_render_is_system_block(const struct render *r, const struct ctx_part *p)
{
	return p->type == CTX_PART_OTHER && !p->stray && r->kind->system_block != NULL &&
	       r->kind->system_block(r, p);
}

bool
ctx_render_says_system(const struct render *r, size_t item)
{
	const struct ctx_message *m = &r->msgs[item];

	for (size_t i = 0; i < m->n; i++)
		if (ctx_render_is_system_block(r, &m->parts[i]) ||
		    (m->parts[i].type == CTX_PART_TEXT &&
			!ctx_message_blank(m->parts[i].body)))
			return true;
	return r->kind->system_says != NULL && r->kind->system_says(r, m);
}

/* True if the answer ends with the result of a tool that the provider ran. */
static bool
ends_in_server_result(const struct ctx_message *m)
{
	return m->n > 0 && m->parts[m->n - 1].type == CTX_PART_OTHER &&
	       ctx_server_item_is_result(m->parts[m->n - 1].raw);
}

static bool
is_system_node(const struct render *r, size_t i)
{
	return r->nodes[i].kind == NODE_USER && ctx_render_is_system(r, r->nodes[i].item);
}

/* A system message without content, which only changes the effort, may be anywhere.
 * Adjacent system messages count as one. */
bool
ctx_render_system_stays(const struct render *r, size_t node)
{
	size_t before = node, after = node + 1;

	if (!r->o->system_inside || !is_system_node(r, node))
		return false;
	if (r->msgs[r->nodes[node].item].n == 0)
		return true;
	while (before > 0 && is_system_node(r, before - 1))
		before--;
	while (after < r->n_nodes && is_system_node(r, after))
		after++;
	if (before == 0 || (after < r->n_nodes && r->nodes[after].kind != NODE_ASSISTANT))
		return false;
	return r->nodes[before - 1].kind != NODE_ASSISTANT ||
	       ends_in_server_result(&r->msgs[r->nodes[before - 1].item]);
}

void
ctx_render_system_text(
    const struct render *r, size_t first, size_t end, struct ctx_buf *text)
{
	for (size_t i = first; i < end; i++) {
		if (text->n > 0)
			ctx_buf_adds(text, "\n\n");
		ctx_message_text(&r->msgs[r->system[i]], text);
	}
}

size_t
ctx_render_front(const struct render *r)
{
	size_t n = 0;

	while (n < r->n_system && r->items[r->system[n]].slot != CTX_SLOT_SUMMARY)
		n++;
	return n;
}

void
ctx_render_put_breakpoint(const struct render *r, struct ctx_buf *b, size_t array)
{
	struct ctx_span list = {b->p + array, b->n - array}, last = CTX_SPAN_NONE;

	CTX_JSON_EACH(it, list)
		last = it.value;
	if (!r->o->breakpoint || ctx_json_type(last) != CTX_JSON_OBJECT ||
	    ctx_json_get(last, "prompt_cache_breakpoint").p != NULL)
		return;
	b->n -= 2; /* removes "}]", to extend the part */
	ctx_json_print(b, "'prompt_cache_breakpoint':{'mode':'explicit'}}]");
}
