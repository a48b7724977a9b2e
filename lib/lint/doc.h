/* Private to lint. Represents a transcript or body, whatever its format, as a list of
 * items with parts. For use in lib/lint and the lint files of the providers only. */
#ifndef CTX_LINT_DOC_H
#define CTX_LINT_DOC_H

#include "lint/lint.h"
#include "model/model.h"

enum lint_form {
	LINT_STREAM, /* a sequence of values */
	LINT_ARRAY,  /* one array of messages */
	LINT_BODY,   /* one request body */
};

enum lint_shape {
	LINT_MESSAGES, /* messages in the format of OpenAI or Anthropic */
	LINT_CONTENTS, /* contents with parts (Gemini) */
	LINT_ITEMS,    /* items (Responses) */
	LINT_STEPS,    /* steps (Gemini's Interactions) */
};

struct lint_doc;
struct lint_params;

/* A pass of the repair. Returns true if it changed the items. */
typedef bool lint_pass(struct lint_doc *d);

/* A rule, and the pass that repairs violations of it. */
struct lint_step {
	const char *rule;
	lint_pass *pass;
};

/* How the bodies of a provider are checked and repaired (provider/NAME/lint*.c). Each
 * shape belongs to one provider, except LINT_MESSAGES, which two providers share. */
struct lint_item;
struct lint_part;
struct ctx_lint_kind {
	enum lint_shape shape;
	/* Checks the provider's rules; adds notes. */
	void (*check)(struct lint_doc *d);
	/* Adds flaws for parameters that the provider's models refuse. */
	void (*params)(struct lint_params *p);
	/* The repairs in the order in which they run. A NULL rule ends the list. */
	const struct lint_step *steps;

	/* The following members may be NULL. */
	/* Check the provider's limits for a request with this number of images, and the
	 * members that a request must have. */
	void (*limits)(struct lint_doc *d, size_t images);
	void (*required)(struct lint_doc *d, const struct lint_params *p);
	/* For a shape other than LINT_MESSAGES: true if the value is an element of that
	 * shape. */
	bool (*is_item)(struct ctx_span value);
	/* Adds the parts of the item and sets its role and content. NULL for
	 * LINT_MESSAGES. */
	void (*parse)(struct lint_doc *d, struct lint_item *it);

	/* a provider of the same company that users mean by the same name */
	enum ctx_provider sibling;
	const char *parts; /* name of the item's member that holds its parts */
	const char *user;  /* printf format of a user item with a text */
	/* For a shape whose calls and results are items of their own: call_id and
	 * result_id are the names of the members that hold the id; orphan and unanswered
	 * are the rules about pairs. refers returns true if the request may refer to
	 * stored items that it does not contain. put_result appends a result for a call
	 * that has none, or returns false if that is impossible. */
	const char *call_id, *result_id, *orphan, *unanswered;
	bool (*refers)(const struct lint_doc *d);
	bool (*put_result)(struct ctx_buf *b, const struct lint_part *call);
	bool blocks; /* LINT_MESSAGES: calls and results are blocks of the content */
	/* all results of a message's calls must be in the next message */
	bool results_next;
	bool apart; /* the calls of each message are answered before the next message */
	bool by_turns; /* the calls of a turn are answered together */
	/* the first message may be the assistant's, and no user message is needed */
	bool any_start;
};

enum lint_role {
	LINT_SYSTEM, /* system or developer */
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
	bool block; /* the part is an element of content or parts */
	bool blank; /* TEXT: only white space */
	/* RESULT: an empty list, or a list with a blank text; OTHER: an empty object */
	bool empty;
	bool custom; /* CALL: calls an OpenAI custom tool */
	/* CALL, RESULT: number of its id within the document; -1 if it has no id */
	int id;
	/* JSON: the block, the call, the content string, or the item */
	struct ctx_span raw;
	struct ctx_span key;  /* the id, JSON string */
	struct ctx_span name; /* name of the tool, JSON string */
	/* JSON: the text, arguments, content of the result, or image */
	struct ctx_span body;
	struct ctx_span sign; /* JSON: signature, data or thoughtSignature */
};

struct lint_item {
	struct ctx_span value; /* the value in the text: a record, message or item */
	/* the message inside value; absent if the record is not a message */
	struct ctx_span message;
	struct ctx_span content; /* JSON: content or parts */
	/* where the value began in the input; NULL if repair created it */
	const char *at;
	bool skip; /* not a message, or an addition: not checked */
	enum lint_role role;
	size_t first, n; /* first part and number of parts */
	long index; /* index among the messages of the document; -1 if not a message */
};

#define LINT_NO_ITEM SIZE_MAX

struct lint_note {
	const char *rule;
	bool error;
	size_t item; /* LINT_NO_ITEM if the note is about the whole document */
	size_t order;
	char *text;
};

struct lint_ids;

