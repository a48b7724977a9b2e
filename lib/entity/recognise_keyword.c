/* Entities that only a keyword before them identifies: VRFs, racks and sites. */
#include <string.h>
#include <strings.h>

#include "entity/recogniser.h"

#define NAME_MAX_LEN 64

static bool
ends_value(struct ctx_span text, size_t end)
{
	return !goes_on(text, end, CHAR_WORD | CHAR_SLASH | CHAR_OTHER | CHAR_AT,
		   CHAR_DOT | CHAR_COLON, CHAR_WORD) &&
	       !goes_on(text, end, 0, CHAR_DASH, CHAR_ALPHA);
}

/* Returns the end of a name that consists of letters, digits, '-', '_' and characters in
 * extra. */
static size_t
find_keyword_name_end(struct ctx_span text, size_t at, const char *extra)
{
	size_t end = at;

	while (end - at <= NAME_MAX_LEN && end < text.n &&
	       (class_at(text, end) & (CHAR_WORD | CHAR_DASH) ||
		   strchr(extra, text.p[end]) != NULL))
		end++;
	if (end - at > NAME_MAX_LEN)
		return at;
	while (end > at && !(class_before(text, end) & CHAR_WORD))
		end--;
	return end;
}

/* Technical terms and common words that follow "VRF" but are not its name. */
static const char vrf_no_names[] =
    "a all an and any are as aware based bgp but by can config configuration "
    "context dns evpn export for forwarding from has id if import in instance "
    "instances interface ip is isolation it l3vpn leak leaking lite member mpls "
    "name named names not of on or ospf per rd route router routes routing rt "
    "separation table tables target that the there this to tunnel used using vlan "
    "vpn vpnv4 was when where which will with you";

/* Words that follow "VRF" in titles. */
static const char vrf_titles[] =
    "address addressing basics best cisco common creation design details example "
    "examples guide has how implementation introduction juniper list management "
    "migration notes overview policy setup should status summary support switching "
    "traffic troubleshooting understanding virtual what why";

/* True for a capital followed by lower-case letters, if no other capitalized word
 * follows. */
static bool
is_capitalised_keyword(struct ctx_span text, size_t at, size_t end)
{
	return class_at(text, at) & CHAR_UPPER &&
	       !(classes_of(text, at + 1, end) & ~(unsigned)(CHAR_LOWER | CHAR_HEX)) &&
	       !(byte_at(text, end) == ' ' && class_at(text, end + 1) & CHAR_UPPER);
}

/* sure: the words before the name can precede only the name of a VRF. */
static bool
recognise_vrf(struct ctx_span text, size_t value, bool sure, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t end = find_keyword_name_end(text, value, ":");
	unsigned all = classes_of(text, value, end);

	if (end == value || class_at(text, end) & (CHAR_AT | CHAR_SLASH))
		return false;
	if (ctx_recognise_word(text, value, word) == end &&
	    ctx_recognise_in(word, vrf_no_names))
		return false;
	/* A name must not look like an ordinary word: it has digits, '-' or only
	 * capitals. */
	if (!sure && !(all & (CHAR_DIGIT | CHAR_DASH | CHAR_LINE)) &&
	    (all & CHAR_LOWER || end - value < 2) &&
	    !(is_capitalised_keyword(text, value, end) &&
		!ctx_recognise_in(word, vrf_titles) && end - value > 2) &&
	    !ctx_recognise_in(
		word, "default global mgmt management red blue green internet"))
		return false;
	return set_written_hit(hit, "vrf", text, value, end);
}

/* Groups: the word between the keyword and the name, and an empty group before the
 * name. */
bool
ctx_finish_vrf(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1] = "";

	if (group[2] != SIZE_MAX)
		ctx_recognise_word(text, group[2], word);
	return recognise_vrf(text, group[4],
	    class_before(text, group[0]) & CHAR_DASH || /* routing-instances */
		ctx_recognise_in(word, "definition forwarding member"),
	    hit);
}

