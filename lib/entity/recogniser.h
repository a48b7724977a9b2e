/* Private to the recognizers of entities. Each source file of the recognizers recognizes
 * some kinds of entities. */
#ifndef CTX_ENTITY_RECOGNISER_H
#define CTX_ENTITY_RECOGNISER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Classes of bytes. A run is a sequence of bytes that each have a class; bytes without a
 * class separate runs. Characters beyond ASCII up to U+1FFF, except the symbols of
 * Latin-1, count as letters. Characters from U+2000 on (quotation marks, dashes, Han
 * characters and others) have no class, because they can adjoin a name without a
 * space. */
enum {
	CHAR_DIGIT = 1,
	CHAR_LOWER = 2,
	CHAR_UPPER = 4,
	CHAR_HEX = 8,
	CHAR_DOT = 16,
	CHAR_COLON = 32,
	CHAR_SLASH = 64,
	CHAR_AT = 128,
	CHAR_DASH = 256,
	CHAR_LINE = 512,   /* _ */
	CHAR_OTHER = 1024, /* + % ~ */
	/* first byte of a letter beyond ASCII, or a continuation byte of UTF-8 */
	CHAR_HIGH = 2048,
	CHAR_ALPHA = CHAR_LOWER | CHAR_UPPER,
	CHAR_ALNUM = CHAR_ALPHA | CHAR_DIGIT,
	CHAR_WORD = CHAR_ALNUM | CHAR_LINE | CHAR_HIGH,
};

extern const uint16_t ctx_recognise_class[256];

/* maximum length in bytes of the word before a possible entity; a longer word is not
 * examined */
#define RECOGNISE_WORD_MAX 24

/* An entity that a recognizer found. */
struct ctx_hit {
	const char *type;
	/* byte offset in the text at which the entity ends; the caller knows where the
	 * entity starts */
	size_t end;
	struct ctx_buf *name; /* normalized name */
};

/* Sets all members of *hit except "name". Returns true. */
static inline bool
set_hit(struct ctx_hit *hit, const char *type, size_t end)
{
	hit->type = type;
	hit->end = end;
	return true;
}

/* Fills in *hit for an entity whose normalized name is the bytes text[at, end),
 * unchanged. Returns true. */
static inline bool
set_written_hit(
    struct ctx_hit *hit, const char *type, struct ctx_span text, size_t at, size_t end)
{
	ctx_buf_add(hit->name, text.p + at, end - at);
	return set_hit(hit, type, end);
}

/* A function that recognizes one kind of entity at offset "at" of the text. The caller
 * has found that a word or a path starts at this offset, in a run of bytes that ends
 * before offset "end". If such an entity starts there, fills in *hit and returns true;
 * otherwise returns false. hit->name must be empty before the call. */
typedef bool ctx_recognise_fn(
    struct ctx_span text, size_t at, size_t end, struct ctx_hit *hit);

ctx_recognise_fn ctx_recognise_host, ctx_recognise_url, ctx_recognise_email;
ctx_recognise_fn ctx_recognise_path;

/* Decides whether a match of a form is an entity, and writes the entity's normalized name
 * to hit->name. group: offsets in the text, as in the ovector of PCRE2: the start and the
 * end of the match, then the start and the end of the first group, and so on; SIZE_MAX
 * for a group that did not take part in the match. The caller has set hit->type to the
 * form's type and hit->end to the end of the match; the function may change both. */
typedef bool ctx_finish_fn(
    struct ctx_span text, const size_t *group, struct ctx_hit *hit);

ctx_finish_fn ctx_finish_ipv4, ctx_finish_ipv6, ctx_finish_mac, ctx_finish_lower;
ctx_finish_fn ctx_finish_commit, ctx_finish_interface, ctx_finish_vlan, ctx_finish_asn;
ctx_finish_fn ctx_finish_vrf, ctx_finish_place, ctx_finish_named_place;

/* A form of entities, described by a regular expression. */
struct ctx_form {
	const char *type;
	/* Classes of bytes: the form is tried only in a run that contains one of these
	 * classes; 0: the form is tried in every run. A space and a digit after the run
	 * count as CHAR_DIGIT. */
	unsigned run;
	const char *pattern; /* PCRE2, matched against bytes */
	/* A match that follows one of these words is not an entity. The words are
	 * separated by single spaces; NULL: none. */
	const char *not_after;
	/* NULL: every match is an entity, and its name is the text of the first group. */
	ctx_finish_fn *finish;
};

