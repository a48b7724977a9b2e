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
/* Append an element to a leaf, which becomes an array if it is none. */
void ctx_node_push(struct ctx_node *n, struct ctx_span json);
void ctx_node_print(const struct ctx_node *n, struct ctx_buf *out);

/* ---- cutting the input ---- */

/* Called with each event. name is empty when the event has none; "error" also for lines
 * that are no part of an event stream, which are then the data. */
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
/* Unlike a browser, takes the last event without the empty line behind it: a shell's
 * $(…) strips it. A last line that is no known field is CTX_EIO: it was cut. */
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

/* What differs between providers. json is checked. */
struct ctx_answer_kind {
	/* a whole body, or one chunk of a stream */
	int (*body)(
	    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err);
	int (*chunk)(
	    struct ctx_answer_reader *r, struct ctx_span json, struct ctx_err *err);
	/* the stream has ended: put the message together */
	int (*end)(struct ctx_answer_reader *r, struct ctx_err *err);
	void (*tokens)(struct ctx_span usage, int64_t *in, int64_t *out);
};
extern const struct ctx_answer_kind ctx_answer_openai, ctx_answer_anthropic,
    ctx_answer_gemini, ctx_answer_responses;

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
	bool marked; /* the stream's last mark came ([DONE]) */
	size_t open; /* Anthropic: blocks that started and did not stop */
	/* Calls by their place among the parts, from 1; 0 for none: the one whose arguments break
	 * off, the last one that the provider calls complete, and (Gemini) the one whose arguments
	 * still come. */
	size_t damaged, whole, growing;
	bool lost; /* Responses: arguments came of a call that is not known */

	/* A chunk that holds half a surrogate pair or half a character is walked in a copy of
	 * the same length where they are masked; see ctx_answer_raw. */
	struct ctx_buf mask;
	const char *original;

	size_t source; /* what the last text came from, from 1; 0 none yet */
	bool said;
	struct ctx_buf held; /* half a character at the end of what was said */
};

/* The bytes as they came of a value that was found in a chunk. */
struct ctx_span ctx_answer_raw(const struct ctx_answer_reader *r, struct ctx_span v);
/* The same without the quotes of a string. */
struct ctx_span ctx_answer_inside(
    const struct ctx_answer_reader *r, struct ctx_span string);
/* Replace what the node holds by a value found in a chunk. */
void ctx_answer_set(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v);
/* Merge a fragment: strings grow, arrays too, objects member by member; id, type and
 * role are set once; other values are replaced. */
int ctx_answer_merge(const struct ctx_answer_reader *r, struct ctx_node *n,
    struct ctx_span v, int depth, struct ctx_err *err);
/* Keep the members of object whose keys are listed (ended by NULL) among the details, unless
 * they are null or empty; later ones replace earlier ones. */
int ctx_answer_keep(struct ctx_answer_reader *r, struct ctx_span object,
    const char *const keys[], struct ctx_err *err);
/* Keep a string that is not empty. */
void ctx_answer_note(char **field, struct ctx_span v);
/* Of an array of choices or candidates the one whose index is 0 or absent, or else
 * absent; a whole body falls back to its first. */
struct ctx_span ctx_answer_first(struct ctx_span array, bool whole);
/* Give the inside of a JSON string to the caller's callback. source numbers the texts
 * of the answer: a newline goes between two. */
void ctx_answer_say(struct ctx_answer_reader *r, size_t source, struct ctx_span inside);
/* If json is an error object in one of the usual shapes, report it (-1); else 0. */
int ctx_answer_error(struct ctx_span json, struct ctx_err *err);
/* Cut what a provider says to a length that an error message has room for. */
void ctx_answer_shorten(struct ctx_buf *text);
/* pieces.c: add what a delta holds to a list; neighbours of one kind become one. */
int ctx_answer_add_details(const struct ctx_answer_reader *r, struct ctx_node *list,
    struct ctx_span array, struct ctx_err *err);
/* A string or an array of blocks. */
int ctx_answer_add_content(struct ctx_answer_reader *r, struct ctx_node *content,
    struct ctx_span v, struct ctx_err *err);
/* gemini_args.c: adds parts of a call's arguments (partialArgs) to its input. */
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
/* calls.c: give each call of the finished message an id if it lacks one, or has that of a
 * call before it. CTX_EIO for a
 * call without a name, or one that was cut off. */
int ctx_answer_complete_calls(
    struct ctx_answer_reader *r, bool *cut, struct ctx_err *err);
/* The message {"role":"assistant","content":[…]} from the blocks. */
void ctx_answer_blocks(struct ctx_answer_reader *r);

#endif
