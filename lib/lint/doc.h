/* Inside of lint: one transcript or body as a list of items with parts, whatever shape it
 * is written in. Not for use outside lib/lint. */
#ifndef CTX_LINT_DOC_H
#define CTX_LINT_DOC_H

#include "lint/lint.h"
#include "model/model.h"

enum lint_form {
	LINT_STREAM, /* values one after the other */
	LINT_ARRAY,  /* one array of messages */
	LINT_BODY,   /* one request body */
};

enum lint_shape {
	LINT_MESSAGES, /* OpenAI's or Anthropic's messages */
	LINT_CONTENTS, /* Gemini's contents with parts */
	LINT_ITEMS,    /* Responses items */
	LINT_STEPS,    /* steps of Gemini's Interactions */
};

struct lint_doc;
struct lint_params;

/* Each pass of repair returns whether it changed the items. */
typedef bool lint_pass(struct lint_doc *d);

/* Which pass mends which rule. */
struct lint_step {
	const char *rule;
	lint_pass *pass;
};

/* How the bodies of a provider are judged and mended (provider/NAME/lint*.c). A shape belongs
 * to one provider, but for messages, which two have. */
struct lint_item;
struct lint_part;
struct ctx_lint_kind {
	enum lint_shape shape;
	/* Its rules: adds notes. */
	void (*check)(struct lint_doc *d);
	/* What its models refuse among the parameters. */
	void (*params)(struct lint_params *p);
	/* In the order in which they run; rule NULL ends them. */
	const struct lint_step *steps;

	/* Each of the following may be NULL. */
	/* Limits of a request with so many images, and members that it lacks. */
	void (*limits)(struct lint_doc *d, size_t images);
	void (*required)(struct lint_doc *d, const struct lint_params *p);
	/* Of a shape of its own: is the value an element of it? */
	bool (*is_item)(struct ctx_span value);
	/* Adds the parts of the item, and sets its role and content. NULL: messages. */
	void (*parse)(struct lint_doc *d, struct lint_item *it);

	enum ctx_provider sibling; /* whose shape the same user means by this name */
	const char *parts;         /* member of an item that holds its parts */
	const char *user;          /* format of an item of the user with a text */
	/* Of a shape whose calls and results are items of their own: members that hold the
	 * id, the rules of pairs, whether items are referred to that the request does not
	 * hold, and a result for a call that has none, or false if
	 * none can be made up. */
	const char *call_id, *result_id, *orphan, *unanswered;
	bool (*refers)(const struct lint_doc *d);
	bool (*put_result)(struct ctx_buf *b, const struct lint_part *call);
	bool blocks; /* messages: calls and results are blocks of content */
	bool
	    results_next; /* all results of a message's calls must be in the message after it */
	bool apart;       /* each message's calls are answered before the next */
	bool by_turns;  /* a turn's calls are answered together */
	bool any_start; /* the assistant may begin, and no user needs to be added */
};

enum lint_role {
	LINT_SYSTEM, /* or developer */
	LINT_USER,
	LINT_ASSISTANT,
	LINT_TOOL,
	LINT_NO_ROLE, /* a role that no rule knows, or none */
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
	bool block;          /* an element of content or parts */
	bool blank;          /* text: nothing but white space */
	bool empty;          /* result: an empty list; other: an empty object */
	bool custom;         /* call: an OpenAI custom tool */
	int id;              /* call, result: number of its id in the document; -1 none */
	struct ctx_span raw; /* JSON: the block, the call, the content string, the item */
	struct ctx_span key; /* JSON string: the id */
	struct ctx_span name; /* JSON string: the tool's */
	struct ctx_span body; /* text, arguments, content of the result, image */
	struct ctx_span sign; /* signature, data or thoughtSignature: JSON */
};

struct lint_item {
	struct ctx_span value;   /* as it stands in the text: record, message, item */
	struct ctx_span message; /* inside value; absent when the record is no message */
	struct ctx_span content; /* content or parts, JSON */
	const char *at;          /* where it began in the text; NULL: repair made it */
	bool skip;               /* no message, or an addition: not judged */
	enum lint_role role;
	size_t first, n; /* parts */
	long index;      /* among the messages of the document */
};

#define LINT_NO_ITEM SIZE_MAX

struct lint_note {
	const char *rule;
	bool error;
	size_t item; /* or LINT_NO_ITEM */
	size_t order;
	char *text;
};

struct lint_ids;

