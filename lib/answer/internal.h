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
	/* if the node is a member of an object: the member's key, a JSON string */
	struct ctx_buf key;
	/* if the node is a leaf: the leaf's value as minified JSON; empty if the value is
	 * not known yet */
	struct ctx_buf text;
	/* text that was collected so far and from which the node's value is made later */
	struct ctx_buf aside;
	/* a number that the provider's parser may use, for example the index of a block
	 * in the stream */
	int64_t tag;
	struct ctx_node *kids;
	size_t n, cap;
	/* points to a flag, which is set if a node would get more than CTX_NODE_KIDS
	 * children; never NULL */
	bool *full;
};

/* maximum number of children of a node; it limits how much memory hostile input can
 * use */
#define CTX_NODE_KIDS 10000

void ctx_node_release(struct ctx_node *n);
/* Sets the node's value to this JSON text. */
void ctx_node_set(struct ctx_node *n, struct ctx_span json);
/* Makes the node an object or a list. kind: CTX_NODE_OBJECT or CTX_NODE_LIST. If the node
 * was of another kind, removes its value and its children. */
void ctx_node_become(struct ctx_node *n, int kind);
/* Appends a child and returns it. Pointers to the other children become invalid. key: the
 * child's key, a JSON string, or absent. If the node already has CTX_NODE_KIDS children,
 * the new child replaces the last one, and *n->full is set. */
struct ctx_node *ctx_node_add(struct ctx_node *n, struct ctx_span key);
/* Returns the child with this key, or NULL. */
struct ctx_node *ctx_node_find(const struct ctx_node *n, const char *key);
/* Returns true if the node has a child with this key, and the child is this string.
 * value: the string, as plain text. */
bool ctx_node_has(const struct ctx_node *n, const char *key, const char *value);
/* Returns the child with this key (a JSON string, compared byte by byte). Creates the
 * child if it does not exist. */
struct ctx_node *ctx_node_member(struct ctx_node *n, struct ctx_span key);
/* Appends a member to an object. */
void ctx_node_put(struct ctx_node *n, const char *key, struct ctx_span json);
/* Removes the member with this key, if present. */
void ctx_node_drop(struct ctx_node *n, const char *key);
/* Appends text to a string leaf. inside: the content of a JSON string, without the
 * quotes. A leaf that is not a string becomes a string. */
void ctx_node_extend(struct ctx_node *n, struct ctx_span inside);
/* Appends an element to an array leaf. A leaf that is not an array becomes an array. */
void ctx_node_push(struct ctx_node *n, struct ctx_span json);
void ctx_node_print(const struct ctx_node *n, struct ctx_buf *out);

/* ---- splitting the input ---- */

/* Called for each event of a stream. name is empty if the event has no name. If a line
 * does not belong in an event stream, the function is called with the name "error" and
 * the line as data. */
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
/* Ends the stream. The empty line after the last event may be missing, because a shell's
 * $(…) removes it. Fails with CTX_EIO if the last line does not begin with a known field:
 * such a line is truncated. */
int ctx_sse_finish(struct ctx_sse *e, ctx_sse_fn *fn, void *arg, struct ctx_err *err);

/* Splits a JSON array of objects into its elements. The array is passed piece by piece;
 * fn is called for each element, with the element in the argument "data". Initialize with
 * zeros. */
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

/* The functions and properties that differ between providers. The argument json of each
 * function is valid JSON. */
struct ctx_answer_kind {
	/* Parsers: body() for a whole response body, chunk() for one chunk of a
	 * stream. */
	int (*body)(
	    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err);
	int (*chunk)(
	    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err);
	/* called at the end of a stream; builds the message */
	int (*end)(struct ctx_answer_reader *r, struct ctx_err *err);
	/* Names of members of the usage object that the provider sends. The number of
	 * input tokens is the sum of the members that input[] names; the number is
	 * unknown if the first of them is missing. The number of output tokens is the sum
	 * of the members that output[] names; the number is unknown if all of them are
	 * missing. */
	const char *input[3], *output[2];
	/* true: an event marks the end of an answer, and later events of the stream are
	 * ignored */
	bool ends_once;
	bool array; /* true: the provider may send a stream as a JSON array of chunks */
	/* true: the provider may send a stream as JSON lines, of which the last has the
	 * member "done" */
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
	/* The beginning of the input. If the input is a whole body, all of it is
	 * collected here. Otherwise, bytes are collected until the format is known. The
	 * first bytes of an input that is not an answer stay here for the error
	 * message */
	struct ctx_buf head;
	struct ctx_sse events;
	struct ctx_elements elements;
	struct ctx_err failed;

