/* Host names: names under a domain, and machine names that consist of a role and a
 * number. */
#include <string.h>

#include "entity/recogniser.h"

#define DOMAIN_MAX 253 /* RFC 1035 */
#define LABEL_MAX 63

/* Top-level domains that are not common words, file name extensions or usual field names
 * in code; and private ones (RFC 6762, 8375, ICANN's .internal). */
static const char strong_tlds[] =
    "com net org edu gov mil arpa io dev ai cloud online tech de fr uk nl eu jp cn "
    "au ru br fi dk kr tw hk sg nz mx cz hu gr ua za il sk local lan internal "
    "intranet corp localdomain test example invalid";

/* Top-level domains that need further evidence: three labels of which one has a '-' or a
 * digit, or a scheme or a mailbox before the name. */
static const char weak_tlds[] =
    "info biz app xyz site web page me co us ca ch at be it es se no pl is to tv "
    "fm gg im ly id so name home int host zone network systems svc prod dc pt ro "
    "si ie lt lv ee bg hr ar cl th vn my ph tr";

/* First of two labels that indicate an object in code: asp.net, self.io. */
static const char code_labels[] =
    "self this cls super app ctx req res request response asp vb ado system java "
    "javax socket os sys config settings env process threading window document "
    "console std tokio fs thread node next data user obj module context state "
    "props event args options opts result value item params client server session "
    "state model net dotnet microsoft";

static size_t
label_end(struct ctx_span text, size_t at)
{
	size_t end = at;

	if (!(class_at(text, at) & CHAR_ALNUM))
		return at;
	while (class_at(text, end) & (CHAR_ALNUM | CHAR_DASH) && end - at <= LABEL_MAX)
		end++;
	while (end > at && class_before(text, end) & CHAR_DASH)
		end--;
	return end - at > LABEL_MAX ? at : end;
}

static bool
is_private(const char *tld)
{
	return ctx_recognise_in(tld, "local test example invalid");
}

size_t
ctx_recognise_domain(struct ctx_span text, size_t at, bool weak, unsigned *labels)
{
	char tld[RECOGNISE_WORD_MAX + 1], first[RECOGNISE_WORD_MAX + 1] = "";
	size_t end = label_end(text, at), from = at, next;
	bool marked, mixed = false, named;
	unsigned n = 1;

	if (end == at || byte_at(text, end) != '.')
		return at;
	ctx_recognise_word(text, at, first);
	if (strlen(first) != end - at)
		first[0] = '\0';
	/* Names without letters in the first label are not hosts: 1.5.id, 127.net. */
	named = classes_of(text, at, end) & CHAR_ALPHA;
	while (byte_at(text, end) == '.' && (next = label_end(text, end + 1)) > end + 1 &&
	       next - at <= DOMAIN_MAX) {
		from = end + 1;
		end = next;
		n++;
	}
	if (n < 2 || ctx_recognise_word(text, from, tld) != end || tld[0] == '\0')
		return at;
	*labels = n;
	if (weak)
		return end;
	/* camelCase indicates code; all capitals are accepted */
	for (size_t i = at; i < from - 1; i++)
		mixed = mixed || goes_on(text, i, 0, CHAR_LOWER, CHAR_UPPER);
	marked = classes_of(text, at, from - 1) & (CHAR_DIGIT | CHAR_DASH);
	if (mixed || !named ||
	    (class_at(text, from) & CHAR_UPPER && class_at(text, end - 1) & CHAR_LOWER) ||
	    ((n == 2 || is_private(tld)) && ctx_recognise_in(first, code_labels)) ||
	    (n == 2 && !marked && end - at < 5))
		return at;
	if (ctx_recognise_in(tld, strong_tlds))
		return n > 2 || !is_private(tld) || marked || strcmp(tld, "local") == 0
			   ? end
			   : at;
	return n > 2 && marked && ctx_recognise_in(tld, weak_tlds) ? end : at;
}

/* Roles after which machines are named. These need only a number: sw1, rtr-02. */
static const char strong_roles[] =
    "sw asw csw dsw rtr fw asa esx esxi srv svr tor leaf spine bleaf pdu ups wlc "
    "lb ids oob kvm nas san vpngw cpe olt dns ntp dhcp ldap vcenter idrac ilo bmc "
    "bastion jumphost hv pve switch router firewall";