struct lint_doc {
	enum lint_form form;
	enum lint_shape shape;
	enum ctx_provider asked, rules;
	bool soft;    /* asked is but a preference */
	bool request; /* a body in its provider's own shape: request rules hold */
	enum ctx_model_takes inside; /* system messages among the others, of its model */
	bool inside_unsure;
	bool prefill;          /* the model continues an answer that the body ends in */
	bool merged;           /* neighbours of one role count as one turn */
	struct ctx_span text;  /* region of the text: with the white space around */
	struct ctx_span body;  /* LINT_BODY: the object */
	struct ctx_span array; /* the list in a body or of LINT_ARRAY; absent: a stream */
	struct ctx_span system, thinking; /* of the body, as repair has them */
	bool set_system, set_thinking;
	struct ctx_span *sources; /* of a stream: its values in the text */
	size_t n_sources, cap_sources;
	struct lint_item *items;
	size_t n, cap;
	struct lint_part *parts;
	size_t n_parts, cap_parts;
	struct lint_ids *ids;
	size_t n_ids;
	struct lint_note *notes;
	size_t n_notes, cap_notes;
	char **arena; /* text that repair made */
	size_t n_arena, cap_arena;
	bool changed; /* repair: not the text any more */
};

/* The documents of a text, in order; their regions make up the whole text. */
struct lint_file {
	struct ctx_span text;
	struct lint_doc *docs;
	size_t n, cap;
};

int ctx_lint_file_parse(struct lint_file *f, struct ctx_span text,
    const struct ctx_lint_options *o, struct ctx_err *err);
void ctx_lint_file_release(struct lint_file *f);

/* Settle the rules, of those asked for and the shape. */
int ctx_lint_doc_choose(struct lint_doc *d, struct ctx_err *err);

/* Fill parts, roles and ids from items (anew). */
void ctx_lint_doc_index(struct lint_doc *d);

/* How the provider is judged; the provider of a shape that is not LINT_MESSAGES. */
const struct ctx_lint_kind *ctx_lint_kind(enum ctx_provider p);
enum ctx_provider ctx_lint_owner(enum lint_shape shape);

/* Adds a part to the item that is being parsed; valid until the next is added. */
struct lint_part *ctx_lint_add_part(struct lint_doc *d, struct lint_item *it,
    enum lint_part_type type, struct ctx_span raw);
enum lint_role ctx_lint_parse_role(struct ctx_span role);

/* True for a name of 1 to most letters, digits, '_' and '-'. */
bool ctx_lint_plain_name(struct ctx_span s, size_t most);

/* Numbers for ids, by their decoded text: from 0, in order of appearance. */
struct lint_ids *ctx_lint_ids_new(void);
void ctx_lint_ids_free(struct lint_ids *ids);
int ctx_lint_ids_add(struct lint_ids *ids, struct ctx_span key);
bool ctx_lint_ids_has(struct lint_ids *ids, struct ctx_span text); /* plain text */
size_t ctx_lint_ids_count(const struct lint_ids *ids);

/* Text with every byte that is not UTF-8 and every lone surrogate escape replaced.
 * at[] gets the offsets of the places (heap); returns how many. */
size_t ctx_lint_clean_text(struct ctx_span text, struct ctx_buf *out, size_t **at);

