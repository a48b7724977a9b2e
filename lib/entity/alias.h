/* Generates aliases of an entity from its name and type. */
#ifndef CTX_ENTITY_ALIAS_H
#define CTX_ENTITY_ALIAS_H

#include <stddef.h>

#include "base/buf.h"
#include "entity/gazetteer.h"

#define CTX_ALIAS_MAX 16 /* maximum number of aliases that are generated for one name */
/* length in bytes of the longest name for which aliases are generated */
#define CTX_ALIAS_NAME_MAX 128

/* Generates the aliases of a name. The name is split into words at white space, '-', '_',
 * '/', '.', and where a lower-case letter is followed by a capital one (TaskManagement).
 * Words such as "the" at either end are dropped. All aliases are case-folded. The aliases
 * of "Task Management" of type workflow are an example:
 *
 *    1. all words, joined by ' ', by '-', by '_' and, if there are two or three words,
 *       without a separator:                       task-management
 *    2. all words, then the type:                 task management workflow
 *    3. all words, with the last one in its plural or singular:  task managements
 *    4. all words except the last one, then the type:  task workflow (but not if this would
 *       be the type and a vague word: update workflow)
 *    5. if the last word only says what kind of thing it is (management, system, process,
 *       service, … or the type): "my" and the other words; also the other words alone, if
 *       there are at least two:                   my task
 *    6. the initials of three or more words, unless the initials spell a common word; in
 *       texts, initials are found only in capital letters
 *
 * An alias of one word is found only by ctx_gazetteer_find, not in texts. A name without
 * white space is an identifier and gets no aliases if it contains a digit, '/', '\', ':'
 * or '@' (sw-core-01). No alias equals the folded name, is repeated, or is shorter than
 * three bytes.
 *
 * Calls the function "add" for each alias. alias: the alias, valid only during the call;
 * where: the places where the alias is found (enum ctx_made). Returns the number of
 * aliases. */
size_t ctx_alias_generate(struct ctx_span name, struct ctx_span type,
    void (*add)(void *arg, struct ctx_span alias, enum ctx_made where), void *arg);

#endif
