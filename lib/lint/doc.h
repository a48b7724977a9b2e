/* Private to lib/lint and the lint files of the providers. Represents a transcript or
 * body, whatever its format, as a list of items with parts. */
#ifndef CTX_LINT_DOC_H
#define CTX_LINT_DOC_H

#include "lint/lint.h"
#include "model/model.h"

enum lint_form {
	LINT_STREAM, /* a sequence of JSON values */
	LINT_ARRAY,  /* one JSON array of messages */
	LINT_BODY,   /* one request body, a JSON object */
};

enum lint_shape {
	LINT_MESSAGES, /* lists of messages in the format of OpenAI or Anthropic */
	LINT_CONTENTS, /* Gemini's lists of contents with parts (generateContent) */
	LINT_ITEMS,    /* lists of items (OpenAI's Responses API) */
	LINT_STEPS,    /* lists of steps (Gemini's Interactions API) */
};

struct lint_doc;
struct lint_params;

/* A repair pass: repairs the violations of one rule in the whole document. Returns true
 * if the pass changed any items. */
typedef bool lint_pass(struct lint_doc *d);

/* Returns the new text of an item's message, or an absent span if the message stays as
 * it is. */
struct lint_item;
typedef struct ctx_span lint_mend_item(struct lint_doc *d, const struct lint_item *it);

/* A rule, given by its id, and the function that repairs the violations of this rule.
 * pass: repairs all violations in the document; NULL: the function "mend" is called for
 * each checked item. */
struct lint_step {
	const char *rule;
	lint_pass *pass;
	lint_mend_item *mend;
};

/* How the bodies of a provider are checked and repaired (provider/NAME/lint*.c). Each
 * shape belongs to one provider, except LINT_MESSAGES, which two providers share. */
struct lint_part;
struct ctx_lint_kind {
	enum lint_shape shape;
	/* Checks the provider's rules; adds notes. */
	void (*check)(struct lint_doc *d);
	/* Adds flaws for parameters that the provider's models refuse. */
	void (*params)(struct lint_params *p);
	/* The repairs in the order in which they run. A NULL rule ends the list. */
	const struct lint_step *steps;

	/* The functions "limits", "required", "is_item" and "parse" may be NULL. */
	/* limits: checks the provider's limits on a request; images: the number of images
	 * in the request. required: checks that the body has the members that the
	 * provider requires. */
	void (*limits)(struct lint_doc *d, size_t images);
	void (*required)(struct lint_doc *d, const struct lint_params *p);
	/* Not for LINT_MESSAGES: returns true if the value can be an element of a list
	 * of this shape. */
	bool (*is_item)(struct ctx_span value);
	/* Not for LINT_MESSAGES: adds the parts of the item and sets the item's role and
	 * content. */
	void (*parse)(struct lint_doc *d, struct lint_item *it);

	/* Another provider of the same company, or CTX_PROVIDER_NONE. A user who requests
	 * the rules of this provider may mean the rules of the other provider. */
	enum ctx_provider sibling;
	const char *parts; /* name of the item's member that holds the parts */
	/* printf format for a new user item; the argument is the text of the item */
	const char *user;
	/* The members from call_id to put_result are for a shape in which calls and
	 * results are separate items. call_id and result_id: names of the JSON members
	 * that hold the id in a call and in a result. orphan: id of the rule about
	 * results without a call; unanswered: id of the rule about calls without a
	 * result. refers: returns true if the request may refer to items that the
	 * provider has stored. put_result: appends a result for a call without a result,
	 * and returns true; returns false if no result can be made. */
	const char *call_id, *result_id, *orphan, *unanswered;
	bool (*refers)(const struct lint_doc *d);
	bool (*put_result)(struct ctx_buf *b, const struct lint_part *call);
	/* used only with LINT_MESSAGES; true: tool calls and their results are blocks in
	 * the content of a message */
	bool blocks;
	/* true: the message directly after a message with calls must contain the results
	 * of all these calls */
	bool results_next;
	/* true: the results of a message's calls must come before the next message */
	bool apart;
	/* true: the calls of adjacent assistant messages are answered together, after the
	 * last of these messages */
	bool by_turns;
	/* true: the first message may be the assistant's, and no user message is
	 * needed */
	bool any_start;
};

enum lint_role {
	LINT_SYSTEM, /* the role "system" or "developer" */
	LINT_USER,
	LINT_ASSISTANT,
	LINT_TOOL,
	LINT_NO_ROLE, /* an unknown role, or no role */
};

