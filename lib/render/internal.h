/* Private to lib/render and the renderers of the providers. */
#ifndef CTX_RENDER_INTERNAL_H
#define CTX_RENDER_INTERNAL_H

#include "render/render.h"

#define RENDER_NONE SIZE_MAX

/* A tool call of the body, and its result. */
struct render_call {
	const struct ctx_part *part;
	/* the result of the call; NULL until it is found */
	const struct ctx_part *result;
	size_t item, result_item;
	struct ctx_span id; /* the call's id as stored, decoded */
	/* the id that is sent, decoded: valid for the provider and unique in the body */
	struct ctx_span sent;
	/* the heap strings to which id and sent point; NULL if id (or sent) is
	 * borrowed */
	char *id_own, *sent_own;
	/* Calls with the same id form a linked list: */
	size_t next; /* index of the next call with this id, or RENDER_NONE */
	/* only in the first element of the list: indices of the last call and of the first
	 * call without a result */
	size_t last, open;
	/* only in the first element of the list: number of suffixes used to make ids
	 * unique */
	unsigned copies;
};

enum node_kind { NODE_USER, NODE_ASSISTANT, NODE_RESULTS };

/* A node is one unit of the body, in sending order: a message, or the results of the
 * calls directly before it. */
struct render_node {
	enum node_kind kind;
	size_t item; /* USER, ASSISTANT: index of the message's item */
	/* ASSISTANT: index of the message's first call, and number of the message's
	 * calls; RESULTS: the same for the calls to which the results belong */
	size_t call, calls;
	/* USER: index (in the member extra of struct render) of the first volatile item
	 * that is sent before the message's text, and number of these items */
	size_t extra, extras;
	/* true: the message follows the user message that starts the current turn */
	bool loop;
	/* RESULTS: true if the node is the result of an async call, which is sent where
	 * it arrived in the conversation */
	bool async;
	/* true: the message's reasoning is valid at this place and may be sent back;
	 * always true outside a run */
	bool kept;
};

