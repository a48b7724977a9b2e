/* IP addresses and prefixes (RFC 791, 4291, 4632, 5952) and MAC addresses (EUI-48). */
#include <arpa/inet.h>
#include <string.h>

#include "entity/recogniser.h"

/* Words after which a number is not an address. */
static const char version_words[] =
    "v ver version versions release releases rel build rev revision firmware "
    "section sections chapter figure fig table appendix clause paragraph rule step "
    "item oid package pkg msie image kernel tag";

static size_t
parse_quad(struct ctx_span text, size_t at, unsigned char out[4])
{
	uint32_t v;
	size_t end;

	for (int i = 0; i < 4; i++) {
		end = ctx_recognise_number(text, at, 3, false, &v);
		if (end == at || v > 255 || (i < 3 && byte_at(text, end) != '.'))
			return 0;
		out[i] = (unsigned char)v;
		at = end + 1;
	}
	return end;
}

static bool
is_compared(struct ctx_span text, size_t at)
{
	char c = at > 0 ? text.p[at - 1] : ' ', b = at > 1 ? text.p[at - 2] : ' ';

	return c == '^' || c == '~' || (c == '=' && strchr("=<>!~", b) != NULL);
}

/* True if the quad is part of something longer that starts before it. */
static bool
quad_joined_before(struct ctx_span text, size_t at)
{
	unsigned b = class_before(text, at);

	if (b & (CHAR_DOT | CHAR_OTHER | CHAR_SLASH))
		return true;
	/* Both ends of a range a-b are recognized. */
	return b & CHAR_DASH && !(at > 1 && class_before(text, at - 1) & CHAR_DIGIT);
}

static bool
quad_joined_after(struct ctx_span text, size_t end)
{
	unsigned char other[4];

	return goes_on(
		   text, end, CHAR_WORD | CHAR_OTHER, CHAR_DOT, CHAR_WORD | CHAR_DOT) ||
	       (goes_on(text, end, 0, CHAR_DASH, CHAR_WORD) &&
		   parse_quad(text, end + 1, other) == 0);
}

/* Returns the end of the prefix length after an address that ends at end, or end if there
 * is none. */
static size_t
prefix_length(struct ctx_span text, size_t end, uint32_t max, uint32_t *len)
{
	size_t e;

	if (byte_at(text, end) != '/')
		return end;
	e = ctx_recognise_number(text, end + 1, 3, false, len);
	return e == end + 1 || *len > max ||
		       goes_on(text, e, CHAR_WORD | CHAR_SLASH, CHAR_DOT, CHAR_WORD)
		   ? end
		   : e;
}

static bool
has_host_bits(const unsigned char *a, unsigned bits, unsigned len)
{
	for (unsigned i = len; i < bits; i++) {
		if (a[i / 8] >> (7 - i % 8) & 1)
			return true;
	}
	return false;
}

static void
finish_address_hit(struct ctx_hit *hit, const unsigned char *a, bool v6, size_t end,
    size_t with_length, uint32_t len)
{
	char text[INET6_ADDRSTRLEN];
	unsigned bits = v6 ? 128 : 32;

	ctx_buf_adds(
	    hit->name, inet_ntop(v6 ? AF_INET6 : AF_INET, a, text, sizeof(text)));
	hit->end = with_length;
	hit->type = "ip_address";
	if (with_length > end && len < bits && !has_host_bits(a, bits, len)) {
		hit->type = "prefix";
		ctx_buf_addf(hit->name, "/%u", (unsigned)len);
	}
}

/* Words after which a number is an address. */
static const char address_words[] =
    "ip ips ipv address addresses addr host server ping traceroute from via "
    "gateway gw dns nameserver resolver neighbor neighbour peer router inet ssh "
    "hop nexthop loopback destination source dst src route remote listen bind "
    "proxy id target";

/* 1.4.0.26 and 11.3.3.5 are more often versions and clauses than hosts: if all numbers
 * are low, something must indicate an address. Exceptions are private 10.0.0.0/8 and
 * addresses that are easy to remember: 8.8.4.4, 9.9.9.10, 1.0.0.1, 2.2.2.2. */
static bool
looks_like_version(struct ctx_span text, size_t at, size_t end, const unsigned char a[4])
{
	char next = byte_at(text, end);

	if (a[0] == 10 || a[0] >= 30 || a[0] == 0 || a[1] >= 100 || a[2] >= 100 ||
	    a[3] >= 100)
		return false;
	if ((a[0] == a[1] && (a[1] == a[2] || a[2] == a[3])) || (a[1] == 0 && a[2] == 0))
		return false;
	if ((next == '/' || next == ':') && class_at(text, end + 1) & CHAR_DIGIT)
		return false;
	return !(class_before(text, at) & CHAR_AT) &&
	       !ctx_recognise_after(text, at, address_words);
}

bool
ctx_recognise_ipv4(
    struct ctx_span text, size_t at, size_t run_end CTX_UNUSED, struct ctx_hit *hit)
{
	unsigned char a[4];
	uint32_t len = 0;
	size_t end = parse_quad(text, at, a), with_length;