enum lint_part_type {
	LINT_TEXT,
	LINT_CALL,
	LINT_RESULT,
	LINT_THINKING,
	LINT_IMAGE,
	LINT_OTHER,
};

struct lint_part {
	enum lint_part_type type;
	bool block; /* true: the part is an element of the list "content" or "parts" */
	bool blank; /* TEXT: true if the text is only white space */
	/* RESULT: true if the content is a list that is empty or contains a blank text.
	 * OTHER: true if the part is an empty object. */
	bool empty;
	bool custom; /* CALL: true if the called tool is a custom tool of OpenAI's API */
	/* CALL, RESULT: the id of the call, converted to a number (ctx_lint_ids_add);
	 * parts with equal ids have equal numbers; -1 if the part has no id */
	int id;
	/* the part's JSON: a block, a call, the content string, or an item */
	struct ctx_span raw;
	struct ctx_span key;  /* the id of the call, a JSON string */
	struct ctx_span name; /* name of the tool, JSON string */
	/* JSON value of the text, the arguments, the content of the result, or the
	 * image */
	struct ctx_span body;
	/* JSON value of the member "signature", "data" or "thoughtSignature" */
	struct ctx_span sign;
};

struct lint_item {
	/* the item's JSON value in the input: a record, a message or an item of a body */
	struct ctx_span value;
	/* the message: the whole value or, if the value is a message record, the record's
	 * member "message"; absent if the value is a record of another kind */
	struct ctx_span message;
	struct ctx_span content; /* JSON value of the member "content" or "parts" */
	/* position in the input where the value began; NULL if the repair created the
	 * value */
	const char *at;
	/* true: the item is not checked, because it is not a message or because it is an
	 * addition to a window (a record with a slot) */
	bool skip;
	enum lint_role role;
	/* first: index of the item's first part in lint_doc.parts; n: number of the
	 * item's parts */
	size_t first, n;
	/* index of the message among the messages of the document; -1 if the item is not
	 * a message */
	long index;
};

#define LINT_NO_ITEM SIZE_MAX

struct lint_note {
	const char *rule;
	bool error;
	/* index of the item; LINT_NO_ITEM if the note is about the whole document */
	size_t item;
	size_t order;
	char *text;
};

struct lint_ids;

struct lint_doc {
	enum lint_form form;
	enum lint_shape shape;
	/* asked: the provider that the user requested; rules: the provider whose rules
	 * apply */
	enum ctx_provider asked, rules;
	/* true: the requested provider is only a preference; a body that is clearly for
	 * another provider is checked against the rules of that provider */
	bool soft;
	/* true: the document is a body in the format of its provider, so that the rules
	 * for requests apply */
	bool request;
	/* whether the model named in the body accepts system messages among the messages
	 * of other roles */
	enum ctx_model_takes inside;
	bool inside_unsure; /* true: the model table is not sure of the value above */
	/* true: the model continues an answer that is the last message of the body */
	bool prefill;
	bool merged; /* true: neighboring messages of one role count as one turn */
	/* the range of the input that belongs to the document, with the white space
	 * around it */
	struct ctx_span text;
	struct ctx_span body; /* LINT_BODY: the JSON object */
	/* LINT_ARRAY: the JSON array; LINT_BODY: the list of messages; absent for
	 * LINT_STREAM */
	struct ctx_span array;
	/* New values of the body's members "system" and "thinking". A value is used only
	 * if the flag below it (set_system or set_thinking) is true. The repair sets the
	 * flag when it changes the member. */
	struct ctx_span system, thinking;
	bool set_system, set_thinking;
	struct ctx_span *sources; /* LINT_STREAM: the JSON values of the input */
	size_t n_sources, cap_sources;
	struct lint_item *items;
	size_t n, cap;
	struct lint_part *parts;
	size_t n_parts, cap_parts;
	struct lint_ids *ids;
	size_t n_ids;
	struct lint_note *notes;
	size_t n_notes, cap_notes;
	char **arena; /* heap strings that the repair of the document created */
	size_t n_arena, cap_arena;
	bool changed; /* true: the repair changed the document */
};

/* Returns the part of the item that follows part p or, if p is NULL, the item's first
 * part. Returns NULL after the last part. */
static inline const struct lint_part *
ctx_lint_next_part(
    const struct lint_doc *d, const struct lint_item *it, const struct lint_part *p)
{
	size_t next = p == NULL ? it->first : (size_t)(p - d->parts) + 1;

	return next < it->first + it->n ? &d->parts[next] : NULL;
}
/* Returns the index of the first item that is checked, starting at index i; d->n if there
 * is no such item. */
