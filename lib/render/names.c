/* Derives names and ids that a provider accepts from those that were stored. The same
 * name always gives the same result, so that requests do not change. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"
#include "render/internal.h"

#define NAME_MAX_CHARS 64
#define HASH_CHARS 8

/* True for a letter, a digit, '_' or '-'. */
static bool
is_tool_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* True for a name of 1 to 64 letters, digits, '_' and '-', which every provider accepts.
 * With letter_first, it must not start with a digit or '-'. */
static bool
is_plain_name(struct ctx_span s, bool letter_first)
{
	if (s.n == 0 || s.n > NAME_MAX_CHARS)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!is_tool_name_char(s.p[i]))
			return false;
	return !letter_first || (*s.p != '-' && (*s.p < '0' || *s.p > '9'));
}

void
ctx_render_put_name(struct ctx_buf *b, struct ctx_span name, enum ctx_provider provider)
{
	bool letter_first = ctx_provider_facts(provider)->letter_first;
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s = ctx_json_text(name, &tmp);
	char hash[CTX_HASH_HEX + 1];
	size_t room = NAME_MAX_CHARS - HASH_CHARS - 1, start = b->n;

	if (is_plain_name(s, letter_first)) {
		ctx_buf_addspan(b, name);
	} else {
		ctx_hash_sha256(s.p, s.n, hash);
		ctx_buf_addc(b, '"');
		if (letter_first && s.n > 0 &&
		    (*s.p == '-' || (*s.p >= '0' && *s.p <= '9')))
			ctx_buf_addc(b, '_');
		for (size_t i = 0; i < s.n && b->n - start <= room; i++)
			ctx_buf_addc(b, is_tool_name_char(s.p[i]) ? s.p[i] : '_');
		ctx_buf_addf(b, "_%.*s\"", HASH_CHARS, hash);
	}
	ctx_buf_release(&tmp);
}

void
ctx_render_put_speaker(struct ctx_buf *b, struct ctx_span name)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s = ctx_json_text(name, &tmp);
	bool said = false;

	for (size_t i = 0; i < s.n; i++)
		said |= isalnum((unsigned char)s.p[i]) != 0;
	if (is_plain_name(s, false)) {
		ctx_buf_addspan(b, name);
	} else if (said) {
		ctx_buf_addc(b, '"');
		for (size_t i = 0; i < s.n && i < NAME_MAX_CHARS; i++)
			ctx_buf_addc(b, is_tool_name_char(s.p[i]) ? s.p[i] : '_');
		ctx_buf_addc(b, '"');
	}
	ctx_buf_release(&tmp);
}

/* Mistral accepts only ids of nine letters and digits (mistral-common, validator). If
 * neither server nor model is known, only long ids are shortened. */
static bool
wants_nine_chars(const struct render *r, struct ctx_span id)
{
	bool nine = id.n == 9;

	if (r->o->server == NULL)
		return ctx_provider_facts(r->o->provider)->id_nine && id.n > 24 &&
		       ctx_json_get(ctx_buf_span(&r->params), "model").p == NULL;
	for (size_t i = 0; i < id.n; i++)
		nine = nine && isalnum((unsigned char)id.p[i]);
	return r->o->server->nine_ids && !nine;
}

char *
ctx_render_id(const struct render *r, struct ctx_span id)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(r->o->provider);
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char hash[CTX_HASH_HEX + 1], *out;
	bool changed = false;

	if (wants_nine_chars(r, id)) {
		ctx_hash_sha256(id.p, id.n, hash);
		unsigned long long v;
		hash[12] = '\0';
		v = strtoull(hash, NULL, 16);
		out = ctx_mem_new(10);
		for (int i = 0; i < 9; i++, v /= 36)
			out[i] = digits[v % 36];
		return out;
	}
	if (id.n > facts->id_most) {
		ctx_hash_sha256(id.p, id.n, hash);
		out = ctx_mem_new(30);
		snprintf(out, 30, "call_%.24s", hash);
		return out;
	}
	if (!facts->id_plain)
		return NULL;
	out = ctx_span_dup(id);
	for (size_t i = 0; i < id.n; i++)
		if (!is_tool_name_char(out[i])) {
			out[i] = '_';
			changed = true;
		}
	if (!changed) {
		free(out);
		return NULL;
	}
	return out;
}
