/* Recognizes entities by their form alone: addresses, interfaces, paths and the like.
 *
 *   type         found as                                  normalized name
 *   ip_address   IPv4 or IPv6 address, also with the        RFC 5952 text, without prefix
 *                prefix length of its network or a zone     length and zone
 *   prefix       address/length without host bits           RFC 5952 text/length
 *   mac_address  aa:bb:cc:dd:ee:ff, with '-', aabb.ccdd.eeff   aa:bb:cc:dd:ee:ff
 *   vlan         vlan 10, VLAN-10, vlan id 10, dot1q 10      10
 *   vrf          vrf NAME, vrf definition NAME               NAME as written
 *   asn          AS64500, AS 64500, ASN 64500, AS1.10,       AS64500 (asplain, RFC 5396)
 *                remote-as 64500, router bgp 64500
 *   interface    Gi0/1, xe-0/0/1.0, Et49/1, enp3s0, …        long form: GigabitEthernet0/1
 *   host         names under well-known domains, names       lower case
 *                formed like sw-core-01, hostname NAME
 *   rack, site   rack A12, site DC1                          lower case
 *   url          scheme://…                                  scheme and host in lower case,
 *                                                            without user and password
 *   email        user@domain                                 lower case
 *   path         /etc/…, ~/…, ./…, src/main.c, C:\…          without a leading "./"
 *   uuid         8-4-4-4-12 hexadecimal digits               lower case
 *   commit       40 lower-case hexadecimal digits; 7 to 39   as written
 *                of them after a word that announces a commit
 *
 * In doubt nothing is recognized: version numbers, dates, times, network masks, digests,
 * serial numbers and identifiers in code are not entities. */
#ifndef CTX_ENTITY_RECOGNISE_H
#define CTX_ENTITY_RECOGNISE_H

#include "base/buf.h"
#include "entity/mention.h"

/* The recognizers, with their compiled regular expressions. */
struct ctx_recognisers;

struct ctx_recognisers *ctx_recognisers_new(void);
void ctx_recognisers_free(struct ctx_recognisers *r);

/* Appends the mentions in the text, in order and without overlaps. At each position, the
 * longest mention is found, and the search continues after the mention. The time is
 * linear in the length of the text. */
void ctx_recognise_scan(
    struct ctx_recognisers *r, struct ctx_span text, struct ctx_mentions *out);

#endif
