/* Names of network interfaces in the notations of Cisco (IOS, IOS XR, NX-OS), Juniper,
 * Arista, Huawei, HPE, Palo Alto, Nokia, MikroTik, VMware, Linux and the BSDs. */
#include <stdlib.h>
#include <string.h>

#include "entity/recogniser.h"

enum {
	SLASH = 1,   /* only with a '/' in the number: Te1/1, not te1 */
	SPACE = 2,   /* a space may precede the number */
	CAPITAL = 4, /* only if it begins with a capital, or with a '/' in the number */
	DOTTED = 8,  /* only as name.number: irb.100 */
	PLAIN = 16,  /* no '/' in the number */
};

struct kind {
	const char *prefix, *long_form;
	unsigned flags;
};

/* Prefixes that are their own long form, without a '/' in the number. */
static const char plain_kinds[] =
    "ae bond br bridge cni docker dummy em en eno ether fxp ib igb lag- ppp "
    "reth sfp sfp-sfpplus swp tap team tun utun veth virbr vmbr vmk vmnet vmnic "
    "vnet vti wg wlan wwan";

/* The other kinds, sorted by prefix, in lower case. If long_form is NULL, the prefix
 * itself is the long form. */
static const struct kind kinds[] = {
    {"appgigabitethernet", "AppGigabitEthernet", SPACE},
    {"bdi", "BDI", PLAIN | CAPITAL},
    {"be", "Bundle-Ether", PLAIN | CAPITAL},
    {"bridge-aggregation", "Bridge-Aggregation", SPACE | PLAIN},
    {"bundle-ether", "Bundle-Ether", SPACE | PLAIN},
    {"bvi", "BVI", SPACE | PLAIN | CAPITAL},
    {"cellular", "Cellular", SLASH | SPACE},
    {"dialer", "Dialer", PLAIN},
    {"et", "Ethernet", CAPITAL},
    {"eth", "Ethernet", 0},
    {"eth-trunk", "Eth-Trunk", SPACE | PLAIN},
    {"ethernet", "Ethernet", SPACE},
    {"fa", "FastEthernet", SLASH},
    {"fas", "FastEthernet", SLASH | SPACE},
    {"fastethernet", "FastEthernet", SPACE},
    {"flannel", NULL, DOTTED},
    {"fo", "FortyGigabitEthernet", SLASH},
    {"fortygige", "FortyGigabitEthernet", SPACE},
    {"fortygigabitethernet", "FortyGigabitEthernet", SPACE},
    {"fourhundredgige", "FourHundredGigE", SPACE},
    {"ge", "GigabitEthernet", SLASH | CAPITAL},
    {"gi", "GigabitEthernet", CAPITAL},
    {"gig", "GigabitEthernet", SLASH | SPACE},
    {"gigabitethernet", "GigabitEthernet", SPACE},
    {"gige", "GigabitEthernet", SLASH},
    {"hu", "HundredGigE", SLASH},
    {"hundredgigabitethernet", "HundredGigE", SPACE},
    {"hundredgige", "HundredGigE", SPACE},
    {"irb", NULL, DOTTED},
    {"lo", "Loopback", PLAIN},
    {"loopback", "Loopback", SPACE | PLAIN},
    {"m-gigabitethernet", "M-GigabitEthernet", SPACE | SLASH},
    {"ma", "Management", CAPITAL | SLASH},
    {"management", "Management", CAPITAL},
    {"meth", "MEth", SLASH},
    {"mgmt", NULL, 0},
    {"mgmteth", "MgmtEth", SLASH},
    {"multilink", "Multilink", PLAIN},
    {"null", "Null", PLAIN | CAPITAL},
    {"nve", "nve", PLAIN},
    {"po", "Port-channel", PLAIN | CAPITAL},
    {"port-channel", "Port-channel", SPACE | PLAIN},
    {"portchannel", "Port-channel", PLAIN},
    {"route-aggregation", "Route-Aggregation", SPACE | PLAIN},
    {"se", "Serial", SLASH},
    {"serial", "Serial", SLASH | SPACE},
    {"st", NULL, DOTTED},
    {"te", "TenGigabitEthernet", SLASH},
    {"ten", "TenGigabitEthernet", SLASH},
    {"ten-gigabitethernet", "Ten-GigabitEthernet", SPACE | SLASH},
    {"tengigabitethernet", "TenGigabitEthernet", SPACE},
    {"tengige", "TenGigabitEthernet", SPACE},
    {"tu", "Tunnel", PLAIN | CAPITAL},
    {"tunnel", "Tunnel", PLAIN},
    {"tw", "TwoGigabitEthernet", SLASH},
    {"twe", "TwentyFiveGigE", SLASH},
    {"twenty-fivegige", "Twenty-FiveGigE", SPACE | SLASH},
    {"twentyfivegigabitethernet", "TwentyFiveGigE", SPACE},
    {"twentyfivegige", "TwentyFiveGigE", SPACE},
    {"twogigabitethernet", "TwoGigabitEthernet", SPACE},
    {"virtual-access", "Virtual-Access", PLAIN},
    {"virtual-template", "Virtual-Template", SPACE | PLAIN},
    {"vl", "Vlan", PLAIN | CAPITAL},
    {"vlanif", "Vlanif", PLAIN},
    {"vxlan", "Vxlan", PLAIN},
    {"xe", NULL, SLASH},
    {"xgigabitethernet", "XGigabitEthernet", SPACE},
};

