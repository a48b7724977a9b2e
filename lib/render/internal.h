/* Private to lib/render. */
#ifndef CTX_RENDER_INTERNAL_H
#define CTX_RENDER_INTERNAL_H

#include "render/render.h"

#define RENDER_NONE SIZE_MAX

/* A tool call of the body, and its result. */
struct render_call {
	const struct ctx_part *part;
	const struct ctx_part *result; /* NULL until found */
	size_t item, result_item;
	struct ctx_span id;      /* decoded, as stored */
	struct ctx_span sent;    /* decoded, as sent: valid for the provider and unique */
	char *id_own, *sent_own; /* their memory if they could not be borrowed */
	/* Calls with the same id form a list: */
	size_t next; /* the next call with the same id */
	/* in the first one: the last call, and the first unanswered one */
	size_t last, open;
	unsigned copies; /* in the first one: number of suffixes used */
};

enum node_kind { NODE_USER, NODE_ASSISTANT, NODE_RESULTS };

/* Something to send, in order: a message, or the results of the calls directly before. */
struct render_node {
	enum node_kind kind;
	size_t item; /* USER, ASSISTANT */
	/* ASSISTANT: its calls; RESULTS: the calls that they answer */
	size_t call, calls;
	size_t extra, extras; /* USER: volatile items that precede its text */
	bool loop;            /* part of the current turn */
	/* RESULTS: one that arrived later than the turn of its call */
	bool async;
	bool kept; /* its reasoning is sent back, as far as the run allows */
};

struct render_volatile {
	size_t item, target;
};

/* The state of one rendering. */
struct render {
	const struct ctx_render_item *items;
	size_t n_items;
	const struct ctx_render_options *o;
	const struct ctx_render_kind *kind;
	struct ctx_err *err;
	struct ctx_message *msgs; /* one per item */
	struct ctx_buf
	    *flat; /* for each item whose message has several lines: the message on one */
	struct ctx_buf params; /* on one line; empty without parameters */
	size_t *system;        /* items of the system text, in order */
	size_t n_system;
	size_t opening; /* items before this index precede the history */
	size_t *order;  /* all other items except volatile ones, in order */
	size_t n_order;
	struct render_volatile *extra;
	size_t n_extra;
	size_t turn; /* item that starts the current turn, or RENDER_NONE */
	/* token makes the model continue an unfinished answer. continued is the first item of
	 * what the model has already said of it: items from there on are not sent. n_items if
	 * there is no token. */
	struct ctx_span token;
	size_t continued;
	struct render_call *calls;
	size_t n_calls, cap_calls;
	const struct ctx_part *
	    *unpaired; /* server tools without their call or their result */
	size_t n_unpaired, cap_unpaired;
	struct render_node *nodes;
	size_t n_nodes, cap_nodes;
};

/* arrange.c */
int ctx_render_arrange(struct render *r);
/* True if the item is an answer that is not sent. */
bool ctx_render_is_withheld(const struct render *r, size_t item);
void ctx_render_release(struct render *r);
/* Sets CTX_EANSWER with the message's position before the text. Returns -1. */
int ctx_render_refuse(struct render *r, size_t item, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* resume.c */
/* Looks for a token of an interrupted answer at the end of the history. */
void ctx_render_find_token(struct render *r);
/* True if the item is an answer that goes back as it came, last, for the model to go on
 * with. */
bool ctx_render_is_resumed(const struct render *r, size_t item);

/* system.c: system and developer messages. */
/* True for a system message; of the volatile ones only for those inside. */
bool ctx_render_is_system(const struct render *r, size_t item);
/* True if the message has text, or a block that the provider accepts in such a message. */
bool ctx_render_says_system(const struct render *r, size_t item);
/* True if the part of such a message is not just text and is accepted by the provider. */
bool ctx_render_is_system_block(const struct render *r, const struct ctx_part *p);
/* True if the node's message may stay in its place as a system message (Anthropic).
 * Otherwise it is sent as user text. */
bool ctx_render_system_stays(const struct render *r, size_t node);

/* The number of items of the system text before a summary: what stays the same when
 * another run begins. */
size_t ctx_render_front(const struct render *r);
/* b ends with an array of parts, which starts at offset array: that text. Adds the breakpoint
 * to the last part, unless the options want none or the part has one. */
void ctx_render_put_breakpoint(const struct render *r, struct ctx_buf *b, size_t array);

/* calls.c */
int ctx_render_calls_match(struct render *r);

/* names.c: appends the name of a tool (a JSON string) in the form that the provider
 * accepts: other characters become '_', and a part of the name's hash is added. */
void ctx_render_put_name(
    struct ctx_buf *b, struct ctx_span name, enum ctx_provider provider);
/* Appends OpenAI's name of a speaker; nothing if no valid character is left. */
void ctx_render_put_speaker(struct ctx_buf *b, struct ctx_span name);
/* Returns the id to send for a call, owned by the caller; NULL if the id is sent
 * unchanged. */
char *ctx_render_id(const struct render *r, struct ctx_span id);

/* block.c: single parts. Strings and blocks are JSON. */

/* True if the part contains something that the provider accepts in this place. */
bool ctx_render_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p);
bool ctx_render_extra_sent(const struct ctx_part *p); /* the same for a volatile item */
/* Copies the members of object whose keys are in keep (terminated by NULL), in the
 * order of the object. The n members in swap get another value; a member whose new
 * value is absent is left out. */