static const char place_no_names[] =
    "api asap cms cpu css dns faq gdpr html http https id ids ip json led map nat "
    "ok pdf pdu rest seo sla ssl todo tls tv ui uk ups url us usa ux vip vlan vpn "
    "xml xss and or the is not to of in on at a";
/* Words after "site:" that are not a name: there is no site, or a sentence continues. */
static const char no_value[] =
    "all any both default either else false finally first here however instead "
    "later missing neither never nil no nobody none nothing now null offline "
    "online other others pending please private public same see sorry tba tbd then "
    "there true undefined unknown unset unspecified various yes yet";

static bool
names_no_place(const char *word)
{
	return ctx_recognise_in(word, place_no_names) || ctx_recognise_in(word, no_value);
}

/* Recognizes rack A12, site DC1: an identifier with a digit, in capitals, or one capital
 * letter. at is the end of the keyword, value the start of the identifier. */
static bool
place_value(
    struct ctx_span text, size_t at, size_t value, const char *type, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];
	bool rack = strcmp(type, "rack") == 0, split;
	unsigned all;
	size_t end = find_keyword_name_end(text, value, "");

	if (end == value || end - value > 24 || !ends_value(text, end) ||
	    !(class_at(text, value) & CHAR_ALNUM))
		return false;
	all = classes_of(text, value, end);
	if (all & CHAR_HIGH || (class_at(text, value) & CHAR_DIGIT && all & CHAR_LOWER))
		return false;
	/* 42U is a height; "site 404" is a web error. */
	if ((byte_at(text, end - 1) | 32) == 'u' && !(all & CHAR_LOWER) &&
	    class_at(text, value) & CHAR_DIGIT)
		return false;
	/* DM-Akron: capitals, a dash and a name. */
	split = class_at(text, value) & class_at(text, value + 1) & CHAR_UPPER &&
		all & CHAR_DASH && class_before(text, end) & CHAR_ALNUM;
	if (!(all & CHAR_DIGIT) && !split &&
	    (all & CHAR_LOWER || end - value > (rack ? 2u : 8u)))
		return false;
	if (!rack && value == at && !(all & CHAR_ALPHA))
		return false;
	if (!(all & (CHAR_DIGIT | CHAR_DASH))) {
		ctx_recognise_word(text, value, word);
		if (end - value > 1 && names_no_place(word))
			return false;
		/* "SITE MAP OF …": in text in capitals, capitals mean nothing. */
		if (end - value > 1 && class_before(text, at) & CHAR_UPPER)
			return false;
	}
	if (end - value == 1 && text.p[value] == 'I')
		return false;
	return set_written_hit(hit, type, text, value, end);
}

/* Groups: the keyword, and an empty group before the identifier. */
bool
ctx_finish_place(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	return place_value(text, group[3], group[4], hit->type, hit);
}

/* True for names that state their own kind: AS65001, VLAN120. */
static bool
names_own_kind(struct ctx_span text, size_t at, size_t end)
{
	static const char *const kinds[] = {"AS", "ASN", "VLAN"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i]);
		if (end - at > n && strncasecmp(text.p + at, kinds[i], n) == 0 &&
		    !(classes_of(text, at + n, end) & ~(unsigned)(CHAR_DIGIT | CHAR_HEX)))
			return true;
	}
	return false;
}

bool
ctx_recognise_listed(
    struct ctx_span text, size_t at, const char *type, struct ctx_hit *hit)
{
	size_t end = find_keyword_name_end(text, at, "");
	unsigned all = classes_of(text, at, end);

	/* Since other words may follow, only an identifier with a digit continues the
	 * list. */
	if (end == at || !(all & CHAR_DIGIT) || !(all & CHAR_UPPER) ||
	    names_own_kind(text, at, end))
		return false;
	if (strcmp(type, "vrf") == 0)
		return recognise_vrf(text, at, false, hit);
	return place_value(text, at - 1, at, type, hit);
}

bool
ctx_finish_named_place(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];

	if (ctx_recognise_word(text, group[2], word) == group[3] && names_no_place(word))
		return false;
	return set_written_hit(hit, hit->type, text, group[2], group[3]);
}
