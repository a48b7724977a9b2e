/* Recognizes values that look like secrets but are not. */
#include <math.h>
#include <string.h>

#include "json/json.h"
#include "redact/internal.h"

/* maximum number of bytes of base64 to look back over */
#define RUN_MAX ((size_t)1 << 20)
#define BLOB 200 /* a run of base64 of this length is data */

static bool
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Returns the Shannon entropy of the bytes. */
static double
measure_entropy(struct ctx_span s)
{
	size_t count[256] = {0};
	double sum = 0;

	for (size_t i = 0; i < s.n; i++)
		count[(unsigned char)s.p[i]]++;
	for (int c = 0; c < 256; c++)
		if (count[c] > 0)
			sum -= (double)count[c] * log2((double)count[c] / (double)s.n);
	return s.n == 0 ? 0 : sum / (double)s.n;
}

/* Returns whether the text contains the word, ignoring the case of ASCII letters. */
static bool
holds_word(struct ctx_span s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++) {
		size_t k = 0;
		while (k < n &&
		       (s.p[i + k] == word[k] ||
			   (is_alnum(s.p[i + k]) && (s.p[i + k] | 0x20) == word[k])))
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static bool
is_placeholder(struct ctx_span s)
{
	static const char *const marks[] = {"redacted", "***", "xxxx", "...", "${", "{{",
	    "$(", "%s", "<", "example", "placeholder", "changeme", "change_me",
	    "change-me", "your_", "your-", "dummy", "\xe2\x80\xa2\xe2\x80\xa2"};
	static const char *const whole[] = {"pass", "password", "passwd", "pwd", "secret",
	    "token", "user", "null", "none"};

	if (s.n == 0 || s.p[0] == '$' || s.p[0] == '{' || s.p[0] == '[')
		return true;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (holds_word(s, marks[i]))
			return true;
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		if (s.n == strlen(whole[i]) && holds_word(s, whole[i]))
			return true;
	return false;
}

/* Returns whether the value is a SHA-1 or SHA-256 in hexadecimal, or a UUID. */
static bool
is_digest(struct ctx_span s)
{
	static const char *const shapes[] = {"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh",
	    "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh",
	    "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (s.n == strlen(shapes[i]) && ctx_span_begins_like(s, shapes[i]))
			return true;
	return false;
}

/* Returns whether the value consists of words and short numbers with separators, like a
 * name. */
static bool
is_name_like_value(struct ctx_span s)
{
	size_t letters = 0, digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] >= '0' && s.p[i] <= '9') {
			digits++;
		} else if (is_alnum(s.p[i])) {
			letters++;
		} else {
			letters = digits = 0;
			continue;
		}
		if ((letters > 0 && digits > 1) || digits > 4)
			return false;
		if (digits > 0 && i + 1 < s.n && is_alnum(s.p[i + 1]) &&
		    (s.p[i + 1] < '0' || s.p[i + 1] > '9'))
			return false;
	}
	return true;
}