struct lint_doc {
	enum lint_form form;
	enum lint_shape shape;
	enum ctx_provider asked, rules;
	bool soft; /* asked is only a preference; a body of another shape overrides it */
	/* a body in the format of its provider, to which the rules for requests apply */
	bool request;
	/* whether the body's model accepts system messages among the others */
	enum ctx_model_takes inside;
	bool inside_unsure;
	bool prefill; /* the model can continue an answer that ends the body */
	bool merged;  /* neighboring messages of one role count as one turn */
	/* the document's region of the input, including white space around it */
	struct ctx_span text;
	struct ctx_span body;  /* LINT_BODY: the object */
	struct ctx_span array; /* the array, or the list in a body; absent for a stream */
	struct ctx_span system, thinking; /* members of the body, as changed by repair */
	bool set_system, set_thinking;
	struct ctx_span *sources; /* LINT_STREAM: the values of the input */
	size_t n_sources, cap_sources;
	struct lint_item *items;
	size_t n, cap;
	struct lint_part *parts;
	size_t n_parts, cap_parts;
	struct lint_ids *ids;
	size_t n_ids;
	struct lint_note *notes;
	size_t n_notes, cap_notes;
	char **arena; /* texts created by repair */
	size_t n_arena, cap_arena;
	bool changed; /* repair has changed the document */
};

/* The documents of an input text, in order. Their regions cover the whole text. */
struct lint_file {
	struct ctx_span text;
	struct lint_doc *docs;
	size_t n, cap;
};

int ctx_lint_file_parse(struct lint_file *f, struct ctx_span text,
    const struct ctx_lint_options *o, struct ctx_err *err);
void ctx_lint_file_release(struct lint_file *f);

/* Determines the shape of the document and the provider whose rules apply. Returns -1
 * with CTX_EINPUT if the document was written for another provider than requested. */
int ctx_lint_doc_choose(struct lint_doc *d, struct ctx_err *err);

/* Sets the parts, roles and ids from the items; call again after changes. */
void ctx_lint_doc_index(struct lint_doc *d);

/* ctx_lint_kind returns the checks and repairs of a provider; ctx_lint_owner the provider
 * of a shape other than LINT_MESSAGES. */
const struct ctx_lint_kind *ctx_lint_kind(enum ctx_provider p);
enum ctx_provider ctx_lint_owner(enum lint_shape shape);

/* Adds a part to the item that is being parsed. Returns the part, valid until the next
 * one is added. */
struct lint_part *ctx_lint_add_part(struct lint_doc *d, struct lint_item *it,
    enum lint_part_type type, struct ctx_span raw);
enum lint_role ctx_lint_parse_role(struct ctx_span role);

/* True if s consists of 1 to most letters, digits, '_' and '-'. */
bool ctx_lint_plain_name(struct ctx_span s, size_t most);

/* Maps ids, compared by their decoded text, to numbers from 0 in order of appearance.
 * ctx_lint_ids_add returns the number of an id, or -1 if it is empty or not a string. */
struct lint_ids *ctx_lint_ids_new(void);
void ctx_lint_ids_free(struct lint_ids *ids);
int ctx_lint_ids_add(struct lint_ids *ids, struct ctx_span key);
bool ctx_lint_ids_has(struct lint_ids *ids, struct ctx_span text); /* text: plain text */
size_t ctx_lint_ids_count(const struct lint_ids *ids);

/* Appends text with every byte that is not UTF-8 and every escape of a lone surrogate
 * replaced by U+FFFD. Sets *at to an array of the offsets of the replaced places, to be
 * freed by the caller, and returns their number. */
size_t ctx_lint_clean_text(struct ctx_span text, struct ctx_buf *out, size_t **at);