struct render_volatile {
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
	/* index of the item where the history begins, after its opening system
	 * messages */
	size_t opening;
	/* indices, in sending order, of the items that are sent but are not part of the
	 * system text, except volatile items */
	size_t *order;
	size_t n_order;
	struct render_volatile *extra;
	size_t n_extra;
	size_t turn; /* index of the item that starts the current turn, or RENDER_NONE */
	/* If the history ends with an interrupted answer that the model can continue:
	 * token is sent in the body and makes the model continue the answer; continued is
	 * the index of the answer's first item. The items from that index on are not
	 * sent, because the provider already has them. Otherwise token is absent, and
	 * continued is n_items. */
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
/* Returns true if the item is an answer that must not be sent. */
bool ctx_render_is_withheld(const struct render *r, size_t item);
void ctx_render_release(struct render *r);
/* Sets the error CTX_EANSWER and returns -1. fmt is the reason, as for printf. The error
 * message also names the message, unless item is RENDER_NONE. */
int ctx_render_refuse(struct render *r, size_t item, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* resume.c */
/* If the history ends with an interrupted answer, sets r->token and r->continued. */
void ctx_render_find_token(struct render *r);
/* Returns true if the item is an answer that the model can continue, so that it may be
 * the last message of the body. Such an answer ends with a call of a provider-run tool,
 * or was paused and contains such a call. */
bool ctx_render_is_resumed(const struct render *r, size_t item);

/* system.c: system and developer messages. */
/* Returns true for a system or developer message. For a volatile item, returns true only
 * if the item is also sent as a separate message (member inside of struct
 * ctx_render_item). */
bool ctx_render_is_system(const struct render *r, size_t item);
/* Returns true if the message has text, has a block that the provider accepts in a system
 * message, or has an effect without content. */
bool ctx_render_says_system(const struct render *r, size_t item);
/* Returns true if the part is a block other than text that the provider accepts in a
 * system message. */
bool ctx_render_is_system_block(const struct render *r, const struct ctx_part *p);
/* Returns true if the message of the node may be sent as a system message at its place
 * among the messages of other roles (Anthropic). Otherwise its text is sent as a user
 * message. */
bool ctx_render_system_stays(const struct render *r, size_t node);

/* Appends the texts of the system text items from first to before end, separated by empty
 * lines from each other and from text that is already in the buffer. */
void ctx_render_system_text(
    const struct render *r, size_t first, size_t end, struct ctx_buf *text);
/* Returns the number of items of the system text that come before the first summary.
 * These items stay the same when a new run begins. */
size_t ctx_render_front(const struct render *r);
/* Adds OpenAI's prompt cache breakpoint to the last part of a JSON array. array is the
 * offset at which the array begins in *b; the array must be the last value in *b. Does
 * nothing if the options do not ask for a breakpoint, or if that part already has a
 * breakpoint. */
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
/* Returns the id to send for a call, to be freed by the caller, or NULL if id can be sent
 * unchanged. */
char *ctx_render_id(const struct render *r, struct ctx_span id);

/* The functions below are for single parts of messages (block.c). Strings and blocks are
 * JSON. */

/* Returns true if the part has content that the provider accepts in this node. */
bool ctx_render_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p);
/* Like ctx_render_part_sent, but for a part of a volatile item. */
bool ctx_render_extra_sent(const struct ctx_part *p);

/* An iterator over the parts of a node that are sent: first the parts of the node's
 * volatile items, then the parts of its message. Tools that are sent among the messages
 * are left out. */
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
/* A loop over these parts. Declares the iterator it. */
#define RENDER_EACH_PART(it, r, node)                                 \
	for (struct render_parts it = {NULL, (node)->extra, true, 0}; \
	     ctx_render_next_part(r, node, &(it));)

/* Returns the first call of the node that has a result or, if c is not NULL, the next
 * such call after c. Returns NULL after the last such call. */
const struct render_call *ctx_render_next_result(
    const struct render *r, const struct render_node *node, const struct render_call *c);
/* A loop over the calls of a node that have a result. Declares the pointer c. */
#define RENDER_EACH_RESULT(c, r, node)             \
	for (const struct render_call *(c) = NULL; \
	     ((c) = ctx_render_next_result(r, node, c)) != NULL;)

/* A member that ctx_render_copy changes. key is the member's key, and json is its new
 * value; if json is absent or empty, the member is omitted. */
struct render_swap {
	const char *key;
	struct ctx_span json;
	bool add; /* true: the member is appended if the object lacks it */
};
/* Copies those members of a JSON object whose keys are in the NULL-terminated list keep,
 * in the order of the object. The n elements of swap replace the values of members. An
 * absent object counts as empty. */
void ctx_render_copy(struct ctx_buf *b, struct ctx_span object, const char *const keep[],
    const struct render_swap *swap, size_t n);
/* Appends the arguments of a tool call as a JSON object. */
void ctx_render_args(struct ctx_buf *b, const struct ctx_part *call);
/* Appends the arguments of a tool call as a JSON string. A string that contains a JSON
 * object is copied unchanged. */
void ctx_render_args_string(struct ctx_buf *b, const struct ctx_part *call);
/* Parses the content of a tool result into *m. Returns true if the content is an array
 * that has a part other than text. The caller must release *m, whatever the result. */
bool ctx_render_result_list(struct ctx_message *m, const struct ctx_part *result);
/* Appends the text of a tool result as a JSON string. If error is true, the text begins
 * with "Error: ", unless it begins with "error" already. */
void ctx_render_result_text(struct ctx_buf *b, const struct ctx_part *result, bool error);
/* The API that defines the format of a content block. Needed for parts of type OTHER,
 * whose blocks do not have a common format. Some APIs return parts instead of blocks;
 * when an answer is read, a thought becomes a block of type "thought", and a part without
 * a type becomes a block of type "part". A Responses block is a whole item, such as
 * reasoning or a call of a provider-run tool. */
enum ctx_render_shape {
	SHAPE_UNKNOWN,
	SHAPE_OPENAI,
	SHAPE_ANTHROPIC,
	SHAPE_GEMINI_THOUGHT,
	SHAPE_GEMINI_PART,
	SHAPE_RESPONSES_REASONING,
	SHAPE_RESPONSES_ITEM,
	SHAPE_STEP, /* Interactions: a step that is not text, a call or a thought */
	SHAPE_STEP_THOUGHT,
	/* a block of unknown type, which the provider of the request returned in an
	 * answer */
	SHAPE_NATIVE,
};
enum ctx_render_shape ctx_render_shape(const struct ctx_part *p);
/* Appends, as a JSON string, a text that replaces a part that the provider does not
 * accept: the text in the part or, if the part has no text, "[TYPE]" or "[TYPE URL]". */
void ctx_render_stand_in(struct ctx_buf *b, const struct ctx_part *p);
/* Appends the text of ctx_render_stand_in as a text block. */
void ctx_render_put_stand_in(struct ctx_buf *b, const struct ctx_part *p);

/* Appends a call's arguments for people: the text if they are a string, otherwise the
 * JSON. */
void ctx_render_arguments(struct ctx_buf *out, const struct ctx_part *call);

/* Appends a number and its unit, such as "1,200 tokens". what: the singular of the
 * unit. */
void ctx_render_count(struct ctx_buf *out, int64_t n, const char *what);

/* Returns the title of a session record, or its id if it has no title: a JSON string. */
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
	/* with kind MEDIA_NONE: the id of a file that was uploaded to OpenAI, a JSON
	 * string */
	struct ctx_span upload;
	/* true: the media is an image, which can also be in the blob of an MCP
	 * resource */
	bool image;
	/* true: mime was replaced because the bytes of the image are of another type */
	bool corrected;
	/* memory for the members mime, data and name if escapes in them were decoded */
	struct ctx_buf tmp[3];
};
/* Returns true if the block of an image can be sent to the provider unchanged: the block
 * has the provider's format, the provider accepts its media type, and its data is of that
 * type. */
