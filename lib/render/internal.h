/* Private to lib/render and the renderers of the providers. */
#ifndef CTX_RENDER_INTERNAL_H
#define CTX_RENDER_INTERNAL_H

#include "render/render.h"

#define RENDER_NONE SIZE_MAX

/* A tool call of the body, and its result. */
struct render_call {
	const struct ctx_part *part;
	/* the result of the call; NULL until the result is found */
	const struct ctx_part *result;
	/* indices of the items that contain the call and the result */
	size_t item, result_item;
	struct ctx_span id; /* the call's id as stored, decoded */
	/* the id that is sent, decoded: valid for the provider and unique in the body */
	struct ctx_span sent;
	/* memory of the members "id" and "sent", owned; NULL if the memory is borrowed */
	char *id_own, *sent_own;
	/* Calls with the same id form a linked list: */
	size_t next; /* index of the next call with this id, or RENDER_NONE */
	/* last: index of the last call in the list; open: index of the first call without
	 * a result. Set only in the first element of the list. */
	size_t last, open;
	/* only in the first element of the list: number of suffixes ("_2", "_3", ...)
	 * that were added to the ids of the list */
	unsigned copies;
};

enum node_kind { NODE_USER, NODE_ASSISTANT, NODE_RESULTS };

/* A node is one unit of the body, in sending order: a message, or the results of the
 * calls in the answers before it. */
struct render_node {
	enum node_kind kind;
	size_t item; /* for a USER or ASSISTANT node: index of the message's item */
	/* for an ASSISTANT node: index of the first call in the message, and number of
	 * calls in the message; for a RESULTS node: index of the first call whose result
	 * is in the node, and number of such calls */
	size_t call, calls;
	/* for a USER node, the volatile items (texts for one turn) that are sent before
	 * the message's text. extra: index of the first of these items in the array
	 * "extra" of struct render; extras: number of these items */
	size_t extra, extras;
	/* true: the message comes after the user message that starts the current turn. If
	 * no message starts a turn, true for every message. */
	bool loop;
	/* for a RESULTS node: true if the node has the result of an async call; such a
	 * result is sent where it arrived in the conversation */
	bool async;
	/* true: the message's reasoning is valid at this place and may be sent back;
	 * always true if the request does not belong to a run */
	bool kept;
};

/* A volatile item (a text for one turn) that is sent as part of a user message. */
struct render_volatile {
	/* item: index of the volatile item (a text for one turn); target: index of the
	 * item with the user message, or RENDER_NONE if no message starts a turn */
	size_t item, target;
};

/* The state of one call of ctx_render_body. */
struct render {
	const struct ctx_render_item *items;
	size_t n_items;
	const struct ctx_render_options *o;
	const struct ctx_render_kind *kind;
	struct ctx_err *err;
	struct ctx_message *msgs; /* the parsed messages, one per item */
	/* one buffer for each item: the item's message rewritten on one line if the
	 * message spans several lines; otherwise empty */
	struct ctx_buf *flat;
	/* the parameters (o->params) on one line; empty if there are no parameters */
	struct ctx_buf params;
	/* indices of the items that form the system text, in sending order */
	size_t *system;
	size_t n_system;
	/* index of the first history item after the system messages that open the
	 * history */
	size_t opening;
	/* indices of the items that are sent as messages, in sending order; volatile
	 * items are included only if their member "inside" is true */
	size_t *order;
	size_t n_order;
	struct render_volatile *extra; /* ordered by target */
	size_t n_extra;
	size_t turn; /* index of the item that starts the current turn, or RENDER_NONE */
	/* The history can end with an interrupted answer that the model can continue.
	 * continued: index of the first item of this answer, or n_items if there is no
	 * such answer. token: a token that makes the provider continue the answer, or
	 * absent. If there is a token, the body contains the token, and this answer is
	 * not sent, because the provider already has it. */
	struct ctx_span token;
	size_t continued;
	struct render_call *calls;
	size_t n_calls, cap_calls;
	/* calls of provider-run tools without a result, and results without a call */
	const struct ctx_part **unpaired;
	size_t n_unpaired, cap_unpaired;
	struct render_node *nodes;
	size_t n_nodes, cap_nodes;
};