	/* the value that the chunks have built so far: the message (OpenAI) or the list
	 * of content blocks (other providers) */
	struct ctx_node parts;
	struct ctx_node usage;
	struct ctx_node details;
	/* true: a node in one of the three members above got too many children, so the
	 * answer is refused */
	bool full;
	struct ctx_buf message;
	char *id, *model, *stop_reason;
	/* id of the last event of the stream; NULL if events have no ids */
	char *event_id;
	bool begun, ended;
	/* true: the stream went on with another answer, which was ignored */
	bool followed;
	bool marked; /* true: the end marker of the stream ([DONE]) has arrived */
	size_t open; /* Anthropic: number of blocks that have started but not stopped */
	size_t choices; /* number of alternative answers found so far */
	/* Positions of three tool calls in the member "parts", counted from 1; 0: there
	 * is no such call. damaged: the call whose arguments are incomplete. whole: the
	 * last call that the provider marked as complete. growing: the call whose
	 * arguments are still arriving in pieces (Gemini's partialArgs). */
	size_t damaged, whole, growing;
	/* OpenAI's Responses API: true if arguments arrived for a tool call that the
	 * stream has not announced */
	bool lost;

	/* original: the current chunk; mask: the copy of the chunk that is parsed. Some
	 * servers split a character between two chunks. Such chunks are not valid JSON.
	 * Therefore the copy has replacements for incomplete characters. ctx_answer_raw
	 * converts a span of the copy to a span of the original. */
	struct ctx_buf mask;
	const char *original;

	/* number of the text block of which ctx_answer_say last passed on text, counted
	 * from 1; 0: no text was passed on yet */
	size_t source;
	bool said; /* true: text was passed to the caller's callback */
	/* beginning of a character whose other bytes have not arrived yet */
	struct ctx_buf held;
};

/* Returns the bytes that the provider sent for v, a value in the parsed copy of a chunk
 * (see the member "mask" of struct ctx_answer_reader). */
struct ctx_span ctx_answer_raw(const struct ctx_answer_reader *r, struct ctx_span v);
/* Like ctx_answer_raw, but for a JSON string: returns the string's bytes without the
 * quotes. */
struct ctx_span ctx_answer_inside(
    const struct ctx_answer_reader *r, struct ctx_span string);
/* Sets the value of node n to the bytes that the provider sent for v (see
 * ctx_answer_raw). */
void ctx_answer_set(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v);
/* Merges the fragment v of a value into node n. Strings and arrays are appended. Objects
 * are merged member by member, except that the members "id", "type" and "role" are set
 * only once. Other values are replaced; so are objects that are nested too deeply. depth:
 * number of objects that contain v. */
void ctx_answer_merge(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v, int depth);
/* Merges the members of a delta, a JSON object of the stream, into node n. The member
 * "type" is ignored. A member "signature" is replaced, not appended to, because providers
 * send it in one piece. */
void ctx_answer_merge_delta(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span delta);
/* Copies members of an object into node n. Omits members that n already has. skip: keys
 * of other members to omit, as a NULL-terminated list; may be NULL. */
void ctx_answer_copy(const struct ctx_answer_reader *r, struct ctx_node *n,
    struct ctx_span object, const char *const skip[]);
/* Appends a content block to r->parts and returns it. type: value of the block's member
 * "type"; NULL: the block has no such member. tag: number by which ctx_answer_find_block
 * finds the block. */
struct ctx_node *ctx_answer_add_block(
    struct ctx_answer_reader *r, const char *type, int64_t tag);