/* ---- rules: each adds notes ---- */
void ctx_lint_note(struct lint_doc *d, const char *rule, bool error, size_t item,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void ctx_lint_content(struct lint_doc *d); /* what holds for every provider */
void ctx_lint_limits(struct lint_doc *d);  /* names, ids, images, sizes */
void ctx_lint_server(struct lint_doc *d);  /* tools that Anthropic's server ran */
#define CTX_LINT_DECLARE(id, name) extern const struct ctx_lint_kind ctx_lint_##name;
CTX_PROVIDERS(CTX_LINT_DECLARE)
#undef CTX_LINT_DECLARE
/* The rules of the document, without the budget. */
void ctx_lint_rules_check(struct lint_doc *d);
void ctx_lint_budget(struct lint_doc *d, const struct ctx_lint_options *o);
/* Parameters that the body's model refuses, if o asks for that. */
void ctx_lint_model(struct lint_doc *d, const struct ctx_lint_options *o);

/* Ids that are not unique among calls; requires that every call has one. */
void ctx_lint_unique(struct lint_doc *d, const char *rule);

/* An id for a message text: its JSON, cut. printf arguments for "%.*s". */
#define LINT_KEY(part) ctx_lint_key_len((part)->key), ctx_lint_key_text((part)->key)
int ctx_lint_key_len(struct ctx_span key);
const char *ctx_lint_key_text(struct ctx_span key);

bool ctx_lint_blank(struct ctx_span string);              /* nothing but white space */
bool ctx_lint_same(struct ctx_span a, struct ctx_span b); /* JSON strings, decoded */
const struct lint_part *ctx_lint_first_call(
    const struct lint_doc *d, const struct lint_item *it);

bool ctx_lint_lost_thinking(const struct lint_doc *d);
bool ctx_lint_unsigned(const struct lint_part *p);
bool ctx_lint_answers(const struct lint_doc *d, const struct lint_part *result,
    const struct lint_part *call);
size_t ctx_lint_current(const struct lint_doc *d);
/* True if calls and results are items of their own. */
bool ctx_lint_has_items(const struct lint_doc *d);
/* The rules orphan and unanswered of the provider. */
void ctx_lint_check_items(struct lint_doc *d);

/* ---- turns: items between two changes of side ---- */
struct lint_turn {
	bool assistant;
	size_t first, end; /* items first … end - 1, of which some may be skipped */
};

/* Returns the turns as a heap array of *n. In a merged document a turn is a run of
 * messages of one side, ignoring system messages; otherwise it is one message. */
struct lint_turn *ctx_lint_turns(const struct lint_doc *d, size_t *n);

/* True if the item is part of the turn's content: neither skipped nor a system
 * message. */
bool ctx_lint_in_turn(const struct lint_doc *d, const struct lint_item *it);

/* ---- edits: new JSON text, owned by the document ---- */
struct ctx_span ctx_lint_keep(struct lint_doc *d, struct ctx_buf *b);

/* base with sub (which lies in it) replaced. */
struct ctx_span ctx_lint_splice(
    struct lint_doc *d, struct ctx_span base, struct ctx_span sub, struct ctx_span by);

/* The object with the member's value replaced, or the member added at the end. */
struct ctx_span ctx_lint_set(
    struct lint_doc *d, struct ctx_span object, const char *key, struct ctx_span value);
struct ctx_span ctx_lint_unset(
    struct lint_doc *d, struct ctx_span object, const char *key);

/* An element of a list to print: its text, and where it began in the input (NULL: it is
 * new). */
struct lint_element {
	struct ctx_span text;
	const char *at;
};

/* Append a list with other elements; each keeps the white space that it had around it.
 * region is what lies between the brackets, or a stream; sources are the elements that
 * it holds. */
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

/* Run the passes that the broken rules call for until none is broken, or none helps. */
void ctx_lint_doc_repair(struct lint_doc *d);

/* Replace an item's message. */
void ctx_lint_item_set(struct lint_doc *d, struct lint_item *it, struct ctx_span message);

/* The item's message with parts replaced: by[i] takes the place of the raw text of part
 * it->first + i; absent ones stay. */
struct ctx_span ctx_lint_replace_parts(
    struct lint_doc *d, const struct lint_item *it, const struct ctx_span *by);

/* The item without the parts for which keep is false, or false when nothing is left. */
bool ctx_lint_item_keep(struct lint_doc *d, struct lint_item *it, const bool *keep);

/* Removes the parts for which drop is true, and items that have none left; with empty, also
 * items that had none. Returns whether anything was removed. */
bool ctx_lint_drop_parts(
    struct lint_doc *d, bool (*drop)(const struct lint_part *), bool empty);

/* An item that repair makes, in an envelope when near has one. */
struct lint_item ctx_lint_item_new(
    struct lint_doc *d, const struct lint_item *near, struct ctx_span message);

/* The message with its content (or parts) replaced by a list of parts, some of which may
 * lie in it; a text that was a plain string becomes a block. */
struct ctx_span ctx_lint_with_parts(struct lint_doc *d, const struct lint_item *it,
    const struct lint_part *const *parts, size_t n);

/* A list of items that takes the place of a document's. */
struct lint_list {
	struct lint_item *items;
	size_t n, cap;
};
void ctx_lint_list_add(struct lint_list *l, struct lint_item it);
void ctx_lint_list_commit(struct lint_doc *d, struct lint_list *l);

/* Write the document as it is now. */
void ctx_lint_doc_print(struct lint_doc *d, struct ctx_buf *out);

#define CTX_LINT_NO_RESULT "no result recorded"

#endif
