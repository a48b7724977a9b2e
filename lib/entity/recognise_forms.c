/* The forms of entities that a regular expression describes. To add a form, add a row. */
#include "entity/recogniser.h"

/* clang-format off */
#define HEX "[0-9A-Fa-f]"
#define WORD "[0-9A-Za-z_\x80-\xbf\xc3-\xe1]" /* the class CHAR_WORD */
#define HIGH "[\x80-\xbf\xc3-\xe1]"           /* the class CHAR_HIGH */
#define NO_LETTER "(?![A-Za-z])"

#define OCTET "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
#define QUAD "(?:" OCTET "[.]){3}" OCTET
#define PREFIX_ENDS "(?!" WORD "|/|[.]" WORD ")"

/* An interface number: 1, 0/1, 1/0/24, 0/0/0:1, each optionally followed by .100. */
#define SLASHES "[0-9]{1,4}(?:/(?:0|[1-9][0-9]{0,2})){1,4}+(?::(?:0|[1-9][0-9]?)(?!" WORD "|:))?+"
#define UNIT "(?:[.](?:0|[1-9][0-9]{0,4}))?+"
#define PORT "(?:" SLASHES "|[0-9]{1,4})" UNIT
#define BEGINS_INTERFACE "(?<![-+%~.])"
#define ENDS_INTERFACE "(?!" WORD "|[+%~/(\\[]|[.-][A-Za-z_]|[.][0-9])"

#define BEGINS_COMMIT "(?<![-+%~/])(?=[0-9]*[a-f])(?=[a-f]*[0-9])"
#define ENDS_COMMIT "(?!" WORD "|[-/@]|[.]" WORD ")"

/* Blanks, and at most one of the marks, between a keyword and its value. */
#define JOINT(marks) "[ \t]{0,4}+(?:[" marks "][ \t]{0,3}+)?+"
#define BEGINS_KEYWORD "(?<![-+%~.@/])"
#define ENDS_VALUE "(?!" WORD "|[/+%~@]|[.:]" WORD "|-[A-Za-z])"
#define AS_NUMBER "([1-9][0-9]{0,9})(?:[.](0|[1-9][0-9]{0,4}))?" ENDS_VALUE
#define PLACE_ID "(?:(?i:id|name|code|number|no)" NO_LETTER JOINT(":=#.\"'") ")?+"

