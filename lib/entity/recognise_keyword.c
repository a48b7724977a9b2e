/* Entities that only a keyword before them identifies: VLANs (IEEE 802.1Q), VRFs, AS
 * numbers (RFC 5396, 6793), racks, sites and configured host names. */
#include <string.h>
#include <strings.h>

#include "entity/recogniser.h"

#define NAME_MAX_LEN 64

/* Skips what may be between a keyword and its value: blanks and one of these marks. */
static size_t
skip_joint(struct ctx_span text, size_t at, const char *marks)
{
	bool mark = false;

	for (int i = 0; i < 4; i++, at++) {
		char c = byte_at(text, at);
		if (c == ' ' || c == '\t')
			continue;
		if (c == '\0' || mark || strchr(marks, c) == NULL)
			break;
		mark = true;
	}
	return at;
}

static bool
ends_value(struct ctx_span text, size_t end)
{
	return !goes_on(text, end, CHAR_WORD | CHAR_SLASH | CHAR_OTHER | CHAR_AT,
		   CHAR_DOT | CHAR_COLON, CHAR_WORD) &&
	       !goes_on(text, end, 0, CHAR_DASH, CHAR_ALPHA);
}

static bool
recognise_vlan(struct ctx_span text, size_t at, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t end, value = skip_joint(text, at, "-_:=#");
	uint32_t v;

	end = ctx_recognise_word(text, value, false, word);
	if (ctx_recognise_in(word, "id ids number tag vid access"))
		value = skip_joint(text, end, "-_:=#");
	end = ctx_recognise_number(text, value, 4, true, &v);
	if (end == value || v < 1 || v > 4094 || !ends_value(text, end))
		return false;
	ctx_buf_addi(hit->name, v);
	return set_hit(hit, "vlan", end);
}

