/* Patterns of the user: regular expressions of PCRE2 that find entities of one type.
 *
 * A pattern sees one line at a time, and the whole of it: ^, $ and look-arounds mean the
 * line's. A match for which PCRE2 has to look further than CTX_PATTERN_REACH bytes is not
 * made, and matching goes on after the next white space. That, PCRE2's limits and a budget
 * of processor time bound what a pattern can cost: one that runs into a limit is reported
 * once and left out from then on. UTF mode, \w and the like by Unicode
 * properties. Case counts unless the pattern says (?i). Empty matches are no mentions.
 * The name is the match, or what a group called "name" holds. */
#ifndef CTX_ENTITY_PATTERN_H
#define CTX_ENTITY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "entity/mention.h"

#define CTX_PATTERN_LEN_MAX 4096 /* bytes of a pattern */
#define CTX_PATTERN_PIECE 2048   /* bytes of a line that are searched at once */
#define CTX_PATTERN_REACH 8192   /* bytes that a match may examine from its start */

struct ctx_patterns;

struct ctx_patterns *ctx_patterns_new(void);
void ctx_patterns_free(struct ctx_patterns *ps);

/* Called with the type and the text of a pattern that is disabled from now on, and the
 * reason. */
typedef void ctx_patterns_report_fn(
    void *arg, const char *type, const char *pattern, const char *why);
void ctx_patterns_on_limit(
    struct ctx_patterns *ps, ctx_patterns_report_fn *report, void *arg);

/* Adds a pattern; both strings are copied. CTX_EINPUT when it does not compile, with
 * PCRE2's reason and the offset of the error in bytes. */
int ctx_patterns_add(struct ctx_patterns *ps, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err);

/* Appends the matches in text (CTX_MENTION_PATTERN), pattern by pattern. ps owns their
 * types. In text that is not well-formed UTF-8, only the well-formed parts are
 * matched. */
void ctx_patterns_scan(
    struct ctx_patterns *ps, struct ctx_span text, struct ctx_mentions *out);

#endif
