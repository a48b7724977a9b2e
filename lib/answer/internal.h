/* Private to lib/answer: shared by the parsers of answers. */
#ifndef CTX_ANSWER_INTERNAL_H
#define CTX_ANSWER_INTERNAL_H

#include "answer/answer.h"
#include "json/json.h"

/* ---- values under construction ---- */

/* A JSON value under construction. A leaf is stored as JSON text, so that numbers and
 * escapes stay unchanged. A zero-filled node is a value that is not known yet. */
struct ctx_node {
	enum { CTX_NODE_LEAF, CTX_NODE_OBJECT, CTX_NODE_LIST } kind;
	/* if the node is a member of an object: its key, a JSON string */
	struct ctx_buf key;
	/* if the node is a leaf: its value as minified JSON; empty if the value is not
	 * known yet */
	struct ctx_buf text;
	struct ctx_buf aside; /* fragments of text that are not part of the value yet */
	int64_t tag;          /* for free use by the code that builds the value */
	struct ctx_node *kids;
	size_t n, cap;
	/* points to a flag that is set when a node gets too many children (more than
	 * CTX_NODE_KIDS); never NULL */
	bool *full;
};

/* maximum number of children of a node, so that hostile input cannot use up memory */
#define CTX_NODE_KIDS 10000

void ctx_node_release(struct ctx_node *n);
/* Sets the node's value to json. */
void ctx_node_set(struct ctx_node *n, struct ctx_span json);
/* Makes the node an object or a list, according to kind. If the node was of another kind,
 * its value and its children are removed. */
void ctx_node_become(struct ctx_node *n, int kind);
/* Appends a child and returns it. Pointers to the other children become invalid. key is
 * a JSON string, or absent. If the node already has CTX_NODE_KIDS children, the new
 * child replaces the last one, and *n->full is set. */
struct ctx_node *ctx_node_add(struct ctx_node *n, struct ctx_span key);
/* Returns the child with this key, or NULL. */
struct ctx_node *ctx_node_find(const struct ctx_node *n, const char *key);
/* Returns true if the node has a child with this key and the value of the child is the
 * string value (plain text). */
bool ctx_node_has(const struct ctx_node *n, const char *key, const char *value);
/* Returns the child with this key (a JSON string, compared byte by byte). Creates the
 * child if it does not exist. */
struct ctx_node *ctx_node_member(struct ctx_node *n, struct ctx_span key);
/* Appends a member to an object. */
void ctx_node_put(struct ctx_node *n, const char *key, struct ctx_span json);
/* Removes the member with this key, if present. */
void ctx_node_drop(struct ctx_node *n, const char *key);
/* Appends text to a string leaf. inside is the content of a JSON string, without its
 * quotes. A leaf that is not a string becomes a string. */
void ctx_node_extend(struct ctx_node *n, struct ctx_span inside);
/* Appends an element to an array leaf. A leaf that is not an array becomes an array. */
void ctx_node_push(struct ctx_node *n, struct ctx_span json);
void ctx_node_print(const struct ctx_node *n, struct ctx_buf *out);

/* ---- splitting the input ---- */

/* Called with the name and the data of each event of a stream. name is empty if the
 * event has no name. For a line that does not belong in an event stream, name is "error"
 * and data is the line. */
typedef int ctx_sse_fn(
    void *arg, struct ctx_span name, struct ctx_span data, struct ctx_err *err);

/* A parser for server-sent events (WHATWG HTML, 9.2.6). The input is passed piece by
 * piece. Initialize with zeros. */
struct ctx_sse {
	struct ctx_buf line, name, data;
	bool has_data, cr;
};
void ctx_sse_release(struct ctx_sse *e);
int ctx_sse_feed(
    struct ctx_sse *e, struct ctx_span s, ctx_sse_fn *fn, void *arg, struct ctx_err *err);
/* Ends the stream. Unlike a browser, accepts a last event without an empty line after
 * it, because a shell's $(…) removes that line. Fails with CTX_EIO if the last line does
 * not begin with a known field, because such a line is incomplete. */
int ctx_sse_finish(struct ctx_sse *e, ctx_sse_fn *fn, void *arg, struct ctx_err *err);

/* Splits a JSON array of objects into its elements. The array is passed piece by piece;
 * fn is called with each element as data. Initialize with zeros. */
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

/* ---- the parser of answers ---- */

/* The functions and properties in which providers differ. Each argument named json is
 * valid JSON. */
