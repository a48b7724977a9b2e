/* Prints one prompt for models that take plain text. */
#include "base/utf8.h"
#include "json/json.h"
#include "record/quote.h"
#include "render/internal.h"

static bool
is_source(const struct ctx_render_item *it, const char *type, const char *name)
{
	return ctx_json_has_type(it->source, type) &&
	       (name == NULL || ctx_json_is(ctx_json_get(it->source, "name"), name));
}

static bool
is_last_word(const struct ctx_render_item *it)
{
	return it->slot == CTX_SLOT_VOLATILE && is_source(it, "note", "instructions");
}

static bool
is_topic(const struct ctx_render_item *it)
{
	return it->slot == CTX_SLOT_VOLATILE && is_source(it, "topic", NULL);
}

/* Appends a section: an empty line, the heading, and the text. */
static void
put_section(struct ctx_buf *out, const char *heading, struct ctx_span text)
{
	text = ctx_span_trim(text);
	if (text.n == 0)
		return;
	if (out->n > 0)
		ctx_buf_adds(out, "\n");
	ctx_buf_adds(out, heading);
	ctx_buf_addspan(out, text);
	ctx_buf_addc(out, '\n');
}

static int
write_prompt_text(struct ctx_buf *out, const char *heading,
    const struct ctx_render_item *it, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT, visible = CTX_BUF_INIT;
	int rc = ctx_message_parse(&m, it->message, err);

	if (rc == 0) {
		ctx_message_text(&m, &text);
		ctx_visible_add(&visible, ctx_buf_span(&text));
		ctx_buf_reset(&text);
		ctx_quote_lines(&text, ctx_span_trim(ctx_buf_span(&visible)));
		put_section(out, heading, ctx_buf_span(&text));
	}
	ctx_message_release(&m);
	ctx_buf_release(&text);
	ctx_buf_release(&visible);
	return rc;
}

/* Appends each item of the slot as a section, except topic and instructions. */
static int
write_prompt_slot(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    enum ctx_slot slot, struct ctx_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].slot == slot && !is_topic(&items[i]) &&
		    !is_last_word(&items[i]) &&
		    write_prompt_text(out, "", &items[i], err) < 0)
			return -1;
	return 0;
}

/* Appends the history's messages of the items first to last - 1 under a heading. */
static int
put_history(struct ctx_buf *out, const char *heading, const struct ctx_render_item *items,
    size_t first, size_t last, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = 0;

	for (size_t i = first; i < last && rc == 0; i++)
		if (items[i].slot == CTX_SLOT_HISTORY)
			rc = ctx_render_text(&text, &items[i], 1, err);
	if (rc == 0)
		put_section(out, heading, ctx_buf_span(&text));
	ctx_buf_release(&text);
	return rc;
}

/* Returns the index of the message that starts the current turn; n if there is none. */
static size_t
find_prompt_turn(const struct ctx_render_item *items, size_t n, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	size_t turn = n;

	for (size_t i = n; i-- > 0 && turn == n;)
		if (items[i].slot == CTX_SLOT_HISTORY &&
		    ctx_message_parse(&m, items[i].message, err) == 0 &&
		    ctx_message_starts_turn(&m))
			turn = i;
	ctx_message_release(&m);
	return turn;
}

int
ctx_render_prompt(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	size_t turn = find_prompt_turn(items, n, &ignored);
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	rc = write_prompt_slot(&b, items, n, CTX_SLOT_PREFIX, err);
	if (rc == 0)
		rc = write_prompt_slot(&b, items, n, CTX_SLOT_SUMMARY, err);
	if (rc == 0)
		rc = put_history(&b, "Conversation so far:\n", items, 0, turn, err);
	if (rc == 0)
		rc = write_prompt_slot(&b, items, n, CTX_SLOT_VOLATILE, err);
	for (size_t i = 0; i < n && rc == 0; i++)
		if (is_topic(&items[i]))
			rc = write_prompt_text(&b, "", &items[i], err);
	if (rc == 0 && turn < n)
		rc = write_prompt_text(&b, "Current user message: ", &items[turn], err);
	if (rc == 0)
		rc = put_history(&b, "Done since then:\n", items, turn + 1, n, err);
	for (size_t i = 0; i < n && rc == 0; i++)
		if (is_last_word(&items[i]))
			rc = write_prompt_text(&b, "", &items[i], err);
	if (rc == 0)
		ctx_buf_addspan(out, ctx_buf_span(&b));
	ctx_buf_release(&b);
	return rc;
}