struct render_swap {
	const char *key;
	struct ctx_span json;
};
void ctx_render_copy(struct ctx_buf *b, struct ctx_span object, const char *const keep[],
    const struct render_swap *swap, size_t n);
/* Appends the arguments of a call as a JSON object. */
void ctx_render_args(struct ctx_buf *b, const struct ctx_part *call);
/* Appends the arguments as a JSON string; a string that contains an object is copied
 * unchanged. */
void ctx_render_args_string(struct ctx_buf *b, const struct ctx_part *call);
/* Parses the content of a result into m. Returns true if it is a list that holds more than
 * text; the caller releases m in any case. */
bool ctx_render_result_list(struct ctx_message *m, const struct ctx_part *result);
/* Appends the text of a result as a JSON string; with error, the text starts with an
 * error marker. */
void ctx_render_result_text(struct ctx_buf *b, const struct ctx_part *result, bool error);
/* The API that the block of an OTHER part comes from. Gemini blocks are created when
 * an answer is read: "thought" for a thought part, "part" for a part without a block
 * type of its own. Responses blocks are whole items: reasoning and server-side tools. */
enum ctx_render_shape {
	SHAPE_UNKNOWN,
	SHAPE_OPENAI,
	SHAPE_ANTHROPIC,
	SHAPE_GEMINI_THOUGHT,
	SHAPE_GEMINI_PART,
	SHAPE_RESPONSES_REASONING,
	SHAPE_RESPONSES_ITEM,
	SHAPE_STEP, /* Interactions: "step" for a step that is no text, call or thought */
	SHAPE_STEP_THOUGHT,
	/* unknown type, from the provider that the body is for */
	SHAPE_NATIVE,
};
enum ctx_render_shape ctx_render_shape(const struct ctx_part *p);
/* Appends, as a JSON string, the text that replaces a part that the provider cannot
 * accept: a document's text, else "[type]". */
void ctx_render_stand_in(struct ctx_buf *b, const struct ctx_part *p);

/* True if the part is a model's thinking. */
bool ctx_render_is_thinking(const struct ctx_part *p);
/* Appends the readable part of a model's thinking. */
void ctx_render_thought(struct ctx_buf *out, const struct ctx_part *p);

/* True if a block has text that can be sent in its place. */
bool ctx_render_has_text(const struct ctx_part *p);

/* The binary data of a part (image, document, audio) of any shape. */
struct render_media {
	enum { MEDIA_NONE, MEDIA_BASE64, MEDIA_URL } kind;
	struct ctx_span mime; /* may be absent for a URL */
	struct ctx_span data; /* base64, or the URL */
	struct ctx_span name; /* file name or title, or absent */
	/* JSON string: the id of a file that was uploaded to OpenAI, with kind MEDIA_NONE */
	struct ctx_span upload;
	bool image;            /* an image, also one in the blob of an MCP resource */
	bool corrected;        /* the bytes of an image do not match its media type */
	struct ctx_buf tmp[3]; /* memory for decoded escapes */
};
/* True if the block of an image can be sent to OpenAI, or to Anthropic, unchanged. */
bool ctx_render_image_raw(const struct ctx_part *p, enum ctx_provider provider);
void ctx_render_media_of(struct render_media *m, const struct ctx_part *p);
void ctx_render_media_release(struct render_media *m);
/* True if the provider accepts the part's media in a user message. False without media. */
bool ctx_render_media_sent(const struct ctx_part *p, enum ctx_provider provider);
/* Returns OpenAI's name for an audio type that it accepts, or NULL. */
const char *ctx_render_audio_format(struct ctx_span mime);