static inline size_t
ctx_lint_next_item(const struct lint_doc *d, size_t i)
{
	while (i < d->n && d->items[i].skip)
		i++;
	return i;
}
/* A loop over the indexes of the items that are checked. Declares the variable i. */
#define LINT_EACH_ITEM(i, d)                                     \
	for (size_t(i) = ctx_lint_next_item(d, 0); (i) < (d)->n; \
	     (i) = ctx_lint_next_item(d, (i) + 1))
/* A loop over the parts of an item. Declares the pointer p. */
#define LINT_EACH_PART(p, d, it)                 \
	for (const struct lint_part *(p) = NULL; \
	     ((p) = ctx_lint_next_part(d, it, p)) != NULL;)
/* Returns the item's first part of this type; NULL if the item has no such part. */
const struct lint_part *ctx_lint_first_part(
    const struct lint_doc *d, const struct lint_item *it, enum lint_part_type type);

/* The documents of an input text, in order. Their regions cover the whole text. */
struct lint_file {
	struct ctx_span text;
	struct lint_doc *docs;
	size_t n, cap;
};

/* Splits the text into documents. On success, returns 0, and the caller must release *f
 * with ctx_lint_file_release. If the text cannot be read, returns -1 with CTX_EINPUT, and
 * *f is empty. */
int ctx_lint_file_parse(struct lint_file *f, struct ctx_span text,
    const struct ctx_lint_options *o, struct ctx_err *err);
void ctx_lint_file_release(struct lint_file *f);

/* Determines the shape of the document and the provider whose rules apply. Returns -1
 * with CTX_EINPUT if the document is a body for another provider than the requested one,
 * or mixes the formats of two providers. */
int ctx_lint_doc_choose(struct lint_doc *d, struct ctx_err *err);

/* Sets the parts, roles and ids of the document from its items. Call this function again
 * after a change of the items. */
void ctx_lint_doc_index(struct lint_doc *d);

/* ctx_lint_kind returns the checks and repairs for a provider. ctx_lint_owner returns
 * the provider whose API uses a shape; the shape must not be LINT_MESSAGES, which two
 * providers use. */
const struct ctx_lint_kind *ctx_lint_kind(enum ctx_provider p);
enum ctx_provider ctx_lint_owner(enum lint_shape shape);

/* Adds a part to the item. Returns the part, which is valid until the next part is
 * added. Call only while the item is being parsed. */
struct lint_part *ctx_lint_add_part(struct lint_doc *d, struct lint_item *it,
    enum lint_part_type type, struct ctx_span raw);
enum lint_role ctx_lint_parse_role(struct ctx_span role);

/* Returns true if s contains only letters, digits, '_' and '-', and its length in bytes
 * is from 1 to the limit "most". */
bool ctx_lint_plain_name(struct ctx_span s, size_t most);

/* Maps ids, compared by their decoded text, to numbers from 0 in order of appearance.
 * ctx_lint_ids_add returns the number of an id, or -1 if the id is empty or not a
 * string. */
struct lint_ids *ctx_lint_ids_new(void);
void ctx_lint_ids_free(struct lint_ids *ids);
int ctx_lint_ids_add(struct lint_ids *ids, struct ctx_span key);
bool ctx_lint_ids_has(struct lint_ids *ids, struct ctx_span text); /* text is not JSON */
size_t ctx_lint_ids_count(const struct lint_ids *ids);

/* Appends the text with U+FFFD in place of every byte that is not UTF-8 and of every
 * escape of a lone surrogate. Returns the number of replacements. Sets *at to an array
 * with the offset in the text of each replaced place; the caller frees the array. */
size_t ctx_lint_clean_text(struct ctx_span text, struct ctx_buf *out, size_t **at);

/* ---- rules: each function adds notes ---- */
/* Adds a note that the rule is violated. If error is true, the note is an error;
 * otherwise a warning. item: the item's index or LINT_NO_ITEM; fmt and the arguments
 * after fmt: the text of the note, as for printf. */