/* arrange.c */
/* Makes the nodes of the body from the items. Returns 0, or -1 with CTX_EANSWER if the
 * request cannot be sent. */
int ctx_render_arrange(struct render *r);
/* Returns true if the item must not be sent. There are two cases: (1) the item is an
 * answer without tool calls, and its member "withheld" is set; (2) the item belongs to an
 * interrupted answer that the provider already has and continues (see r->token). */
bool ctx_render_is_withheld(const struct render *r, size_t item);
void ctx_render_release(struct render *r);
/* Sets the error CTX_EANSWER and returns -1. The error text consists of the number of the
 * message that caused the error (item: index of the message's item; RENDER_NONE: no
 * message) and the reason (fmt, as for printf). */
int ctx_render_refuse(struct render *r, size_t item, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* resume.c */
/* Finds out whether the history ends with an interrupted answer that the model can
 * continue, and sets r->token and r->continued. */
void ctx_render_find_token(struct render *r);
/* Returns true if the item is an answer that may be the last message of the body, because
 * the model can continue the answer. Such an answer ends with a call of a provider-run
 * tool, or was paused and contains such a call. */
bool ctx_render_is_resumed(const struct render *r, size_t item);

/* system.c: system and developer messages. */
/* Returns true for a system or developer message. For a volatile item, returns true only
 * if the item is also sent as a separate message (member "inside" of struct
 * ctx_render_item). */
bool ctx_render_is_system(const struct render *r, size_t item);
/* Returns true if the message is worth sending as a system message: if it has text, or a
 * block that the provider accepts in a system message, or if it works without content,
 * such as a message that only sets Anthropic's effort. */
bool ctx_render_says_system(const struct render *r, size_t item);
/* Returns true if the part is a block that the provider accepts in a system message, and
 * is not a text block. */
bool ctx_render_is_system_block(const struct render *r, const struct ctx_part *p);
/* Returns true if the node is a system message that may be sent as such at its place
 * among the messages of other roles (Anthropic). The text of any other system message is
 * sent as a user message. */
bool ctx_render_system_stays(const struct render *r, size_t node);

/* Appends the texts of the items r->system[first] to r->system[end - 1]. An empty line is
 * put between two texts, and between the old content of *text and the first text. */
void ctx_render_system_text(
    const struct render *r, size_t first, size_t end, struct ctx_buf *text);
/* Returns the number of items at the beginning of the system text that come before the
 * first summary. This part of the system text does not change when a new run begins. */
size_t ctx_render_front(const struct render *r);
/* Adds OpenAI's prompt cache breakpoint to the last element of a JSON array of parts. The
 * array must be the last value in *b. array: offset in *b at which the array begins. Does
 * nothing if r->o->breakpoint is false, or if the element already has a breakpoint. */
void ctx_render_put_breakpoint(const struct render *r, struct ctx_buf *b, size_t array);

/* calls.c */
/* Finds the calls and their results, and chooses the ids that are sent. Returns 0, or -1
 * on error. */
int ctx_render_calls_match(struct render *r);

/* Appends a tool's name (a JSON string) in a form that the provider accepts (names.c). In
 * a name that is not valid, '_' replaces each invalid character, and a part of the name's
 * hash is appended. */
void ctx_render_put_name(
    struct ctx_buf *b, struct ctx_span name, enum ctx_provider provider);
/* Appends the name of a speaker (a JSON string) in the form that OpenAI accepts. Appends
 * nothing if the name contains no valid letter or digit. */
void ctx_render_put_speaker(struct ctx_buf *b, struct ctx_span name);
/* Returns the id to send in place of a call's id, or NULL if the call's id can be sent
 * unchanged. The caller frees the result. */
char *ctx_render_id(const struct render *r, struct ctx_span id);

/* The functions below are for single parts of messages (block.c). Strings and blocks are
 * JSON. */

/* Returns true if the part has content that the provider accepts in this node. */
bool ctx_render_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p);
/* Like ctx_render_part_sent, but for a part of a volatile item. */
bool ctx_render_extra_sent(const struct ctx_part *p);