/* These need a leading zero or a third part too: web01, db-prod-1. */
static const char weak_roles[] =
    "core access acc agg dist edge border web www db app api cache redis kafka "
    "mail mx smtp proxy gw gateway node host server master worker control k8s kube "
    "etcd storage backup mon monitor log build ci runner vm ap pe ce rr dc ns vpn "
    "git jump console term prod staging stg dev test mgmt";

/* Parts of names in code and tests, which may contain a role by chance: db-id-1. */
static const char no_parts[] =
    "id ids key msg item row col field name type step page tab btn button class "
    "file line model claude gpt llama v version part phase level layer section "
    "message session user call utf sha iso rfc cve px x i amd arm lib libc";

struct parts {
	unsigned n;        /* number of parts between '-' */
	bool strong, weak; /* roles found */
	bool numbered;     /* a part with a role, or the last part, has digits */
	bool zero;         /* a number has a leading zero */
	bool single;       /* a part is one letter */
	bool other;        /* a part is in no_parts */
};

static void
look_at_part(struct ctx_span text, size_t at, size_t end, bool last, struct parts *p)
{
	char role[RECOGNISE_WORD_MAX + 1];
	size_t letters = ctx_recognise_word(text, at, role), digits;
	bool strong, weak;

	p->n++;
	/* a single letter may name a group of machines (rtr-x-01) */
	p->single = p->single || (end - at == 1 && class_at(text, at) & CHAR_ALPHA);
	p->other = p->other || (end - at > 1 && ctx_recognise_in(role, no_parts));
	strong = ctx_recognise_in(role, strong_roles);
	weak = ctx_recognise_in(role, weak_roles);
	p->strong = p->strong || strong;
	p->weak = p->weak || weak;
	for (digits = at; digits < end && !(class_at(text, digits) & CHAR_DIGIT);)
		digits++;
	if (digits == end)
		return;
	p->numbered = p->numbered || strong || weak || last;
	p->zero = p->zero ||
		  (text.p[digits] == '0' && end - digits > 1 && end - digits <= 4);
	/* Numbers of four digits and more are years and sizes, and letters after them
	 * mean another thing. */
	if (letters < end && end - digits > 4)
		p->strong = p->weak = false;
}

static bool
is_machine(struct ctx_span text, size_t at, size_t end)
{
	struct parts p = {0};
	size_t from = at;
	bool role;

	for (size_t i = at; i <= end; i++) {
		if (i < end && text.p[i] != '-')
			continue;
		if (i == from)
			return false;
		look_at_part(text, from, i, i == end, &p);
		from = i + 1;
	}
	role = p.strong || (p.weak && (p.zero || p.n > 2));
	/* The number ends the name, except for one letter (rtr01a) and further parts
	 * (leaf1-dc2). */
	return role && !p.other && !(p.single && !p.strong) && p.numbered && p.n <= 6 &&
	       class_at(text, at) & CHAR_ALPHA;
}

static bool
ends_host(struct ctx_span text, size_t end)
{
	return byte_at(text, end) != '(' && byte_at(text, end) != '[' &&
	       !goes_on(text, end, CHAR_WORD | CHAR_OTHER | CHAR_AT, CHAR_DOT | CHAR_DASH,
		   CHAR_WORD);
}

bool
ctx_recognise_host(
    struct ctx_span text, size_t at, size_t run_end CTX_UNUSED, struct ctx_hit *hit)
{
	unsigned b = class_before(text, at), labels = 0;
	size_t end;

	if (b & (CHAR_DOT | CHAR_DASH | CHAR_OTHER | CHAR_SLASH))
		return false;
	end = ctx_recognise_domain(text, at, false, &labels);
	if (end == at) {
		end = label_end(text, at);
		/* -foo is an option; foo.c and foo/ are files */
		if (end - at < 3 || class_at(text, end) & CHAR_SLASH ||
		    !is_machine(text, at, end))
			return false;
	}
	if (!ends_host(text, end))
		return false;
	return set_written_hit(hit, "host", text, at, end);
}