void ctx_lint_note(struct lint_doc *d, const char *rule, bool error, size_t item,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Checks the rules that apply to every provider. */
void ctx_lint_content(struct lint_doc *d);
/* Checks limits on names, ids, images and sizes. */
void ctx_lint_limits(struct lint_doc *d);
void ctx_lint_server(struct lint_doc *d); /* checks tools that Anthropic's server runs */
#define CTX_LINT_DECLARE(id, name) extern const struct ctx_lint_kind ctx_lint_##name;
CTX_PROVIDERS(CTX_LINT_DECLARE)
#undef CTX_LINT_DECLARE
/* Checks all rules of the document, except the budget. */
void ctx_lint_rules_check(struct lint_doc *d);
/* Checks that the document does not have more tokens than o->budget. */
void ctx_lint_budget(struct lint_doc *d, const struct ctx_lint_options *o);
/* Checks the body's parameters against its model, if o->check_model is set. */
void ctx_lint_model(struct lint_doc *d, const struct ctx_lint_options *o);

/* Reports calls without an id, and ids that several calls have. */
void ctx_lint_unique(struct lint_doc *d, const char *rule);

/* printf arguments for "%.*s": the id of a part as JSON, cut to 80 bytes. */
#define LINT_KEY(part) ctx_lint_key_len((part)->key), ctx_lint_key_text((part)->key)
int ctx_lint_key_len(struct ctx_span key);
const char *ctx_lint_key_text(struct ctx_span key);

/* Returns true if two JSON strings have the same decoded text. */
bool ctx_lint_same(struct ctx_span a, struct ctx_span b);

/* For Anthropic: returns true if thinking is enabled, but the answer of the current tool
 * loop does not begin with a thinking block. */
bool ctx_lint_lost_thinking(const struct lint_doc *d);
/* Returns true for a thinking block without a signature. The type of this function is
 * lint_drop_part. */
bool ctx_lint_unsigned(
    const struct lint_doc *d, const struct lint_part *part, const void *unused);
/* Returns true if the result belongs to the call, that is, if both have the same id. For
 * LINT_CONTENTS, if the call or the result has no id, compares the names in place of the
 * ids. */
bool ctx_lint_answers(const struct lint_doc *d, const struct lint_part *result,
    const struct lint_part *call);
/* For LINT_CONTENTS: finds the last user message that contains more than function
 * responses. Returns the index of the item after that message, or 0 if there is no such
 * message. */
size_t ctx_lint_current(const struct lint_doc *d);
/* Returns true if calls and results are separate items, not parts of messages. */
bool ctx_lint_has_items(const struct lint_doc *d);
/* For a shape in which calls and results are separate items: reports results without a
 * call and calls without a result, under the rules that the members "orphan" and
 * "unanswered" of the provider's struct ctx_lint_kind name. */
void ctx_lint_check_items(struct lint_doc *d);

/* ---- turns: consecutive items of one side (user or assistant) ---- */
struct lint_turn {
	bool assistant;
	/* The turn consists of the items with indexes from "first" to end - 1, except
	 * skipped items (lint_item.skip). */
	size_t first, end;
};

/* Returns the turns as an array of *n elements, which the caller frees. If d->merged is
 * true, consecutive messages of the same side (user or assistant) form one turn, even if
 * there are system messages between them; otherwise each message is a turn. */
struct lint_turn *ctx_lint_turns(const struct lint_doc *d, size_t *n);

/* Returns true if the item belongs to a turn. A skipped item does not belong to a turn. A
 * system message belongs to a turn only if the document is a request. */
bool ctx_lint_in_turn(const struct lint_doc *d, const struct lint_item *it);

/* ---- edits: return new JSON text, owned by the document ---- */
/* Moves the content of b to the document, which then owns the content. Returns the
 * content. */
struct ctx_span ctx_lint_keep(struct lint_doc *d, struct ctx_buf *b);

/* Returns a copy of a text in which one part is replaced. base: the text; sub: the part,
 * a span that points into the text; by: the replacement. */
struct ctx_span ctx_lint_splice(
    struct lint_doc *d, struct ctx_span base, struct ctx_span sub, struct ctx_span by);

/* ctx_lint_set returns a copy of the object in which the member with this key has this
 * value; a missing member is added at the end. ctx_lint_unset returns a copy of the
 * object without the member that has this key. */
struct ctx_span ctx_lint_set(
    struct lint_doc *d, struct ctx_span object, const char *key, struct ctx_span value);
struct ctx_span ctx_lint_unset(
    struct lint_doc *d, struct ctx_span object, const char *key);

/* An element of a list to print. text: the element's text; at: the place in the input
 * where the element began; NULL: a new element. */
struct lint_element {
	struct ctx_span text;
	const char *at;
};

/* Both functions print the n elements that replace a list of elements in the input.
 * ctx_lint_print_array prints a JSON array; ctx_lint_print_list prints no brackets.
 * region: the text of the replaced list; sources: the elements of the replaced list;
 * commas: whether commas separate the elements. An element that comes from the input
 * keeps the white space that is around it in the input. */
void ctx_lint_print_list(struct ctx_buf *out, struct ctx_span region,
    const struct ctx_span *sources, size_t n_sources, const struct lint_element *elements,
    size_t n, bool commas);
void ctx_lint_print_array(struct ctx_buf *out, struct ctx_span array,
    const struct lint_element *elements, size_t n);

/* ---- repair ---- */
lint_pass ctx_lint_fix_ids, ctx_lint_fix_pairs, ctx_lint_fix_merge, ctx_lint_fix_blank,
    ctx_lint_fix_roles, ctx_lint_fix_empty_assistant, ctx_lint_fix_ends,
    ctx_lint_fix_thinking, ctx_lint_fix_gemini_responses, ctx_lint_fix_gemini_start,
    ctx_lint_fix_gemini_order, ctx_lint_fix_gemini_empty, ctx_lint_fix_signature,
    ctx_lint_fix_items, ctx_lint_fix_content, ctx_lint_fix_old_calls, ctx_lint_fix_server;

/* Repairs the violated rules, pass by pass and round by round, until no rule is violated
 * or no pass changes anything. */
void ctx_lint_doc_repair(struct lint_doc *d);

/* Replaces the message of an item. */
void ctx_lint_item_set(struct lint_doc *d, struct lint_item *it, struct ctx_span message);

/* Returns the new text of a part, or an absent span if the part stays as it is. */
typedef struct ctx_span lint_mend_part(
    struct lint_doc *d, const struct lint_part *part, void *arg);
/* These functions call mend: ctx_lint_mend_items for each checked item,
 * ctx_lint_mend_item_parts for each part of one item, ctx_lint_mend_parts for each part
 * of all checked items. They return true if anything changed. */
bool ctx_lint_mend_items(struct lint_doc *d, lint_mend_item *mend);
bool ctx_lint_mend_item_parts(
    struct lint_doc *d, struct lint_item *it, lint_mend_part *mend, void *arg);
bool ctx_lint_mend_parts(struct lint_doc *d, lint_mend_part *mend, void *arg);

/* Removes parts of the item: part number i is removed if keep[i] is false. Returns true
 * if any part remains. */
bool ctx_lint_item_keep(struct lint_doc *d, struct lint_item *it, const bool *keep);

/* Adds the item to the list, without the parts for which the function "drop" returns
 * true. If this removes all parts of the item, does not add the item. Returns true if any
 * part was removed. */
typedef bool lint_drop_part(
    const struct lint_doc *d, const struct lint_part *part, const void *arg);
struct lint_list;
bool ctx_lint_list_add_without(struct lint_doc *d, struct lint_list *l,
    struct lint_item it, lint_drop_part *drop, const void *arg);
/* Removes the parts for which the function "drop" returns true, and the items whose parts
 * are all removed. empty: whether to remove also the items that had no parts. Returns
 * true if anything was removed. */
bool ctx_lint_drop_parts(
    struct lint_doc *d, lint_drop_part *drop, const void *arg, bool empty);
/* Returns true for a tool result. The type of this function is lint_drop_part. */
bool ctx_lint_is_result(
    const struct lint_doc *d, const struct lint_part *part, const void *unused);
/* Removes the items for which the function "drop" returns true. Returns true if any item
 * was removed. */
bool ctx_lint_drop_items(
    struct lint_doc *d, bool (*drop)(const struct lint_doc *d, size_t item));

/* Returns a new item with the message. near: an item next to the new one, or NULL. If
 * this item is a message record, the new item is a message record; otherwise the new item
 * is a bare message. */
struct lint_item ctx_lint_item_new(
    struct lint_doc *d, const struct lint_item *near, struct ctx_span message);

/* Returns the item's message with the n parts as its content (or as its "parts", for
 * LINT_CONTENTS). The new parts may come from the same message. A part that is a plain
 * string becomes a text block. */
struct ctx_span ctx_lint_with_parts(struct lint_doc *d, const struct lint_item *it,
    const struct lint_part *const *parts, size_t n);

/* A list of items under construction, which will replace the items of a document. */
struct lint_list {
	struct lint_item *items;
	size_t n, cap;
};
void ctx_lint_list_add(struct lint_list *l, struct lint_item it);
/* Ends the construction of a list, and releases the list. changed: whether the items of
 * the list replace the items of the document. Returns the argument "changed". */
bool ctx_lint_list_end(struct lint_doc *d, struct lint_list *l, bool changed);

/* Appends the document in its present state. */
void ctx_lint_doc_print(struct lint_doc *d, struct ctx_buf *out);

#define CTX_LINT_NO_RESULT "no result recorded"

#endif