/* An iterator over the parts of a node that are sent: first the parts of the node's
 * volatile items, then the parts of its message. An item that defines a tool is left out
 * if the tool's definition is sent among the messages. */
struct render_parts {
	const struct ctx_part *part;
	/* index in r->extra of the volatile item that contains the part; after the last
	 * volatile item, the node's message follows */
	size_t extra;
	bool is_extra; /* true: the part belongs to a volatile item */
	size_t at;     /* index of the next part */
};
bool ctx_render_next_part(
    const struct render *r, const struct render_node *node, struct render_parts *it);
/* A loop over the parts of a node that are sent. it: name of the iterator, which the
 * macro declares. */
#define RENDER_EACH_PART(it, r, node)                                 \
	for (struct render_parts it = {NULL, (node)->extra, true, 0}; \
	     ctx_render_next_part(r, node, &(it));)

/* Returns the first call of the node that has a result or, if c is not NULL, the next
 * such call after c. Returns NULL after the last such call. */
const struct render_call *ctx_render_next_result(
    const struct render *r, const struct render_node *node, const struct render_call *c);
/* A loop over the calls of a node that have a result. c: name of the pointer to the
 * current call, which the macro declares. */
#define RENDER_EACH_RESULT(c, r, node)             \
	for (const struct render_call *(c) = NULL; \
	     ((c) = ctx_render_next_result(r, node, c)) != NULL;)

/* A change that ctx_render_copy makes to a member of an object. key: the member's key;
 * json: the member's new value; if absent or empty, the member is omitted. */
struct render_swap {
	const char *key;
	struct ctx_span json;
	bool add; /* true: the member is appended if the object lacks it */
};
/* Appends a copy of some members of a JSON object, as an object. keep: keys of the
 * members to copy, NULL-terminated; swap: n changes to these members (see struct
 * render_swap). An absent object counts as empty. */
void ctx_render_copy(struct ctx_buf *b, struct ctx_span object, const char *const keep[],
    const struct render_swap *swap, size_t n);
/* Appends the arguments of a tool call as a JSON object. */
void ctx_render_args(struct ctx_buf *b, const struct ctx_part *call);
/* Appends the arguments of a tool call as a JSON string. If the arguments already are a
 * string that contains a JSON object, the string is copied unchanged. */
void ctx_render_args_string(struct ctx_buf *b, const struct ctx_part *call);
/* Parses the content of a tool result into *m. Returns true if the content is an array
 * that has a part other than text. The caller must release *m in both cases. */
bool ctx_render_result_list(struct ctx_message *m, const struct ctx_part *result);
/* Appends the text of a tool result as a JSON string. If error is true, "Error: " is put
 * before a text that does not already begin with "error". */
void ctx_render_result_text(struct ctx_buf *b, const struct ctx_part *result, bool error);
/* The API that defines the format of a content block. Only parts of type OTHER have a
 * shape, because there is no format for their blocks that is common to all providers.
 * Gemini's parts have no type: when an answer is read, a thought becomes a block of type
 * "thought", and any other part becomes a block of type "part". A Responses block is a
 * whole item, such as reasoning or a call of a provider-run tool. */
enum ctx_render_shape {
	SHAPE_UNKNOWN,
	SHAPE_OPENAI,
	SHAPE_ANTHROPIC,
	SHAPE_GEMINI_THOUGHT,
	SHAPE_GEMINI_PART,
	SHAPE_RESPONSES_REASONING,
	SHAPE_RESPONSES_ITEM,
	SHAPE_STEP, /* Interactions: a step other than a text, a call or a thought */
	SHAPE_STEP_THOUGHT,
	/* a block of unknown type that comes from an earlier answer of the provider to
	 * which the request is sent */
	SHAPE_NATIVE,
};
enum ctx_render_shape ctx_render_shape(const struct ctx_part *p);
/* Appends the replacement for a part that the provider does not accept, as a JSON
 * string. The replacement is the text in the part or, if the part has no text, "[TYPE]"
 * or "[TYPE URL]". */
