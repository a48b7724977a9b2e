#include "tokens/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

/* OpenAI's accounting for chat models: each message is framed by three tokens and names
 * its role; a speaker's name costs one more (openai-cookbook, "How to count tokens"). */
#define MESSAGE_OVERHEAD 4
#define NAME_OVERHEAD 1
#define CALL_OVERHEAD 6
/* A 1024 x 1024 image at high detail; 85 at low detail (OpenAI vision guide). */
#define IMAGE_TOKENS 765
#define IMAGE_LOW_TOKENS 85

enum method { APPROX, CHARS4 };

struct ctx_tokenizer {
	enum method method;
	const char *name;
	struct ctx_buf text;   /* scratch for decoded strings */
	int ascii[2][128];     /* approx: thousandths of a token, [behind a letter][character] */
};

enum class { LOWER, UPPER, DIGIT, SPACE, NEWLINE, TAB, PUNCT, LATIN, TWO_BYTE, KANA, HANGUL,
	HAN, THREE_BYTE, ASTRAL, N_CLASSES };

/* Thousandths of a token per character, fitted against o200k_base. */
static const int weight[N_CLASSES] = {63, 260, 715, 131, 802, 339, 509, 780, 276, 779, 699,
    819, 748, 1736};
#define WORD_START_WEIGHT 652

static enum class
class_of(uint32_t c)
{
	if (c < 0x80)
		return c >= 'a' && c <= 'z' ? LOWER
		       : c >= 'A' && c <= 'Z' ? UPPER
		       : c >= '0' && c <= '9' ? DIGIT
		       : c == ' '  ? SPACE
		       : c == '\n' ? NEWLINE
		       : c == '\t' ? TAB
				   : PUNCT;
	if (c < 0x800)
		return c < 0x250 ? LATIN : TWO_BYTE;
	if (c >= 0x10000)
		return ASTRAL;
	if (c >= 0x3040 && c < 0x3100)
		return KANA;
	if (c >= 0xac00 && c < 0xd7b0)
		return HANGUL;
	if (c >= 0x3400 && c < 0xa000)
		return HAN;
	return THREE_BYTE;
}

static bool
in_word(enum class c)
{
	return c <= UPPER || c == LATIN;
}

/* The weights of ASCII characters: at the start of a word, and behind a letter. */
static void
fill_ascii(int weights[2][128])
{
	for (uint32_t c = 0; c < 128; c++) {
		enum class k = class_of(c);
		weights[1][c] = weight[k];
		weights[0][c] = weight[k] + (in_word(k) ? WORD_START_WEIGHT : 0);
	}
}

int
ctx_tokenizer_open(struct ctx_tokenizer **out, const char *name, struct ctx_err *err)
{
	static const char *const names[] = {"approx", "chars4"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*out = ctx_mem_new(sizeof(**out));
		(*out)->method = (enum method)i;
		(*out)->name = names[i];
		fill_ascii((*out)->ascii);
		return 0;
	}
	*out = NULL;
	return ctx_err_set(err, CTX_EUSAGE, "unknown tokenizer '%s' (approx or chars4)", name);
}

void
ctx_tokenizer_close(struct ctx_tokenizer *t)
{
	if (t == NULL)
		return;
	ctx_buf_release(&t->text);
	free(t);
}

const char *
ctx_tokenizer_name(const struct ctx_tokenizer *t)
{
	return t->name;
}

static int64_t
approx(const struct ctx_tokenizer *t, const char *p, size_t n)
{
	int64_t sum = 0;
	bool inside = false;   /* the character before is a letter */

	for (size_t i = 0; i < n;) {
		unsigned char byte = (unsigned char)p[i];
		enum class c;
		uint32_t cp;
		size_t len;
		if (byte < 0x80) {
			sum += t->ascii[inside][byte];
			inside = (unsigned)((byte | 0x20) - 'a') < 26;
			i++;
			continue;
		}
		len = ctx_utf8_decode(p + i, n - i, &cp);
		c = len == 0 ? PUNCT : class_of(cp);
		sum += weight[c] + (in_word(c) && !inside ? WORD_START_WEIGHT : 0);
		inside = in_word(c);
		i += len == 0 ? 1 : len;
	}
	return n == 0 ? 0 : sum < 1000 ? 1 : (sum + 500) / 1000;
}

int64_t
ctx_tokens_text(struct ctx_tokenizer *t, const char *p, size_t n)
{
	int64_t chars;

	if (t->method == APPROX)
		return approx(t, p, n);
	chars = (int64_t)ctx_utf8_length(p, n);
	return chars < 4 ? 1 : chars / 4;
}

int64_t
ctx_tokens_string(struct ctx_tokenizer *t, struct ctx_span string)
{
	struct ctx_span text = ctx_json_text(string, &t->text);

	return text.p == NULL ? 0 : ctx_tokens_text(t, text.p, text.n);
}

int64_t
ctx_tokens_json(struct ctx_tokenizer *t, struct ctx_span json)
{
	return json.n == 0 ? 0 : ctx_tokens_text(t, json.p, json.n);
}

static int64_t
image(struct ctx_span body)
{
	return ctx_json_is(ctx_json_get(body, "detail"), "low") ? IMAGE_LOW_TOKENS : IMAGE_TOKENS;
}

/* The content of a tool result: a string, or blocks that may hold images. */
static int64_t
content(struct ctx_tokenizer *t, struct ctx_span body)
{
	struct ctx_json_iter it;
	int64_t sum = 0;

	if (ctx_json_type(body) == CTX_JSON_STRING)
		return ctx_tokens_string(t, body);
	if (ctx_json_type(body) != CTX_JSON_ARRAY)
		return ctx_tokens_json(t, body);
	ctx_json_iter_init(&it, body);
	while (ctx_json_iter_next(&it)) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		struct ctx_span text = ctx_json_get(it.value, "text");
		if (ctx_json_is(type, "image") || ctx_json_is(type, "image_url"))
			sum += IMAGE_TOKENS;
		else if (text.p != NULL)
			sum += ctx_tokens_string(t, text);
		else
			sum += ctx_tokens_json(t, it.value);
	}
	return sum;
}

static int64_t
part(struct ctx_tokenizer *t, const struct ctx_part *p)
{
	switch (p->type) {
	case CTX_PART_TEXT:
		return ctx_tokens_string(t, p->body);
	case CTX_PART_THINKING:
		return p->body.p != NULL ? ctx_tokens_string(t, p->body) : ctx_tokens_json(t, p->raw);
	case CTX_PART_TOOL_CALL:
		return CALL_OVERHEAD + ctx_tokens_string(t, p->name) +
		       (ctx_json_type(p->body) == CTX_JSON_STRING ? ctx_tokens_string(t, p->body)
								  : ctx_tokens_json(t, p->body));
	case CTX_PART_TOOL_RESULT:
		return content(t, p->body);
	case CTX_PART_IMAGE:
		return image(p->body);
	default:
		return ctx_tokens_json(t, p->raw);
	}
}

int64_t
ctx_tokens_message(struct ctx_tokenizer *t, const struct ctx_message *m)
{
	int64_t sum = MESSAGE_OVERHEAD;

	if (m->name.p != NULL)
		sum += NAME_OVERHEAD + ctx_tokens_string(t, m->name);
	for (size_t i = 0; i < m->n; i++)
		sum += part(t, &m->parts[i]);
	return sum;
}