static int
by_prefix(const void *key, const void *kind)
{
	return strcmp(key, ((const struct kind *)kind)->prefix);
}

/* If *end is the offset of this sign and a number of at most max_digits digits after it,
 * moves *end after the number and returns true. */
static bool
read_part(struct ctx_span text, size_t *end, char sign, unsigned max_digits)
{
	uint32_t v;
	size_t from = *end + 1, next;

	if (byte_at(text, *end) != sign)
		return false;
	next = ctx_recognise_number(text, from, max_digits, false, &v);
	*end = next > from ? next : *end;
	return next > from;
}

/* Returns the end of a port number such as 1, 0/1, 1/0/24 or 0/0/0:1, each optionally
 * followed by .100; returns at if there is none. */
static size_t
port_end(struct ctx_span text, size_t at, bool *slash, bool *dot)
{
	uint32_t v;
	size_t end = ctx_recognise_number(text, at, 4, true, &v), channel;

	*slash = *dot = false;
	if (end == at)
		return at;
	for (int i = 0; i < 4 && read_part(text, &end, '/', 3); i++)
		*slash = true;
	channel = end;
	if (*slash && read_part(text, &channel, ':', 2) &&
	    !(class_at(text, channel) & (CHAR_WORD | CHAR_COLON)))
		end = channel;
	*dot = read_part(text, &end, '.', 5);
	return end;
}

static bool
ends_name(struct ctx_span text, size_t end)
{
	return !goes_on(text, end, CHAR_WORD | CHAR_OTHER | CHAR_SLASH,
		   CHAR_DOT | CHAR_DASH, CHAR_ALPHA | CHAR_LINE) &&
	       !goes_on(text, end, 0, CHAR_DOT, CHAR_DIGIT) &&
	       byte_at(text, end) != '(' && byte_at(text, end) != '[';
}

/* Junos names such as xe-0/0/1:2.100: two or three characters for the medium, then
 * FPC/PIC/port. */
static bool
recognise_junos_interface(struct ctx_span text, size_t at, struct ctx_hit *hit)
{
	static const char media[] =
	    "ge xe et fe so at t1 t3 e1 e3 lt gr ip sp ms mt vt pd pe si rlt mge sxe";
	char word[4];
	size_t n = 0, end;
	bool slash, dot;

	while (n < 3 && class_at(text, at + n) & (CHAR_LOWER | CHAR_DIGIT)) {
		word[n] = text.p[at + n];
		n++;
	}
	word[n] = '\0';
	if (byte_at(text, at + n) != '-' || !ctx_recognise_in(word, media))
		return false;
	end = port_end(text, at + n + 1, &slash, &dot);
	if (!slash || !ends_name(text, end))
		return false;
	return set_written_hit(hit, "interface", text, at, end);
}

/* Huawei names such as 10GE1/0/1 and 100GE0/0/1. */
static bool
recognise_huawei_interface(struct ctx_span text, size_t at, struct ctx_hit *hit)
{
	uint32_t v;
	size_t digits = ctx_recognise_number(text, at, 3, false, &v), end;
	bool slash, dot;

	if (digits == at || byte_at(text, digits) != 'G' ||
	    byte_at(text, digits + 1) != 'E')
		return false;
	end = port_end(text, digits + 2, &slash, &dot);
	if (!slash || !ends_name(text, end))
		return false;
	return set_written_hit(hit, "interface", text, at, end);
}

/* systemd's predictable names (enp3s0f1, ens192, wlp2s0, enx001122334455) and names that
 * end with hexadecimal digits (br-…, veth…), optionally followed by a VLAN. */
static bool
linux_name(struct ctx_span text, size_t at, struct ctx_hit *hit)
{
	static const struct {
		const char *prefix;
		size_t min, max; /* hexadecimal digits; 0: pairs of letter and number */
	} forms[] = {{"enx", 12, 12}, {"wlx", 12, 12}, {"br-", 12, 12}, {"veth", 6, 11},
	    {"cali", 11, 11}, {"tap", 8, 11}, {"enp", 0, 0}, {"ens", 0, 0}, {"wlp", 0, 0},
	    {"wls", 0, 0}, {"wwp", 0, 0}, {"swp", 0, 0}};
	size_t i, end = at, digits = 0;

	if (strchr("ewbvcts", text.p[at]) == NULL)
		return false;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t n = strlen(forms[i].prefix);
		if (at + n < text.n && memcmp(text.p + at, forms[i].prefix, n) == 0) {
			end = at + n;
			break;
		}
	}
	if (i == sizeof(forms) / sizeof(forms[0]))
		return false;
	if (forms[i].max == 0 && !(class_at(text, end) & CHAR_DIGIT))
		return false;
	for (size_t from = end; end - from < 16 && class_at(text, end) & CHAR_ALNUM;
	     end++) {
		char c = text.p[end];
		if (forms[i].max > 0 ? !(class_at(text, end) & CHAR_HEX)
				     : !ctx_is_digit(c) && strchr("sfdnpi", c) == NULL)
			return false;
		digits++;
	}
	if (digits < forms[i].min || (forms[i].max > 0 && digits > forms[i].max) ||
	    !(class_before(text, end) & CHAR_HEX))
		return false;
	read_part(text, &end, '.', 4);
	if (!ends_name(text, end))
		return false;
	return set_written_hit(hit, "interface", text, at, end);
}

