/* IP addresses and prefixes (RFC 791, 4291, 4632, 5952), MAC addresses (EUI-48), and AS
 * numbers (RFC 5396, 6793). */
#include <arpa/inet.h>
#include <string.h>

#include "entity/recogniser.h"

static bool
has_host_bits(const unsigned char *a, unsigned bits, unsigned len)
{
	for (unsigned i = len; i < bits; i++) {
		if (a[i / 8] >> (7 - i % 8) & 1)
			return true;
	}
	return false;
}

/* Writes the name of an address. If it has the length of a prefix (group 2) and no bits
 * after this length are set, it is a prefix. */
static bool
finish_address(struct ctx_span text, const size_t *group, const unsigned char *a,
    int family, struct ctx_hit *hit)
{
	char name[INET6_ADDRSTRLEN];
	unsigned bits = family == AF_INET6 ? 128 : 32;
	uint32_t len;

	ctx_buf_adds(hit->name, inet_ntop(family, a, name, sizeof(name)));
	if (group[4] == SIZE_MAX)
		return true;
	ctx_recognise_number(text, group[4], 3, false, &len);
	if (len < bits && !has_host_bits(a, bits, len)) {
		hit->type = "prefix";
		ctx_buf_addf(hit->name, "/%u", (unsigned)len);
	}
	return true;
}

/* Parses the address in the first group. */
static bool
parse_address(struct ctx_span text, const size_t *group, int family, unsigned char *out)
{
	char s[INET6_ADDRSTRLEN + 1] = "";
	size_t n = group[3] - group[2];

	if (n >= sizeof(s))
		return false;
	memcpy(s, text.p + group[2], n);
	return inet_pton(family, s, out) == 1;
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
ctx_finish_ipv4(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	unsigned char a[4];

	/* 0.0.0.0 is an address only as a prefix. Masks, wildcard masks and versions such
	 * as 0.1.2.3 are not addresses. */
	return parse_address(text, group, AF_INET, a) && a[0] != 255 &&
	       (a[0] != 0 || ((a[1] | a[2] | a[3]) == 0 && group[4] != SIZE_MAX)) &&
	       !looks_like_version(text, group[0], group[3], a) &&
	       finish_address(text, group, a, AF_INET, hit);
}

bool
ctx_finish_ipv6(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	unsigned char a[16];
	bool any = group[3] - group[2] == 2; /* "::", an address only as a prefix */

	return (!any || group[4] != SIZE_MAX) &&
	       parse_address(text, group, AF_INET6, a) &&
	       finish_address(text, group, a, AF_INET6, hit);
}

bool
ctx_finish_mac(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	size_t digits = 0;

	for (size_t i = group[0]; i < group[1]; i++) {
		if (!(class_at(text, i) & CHAR_HEX))
			continue;
		if (digits > 0 && digits % 2 == 0)
			ctx_buf_addc(hit->name, ':');
		ctx_recognise_lower(text, i, i + 1, hit->name);
		digits++;
	}
	return true;
}

bool
ctx_finish_asn(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	uint32_t v, low = 0;
	bool dotted = group[4] != SIZE_MAX;

	if (ctx_recognise_number(text, group[2], 10, false, &v) == group[2] ||
	    (dotted && ctx_recognise_number(text, group[4], 5, false, &low) == group[4]))
		return false;
	if (dotted && (v > 65535 || low > 65535))
		return false;
	ctx_buf_addf(hit->name, "AS%lu", (unsigned long)(dotted ? v << 16 | low : v));
	return true;
}

bool
ctx_finish_vlan(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	uint32_t v;

	ctx_recognise_number(text, group[2], 4, false, &v);
	ctx_buf_addi(hit->name, v);
	return v <= 4094;
}