struct ctx_answer_kind {
	/* body parses a whole response body; chunk parses one chunk of a stream. */
	int (*body)(
	    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err);
	int (*chunk)(
	    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err);
	/* called at the end of a stream; builds the message */
	int (*end)(struct ctx_answer_reader *r, struct ctx_err *err);
	/* Names of the usage members whose sum is the number of input tokens or of output
	 * tokens. The number of input tokens is unknown unless input[0] is present; the
	 * number of output tokens is unknown unless a member of output is present. */
	const char *input[3], *output[2];
	bool ends_once; /* true: events after the last event of an answer are ignored */
	bool array;     /* true: a stream may be an array of chunks */
	/* true: a stream may consist of lines of JSON; the last line then has the member
	 * "done" */
	bool lines;
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
	/* the input read so far, if it is a whole body or if its format is not known yet;
	 * if the input is not an answer, only its first bytes */
	struct ctx_buf head;
	struct ctx_sse events;
	struct ctx_elements elements;
	struct ctx_err failed;

	/* OpenAI: the message; others: the list of content blocks */
	struct ctx_node parts;
	struct ctx_node usage;
	struct ctx_node details;
	/* true: parts, usage or details has too many children, so the answer is
	 * refused */
	bool full;
	struct ctx_buf message;
	char *id, *model, *stop_reason;
	/* id of the last event of the stream; NULL if events have no ids */
	char *event_id;
	bool begun, ended;
	bool followed; /* true: the stream contained another answer after this answer */
	bool marked;   /* true: the end marker of the stream ([DONE]) has arrived */
	size_t open;   /* Anthropic: number of blocks that have started but not stopped */
	size_t choices; /* number of alternative answers found so far */
	/* Positions of three tool calls in the array "parts", counted from 1. A position
	 * is 0 if there is no such call. damaged: a call whose arguments are incomplete.
	 * whole: the last call that the provider marked as complete. growing: a call
	 * whose arguments still arrive in parts (partialArgs). */
	size_t damaged, whole, growing;
	bool lost; /* Responses: true if arguments arrived for an unknown call */

	/* A chunk that contains half a surrogate pair or half a character is not valid
	 * JSON. Such a chunk (original) is not parsed itself. Instead, a copy of the
	 * same length is parsed in which the halves are masked (mask). ctx_answer_raw
	 * maps values in the copy back to the original. */
	struct ctx_buf mask;
	const char *original;

	/* number, counted from 1, of the text that the last call of ctx_answer_say
	 * belongs to; 0 before the first call */
	size_t source;
	bool said; /* true: some text was passed to the caller's callback */
	/* incomplete character at the end of the last piece; waits for its other bytes */
	struct ctx_buf held;
};

/* Returns the original bytes of a value v that was found in a chunk (see the members mask
 * and original of struct ctx_answer_reader). */
struct ctx_span ctx_answer_raw(const struct ctx_answer_reader *r, struct ctx_span v);
/* Returns the original bytes of a string that was found in a chunk, without its
 * quotes. */
struct ctx_span ctx_answer_inside(
    const struct ctx_answer_reader *r, struct ctx_span string);
/* Sets the node's value to a value that was found in a chunk. */
void ctx_answer_set(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v);
/* Merges a fragment into the node: strings and arrays are appended, objects are merged
 * member by member, and other values are replaced. However, the members id, type and
 * role are set only once. depth is the number of objects around v; an object that is
 * nested too deeply is replaced, not merged. */
void ctx_answer_merge(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v, int depth);
/* Merges the members of a delta, except "type", into those of the node. A signature is
 * never split between deltas, so a new signature replaces the previous one. */
void ctx_answer_merge_delta(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span delta);
/* Copies the members of an object into the node, except members that the node already
 * has and members whose keys are in skip (a NULL-terminated list, or NULL). */
void ctx_answer_copy(const struct ctx_answer_reader *r, struct ctx_node *n,
    struct ctx_span object, const char *const skip[]);
/* Appends a content block with this tag to r->parts and returns it. If type is not NULL,
 * the block gets the member "type". */
struct ctx_node *ctx_answer_add_block(
    struct ctx_answer_reader *r, const char *type, int64_t tag);
/* Returns the last content block with this tag, or NULL. */
struct ctx_node *ctx_answer_find_block(struct ctx_answer_reader *r, int64_t tag);
/* Adds to r->details the members of object whose keys are in the NULL-terminated list
 * keys, unless their values are null or empty. Later values replace earlier ones. */