/* Finds the kind whose prefix, which may contain '-', is at byte at. Sets *end to the end
 * of the prefix, and *kind, whose prefix is word if the kind is plain. Returns false if
 * there is none. */
static bool
find_kind(struct ctx_span text, size_t at, char word[RECOGNISE_WORD_MAX + 2], size_t *end,
    struct kind *kind)
{
	const struct kind *k;
	size_t n;

	*end = ctx_recognise_word(text, at, true, word);
	n = *end - at;
	if (word[0] == '\0')
		return false;
	if (n < RECOGNISE_WORD_MAX && byte_at(text, *end) == '-') {
		/* lag-1 */
		if (strcmp(word, "lag") == 0) {
			word[n++] = '-';
			word[n] = '\0';
			++*end;
		}
	}
	k = bsearch(
	    word, kinds, sizeof(kinds) / sizeof(kinds[0]), sizeof(kinds[0]), by_prefix);
	if (k == NULL && (!(class_at(text, *end) & CHAR_DIGIT) ||
			     !ctx_recognise_in(word, plain_kinds)))
		return false;
	*kind = k != NULL ? *k : (struct kind){word, NULL, PLAIN};
	return true;
}

static bool
is_fitting_interface_kind(
    const struct kind *k, bool capital, bool slash, bool dot, size_t digits)
{
	if ((k->flags & SLASH && !slash) || (k->flags & PLAIN && slash) ||
	    (k->flags & DOTTED && !dot))
		return false;
	if (k->flags & CAPITAL && !capital && !slash)
		return false;
	/* Linux, BSD and Junos use lower case; AE03 and WG14 are something else. */
	if (k->long_form == NULL && capital)
		return false;
	/* eth0 of Linux keeps its name (see put_interface_name); en12345 is not an
	 * interface. */
	return slash || k->long_form != NULL || digits <= 3 || k->flags & DOTTED;
}

static void
put_interface_name(struct ctx_span text, size_t from, size_t port, size_t end,
    const struct kind *k, bool slash, struct ctx_hit *hit)
{
	bool capital = class_at(text, from) & CHAR_UPPER;
	bool is_linux = !capital && !slash &&
			(strcmp(k->prefix, "eth") == 0 || strcmp(k->prefix, "lo") == 0 ||
			    strcmp(k->prefix, "vxlan") == 0);

	ctx_buf_adds(
	    hit->name, k->long_form == NULL || is_linux ? k->prefix : k->long_form);
	ctx_buf_add(hit->name, text.p + port, end - port);
}

bool
ctx_recognise_interface(
    struct ctx_span text, size_t at, size_t run_end CTX_UNUSED, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 2];
	struct kind k;
	size_t letters, port, end, digits;
	bool slash, dot;

	if (class_before(text, at) & (CHAR_DASH | CHAR_OTHER | CHAR_DOT))
		return false;
	if (recognise_junos_interface(text, at, hit) ||
	    recognise_huawei_interface(text, at, hit) || linux_name(text, at, hit))
		return true;
	if (!(class_at(text, at) & CHAR_ALPHA) ||
	    !find_kind(text, at, word, &letters, &k))
		return false;
	port = letters;
	if (k.flags & DOTTED && byte_at(text, letters) == '.') {
		end = letters;
		if (strcmp(word, "st") == 0 || !read_part(text, &end, '.', 5) ||
		    !ends_name(text, end))
			return false;
		put_interface_name(text, at, letters, end, &k, false, hit);
		return set_hit(hit, "interface", end);
	}
	if (k.flags & SPACE && byte_at(text, letters) == ' ')
		port++;
	if (!(class_at(text, port) & CHAR_DIGIT))
		return false;
	end = port_end(text, port, &slash, &dot);
	for (digits = port; class_at(text, digits) & CHAR_DIGIT;)
		digits++; /* the digits of a VLAN, bond0.1000, do not count */
	if (end == port || !ends_name(text, end) ||
	    !is_fitting_interface_kind(
		&k, class_at(text, at) & CHAR_UPPER, slash, dot, digits - port))
		return false;
	/* Not "ethernet 2 times": a space is accepted only in the spelling of
	 * configurations and tools. */
	if (port > letters && !slash && !(class_at(text, at) & CHAR_UPPER))
		return false;
	put_interface_name(text, at, port, end, &k, slash, hit);
	return set_hit(hit, "interface", end);
}