/* ---- rules: each function adds notes ---- */
void ctx_lint_note(struct lint_doc *d, const char *rule, bool error, size_t item,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void ctx_lint_content(struct lint_doc *d); /* rules that hold for every provider */
void ctx_lint_limits(struct lint_doc *d);  /* names, ids, images, sizes */
void ctx_lint_server(struct lint_doc *d);  /* tools run by Anthropic's server */
#define CTX_LINT_DECLARE(id, name) extern const struct ctx_lint_kind ctx_lint_##name;
CTX_PROVIDERS(CTX_LINT_DECLARE)
#undef CTX_LINT_DECLARE
/* Checks all rules of the document, except the budget. */
void ctx_lint_rules_check(struct lint_doc *d);
void ctx_lint_budget(struct lint_doc *d, const struct ctx_lint_options *o);
/* Checks the parameters against the body's model, if o->check_model is set. */
void ctx_lint_model(struct lint_doc *d, const struct ctx_lint_options *o);

/* Reports calls without an id and ids that are used by more than one call. */
void ctx_lint_unique(struct lint_doc *d, const char *rule);

/* printf arguments for "%.*s": the id of a part as JSON, cut to 80 bytes. */
#define LINT_KEY(part) ctx_lint_key_len((part)->key), ctx_lint_key_text((part)->key)
int ctx_lint_key_len(struct ctx_span key);
const char *ctx_lint_key_text(struct ctx_span key);

/* True if the string contains only white space. */
bool ctx_lint_blank(struct ctx_span string);
/* True if two JSON strings have the same decoded text. */
bool ctx_lint_same(struct ctx_span a, struct ctx_span b);
const struct lint_part *ctx_lint_first_call(
    const struct lint_doc *d, const struct lint_item *it);

bool ctx_lint_lost_thinking(const struct lint_doc *d);
bool ctx_lint_unsigned(const struct lint_part *p);
bool ctx_lint_answers(const struct lint_doc *d, const struct lint_part *result,
    const struct lint_part *call);
size_t ctx_lint_current(const struct lint_doc *d);
/* True if calls and results are items of their own. */
bool ctx_lint_has_items(const struct lint_doc *d);
/* Checks the provider's rules "orphan" and "unanswered". */
void ctx_lint_check_items(struct lint_doc *d);

/* ---- turns: items between two changes between user and assistant ---- */
struct lint_turn {
	bool assistant;
	size_t first, end; /* items first … end - 1, some of which may be skipped */
};

/* Returns the turns as an array of *n, to be freed by the caller. In a document with
 * merged set, a turn is a sequence of messages of one side, ignoring system messages;
 * otherwise it is a single message. */
struct lint_turn *ctx_lint_turns(const struct lint_doc *d, size_t *n);

/* True if the item belongs to a turn: it is not skipped and, outside a request, not a
 * system message. */
bool ctx_lint_in_turn(const struct lint_doc *d, const struct lint_item *it);

/* ---- edits: return new JSON text, owned by the document ---- */
struct ctx_span ctx_lint_keep(struct lint_doc *d, struct ctx_buf *b);

/* Returns base with sub, a part of it, replaced by by. */
struct ctx_span ctx_lint_splice(
    struct lint_doc *d, struct ctx_span base, struct ctx_span sub, struct ctx_span by);

/* ctx_lint_set returns the object with the member's value replaced, or with the member
 * added at the end. ctx_lint_unset returns the object without the member. */
struct ctx_span ctx_lint_set(
    struct lint_doc *d, struct ctx_span object, const char *key, struct ctx_span value);
struct ctx_span ctx_lint_unset(
    struct lint_doc *d, struct ctx_span object, const char *key);

/* An element of a list to print: its text, and where it began in the input (NULL if it is
 * new). */
struct lint_element {
	struct ctx_span text;
	const char *at;
};

/* Append a list with new elements; each element keeps the white space that it had around
 * it. region is the text between the brackets, or a stream. sources are the elements in
 * region. */
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

/* Runs the passes for the violated rules until no rule is violated or no pass helps. */
void ctx_lint_doc_repair(struct lint_doc *d);

/* Replaces the message of an item. */
void ctx_lint_item_set(struct lint_doc *d, struct lint_item *it, struct ctx_span message);

/* Returns the message of the item with parts replaced: by[i] replaces the raw text of
 * part it->first + i, unless it is absent. */
struct ctx_span ctx_lint_replace_parts(
    struct lint_doc *d, const struct lint_item *it, const struct ctx_span *by);

/* Removes the parts of the item for which keep is false. Returns false if no part
 * remains. */
bool ctx_lint_item_keep(struct lint_doc *d, struct lint_item *it, const bool *keep);

/* Removes the parts for which drop returns true, and the items that have no parts left.
 * If empty is true, also removes items that had no parts before. Returns true if anything
 * was removed. */
bool ctx_lint_drop_parts(
    struct lint_doc *d, bool (*drop)(const struct lint_part *), bool empty);

/* Returns a new item with the message; it gets an envelope if near has one. */
struct lint_item ctx_lint_item_new(
    struct lint_doc *d, const struct lint_item *near, struct ctx_span message);

/* Returns the message of the item with its content (or parts) replaced by a list of
 * parts, which may be parts of the same message. A text that was a plain string becomes a
 * block. */
struct ctx_span ctx_lint_with_parts(struct lint_doc *d, const struct lint_item *it,
    const struct lint_part *const *parts, size_t n);

/* A list of items that is built to replace those of a document. */
struct lint_list {
	struct lint_item *items;
	size_t n, cap;
};
void ctx_lint_list_add(struct lint_list *l, struct lint_item it);
void ctx_lint_list_commit(struct lint_doc *d, struct lint_list *l);

/* Appends the document in its present state. */
void ctx_lint_doc_print(struct lint_doc *d, struct ctx_buf *out);

#define CTX_LINT_NO_RESULT "no result recorded"

#endif