void ctx_render_stand_in(struct ctx_buf *b, const struct ctx_part *p);
/* Appends the replacement of ctx_render_stand_in as a text block. */
void ctx_render_put_stand_in(struct ctx_buf *b, const struct ctx_part *p);

/* Appends a call's arguments in a form for people: if the arguments are a JSON string,
 * its decoded text; otherwise the JSON. */
void ctx_render_arguments(struct ctx_buf *out, const struct ctx_part *call);

/* Appends a number and its unit, such as "1,200 tokens". what: the singular of the
 * unit. */
void ctx_render_count(struct ctx_buf *out, int64_t n, const char *what);

/* Returns the title of a session record or, if there is no title, the session's id. Both
 * are JSON strings. */
struct ctx_span ctx_render_title(struct ctx_span session);

/* Returns true if the part is a model's thinking, in any provider's format. */
bool ctx_render_is_thinking(const struct ctx_part *p);
/* Appends the readable text of a model's thinking. */
void ctx_render_thought(struct ctx_buf *out, const struct ctx_part *p);

/* Returns true if the block contains text that can be sent instead of the block. */
bool ctx_render_has_text(const struct ctx_part *p);

/* The binary data of a part (image, document or audio), whatever format the part has. */
struct render_media {
	enum { MEDIA_NONE, MEDIA_BASE64, MEDIA_URL } kind;
	struct ctx_span mime; /* media type; may be absent for a URL */
	struct ctx_span data; /* base64 text, or the URL */
	struct ctx_span name; /* file name or title; may be absent */
	/* if kind is MEDIA_NONE: the id of a file that was uploaded to OpenAI (a JSON
	 * string), or absent */
	struct ctx_span upload;
	/* true: the media is an image; this includes an image in the blob of an MCP
	 * resource */
	bool image;
	/* true: the declared media type did not match the bytes of the image; the member
	 * "mime" is then the type that was detected in the bytes */
	bool corrected;
	/* memory for the members "mime", "data" and "name" if their escapes were
	 * decoded */
	struct ctx_buf tmp[3];
};
/* Returns true if the block of an image can be sent to the provider unchanged: the block
 * has the provider's format, the provider accepts its media type, and the image data is
 * of that type. */
bool ctx_render_image_raw(const struct ctx_part *p, enum ctx_provider provider);
void ctx_render_media_of(struct render_media *m, const struct ctx_part *p);
void ctx_render_media_release(struct render_media *m);
/* Appends the URL of the media as a JSON string. For kind MEDIA_BASE64, this is a data
 * URL. */
void ctx_render_put_data_url(struct ctx_buf *b, const struct render_media *m);
/* Returns true if the part has media that the provider accepts in a user message. */
bool ctx_render_media_sent(const struct ctx_part *p, enum ctx_provider provider);
/* Returns OpenAI's name ("wav", "mp3") for an audio media type, or NULL if OpenAI does
 * not accept the type. */
const char *ctx_render_audio_format(struct ctx_span mime);

/* Fills in r->o->report, which must not be NULL (report.c). */
void ctx_render_report(const struct render *r);

