/* Private to lib/answer: shared by the readers of answers. */
#ifndef CTX_ANSWER_INTERNAL_H
#define CTX_ANSWER_INTERNAL_H

#include "answer/answer.h"
#include "json/json.h"

/* ---- values under construction ---- */

/* A JSON value under construction. A leaf is kept as text, so that numbers and escapes
 * are unchanged. Zero-filled, it is a value that is not known yet. */
struct ctx_node {
	enum { CTX_NODE_LEAF, CTX_NODE_OBJECT, CTX_NODE_LIST } kind;
	struct ctx_buf key;   /* for a member of an object: its key, a JSON string */
	struct ctx_buf text;  /* for a leaf: minified JSON; empty if not known yet */
	struct ctx_buf aside; /* fragments that are not part of the value yet */
	int64_t tag;          /* its owner's */
	struct ctx_node *kids;
	size_t n, cap;
};

#define CTX_NODE_KIDS 10000 /* limit, so that hostile input costs only time */

void ctx_node_release(struct ctx_node *n);
/* Replaces the value of the node. */
void ctx_node_set(struct ctx_node *n, struct ctx_span json);
/* Adds a child at the end and returns it; NULL with CTX_EIO when there are too many.
 * Moves the other children, so pointers to them become invalid. key: a JSON string, or
 * absent. */
struct ctx_node *ctx_node_add(
    struct ctx_node *n, struct ctx_span key, struct ctx_err *err);
/* Returns the child with the key, or NULL. */
struct ctx_node *ctx_node_find(const struct ctx_node *n, const char *key);
/* Returns the child with the key (a JSON string, same spelling), created if missing. */
struct ctx_node *ctx_node_member(
    struct ctx_node *n, struct ctx_span key, struct ctx_err *err);
/* Adds a member to an object. */
int ctx_node_put(
    struct ctx_node *n, const char *key, struct ctx_span json, struct ctx_err *err);
/* Removes the member with the key, if any. */
void ctx_node_drop(struct ctx_node *n, const char *key);
/* Appends the inside of a JSON string to a leaf; a leaf that is not a string becomes one. */
void ctx_node_extend(struct ctx_node *n, struct ctx_span inside);
/* Appends an element to a leaf; a leaf that is not an array becomes one. */
void ctx_node_push(struct ctx_node *n, struct ctx_span json);
void ctx_node_print(const struct ctx_node *n, struct ctx_buf *out);

/* ---- cutting the input ---- */

/* Called with each event. name is empty if the event has none. Lines outside the
 * format of event streams are passed as data with the name "error". */
typedef int ctx_sse_fn(
    void *arg, struct ctx_span name, struct ctx_span data, struct ctx_err *err);

/* Server-sent events (WHATWG HTML, 9.2.6), fed piece by piece. Zero-filled to start. */
struct ctx_sse {
	struct ctx_buf line, name, data;
	bool has_data, cr;
};
void ctx_sse_release(struct ctx_sse *e);
int ctx_sse_feed(
    struct ctx_sse *e, struct ctx_span s, ctx_sse_fn *fn, void *arg, struct ctx_err *err);
/* Ends the stream. Unlike in a browser, the last event need not be followed by an
 * empty line, because a shell's $(…) strips it. CTX_EIO if the last line does not
 * start with a known field, because it was cut. */
int ctx_sse_finish(struct ctx_sse *e, ctx_sse_fn *fn, void *arg, struct ctx_err *err);

/* Elements of a JSON array of objects, fed piece by piece; fn is called with each as
 * data. Zero-filled to start. */
struct ctx_elements {
	struct ctx_buf element;
	enum {
		CTX_ELEMENTS_BEFORE,
		CTX_ELEMENTS_FIRST,
		CTX_ELEMENTS_NEXT,
		CTX_ELEMENTS_IN,
		CTX_ELEMENTS_AFTER,
		CTX_ELEMENTS_END
	} state;
	size_t depth;
	bool string, escape;
};
int ctx_elements_feed(struct ctx_elements *e, struct ctx_span s, ctx_sse_fn *fn,
    void *arg, struct ctx_err *err);