/* report.c: fills in the report that the options ask for. */
void ctx_render_report(const struct render *r);

/* {"type":"text","text":string}; string is JSON. */
void ctx_render_put_text_block(struct ctx_buf *b, struct ctx_span string);

/* How the bodies of a provider are made (provider/NAME/render.c). */
struct ctx_render_kind {
	/* Appends the messages to the body. */
	int (*messages)(struct render *r, struct ctx_buf *b);
	/* Appends the value of the member that holds the system text: that of params (may
	 * be absent) and ours. NULL: system text is among the messages. */
	void (*system)(struct render *r, struct ctx_span given, struct ctx_buf *b);
	/* The shape of a block (JSON) of this type (decoded), if it is one of the provider's
	 * own, else SHAPE_UNKNOWN. */
	enum ctx_render_shape (*shape)(struct ctx_span type, struct ctx_span block);
	/* Each of the following may be NULL. */
	/* Refuses a body over a limit of the provider. */
	int (*check)(struct render *r, struct ctx_span body);
	/* Appends the body as it is sent: with cache marks. */
	void (*finish)(const struct ctx_render_options *o, struct ctx_span body,
	    struct ctx_buf *out);
	/* The item that the messages begin with; what comes before it is not sent. */
	size_t (*start)(const struct render *r);
	/* Looks at the messages before they become nodes. */
	void (*match)(struct render *r);
	/* Whether the part is sent in this place: 1, 0, or -1 for a part that is not of this
	 * provider's own shape. For text and parts of unknown type. */
	int (*part_sent)(const struct render *r, const struct render_node *node,
	    const struct ctx_part *p);
	/* True if a block that is not text may stand in a system message. */
	bool (*system_block)(const struct render *r, const struct ctx_part *p);
	/* True if a system message without content says something. */
	bool (*system_says)(const struct render *r, const struct ctx_message *m);
	/* True for the call of a tool that the provider runs: the model goes on with an
	 * answer that ends in one, or that was paused and holds one. */
	bool (*is_server_call)(const struct ctx_part *p);

	enum ctx_render_shape
	    own; /* of blocks that a user's message may hold; SHAPE_UNKNOWN: none */
	enum ctx_render_shape reasoning; /* of blocks that hold its reasoning */
	bool thinking_blocks;            /* takes back Anthropic's thinking blocks */
	bool thinking_lists;  /* takes back thinking that is a list of chunks (Mistral) */
	bool assistant_media; /* images may stand in an answer */
	bool result_text;     /* results hold text alone */
	bool results_apart;   /* results follow each answer, also within one turn */
	bool system_after;    /* a system message may only follow the user's message */
	bool async_results;   /* results of async calls stand where they came */
	bool
	    blank_text; /* the API accepts blank text of a user, and audio of the assistant */
};
#define CTX_RENDER_DECLARE(id, name) \
	extern const struct ctx_render_kind ctx_render_##name;
CTX_PROVIDERS(CTX_RENDER_DECLARE)
#undef CTX_RENDER_DECLARE

const struct ctx_render_kind *ctx_render_kind(enum ctx_provider p);
/* True if the part is a block of reasoning of some provider's own shape. */
bool ctx_render_is_reasoning(const struct ctx_part *p);
/* True if the type is one of the list, which NULL ends. */
bool ctx_render_is_type(struct ctx_span type, const char *const types[]);

/* Reasoning in an OTHER or THINKING part of this provider's own: sent back or not. */
bool ctx_render_thinking_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p);

/* Appends text as part of one line of Markdown, without control characters and HTML. */
void ctx_render_markdown_line(struct ctx_buf *out, struct ctx_span text);

/* html_message.c, context.c: append to a page the escaped text of a JSON string; a
 * time in ms since 1970 (nothing for CTX_TIME_NONE); a
 * message; the folded context of an answer. */
struct ctx_page_message;
void ctx_render_html_string(struct ctx_buf *b, struct ctx_span json);
void ctx_render_html_time(struct ctx_buf *b, int64_t ms);
/* prefix of the message's id within the page */
void ctx_render_html_message(struct ctx_buf *b, const char *prefix,
    const struct ctx_message *m, const struct ctx_page_message *pm);
void ctx_render_html_context(struct ctx_buf *b, struct ctx_span request);

#endif
