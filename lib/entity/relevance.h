/* Computes the relevance of an entity at a given time. */
#ifndef CTX_ENTITY_RELEVANCE_H
#define CTX_ENTITY_RELEVANCE_H

#include <stdint.h>

#include "base/buf.h"

/* Returns max(0, 10 - days since the last mention) + 2 ln(mentions + 1) + relations / 2 +
 * a bonus for the type (device 3, site 2, rack 2, ip_address 1, interface 1, others 0).
 * now, last_mention: the current time and the time of the last mention, in ms since the
 * epoch; mentions, relations: the numbers of mentions and relations. The number of days
 * may be a fraction. A last mention in the future counts as a mention at the current
 * time. If last_mention is CTX_TIME_NONE, the first term is 0. */
double ctx_entity_relevance(struct ctx_span type, int64_t now, int64_t last_mention,
    uint64_t mentions, uint64_t relations);

#endif