bool ctx_render_image_raw(const struct ctx_part *p, enum ctx_provider provider);
void ctx_render_media_of(struct render_media *m, const struct ctx_part *p);
void ctx_render_media_release(struct render_media *m);
/* Appends the data as a JSON string: a URL, or a data URL with the bytes. */
void ctx_render_put_data_url(struct ctx_buf *b, const struct render_media *m);
/* Returns true if the part has media that the provider accepts in a user message. */
bool ctx_render_media_sent(const struct ctx_part *p, enum ctx_provider provider);
/* Returns OpenAI's name ("wav", "mp3") of an audio media type, or NULL if OpenAI does not
 * accept it. */
const char *ctx_render_audio_format(struct ctx_span mime);

/* Fills in r->o->report, which must not be NULL (report.c). */
void ctx_render_report(const struct render *r);

/* How bodies are rendered for one provider. Implemented in provider/NAME/. */
struct ctx_render_kind {
	/* Appends the member that holds the messages. */
	int (*messages)(struct render *r, struct ctx_buf *b);
	/* Appends the value of the member for system text: given, which is the value in
	 * the user's parameters (may be absent), then the system text of the messages.
	 * NULL if system text is sent as a message. */
	void (*system)(struct render *r, struct ctx_span given, struct ctx_buf *b);
	/* Returns the shape of a block if the block has this provider's format, otherwise
	 * SHAPE_UNKNOWN. block is JSON; type is its type, decoded. */
	enum ctx_render_shape (*shape)(struct ctx_span type, struct ctx_span block);
	/* The following functions may be NULL. */
	/* Checks the body against limits of the provider. Returns 0, or -1 with
	 * CTX_EANSWER. */
	int (*check)(struct render *r, struct ctx_span body);
	/* Appends body with cache marks added. */
	void (*finish)(const struct ctx_render_options *o, struct ctx_span body,
	    struct ctx_buf *out);
	/* Returns the index of the first item to send as a message; earlier items are
	 * left out. */
	size_t (*start)(const struct render *r);
	/* Called before the nodes are made, to match the parts of provider-run tools. */
	void (*match)(struct render *r);
	/* Decides whether a text part or a part of unknown type is sent in this node.
	 * Returns 1 if the part is sent, 0 if not. Returns -1 if the part is not in this
	 * provider's format; the rule for all providers then applies. */
	int (*part_sent)(const struct render *r, const struct render_node *node,
	    const struct ctx_part *p);
	/* Returns true if a block that is not text may be part of a system message. */
	bool (*system_block)(const struct render *r, const struct ctx_part *p);
	/* Returns true if a system message without content still has an effect and must
	 * be sent. */
	bool (*system_says)(const struct render *r, const struct ctx_message *m);
	/* Returns true if the part is a call of a provider-run tool. The model can
	 * continue an answer that ends with such a call, or that was paused and contains
	 * one. */
	bool (*is_server_call)(const struct ctx_part *p);