/* Returns the last content block to which ctx_answer_add_block gave this tag, or NULL. */
struct ctx_node *ctx_answer_find_block(struct ctx_answer_reader *r, int64_t tag);
/* Copies members of an object to r->details, except members that are null or empty. keys:
 * keys of the members to copy, as a NULL-terminated list. A value that r->details already
 * has is replaced. */
void ctx_answer_keep(
    struct ctx_answer_reader *r, struct ctx_span object, const char *const keys[]);
/* Sets *field to a heap copy of the text of v, a JSON string. Does nothing if v is empty
 * or not a string. */
void ctx_answer_note(char **field, struct ctx_span v);
/* Stores the id, the model and the stop reason of the answer, as ctx_answer_note does;
 * each may be absent. Also stores the answer's token usage. usage: an object; other
 * values are ignored. */
void ctx_answer_note_all(struct ctx_answer_reader *r, struct ctx_span id,
    struct ctx_span model, struct ctx_span stop_reason, struct ctx_span usage);
/* Chooses one of several alternative answers. array: the choices or candidates in a body
 * (whole = true) or in a chunk. Returns the element whose "index" is 0 or missing. If
 * there is no such element, returns the first element of a body's array, and an absent
 * span for a chunk. Updates r->choices. */
struct ctx_span ctx_answer_first(
    struct ctx_answer_reader *r, struct ctx_span array, bool whole);
/* Returns true, and sets r->followed, if the current answer has ended and the chunk
 * begins an answer with another id. id: the answer's id in the chunk. */
bool ctx_answer_is_another(
    struct ctx_answer_reader *r, struct ctx_span id, struct ctx_span chunk);
/* Passes a piece of the answer's text to the caller's callback. inside: content of a JSON
 * string, without its quotes. source: number of the text block to which the piece
 * belongs; if this number differs from that in the previous call, a newline is passed
 * first. */
void ctx_answer_say(struct ctx_answer_reader *r, size_t source, struct ctx_span inside);
/* If the value json is an error object of a known form, sets the error and returns -1.
 * Otherwise returns 0. */
int ctx_answer_error(struct ctx_span json, struct ctx_err *err);
/* Sets the error CTX_EIO and returns -1. what: the beginning of the error text; why: the
 * provider's text for the rest, shortened if necessary. Releases *why. */
int ctx_answer_fail(const char *what, struct ctx_buf *why, struct ctx_err *err);
/* Appends the elements of an array in the stream to the list. Adjacent elements of the
 * same kind are joined (pieces.c). */
void ctx_answer_add_details(
    const struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span array);
/* Appends v, a string or an array of blocks, to the list *content (pieces.c). */
void ctx_answer_add_content(
    struct ctx_answer_reader *r, struct ctx_node *content, struct ctx_span v);
/* Merges pieces of arguments into the arguments of a tool call, *input. parts: the
 * pieces, a JSON array of Gemini's partialArgs. Returns 0, or -1 on error. */
int ctx_answer_add_args(struct ctx_answer_reader *r, struct ctx_node *input,
    struct ctx_span parts, struct ctx_err *err);
/* Returns true if the finished message (minified JSON) has no content: only blank text
 * and empty members (empty.c). */
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
/* Completes the tool calls of the finished message (calls.c). A call whose id is missing
 * or repeated gets a new id. If the message ends in a call that is incomplete because of
 * a limit or a refusal, sets *cut to true, and the call becomes a block of type cut_call.
 * Fails with CTX_EIO if any other call has no name or is incomplete. */
int ctx_answer_complete_calls(
    struct ctx_answer_reader *r, bool *cut, struct ctx_err *err);
/* Sets the member "input" of the tool call *block to the JSON text in block->aside. If
 * that text is truncated, "input" becomes a JSON string with the text, and r->damaged is
 * set. If there is no text, a missing "input" becomes {}. Fails with CTX_EIO if the text
 * cannot be decoded. */
int ctx_answer_take_input(
    struct ctx_answer_reader *r, struct ctx_node *block, struct ctx_err *err);
/* Builds the message {"role":"assistant","content":[…]} from the content blocks in
 * r->parts. */
void ctx_answer_blocks(struct ctx_answer_reader *r);

#endif
