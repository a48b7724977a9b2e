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
 * Words such as "the" at either end are dropped. All aliases are case-folded. They are
 * generated in this order:
 *
 *    1. all words, joined by ' ', by '-', by '_', and without a separator if there are two or
 *       three words
 *    2. all words, then the type:          task management workflow
 *    3. all words, with the last one in the plural or, if it is a plural, in the singular:
 *       task managements
 *    4. all words except the last, then the type:  task workflow. If the last word only says
 *       what kind of thing it is (management, system, process, service, pipeline, … or the
 *       type), also "my" and these words: my task; and these words alone if there are at
 *       least two. No alias is made from the type and only a vague word (update workflow).
 *    5. the initials of three or more words, unless the initials spell a common word. In
 *       texts, they are found only if written in capital letters.
 *
 * So "update my task workflow" mentions "Task Management" of type workflow. If only one
 * word remains (feed-a: feed), this alias is not searched for in texts, but
 * ctx_gazetteer_find finds it. A name of one word that contains a digit, a path or an
 * address (sw-core-01) is an identifier and gets no aliases. No alias equals the folded
 * name, is repeated, or is shorter than three bytes.
 *
 * Calls add(arg, alias, where) for each alias. where says in which texts the alias is
 * searched for. alias is valid only during the call of add. Returns the number of
 * aliases. */
size_t ctx_alias_generate(struct ctx_span name, struct ctx_span type,
    void (*add)(void *arg, struct ctx_span alias, enum ctx_made where), void *arg);

#endif
