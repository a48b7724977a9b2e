/* Aliases of an entity, made from its name and type. */
#ifndef CTX_ENTITY_ALIAS_H
#define CTX_ENTITY_ALIAS_H

#include <stddef.h>

#include "base/buf.h"
#include "entity/gazetteer.h"

#define CTX_ALIAS_MAX 16       /* aliases of one name */
#define CTX_ALIAS_NAME_MAX 128 /* longer names get none */

/* The words of a name are what stands between white space, '-', '_', '/', '.' and where
 * a small letter meets a capital one (TaskManagement). Folded, in this order:
 *
 *   1. the words joined by ' ', '-', '_', and by nothing where there are two or three
 *   2. with the type behind:            task management workflow
 *   3. with the last word in the other number:  task managements
 *   4. the words but the last, with the type behind:  task workflow; and where the last
 *      only says what kind of thing it is (management, system, process, service,
 *      pipeline, …, or the type):  my task; by themselves only when two words or more
 *      are left, and not where but a verb is left (update workflow)
 *   5. the initials of three words or more, unless they spell a common word; in a text
 *      they count in capitals only
 *
 * So "update my task workflow" finds "Task Management" of type workflow. Words such as
 * "the" at the ends of a name are left out; what is one word then (feed-a: feed) counts
 * in no text. A name that is one word with a digit, a
 * path or an address in it (sw-core-01) is an identifier and gets no aliases. None of
 * them equals the folded name, none comes twice, none is shorter than three bytes.
 *
 * Calls add() with each; the span lives as long as the call. Returns how many. */
size_t ctx_alias_generate(struct ctx_span name, struct ctx_span type,
    void (*add)(void *arg, struct ctx_span alias, enum ctx_made where), void *arg);

#endif
