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

/* Finds the kind whose prefix is word, which is in lower case. Returns false if there is
 * none. */
static bool
find_kind(const char *word, bool space, struct kind *kind)
{
	const struct kind *k = bsearch(
	    word, kinds, sizeof(kinds) / sizeof(kinds[0]), sizeof(kinds[0]), by_prefix);

	if (k == NULL && (space || !ctx_recognise_in(word, plain_kinds)))
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
put_interface_name(struct ctx_span number, bool capital, bool slash, const struct kind *k,
    struct ctx_hit *hit)
{
	bool is_linux = !capital && !slash &&
			(strcmp(k->prefix, "eth") == 0 || strcmp(k->prefix, "lo") == 0 ||
			    strcmp(k->prefix, "vxlan") == 0);

	ctx_buf_adds(
	    hit->name, k->long_form == NULL || is_linux ? k->prefix : k->long_form);
	ctx_buf_addspan(hit->name, number);
}

/* Groups: the kind, a space, the number. */
bool
ctx_finish_interface(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	size_t at = group[2], port = group[6], end = group[7], digits = port;
	struct ctx_span number = {text.p + port, end - port};
	bool space = group[5] > group[4], capital = class_at(text, at) & CHAR_UPPER;
	bool slash = memchr(number.p, '/', number.n) != NULL;
	char word[RECOGNISE_WORD_MAX + 1] = "";
	struct kind k;

	if (group[3] - at > RECOGNISE_WORD_MAX)
		return false;
	for (size_t i = at; i < group[3]; i++)
		word[i - at] = (char)(text.p[i] | 32); /* leaves '-' alone */
	while (class_at(text, digits) & CHAR_DIGIT)
		digits++; /* the digits of a VLAN, bond0.1000, do not count */
	/* Not "ethernet 2 times": a space is accepted only in the spelling of
	 * configurations and tools. */
	if (!find_kind(word, space, &k) ||
	    (space && (!(k.flags & SPACE) || (!slash && !capital))) ||
	    !is_fitting_interface_kind(&k, capital, slash,
		memchr(number.p, '.', number.n) != NULL, digits - port))
		return false;
	put_interface_name(number, capital, slash, &k, hit);
	return true;
}