/* How bodies are rendered for one provider. Implemented in provider/NAME/. */
struct ctx_render_kind {
	/* Appends the member that holds the messages. */
	int (*messages)(struct render *r, struct ctx_buf *b);
	/* Appends the value of the body's member for system text: first the system text
	 * in the user's parameters (given; may be absent), then the system text of the
	 * messages. If the provider has no such member, this pointer is NULL, and system
	 * text is sent as a message. */
	void (*system)(struct render *r, struct ctx_span given, struct ctx_buf *b);
	/* Returns the format of a block (one of the SHAPE_ values) if this provider
	 * defines that format, otherwise SHAPE_UNKNOWN. block: JSON; type: the block's
	 * type, decoded. */
	enum ctx_render_shape (*shape)(struct ctx_span type, struct ctx_span block);
	/* The following functions may be NULL. */
	/* Checks the body against limits of the provider. Returns 0, or -1 with
	 * CTX_EANSWER. */
	int (*check)(struct render *r, struct ctx_span body);
	/* Appends the body with prompt cache marks added. */
	void (*finish)(const struct ctx_render_options *o, struct ctx_span body,
	    struct ctx_buf *out);
	/* Returns the index of the first item to send as a message; earlier items are
	 * left out. */
	size_t (*start)(const struct render *r);
	/* Matches calls and results of provider-run tools. Called before the nodes are
	 * made. */
	void (*match)(struct render *r);
	/* Decides whether a text part or a part of unknown type is sent in this node.
	 * Returns 1 if the part is sent, and 0 if not. Returns -1 if the part is not in
	 * this provider's format; the rules common to all providers then decide. */
	int (*part_sent)(const struct render *r, const struct render_node *node,
	    const struct ctx_part *p);
	/* Returns true if a block that is not text may be part of a system message. */
	bool (*system_block)(const struct render *r, const struct ctx_part *p);
	/* Returns true if a system message works without content, and must be sent. */
	bool (*system_says)(const struct render *r, const struct ctx_message *m);
	/* Returns true if the part is a call of a provider-run tool. The model can
	 * continue an answer if such a call is its last part, or if the answer was paused
	 * and contains such a call. */
	bool (*is_server_call)(const struct ctx_part *p);

	/* the format of the blocks that this provider accepts in user messages;
	 * SHAPE_UNKNOWN: no blocks are accepted */
	enum ctx_render_shape own;
	/* the format of the blocks that contain this provider's reasoning */
	enum ctx_render_shape reasoning;
	/* true: the API accepts Anthropic's thinking blocks in answers that are sent
	 * back */
	bool thinking_blocks;
	/* true: the API accepts thinking that is a list of chunks (Mistral) */
	bool thinking_lists;
	bool assistant_media; /* true: answers that are sent back may contain images */
	bool result_text;     /* true: tool results may contain text only */
	/* true: the results of an answer's calls must be sent before the next answer;
	 * false: if several answers follow each other, the results of all their calls may
	 * follow the last answer */
	bool results_apart;
	/* true: the API accepts a system message only directly after a user message */
	bool system_after;
	/* true: results of async calls are sent where they arrived in the conversation */
	bool async_results;
	/* true: the API accepts user messages with blank text. It also accepts assistant
	 * messages with audio and no content. */
	bool blank_text;
};
#define CTX_RENDER_DECLARE(id, name) \
	extern const struct ctx_render_kind ctx_render_##name;
CTX_PROVIDERS(CTX_RENDER_DECLARE)
#undef CTX_RENDER_DECLARE

const struct ctx_render_kind *ctx_render_kind(enum ctx_provider p);
/* Returns true if the part is a block of reasoning in any provider's format. */
bool ctx_render_is_reasoning(const struct ctx_part *p);
/* Returns true if the type is one of the strings in types, a NULL-terminated list. */
bool ctx_render_is_type(struct ctx_span type, const char *const types[]);

/* Returns true if a reasoning part is sent back. p must have the type THINKING or OTHER;
 * a part of type OTHER must be in the format of the request's provider. */
bool ctx_render_thinking_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p);

/* Appends a text as part of one line of Markdown: control characters are made visible,
 * and HTML is escaped. */
void ctx_render_markdown_line(struct ctx_buf *out, struct ctx_span text);

/* Append HTML (html_message.c, context.c). ctx_render_html_string appends the escaped
 * text of a JSON string. ctx_render_html_time appends a time in ms since the epoch, or
 * nothing for CTX_TIME_NONE. ctx_render_html_message appends a message.
 * ctx_render_html_context appends the folded context of an answer (request: the answer's
 * request record). */
struct ctx_page_message;
void ctx_render_html_string(struct ctx_buf *b, struct ctx_span json);
void ctx_render_html_time(struct ctx_buf *b, int64_t ms);
/* Appends a message as HTML. prefix: beginning of the message's HTML id, which makes the
 * id unique within the page. */
void ctx_render_html_message(struct ctx_buf *b, const char *prefix,
    const struct ctx_message *m, const struct ctx_page_message *pm);
void ctx_render_html_context(struct ctx_buf *b, struct ctx_span request);

#endif