const struct ctx_form ctx_forms[] = {
    /* Not part of a longer number, of a name, or of a comparison such as >=1.2.3.4. Both ends
     * of a range a-b are found. */
    {"ip_address", CHAR_DOT,
	"(?<![.+%~/^])(?<![=<>!~]=)(?:(?<!-)|(?<=[0-9]-))"
	"(" QUAD ")(?!" WORD "|[+%~]|[.](?:" WORD "|[.])|-(?!" QUAD "(?![0-9]))" WORD ")"
	"(?:/(3[0-2]|[12]?[0-9])" PREFIX_ENDS ")?",
	"v ver version versions release releases rel build rev revision firmware section "
	"sections chapter figure fig table appendix clause paragraph rule step item oid package "
	"pkg msie image kernel tag",
	ctx_finish_ipv4},
    /* Times, C++ names and world-wide names look similar. An address has a digit, and has "::"
     * or a group of three digits. a[::1] is a slice. */
    {"ip_address", CHAR_COLON,
	"(?<![-:.+%~/])(?<![0-9A-Za-z_\\])]\\[)"
	"(?=::/|[:.A-Fa-f]*[0-9])(?=[0-9A-Fa-f:.]*?(?:::|" HEX "{3}))"
	"(?=::(?:/|1(?!" HEX "|[:.]" HEX ")|" HEX "+:+" HEX "|[0-9A-Fa-f:]*[.][0-9])"
	"|" HEX "{4}:|" HEX "+:+" HEX "+:+" HEX ")"
	"((?>[0-9A-Fa-f:.]{0,44}(?:::|" HEX ")))"
	"(?:%[0-9A-Za-z](?:[0-9A-Za-z.-]{0,14}[0-9A-Za-z])?)?+(?!" WORD "|-|:" WORD ")"
	"(?:/(12[0-8]|1[01][0-9]|[1-9]?[0-9])" PREFIX_ENDS ")?",
	NULL, ctx_finish_ipv6},
    /* Not all zeros or all ones. Digits alone are more often a date or a number, except after
     * 00. */
    {"mac_address", CHAR_COLON | CHAR_DASH | CHAR_DOT,
	"(?=" HEX ")(?<![:.-])(?!([0fF])(?:[:.-]?\\1){11})(?=..:|00|[0-9.-]*[A-Fa-f])"
	"(?:" HEX "{2}(?::" HEX "{2}){5}|" HEX "{2}(?:-" HEX "{2}){5}|" HEX "{4}(?:[.]" HEX "{4}){2})"
	"(?!" WORD "|[:.-]" WORD ")",
	NULL, ctx_finish_mac},
    {"uuid", CHAR_DASH,
	"(?<!-)" HEX "{8}-(?:" HEX "{4}-){3}" HEX "{12}(?!" WORD "|-" WORD ")",
	NULL, ctx_finish_lower},
    {"commit", 0, BEGINS_COMMIT "(?<!:)([0-9a-f]{40})" ENDS_COMMIT,
	"md hash digest checksum shasum etag integrity", NULL},
    {"commit", 0, BEGINS_COMMIT "([0-9a-f]{7,39})" ENDS_COMMIT, NULL, ctx_finish_commit},
    /* Junos: a medium, then FPC/PIC/port, such as xe-0/0/1:2.100 */
    {"interface", CHAR_SLASH,
	BEGINS_INTERFACE "((?:ge|xe|et|fe|so|at|t1|t3|e1|e3|lt|gr|ip|sp|ms|mt|vt|pd|pe|si|rlt|mge|"
	"sxe)-" SLASHES UNIT ")" ENDS_INTERFACE,
	NULL, NULL},
    /* Huawei: 10GE1/0/1, 100GE0/0/1 */
    {"interface", CHAR_SLASH,
	BEGINS_INTERFACE "([1-9][0-9]{0,2}GE" SLASHES UNIT ")" ENDS_INTERFACE, NULL, NULL},
    /* Linux: systemd's predictable names (enp3s0f1, ens192, enx001122334455) and names that end
     * with hexadecimal digits (br-, veth), optionally followed by a VLAN */
    {"interface", 0,
	BEGINS_INTERFACE "((?:(?:enx|wlx|br-)" HEX "{12}|veth" HEX "{6,11}|cali" HEX "{11}|"
	"tap" HEX "{8,11}|(?:enp|ens|wlp|wls|wwp|swp)[0-9](?:[0-9sfdnpi]{0,14}[0-9fd])?)"
	"(?:[.](?:0|[1-9][0-9]{0,3}))?)" ENDS_INTERFACE,
	NULL, NULL},
    {"interface", CHAR_DOT,
	BEGINS_INTERFACE "(?i:irb|flannel)[.](?:0|[1-9][0-9]{0,4})" ENDS_INTERFACE,
	NULL, ctx_finish_lower},
    /* all others: the kind of interface, then the number */
    {"interface", CHAR_DIGIT,
	BEGINS_INTERFACE "([A-Za-z]{1,24}(?:-[A-Za-z]{1,24})*|lag-)( ?)(" PORT ")" ENDS_INTERFACE,
	NULL, ctx_finish_interface},
    {"vlan", 0,
	BEGINS_KEYWORD "(?i:vlans?" NO_LETTER "|dot1q)" JOINT("-_:=#")
	"(?:(?i:ids?|number|tag|vid|access)" NO_LETTER JOINT("-_:=#") ")?+"
	"0*([1-9][0-9]{0,3})" ENDS_VALUE,
	NULL, ctx_finish_vlan},
    /* after words that mean nothing else: asn 10, remote-as 10, router bgp 10 */
    {"asn", 0,
	"(?i:" BEGINS_KEYWORD "asn|(?<=\\bremote-|\\blocal-|\\bpeer-)as|(?<=\\bautonomous[ -])system|"
	"(?<=\\brouter[ \t])bgp)(?:(?=[0-9]{2})|(?![0-9A-Za-z]))" JOINT(":=#") AS_NUMBER,
	NULL, ctx_finish_asn},
    /* AS10, AS 10, AS1.10 */
    {"asn", 0,
	"(?=A)" BEGINS_KEYWORD "AS(?=[ \t]{0,4}[0-9](?:[0-9]|[.][0-9]))[ \t]{0,4}+" AS_NUMBER,
	NULL, ctx_finish_asn},
    {"asn", 0, BEGINS_KEYWORD "(?i:as)([1-9][0-9]{3,9})" ENDS_VALUE, NULL, ctx_finish_asn},
    /* a word between the keyword and the name can make a name sure */
    {"vrf", 0,
	BEGINS_KEYWORD "(?i:vrfs?)(?=[ \t:=\"'`])" JOINT(":=\"'`")
	"(?:((?i:definition|forwarding|member|instance|context|named?))(?=[ :])" JOINT(":=\"'`")
	")?+()" WORD,
	NULL, ctx_finish_vrf},
    /* Junos */
    {"vrf", 0, "(?i:(?<=\\brouting-)(instances?))(?=[ \t:=\"'`])" JOINT(":=\"'`") "()" WORD,
	NULL, ctx_finish_vrf},
    {"rack", 0,
	BEGINS_KEYWORD "((?i:racks?))" NO_LETTER JOINT("-:=#\"'") PLACE_ID "()[0-9A-Za-z]",
	NULL, ctx_finish_place},
    {"site", 0,
	BEGINS_KEYWORD "((?i:sites?|datacent(?:er|re)))" NO_LETTER JOINT("-:=#\"'") PLACE_ID
	"()[0-9A-Za-z]",
	NULL, ctx_finish_place},
    /* site: Berlin, site "New York": a mark makes the difference to prose. Without quotes it is
     * one word at the end of a line or clause. */
    {"site", 0,
	BEGINS_KEYWORD "(?i:site|datacent(?:er|re))[ \t]{0,4}+(?|"
	"(?:[:=][ \t]{0,3}+)?\"([A-Z](?:[A-Za-z -]|" HIGH "){2,63})(?=\")|"
	"[:=][ \t]{0,3}+([A-Z](?:[A-Za-z-]|" HIGH "){2,63})(?=[,;)\n\r]|[.](?!" WORD ")|\\z))",
	NULL, ctx_finish_named_place},
    {"host", 0,
	BEGINS_KEYWORD "(?i:hostname)(?=[ \t:=\"'])" JOINT(":=\"'")
	"(?=[A-Za-z.]*(?:[0-9]|-[.-]*[0-9A-Za-z]))(?=[0-9.-]*[A-Za-z])"
	"([0-9A-Za-z](?:[0-9A-Za-z.-]{0,62}[0-9A-Za-z])?)(?![.-]*" WORD ")(?![(])",
	NULL, NULL},
};
/* clang-format on */

const size_t ctx_n_forms = sizeof(ctx_forms) / sizeof(ctx_forms[0]);
_Static_assert(
    sizeof(ctx_forms) / sizeof(ctx_forms[0]) <= CTX_FORMS_MAX, "too many forms");