static bool
recognise_asn(struct ctx_span text, size_t at, bool sure, bool upper, struct ctx_hit *hit)
{
	size_t value = skip_joint(text, at, sure ? ":=#" : ""), end, low_end;
	uint32_t v, low;
	bool joined = value == at;

	end = ctx_recognise_number(text, value, 10, false, &v);
	if (end == value || v == 0 || (sure && joined && end - value < 2)) /* ASN1 */
		return false;
	if (byte_at(text, end) == '.' && class_at(text, end + 1) & CHAR_DIGIT) {
		low_end = ctx_recognise_number(text, end + 1, 5, false, &low);
		if (low_end == end + 1 || low > 65535 || v > 65535 || (!sure && !upper))
			return false;
		v = v << 16 | low;
		end = low_end;
	} else if (!sure && (upper ? end - value < 2 : !joined || end - value < 4)) {
		return false; /* "as 65001 of them", as1 */
	}
	if (!ends_value(text, end))
		return false;
	ctx_buf_addf(hit->name, "AS%lu", (unsigned long)v);
	return set_hit(hit, "asn", end);
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

static bool
recognise_vrf(struct ctx_span text, size_t at, bool sure, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t value = skip_joint(text, at, ":=\"'`"), end;
	unsigned all;

	end = ctx_recognise_word(text, value, false, word);
	if (ctx_recognise_in(
		word, "definition forwarding member instance context name named") &&
	    (byte_at(text, end) == ' ' || byte_at(text, end) == ':')) {
		sure = sure || !ctx_recognise_in(word, "named name instance context");
		value = skip_joint(text, end, ":=\"'`");
	}
	end = find_keyword_name_end(text, value, ":");
	if (end == value || value == at || class_at(text, end) & (CHAR_AT | CHAR_SLASH))
		return false;
	if (ctx_recognise_word(text, value, false, word) == end &&
	    ctx_recognise_in(word, vrf_no_names))
		return false;
	all = classes_of(text, value, end);
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
		ctx_recognise_word(text, value, false, word);
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

static bool
recognise_place(struct ctx_span text, size_t at, const char *type, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t value = skip_joint(text, at, ":=#-\"'"), end;

	end = ctx_recognise_word(text, value, false, word);
	if (ctx_recognise_in(word, "id name code number no"))
		value = skip_joint(text, end, ":=#.\"'");
	return place_value(text, at, value, type, hit);
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
		return recognise_vrf(text, at - 1, false, hit);
	return place_value(text, at - 1, at, type, hit);
}

/* Recognizes site: Berlin and site "New York": words that need a mark to differ from
 * prose. The first letter is a capital. Without quotes it is a single word at the end of
 * the line or clause. */
static bool
named_place(struct ctx_span text, size_t at, const char *type, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t value = skip_joint(text, at, ":="), end;
	bool quoted = byte_at(text, value) == '"';
	bool marked = memchr(text.p + at, ':', value - at) != NULL ||
		      memchr(text.p + at, '=', value - at) != NULL;

	value += quoted;
	if (value == at || (!quoted && !marked) || !(class_at(text, value) & CHAR_UPPER))
		return false;
	for (end = value; end - value <= NAME_MAX_LEN &&
			  (class_at(text, end) & (CHAR_ALPHA | CHAR_HIGH | CHAR_DASH) ||
			      (quoted && byte_at(text, end) == ' '));)
		end++;
	if (end - value < 3 || end - value > NAME_MAX_LEN ||
	    (quoted ? byte_at(text, end) != '"'
		    : end < text.n && strchr(",;)\n\r", text.p[end]) == NULL &&
			  !(text.p[end] == '.' &&
			      !(class_at(text, end + 1) & CHAR_WORD))))
		return false;
	if (ctx_recognise_word(text, value, false, word) == end && names_no_place(word))
		return false;
	return set_written_hit(hit, type, text, value, end);
}

static bool
recognise_hostname(struct ctx_span text, size_t at, struct ctx_hit *hit)
{
	size_t value = skip_joint(text, at, ":=\"'"),
	       end = find_keyword_name_end(text, value, ".");
	unsigned all = classes_of(text, value, end);

	if (value == at || end - value < 2 || !(class_at(text, value) & CHAR_ALNUM) ||
	    all & (CHAR_LINE | CHAR_HIGH) || !(all & CHAR_ALPHA) ||
	    !(all & (CHAR_DIGIT | CHAR_DASH)) || byte_at(text, end) == '(')
		return false;
	return set_written_hit(hit, "host", text, value, end);
}

bool
ctx_recognise_keyword(
    struct ctx_span text, size_t at, size_t run_end CTX_UNUSED, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t end = ctx_recognise_word(text, at, false, word);
	unsigned b = class_before(text, at);
	bool upper = class_at(text, at) & CHAR_UPPER &&
		     class_at(text, at + 1) & CHAR_UPPER;

	if (b & (CHAR_OTHER | CHAR_DOT | CHAR_AT | CHAR_SLASH))
		return false;
	if (strcmp(word, "as") == 0) {
		if (b & CHAR_DASH)
			return ctx_recognise_after(text, at - 1, "remote local peer") &&
			       recognise_asn(text, end, true, upper, hit);
		return recognise_asn(text, end, false, upper, hit);
	}
	if (b & CHAR_DASH) /* Junos: routing-instances NAME */
		return ctx_recognise_after(text, at - 1, "routing") &&
		       ctx_recognise_in(word, "instance instances") &&
		       recognise_vrf(text, end, true, hit);
	if (strcmp(word, "asn") == 0)
		return recognise_asn(text, end, true, upper, hit);
	if (ctx_recognise_in(word, "system bgp"))
		return ctx_recognise_after(text, at, "autonomous router") &&
		       recognise_asn(text, end, true, upper, hit);
	if (ctx_recognise_in(word, "vlan vlans dot"))
		return recognise_vlan(text,
		    word[0] == 'd' && byte_at(text, end) == '1' &&
			    (byte_at(text, end + 1) | 32) == 'q'
			? end + 2
		    : word[0] == 'd' ? text.n
				     : end,
		    hit);
	if (ctx_recognise_in(word, "vrf vrfs"))
		return recognise_vrf(text, end, false, hit);
	if (ctx_recognise_in(word, "rack racks"))
		return recognise_place(text, end, "rack", hit);
	if (strcmp(word, "sites") == 0)
		return recognise_place(text, end, "site", hit);
	if (ctx_recognise_in(word, "site datacenter datacentre"))
		return recognise_place(text, end, "site", hit) ||
		       named_place(text, end, "site", hit);
	if (strcmp(word, "hostname") == 0)
		return recognise_hostname(text, end, hit);
	return false;
}