	/* the shape of blocks that user messages may contain; SHAPE_UNKNOWN: no such
	 * blocks */
	enum ctx_render_shape own;
	/* the shape of blocks that contain this provider's reasoning */
	enum ctx_render_shape reasoning;
	/* true: the API accepts Anthropic's thinking blocks in answers that are sent
	 * back */
	bool thinking_blocks;
	/* true: the API accepts thinking that is a list of chunks (Mistral) */
	bool thinking_lists;
	bool assistant_media; /* true: answers that are sent back may contain images */
	bool result_text;     /* true: tool results may contain text only */
	/* true: between two answers, the results of the first answer's calls must come
	 * before the second answer; false: they may come after it */
	bool results_apart;
	/* true: a system message must directly follow a user message */
	bool system_after;
	/* true: results of async calls are sent where they arrived in the conversation */
	bool async_results;
	/* true: the API accepts user messages with blank text, and assistant messages
	 * that have audio instead of content */
	bool blank_text;
};
#define CTX_RENDER_DECLARE(id, name) \
	extern const struct ctx_render_kind ctx_render_##name;
CTX_PROVIDERS(CTX_RENDER_DECLARE)
#undef CTX_RENDER_DECLARE

const struct ctx_render_kind *ctx_render_kind(enum ctx_provider p);
/* Returns true if the part is a block of reasoning in any provider's format. */
bool ctx_render_is_reasoning(const struct ctx_part *p);
/* Returns true if the NULL-terminated list types contains the type. */
bool ctx_render_is_type(struct ctx_span type, const char *const types[]);

/* Decides whether a reasoning part in this provider's format is sent back. The part has
 * the type OTHER or THINKING. */
bool ctx_render_thinking_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p);

/* Appends text as part of one line of Markdown: control characters are made visible, and
 * HTML is escaped. */
void ctx_render_markdown_line(struct ctx_buf *out, struct ctx_span text);

/* Append HTML (html_message.c, context.c). ctx_render_html_string appends the escaped
 * text of a JSON string. ctx_render_html_time appends a time in ms since the epoch, or
 * nothing for CTX_TIME_NONE. ctx_render_html_message appends a message.
 * ctx_render_html_context appends the folded context of an answer; request is the
 * answer's request record. */
struct ctx_page_message;
void ctx_render_html_string(struct ctx_buf *b, struct ctx_span json);
void ctx_render_html_time(struct ctx_buf *b, int64_t ms);
/* prefix precedes the message's HTML id, so that ids are unique within the page. */
void ctx_render_html_message(struct ctx_buf *b, const char *prefix,
    const struct ctx_message *m, const struct ctx_page_message *pm);
void ctx_render_html_context(struct ctx_buf *b, struct ctx_span request);

#endif