void ctx_answer_keep(
    struct ctx_answer_reader *r, struct ctx_span object, const char *const keys[]);
/* Stores a copy of the text of v, a JSON string, in *field. Does nothing if v is empty
 * or not a string. */
void ctx_answer_note(char **field, struct ctx_span v);
/* Stores the id, the model and the stop reason of the answer (JSON, or absent), as
 * ctx_answer_note does. Stores the answer's usage if it is an object. */
void ctx_answer_note_all(struct ctx_answer_reader *r, struct ctx_span id,
    struct ctx_span model, struct ctx_span stop_reason, struct ctx_span usage);
/* Chooses the first alternative from array, an array of choices or candidates: returns
 * the element in which "index" is 0 or missing. If there is no such element, returns the
 * first element if the array is from a whole body, and an absent span if it is from a
 * chunk. Updates r->choices, the number of alternatives. */
struct ctx_span ctx_answer_first(
    struct ctx_answer_reader *r, struct ctx_span array, bool whole);
/* If the current answer has ended and the chunk begins another answer, sets r->followed
 * and returns true; otherwise returns false. id is the id in the chunk. */
bool ctx_answer_is_another(
    struct ctx_answer_reader *r, struct ctx_span id, struct ctx_span chunk);
/* Passes a piece of the answer's text to the caller's callback. inside is the content of
 * a JSON string, without its quotes. source is the number of the text that the piece
 * belongs to; when the number changes, a newline is inserted before the piece. */
void ctx_answer_say(struct ctx_answer_reader *r, size_t source, struct ctx_span inside);
/* If json is an error object of a known form, sets the error and returns -1. Otherwise
 * returns 0. */
int ctx_answer_error(struct ctx_span json, struct ctx_err *err);
/* Sets the error CTX_EIO and returns -1. The error text consists of what and, after it,
 * the provider's text (*why), shortened if necessary. Releases *why. */
int ctx_answer_fail(const char *what, struct ctx_buf *why, struct ctx_err *err);
/* Appends the elements of array, which is from a delta, to the list. Adjacent elements
 * of the same kind are joined (pieces.c). */
void ctx_answer_add_details(
    const struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span array);
/* Appends v, a string or an array of blocks, to the list *content (pieces.c). */
void ctx_answer_add_content(
    struct ctx_answer_reader *r, struct ctx_node *content, struct ctx_span v);
/* Merges parts, an array of partial arguments of a call (partialArgs), into *input, the
 * input of the call. Returns 0, or -1 on error. */
int ctx_answer_add_args(struct ctx_answer_reader *r, struct ctx_node *input,
    struct ctx_span parts, struct ctx_err *err);
/* Returns true if the finished message (minified JSON) has only blank text and empty
 * members (empty.c). */
bool ctx_answer_is_empty(struct ctx_span message);
int ctx_answer_fail_empty(const struct ctx_answer_reader *r, struct ctx_err *err);
/* Returns true if the finished message ends in a tool call that is incomplete because of
 * a limit or a refusal (cut.c). */
struct ctx_message;
bool ctx_answer_ends_in_cut(
    const struct ctx_answer_reader *r, const struct ctx_message *m);
/* Appends the message to *out with a block of type cut_call in place of the last tool
 * call (cut.c). */
void ctx_answer_put_cut(const struct ctx_message *m, struct ctx_buf *out);
/* Completes the tool calls of the finished message (calls.c). A call that has no id, or
 * the same id as an earlier call, gets a new id. Sets *cut to the result of
 * ctx_answer_ends_in_cut; if *cut is true, the last call becomes a block of type
 * cut_call. Fails with CTX_EIO if another call has no name or is incomplete. */
int ctx_answer_complete_calls(
    struct ctx_answer_reader *r, bool *cut, struct ctx_err *err);
/* Sets the input of the tool call *block to the JSON text that was collected in
 * block->aside. If no text was collected, a missing input becomes {}. If the text is not
 * complete JSON, the input becomes a JSON string with the text, and r->damaged is set.
 * Fails with CTX_EIO if the text cannot be decoded. */
int ctx_answer_take_input(
    struct ctx_answer_reader *r, struct ctx_node *block, struct ctx_err *err);
/* Builds the message {"role":"assistant","content":[…]} from the content blocks. */
void ctx_answer_blocks(struct ctx_answer_reader *r);

#endif