int ctx_elements_finish(const struct ctx_elements *e, struct ctx_err *err);

/* ---- the reader ---- */

/* The functions that differ between providers. json is checked. */
struct ctx_answer_kind {
	/* a whole body, or one chunk of a stream */
	int (*body)(
	    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err);
	int (*chunk)(
	    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err);
	/* the stream has ended: put the message together */
	int (*end)(struct ctx_answer_reader *r, struct ctx_err *err);
	void (*tokens)(struct ctx_span usage, int64_t *in, int64_t *out);
	bool ends_once; /* events after the last one of an answer are ignored */
	bool array;     /* a stream may be an array of chunks */
	bool lines;     /* a stream may be JSON lines, the last of which has "done" */
};
#define CTX_ANSWER_DECLARE(id, name) \
	extern const struct ctx_answer_kind ctx_answer_##name;
CTX_PROVIDERS(CTX_ANSWER_DECLARE)
#undef CTX_ANSWER_DECLARE

struct ctx_answer_reader {
	enum ctx_provider provider;
	const struct ctx_answer_kind *kind;
	void (*text)(void *arg, struct ctx_span piece);
	void *arg;

	enum {
		CTX_ANSWER_START,
		CTX_ANSWER_BODY,
		CTX_ANSWER_ARRAY,
		CTX_ANSWER_STREAM,
		CTX_ANSWER_GARBAGE
	} mode;
	size_t total;
	struct ctx_buf head; /* bytes whose nature is not known yet; a body; garbage */
	struct ctx_sse events;
	struct ctx_elements elements;
	struct ctx_err failed;

	struct ctx_node parts; /* OpenAI: the message; others: the list of blocks */
	struct ctx_node usage;
	struct ctx_node details;
	struct ctx_buf message;
	char *id, *model, *stop_reason;
	bool begun, ended;
	bool followed; /* another answer came behind the one that had ended */
	bool marked;   /* the final mark of the stream ([DONE]) has arrived */
	size_t open;   /* Anthropic: blocks that started and did not stop */
	size_t
	    choices; /* OpenAI, Gemini: answers that the provider gave, as far as known */
	/* Indices of calls among the parts, from 1 (0: none). damaged: its arguments
	 * break off. whole: the last call that the provider calls complete. growing
	 * (Gemini): its arguments are still arriving. */
	size_t damaged, whole, growing;
	bool lost; /* Responses: arguments came of a call that is not known */

	/* If a chunk contains half a surrogate pair or half a character, a copy of the
	 * same length, with these masked, is parsed instead; see ctx_answer_raw. */
	struct ctx_buf mask;
	const char *original;

	/* source of the last text (see ctx_answer_say), from 1; 0: none yet */
	size_t source;
	bool said;
	/* incomplete character at the end of the text passed on so far */
	struct ctx_buf held;
};

/* Returns the original bytes of a value found in a chunk. */
struct ctx_span ctx_answer_raw(const struct ctx_answer_reader *r, struct ctx_span v);
/* Returns the original bytes of a string found in a chunk, without its quotes. */
struct ctx_span ctx_answer_inside(
    const struct ctx_answer_reader *r, struct ctx_span string);
/* Replaces the value of the node by a value found in a chunk. */
void ctx_answer_set(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v);
/* Merges a fragment into the node: strings and arrays are appended, objects merged
 * member by member. id, type and role are set once; other values are replaced. */
int ctx_answer_merge(const struct ctx_answer_reader *r, struct ctx_node *n,
    struct ctx_span v, int depth, struct ctx_err *err);
/* Merges a delta's members but "type" into those of the node. A signature comes whole and
 * replaces the one before. */
