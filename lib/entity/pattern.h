/* Patterns are regular expressions (PCRE2) that the user defines. Each pattern finds
 * entities of one type.
 *
 * A pattern is matched against one line at a time and sees the whole line: ^, $ and
 * look-arounds refer to the line. The cost of a pattern is limited in two ways. If PCRE2
 * would have to examine more than CTX_PATTERN_REACH bytes for one match, this match is
 * given up, and the search continues after the next white space. If a pattern exceeds
 * one of PCRE2's own limits or its budget of processor time, it is reported once and
 * disabled.
 *
 * Patterns use UTF mode, and \w and similar classes use Unicode properties. Matching is
 * case-sensitive unless the pattern contains (?i). Empty matches are ignored. The
 * entity's name is the match, or the part matched by a group called "name". */
#ifndef CTX_ENTITY_PATTERN_H
#define CTX_ENTITY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "entity/mention.h"

#define CTX_PATTERN_LEN_MAX 4096 /* maximum length of a pattern in bytes */
#define CTX_PATTERN_PIECE 2048   /* number of bytes of a line that are searched at once */
/* maximum number of bytes that PCRE2 may examine for a match, from the start of the
 * match */
#define CTX_PATTERN_REACH 8192

struct ctx_patterns;

struct ctx_patterns *ctx_patterns_new(void);
void ctx_patterns_free(struct ctx_patterns *ps);

/* Type of the function that is called when a pattern has exceeded a limit and is
 * disabled. why: a text that names the limit. */
typedef void ctx_patterns_report_fn(
    void *arg, const char *type, const char *pattern, const char *why);
void ctx_patterns_on_limit(
    struct ctx_patterns *ps, ctx_patterns_report_fn *report, void *arg);

/* Adds a pattern for entities of this type. Both strings are copied. Returns -1 with
 * CTX_EINPUT if the pattern does not compile; the error text has PCRE2's reason and the
 * byte offset of the mistake. */
int ctx_patterns_add(struct ctx_patterns *ps, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err);

/* Appends a mention with the source CTX_MENTION_PATTERN for each match in the text,
 * pattern by pattern. ps owns the type strings of the mentions. If the text is not
 * well-formed UTF-8, only the part before the first invalid byte is matched. */
void ctx_patterns_scan(
    struct ctx_patterns *ps, struct ctx_span text, struct ctx_mentions *out);

#endif
