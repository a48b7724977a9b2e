/* Entities that show by their form alone: addresses, interfaces, paths and the like.
 *
 *   type         found as                                  normalised name
 *   ip_address   IPv4 or IPv6 address, also with the        RFC 5952 text, no prefix length,
 *                prefix length of its network or a zone     no zone
 *   prefix       address/length without host bits           RFC 5952 text/length
 *   mac_address  aa:bb:cc:dd:ee:ff, with '-', aabb.ccdd.eeff   aa:bb:cc:dd:ee:ff
 *   vlan         vlan 10, VLAN-10, vlan id 10, dot1q 10      10
 *   vrf          vrf NAME, vrf definition NAME               NAME as written
 *   asn          AS64500, AS 64500, ASN 64500, AS1.10,       AS64500 (asplain, RFC 5396)
 *                remote-as 64500, router bgp 64500
 *   interface    Gi0/1, xe-0/0/1.0, Et49/1, enp3s0, …        long form: GigabitEthernet0/1
 *   host         names below well-known domains, names       lower case
 *                built like sw-core-01, hostname NAME
 *   rack, site   rack A12, site DC1                          lower case
 *   url          scheme://…                                  scheme and host in lower case,
 *                                                            no user and password
 *   email        user@domain                                 lower case
 *   path         /etc/…, ~/…, ./…, src/main.c, C:\…          without "./" before it
 *   uuid         8-4-4-4-12 hexadecimal digits               lower case
 *   commit       40 lower-case hexadecimal digits; 7 to 39   as written
 *                of them where the words before say so
 *
 * In doubt a recogniser stays silent: version numbers, dates, times, network masks,
 * digests, serial numbers and names of code are no entities. */
#ifndef CTX_ENTITY_RECOGNISE_H
#define CTX_ENTITY_RECOGNISE_H

#include "base/buf.h"
#include "entity/mention.h"

/* Appends the mentions in text, in order and without overlaps: the longest at each
 * position, then the search continues after it. Time is linear in the length of the
 * text. */
void ctx_recognise_scan(struct ctx_span text, struct ctx_mentions *out);

#endif