#define CTX_FORMS_MAX 32

/* The table of forms. It has at most CTX_FORMS_MAX rows. */
extern const struct ctx_form ctx_forms[];
extern const size_t ctx_n_forms;

/* Recognizes the next name in a list such as "racks R1 and R2", at byte offset "at" of
 * the text. type: the type of the listed entities: rack, site or vrf. If there is a name,
 * fills in *hit and returns true; otherwise returns false. */
bool ctx_recognise_listed(
    struct ctx_span text, size_t at, const char *type, struct ctx_hit *hit);

static inline unsigned
class_at(struct ctx_span text, size_t i)
{
	return i < text.n ? ctx_recognise_class[(unsigned char)text.p[i]] : 0;
}

/* Returns true if the byte at offset i has a class in the set "any", or if it has a
 * class in the set "joint" and the next byte has a class in the set "then". */
static inline bool
goes_on(struct ctx_span text, size_t i, unsigned any, unsigned joint, unsigned then)
{
	unsigned c = class_at(text, i);

	return c & any || (c & joint && class_at(text, i + 1) & then);
}

/* Returns the union of the classes of the bytes text[at, end). */
static inline unsigned
classes_of(struct ctx_span text, size_t at, size_t end)
{
	unsigned all = 0;

	for (; at < end; at++)
		all |= class_at(text, at);
	return all;
}

/* Returns the byte at offset i, or NUL past the end. */
static inline char
byte_at(struct ctx_span text, size_t i)
{
	return i < text.n ? text.p[i] : '\0';
}

/* Returns the text from offset i on. */
static inline struct ctx_span
rest_at(struct ctx_span text, size_t i)
{
	return (struct ctx_span){text.p + i, text.n - i};
}

/* Returns the class of the character that ends before offset i, or 0 if i is 0. */
static inline unsigned
class_before(struct ctx_span text, size_t i)
{
	size_t low = i > 4 ? i - 4 : 0;

	if (i == 0)
		return 0;
	for (i--; i > low && ((unsigned char)text.p[i] & 0xc0) == 0x80;)
		i--;
	return ctx_recognise_class[(unsigned char)text.p[i]];
}

/* Reads into *v the decimal number that starts at offset "at" and has at most max_digits
 * digits. zeros: whether leading zeros are accepted. Returns the offset after the digits,
 * or the argument "at" if there is no such number. */
size_t ctx_recognise_number(
    struct ctx_span text, size_t at, unsigned max_digits, bool zeros, uint32_t *v);

/* Reads the word (ASCII letters) that ends before offset "at". White space and at most
 * one of the characters : = # ( " ' ` [ may follow the word and are skipped. Stores the
 * word in lower case in out, terminated by NUL; out is "" if there is no word or the
 * word is too long. Returns the offset where the word begins, or where it would end if
 * out is "". */
size_t ctx_recognise_word_before(
    struct ctx_span text, size_t at, char out[RECOGNISE_WORD_MAX + 1]);

/* Returns true if the word that ends before offset "at" is in the list. The words of the
 * list are separated by single spaces. */
bool ctx_recognise_after(struct ctx_span text, size_t at, const char *list);

/* Reads the word (ASCII letters) that starts at offset "at". Stores the word in lower
 * case in out, terminated by NUL. Returns the offset after the word. If the word is too
 * long, out is "", and the offset is in the middle of the word. */
size_t ctx_recognise_word(
    struct ctx_span text, size_t at, char out[RECOGNISE_WORD_MAX + 1]);

/* Returns true if the word is in the list. The words of the list are separated by single
 * spaces. */
bool ctx_recognise_in(const char *word, const char *list);

/* Appends text[at, end) with ASCII letters converted to lower case. */
void ctx_recognise_lower(
    struct ctx_span text, size_t at, size_t end, struct ctx_buf *out);

/* Returns the offset after the domain name that starts at offset "at", or the argument
 * "at" if no domain name starts there. The name must be under a well-known or private
 * top-level domain. weak: whether top-level domains that are also words or file name
 * extensions are accepted. Sets *labels to the number of labels of the domain name. */
size_t ctx_recognise_domain(struct ctx_span text, size_t at, bool weak, unsigned *labels);

#endif
