/* Computes the relevance of an entity at a given time. */
#ifndef CTX_ENTITY_RELEVANCE_H
#define CTX_ENTITY_RELEVANCE_H

#include <stdint.h>

#include "base/buf.h"

/* Returns max(0, 10 - days since the last mention) + 2 ln(mentions + 1) + 0.5 relations +
 * a bonus for the type (device 3, site 2, rack 2, ip_address 1, interface 1, others 0).
 * now and last_mention are in ms since the epoch; the number of days may be a fraction. A
 * last mention after now counts as now. If last_mention is CTX_TIME_NONE, the first term
 * is 0. */
double ctx_entity_relevance(struct ctx_span type, int64_t now, int64_t last_mention,
    uint64_t mentions, uint64_t relations);

#endif