	if (end == 0 || quad_joined_before(text, at) || quad_joined_after(text, end))
		return false;
	/* Masks, wildcard masks, and versions such as 0.1.2.3. */
	if (a[0] == 255 || (a[0] == 0 && (a[1] | a[2] | a[3]) != 0))
		return false;
	if (is_compared(text, at) || ctx_recognise_after(text, at, version_words) ||
	    looks_like_version(text, at, end, a))
		return false;
	with_length = prefix_length(text, end, 32, &len);
	if (a[0] == 0 && with_length == end) /* 0.0.0.0: any address */
		return false;
	finish_address_hit(hit, a, false, end, with_length, len);
	return true;
}

/* Text in the form of IPv6 may also be a time, code or a world-wide name; decides by its
 * shape. */
static bool
plausible_v6(const char *s, size_t n, bool has_prefix)
{
	size_t groups = 0, longest = 0, shortest = 9, first = 0, len = 0;
	bool digit = false, gap = strstr(s, "::") != NULL;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && s[i] != ':') {
			digit = digit || ctx_is_digit(s[i]);
			len++;
			continue;
		}
		if (len > 0) {
			first = groups == 0 ? len : first;
			groups++;
			longest = len > longest ? len : longest;
			shortest = len < shortest ? len : shortest;
		}
		len = 0;
	}
	if (groups == 0)
		return has_prefix;
	if (!digit)
		return false;
	if (!gap)
		return longest > 2;
	if (s[0] == ':')
		return groups > 1 || strcmp(s, "::1") == 0 || strchr(s, '.') != NULL;
	return groups > 2 || first == 4;
}

static size_t
zone_end(struct ctx_span text, size_t end)
{
	size_t e = end + 1;

	if (byte_at(text, end) != '%' || !(class_at(text, e) & CHAR_ALNUM))
		return end;
	while (e - end <= 16 && class_at(text, e) & (CHAR_ALNUM | CHAR_DOT | CHAR_DASH))
		e++;
	while (class_before(text, e) & (CHAR_DOT | CHAR_DASH))
		e--;
	return e;
}

/* True for x[::1], which is a slice in code; [::1] alone is an address. */
static bool
is_slice(struct ctx_span text, size_t at)
{
	return at > 1 && text.p[at - 1] == '[' &&
	       (class_before(text, at - 1) & CHAR_WORD || text.p[at - 2] == ']' ||
		   text.p[at - 2] == ')');
}

bool
ctx_recognise_ipv6(struct ctx_span text, size_t at, size_t run_end, struct ctx_hit *hit)
{
	char s[INET6_ADDRSTRLEN + 1];
	unsigned char a[16];
	unsigned colons = 0;
	size_t n = 0, end;
	uint32_t len = 0;

	while (n < sizeof(s) - 1 && at + n < run_end &&
	       class_at(text, at + n) & (CHAR_HEX | CHAR_COLON | CHAR_DOT)) {
		s[n] = text.p[at + n];
		colons += s[n++] == ':';
	}
	while (
	    n > 0 && (s[n - 1] == '.' || (s[n - 1] == ':' && n > 1 && s[n - 2] != ':')))
		n--;
	s[n] = '\0';
	if (n < 2 || colons < 2 ||
	    class_before(text, at) &
		(CHAR_COLON | CHAR_DOT | CHAR_SLASH | CHAR_DASH | CHAR_OTHER))
		return false;
	if (inet_pton(AF_INET6, s, a) != 1)
		return false;
	end = zone_end(text, at + n);
	if (goes_on(text, end, CHAR_WORD | CHAR_DASH, CHAR_COLON, CHAR_WORD) ||
	    is_slice(text, at))
		return false;
	n = prefix_length(text, end, 128, &len);
	if (!plausible_v6(s, strlen(s), n > end))
		return false;
	finish_address_hit(hit, a, true, end, n, len);
	return true;
}

bool
ctx_recognise_mac(
    struct ctx_span text, size_t at, size_t run_end CTX_UNUSED, struct ctx_hit *hit)
{
	static const char *const shapes[] = {
	    "hh:hh:hh:hh:hh:hh", "hh-hh-hh-hh-hh-hh", "hhhh.hhhh.hhhh"};
	size_t end = at, digits = 0;
	bool letter = false, filled = true;

	for (size_t i = 0; end == at && i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (ctx_span_begins_like(rest_at(text, at), shapes[i]))
			end += strlen(shapes[i]);
	if (end == at || class_before(text, at) & (CHAR_COLON | CHAR_DASH | CHAR_DOT))
		return false;
	if (goes_on(text, end, CHAR_WORD, CHAR_COLON | CHAR_DASH | CHAR_DOT, CHAR_WORD))
		return false;
	for (size_t i = at; i < end; i++) {
		if (!(class_at(text, i) & CHAR_HEX))
			continue;
		letter = letter || class_at(text, i) & CHAR_ALPHA;
		filled = filled && strchr("0fF", text.p[i]) != NULL &&
			 text.p[i] == text.p[at];
		if (digits > 0 && digits % 2 == 0)
			ctx_buf_addc(hit->name, ':');
		ctx_recognise_lower(text, i, i + 1, hit->name);
		digits++;
	}
	if (filled) /* all zeros or broadcast */
		return false;
	/* Digits alone are more often a date or a number, except 00:… of old vendors. */
	if (!letter && text.p[at + 2] != ':' && memcmp(text.p + at, "00", 2) != 0)
		return false;
	return set_hit(hit, "mac_address", end);
}
