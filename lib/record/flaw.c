/* Messages that no provider accepts. */
#include "record/message.h"

#include <string.h>

#include "json/json.h"

static bool
is_filled(struct ctx_span string)
{
	return ctx_json_type(string) == CTX_JSON_STRING && string.n > 2;
}

/* True for a data URL without data. */
static bool
is_empty_url(struct ctx_span string)
{
	const char *comma;

	if (string.n < 7 || memcmp(string.p, "\"data:", 6) != 0)
		return false;
	comma = memchr(string.p, ',', string.n);
	return comma == NULL || comma + 2 == string.p + string.n;
}

/* True if the image has no data, no URL and no file id, in any format. */
static bool
is_empty_image(const struct ctx_part *p)
{
	static const char *const keys[] = {"data", "url", "file_id", "fileUri"};
	struct ctx_span inside[] = {p->raw, p->body}, v[4];

	if (is_filled(p->body))
		return is_empty_url(p->body);
	for (size_t i = 0; i < 2; i++) {
		ctx_json_get_all(inside[i], keys, v, 4);
		for (size_t k = 0; k < 4; k++)
			if (is_filled(v[k]))
				return is_empty_url(v[k]);
	}
	return true;
}

static bool
has_empty_image(struct ctx_span content)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	bool found = false;

	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return false;
	ctx_message_parse_content(&m, content);
	for (size_t i = 0; i < m.n; i++)
		found |= m.parts[i].type == CTX_PART_IMAGE && is_empty_image(&m.parts[i]);
	ctx_message_release(&m);
	return found;
}

const char *
ctx_message_flaw(const struct ctx_message *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->stray)
			return "the content of the message has the wrong type, or the message has a \"function_call\": no provider accepts that (ctx-lint --repair corrects it)";
		if ((p->type == CTX_PART_IMAGE && m->role != CTX_ROLE_ASSISTANT &&
			is_empty_image(p)) ||
		    (p->type == CTX_PART_TOOL_RESULT && has_empty_image(p->body)))
			return "an image has neither data nor a URL";
	}
	return NULL;
}

static bool
names_image(struct ctx_span json)
{
	const char *end = json.p + json.n;

	for (const char *p = json.p; (p = memchr(p, 'i', (size_t)(end - p))) != NULL; p++)
		if (end - p >= 5 && memcmp(p, "image", 5) == 0)
			return true;
	return false;
}

static bool
may_have_flaw(struct ctx_span content, struct ctx_span old_call)
{
	enum ctx_json_type type = ctx_json_type(content);

	return ctx_json_type(old_call) == CTX_JSON_OBJECT ||
	       (type == CTX_JSON_ARRAY ? names_image(content)
				       : type != CTX_JSON_STRING && type > CTX_JSON_NULL);
}

bool
ctx_message_may_have_flaw(const struct ctx_message_members *found)
{
	return may_have_flaw(found->v[CTX_KEY_CONTENT], found->v[CTX_KEY_OLD_CALL]);
}

bool
ctx_message_has_flaw(struct ctx_span json)
{
	static const char *const keys[] = {"content", "function_call"};
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_span v[2];
	bool flaw;

	/* Most messages are decided without parsing them. */
	ctx_json_get_all(json, keys, v, 2);
	if (!may_have_flaw(v[0], v[1]))
		return false;
	flaw = ctx_message_parse(&m, json, NULL) == 0 && ctx_message_flaw(&m) != NULL;
	ctx_message_release(&m);
	return flaw;
}