static bool
has_both(struct ctx_span s)
{
	bool digit = false, letter = false;

	for (size_t i = 0; i < s.n; i++) {
		digit |= s.p[i] >= '0' && s.p[i] <= '9';
		letter |= (s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z';
	}
	return digit && letter;
}

/* Returns whether upper and lower case are mixed at random. Names made of words change
 * case less often, and rarely have several adjacent capitals as well. */
static bool
is_scrambled(struct ctx_span s)
{
	size_t changes = 0, capitals = 0;

	for (size_t i = 1; i < s.n; i++) {
		bool before = (s.p[i - 1] & 0x20) == 0, now = (s.p[i] & 0x20) == 0;
		if ((s.p[i] | 0x20) < 'a' || (s.p[i] | 0x20) > 'z')
			return false;
		changes += before != now;
		capitals += before && now;
	}
	return s.n >= 12 && capitals >= 2 && changes * 3 >= s.n;
}

bool
ctx_redact_value_ok(const struct rule *rule, struct ctx_span secret)
{
	if (rule->entropy > 0 && measure_entropy(secret) < rule->entropy)
		return false;
	if (rule->check == RULE_FORM)
		return true;
	if (is_placeholder(secret))
		return false;
	return rule->check == RULE_PLACEHOLDER ||
	       (has_both(secret) && !is_digest(secret) && !is_name_like_value(secret)) ||
	       is_scrambled(secret);
}

/* Returns whether the word (of letters, digits, '_' and '-') that ends at end has one of
 * these words at its end. */
static bool
ends_in_word(struct ctx_span text, size_t end, const char *const words[])
{
	size_t begin = end;

	while (begin > 0 && end - begin < 40 &&
	       (is_alnum(text.p[begin - 1]) || text.p[begin - 1] == '_' ||
		   text.p[begin - 1] == '-'))
		begin--;
	for (; *words != NULL; words++) {
		size_t n = strlen(*words);
		struct ctx_span tail = {text.p + end - n, n};
		if (n <= end - begin && holds_word(tail, *words))
			return true;
	}
	return false;
}

static bool
is_base64(char c)
{
	return is_alnum(c) || c == '+' || c == '/' || c == '=' || c == '_' || c == '-';
}

bool
ctx_redact_value_opaque(struct ctx_span text, size_t from, bool value)
{
	static const char *const data[] = {"signature", "encrypted_content",
	    "encryptedcontent", "reasoningopaque", "reasoning_opaque", "data", NULL};
	static const char *const digests[] = {"integrity", "checksum", "commit", "index",
	    "digest", "etag", "sha1", "sha256", "sha512", "tree", NULL};
	size_t begin = from, end = from, word;

	/* '=' ends base64; elsewhere it separates a name from its value */
	while (begin > 0 && from - begin < RUN_MAX && text.p[begin - 1] != '=' &&
	       is_base64(text.p[begin - 1]))
		begin--;
	while (end < text.n && end - from < BLOB && is_base64(text.p[end]))
		end++;
	if (begin >= 7 && memcmp(text.p + begin - 7, "base64,", 7) == 0)
		return true;
	if (begin < from && end - begin >= BLOB)
		return true;
	for (word = begin; word > 0 && strchr("\"'` \t:=", text.p[word - 1]) != NULL;)
		word--;
	if (begin < from && end - begin >= 60 && ends_in_word(text, word, data))
		return true;
	return (begin < from || value) && word < begin &&
	       ends_in_word(text, word, digests);
}

bool
ctx_redact_member_opaque(struct ctx_span key, struct ctx_span object)
{
	static const char *const keys[] = {"kind", "id", "session_id",
	    "parent_session_id", "request_id", "response_id", "message_id", "tool_use_id",
	    "tool_call_id", "call_id", "item_id", "uuid", "parent", "parentUuid",
	    "parentId", "sessionId", "sessionID", "messageID", "messageId", "toolCallId",
	    "callID", "itemId", "signature", "thoughtSignature", "thought_signature",
	    "thinkingSignature", "thinking_signature", "textSignature",
	    "encrypted_content", "encryptedContent", "reasoningOpaque",
	    "reasoning_opaque", "reasoningEncryptedContent", "sha256", "body_sha256",
	    "hash", "digest", "checksum", "integrity", "etag", "created_at", NULL};
	struct ctx_span type;

	if (ctx_json_is_any(key, keys))
		return true;
	if (!ctx_json_is(key, "data"))
		return false;
	type = ctx_json_get(object, "type");
	return ctx_json_is(type, "redacted_thinking") || ctx_json_is(type, "base64") ||
	       ctx_json_get(object, "media_type").p != NULL ||
	       ctx_json_get(object, "mimeType").p != NULL ||
	       ctx_json_get(object, "mime_type").p != NULL;
}