int ctx_answer_merge_delta(const struct ctx_answer_reader *r, struct ctx_node *n,
    struct ctx_span delta, struct ctx_err *err);
/* Adds the members of object whose keys are listed (terminated by NULL) to the
 * details, unless they are null or empty. Later values replace earlier ones. */
int ctx_answer_keep(struct ctx_answer_reader *r, struct ctx_span object,
    const char *const keys[], struct ctx_err *err);
/* Stores a string in *field unless it is empty. */
void ctx_answer_note(char **field, struct ctx_span v);
/* Returns the element of an array of choices or candidates whose index is 0 or
 * missing. If there is none, returns the first element for a whole body, else an
 * absent span. Counts the choices in r->choices. */
struct ctx_span ctx_answer_first(
    struct ctx_answer_reader *r, struct ctx_span array, bool whole);
/* Sums the tokens of Google's APIs: keys name the members of the input, of what tools put
 * in, of the output, and of thinking, which is counted apart and paid as output. *in is set
 * if the first is known, *out if one of the last two is. */
void ctx_answer_sum_tokens(
    struct ctx_span usage, const char *const keys[4], int64_t *in, int64_t *out);
/* True, and noted in r->followed, if the chunk with this id belongs to another answer than
 * the one that has ended. */
bool ctx_answer_is_another(
    struct ctx_answer_reader *r, struct ctx_span id, struct ctx_span chunk);
/* Passes the inside of a JSON string to the caller's callback. source numbers the
 * texts of the answer; a newline is inserted between two texts. */
void ctx_answer_say(struct ctx_answer_reader *r, size_t source, struct ctx_span inside);
/* Returns -1 with the error if json is an error object in a known shape, else 0. */
int ctx_answer_error(struct ctx_span json, struct ctx_err *err);
/* Shortens a provider's text to fit into an error message. */
void ctx_answer_shorten(struct ctx_buf *text);
/* pieces.c: appends the elements of a delta to a list; adjacent elements of one kind
 * are joined. */
int ctx_answer_add_details(const struct ctx_answer_reader *r, struct ctx_node *list,
    struct ctx_span array, struct ctx_err *err);
/* A string or an array of blocks. */
int ctx_answer_add_content(struct ctx_answer_reader *r, struct ctx_node *content,
    struct ctx_span v, struct ctx_err *err);
/* gemini/answer_args.c: adds parts of a call's arguments (partialArgs) to its input. */
int ctx_answer_add_args(struct ctx_answer_reader *r, struct ctx_node *input,
    struct ctx_span parts, struct ctx_err *err);
/* empty.c: returns whether the finished message, minified, holds nothing but blank text and
 * empty members. */
bool ctx_answer_is_empty(struct ctx_span message);
int ctx_answer_fail_empty(const struct ctx_answer_reader *r, struct ctx_err *err);
/* cut.c: returns whether the finished message ends in a call that a limit or a refusal cut
 * off. */
struct ctx_message;
bool ctx_answer_ends_in_cut(
    const struct ctx_answer_reader *r, const struct ctx_message *m);
/* cut.c: appends the message with its last call as a block cut_call. */
void ctx_answer_put_cut(const struct ctx_message *m, struct ctx_buf *out);
/* calls.c: gives each call of the finished message an id if it has none, or the id of an
 * earlier call. CTX_EIO for a call without a name or an incomplete call. */
int ctx_answer_complete_calls(
    struct ctx_answer_reader *r, bool *cut, struct ctx_err *err);
/* Makes the input of a call from the text that its block collected in aside, which stays the
 * text that it was; a call without any gets {}. Damaged text is noted in r->damaged. */
int ctx_answer_take_input(
    struct ctx_answer_reader *r, struct ctx_node *block, struct ctx_err *err);
/* Builds the message {"role":"assistant","content":[…]} from the blocks. */
void ctx_answer_blocks(struct ctx_answer_reader *r);

#endif
