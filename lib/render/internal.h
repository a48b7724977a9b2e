/* Shared by the files of this layer only. */
#ifndef CTX_RENDER_INTERNAL_H
#define CTX_RENDER_INTERNAL_H

#include "render/render.h"

#define RENDER_NONE SIZE_MAX

/* A tool call of the body and the result that answers it. */
struct render_call {
	const struct ctx_part *part;
	const struct ctx_part *result; /* NULL until one was found */
	size_t item, result_item;
	struct ctx_span id;      /* decoded, as stored */
	struct ctx_span sent;    /* decoded, as sent: allowed by the provider, unique */
	char *id_own, *sent_own; /* their memory, where they could not be borrowed */
	/* Calls of one id form a list: */
	size_t next;       /* the next of the same id */
	size_t last, open; /* in the first: the last one, the first not answered */
	unsigned copies;   /* in the first: suffixes given out */
};

enum node_kind { NODE_USER, NODE_ASSISTANT, NODE_RESULTS };

/* What is sent, in order: a message, or the results of the calls just before. */
struct render_node {
	enum node_kind kind;
	size_t item;          /* USER, ASSISTANT */
	size_t call, calls;   /* ASSISTANT: its calls; RESULTS: the calls answered */
	size_t extra, extras; /* USER: volatile items that go in front of its text */
	bool loop;            /* belongs to the running turn */
	bool kept;            /* its reasoning goes back, as far as a run says */
};

struct render_volatile {
	size_t item, target;
};

/* The whole of one rendering. */
struct render {
	const struct ctx_render_item *items;
	size_t n_items;
	const struct ctx_render_options *o;
	struct ctx_err *err;
	struct ctx_message *msgs; /* one per item */
	struct ctx_buf *flat;  /* one per item: the message on one line, if it was not */
	struct ctx_buf params; /* on one line; empty when there are none */
	size_t *system;        /* items of the system text, in order */
	size_t n_system;
	size_t opening; /* items before this one open the history */
	size_t *order;  /* all other items but volatile ones, in order */
	size_t n_order;
	struct render_volatile *extra;
	size_t n_extra;
	size_t turn; /* item that begins the running turn, or RENDER_NONE */
	struct render_call *calls;
	size_t n_calls, cap_calls;
	const struct ctx_part *
	    *unpaired; /* tools of the server that lack their other half */
	size_t n_unpaired, cap_unpaired;
	struct render_node *nodes;
	size_t n_nodes, cap_nodes;
};

/* arrange.c */
int ctx_render_arrange(struct render *r);
/* Is the item an answer that is not sent? */
bool ctx_render_is_withheld(const struct render *r, size_t item);
void ctx_render_release(struct render *r);
/* CTX_EANSWER, the message named in front. */
int ctx_render_refuse(struct render *r, size_t item, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* server.c: find tools that the server ran and that lack call or result. */
void ctx_render_server_match(struct render *r);
bool ctx_render_is_unpaired(const struct render *r, const struct ctx_part *p);

/* calls.c */
int ctx_render_calls_match(struct render *r);

/* names.c */
bool ctx_render_name_char(char c); /* a letter, a digit, '_' or '-' */
/* Append the name of a tool (a JSON string) as the provider takes it: what it would
 * refuse becomes '_', with a part of the name's hash behind it. */
void ctx_render_put_name(
    struct ctx_buf *b, struct ctx_span name, enum ctx_provider provider);
/* Append OpenAI's name of a speaker; nothing where no letter of it is left. */
void ctx_render_put_speaker(struct ctx_buf *b, struct ctx_span name);
/* The id under which a call is sent, to be freed; NULL: its own. model: the JSON string
 * that the request names, or absent. */
char *ctx_render_id(
    struct ctx_span id, enum ctx_provider provider, struct ctx_span model);

/* block.c: single parts. Strings and blocks are JSON. */

/* Is there something in the part that the provider accepts in this place? */
bool ctx_render_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p);
bool ctx_render_extra_sent(const struct ctx_part *p); /* the same of a volatile item */
/* Copy the members of object whose keys are listed (ended by NULL), in their order;
 * those of swap (count n) with another value, or without when that is absent. */
struct render_swap {
	const char *key;
	struct ctx_span json;
};
void ctx_render_copy(struct ctx_buf *b, struct ctx_span object, const char *const keep[],
    const struct render_swap *swap, size_t n);
/* Append the arguments of a call as a JSON object. */
void ctx_render_args(struct ctx_buf *b, const struct ctx_part *call);
/* The same as a JSON string; a string that holds an object keeps its spelling. */
void ctx_render_args_string(struct ctx_buf *b, const struct ctx_part *call);
/* Append the text of a result, as a JSON string; error says so in front. */
void ctx_render_result_text(struct ctx_buf *b, const struct ctx_part *result, bool error);
/* Whose shape is the block of an OTHER part? Gemini's are blocks that readers of answers
 * make: "thought" for a thought part, "part" for one without a block of its own.
 * Those of Responses are whole items: reasoning, and tools that the server runs. */
enum ctx_render_shape {
	SHAPE_OPENAI,
	SHAPE_ANTHROPIC,
	SHAPE_GEMINI_THOUGHT,
	SHAPE_GEMINI_PART,
	SHAPE_RESPONSES_REASONING,
	SHAPE_RESPONSES_ITEM,
	SHAPE_NATIVE, /* unknown, in an answer of the provider that the body is for */
	SHAPE_UNKNOWN,
};
enum ctx_render_shape ctx_render_shape(const struct ctx_part *p);
/* Text that stands for a part that a provider cannot take, as a JSON string: the text of
 * a document where there is some, else "[type]". */
void ctx_render_stand_in(struct ctx_buf *b, const struct ctx_part *p);

/* Is the part what a model thought? */
bool ctx_render_is_thinking(const struct ctx_part *p);
/* Append what a model thought, as far as it can be read. */
void ctx_render_thought(struct ctx_buf *out, const struct ctx_part *p);

/* Does a block hold text that can stand for it? */
bool ctx_render_has_text(const struct ctx_part *p);

/* Binary data of a part (image, document, audio), whatever its shape. */
struct render_media {
	enum { MEDIA_NONE, MEDIA_BASE64, MEDIA_URL } kind;
	struct ctx_span mime; /* may be absent for a URL */
	struct ctx_span data; /* base64, or the URL */
	struct ctx_span name; /* file name or title, or absent */
	bool corrected;       /* the bytes of an image are of another type than it says */
	struct ctx_buf tmp[3]; /* memory, where escapes had to be resolved */
};
/* Can the block of an image go to OpenAI, or to Anthropic, as it is? */
bool ctx_render_image_raw(const struct ctx_part *p, bool openai);
void ctx_render_media_of(struct render_media *m, const struct ctx_part *p);
void ctx_render_media_release(struct render_media *m);
/* Does the provider take the media of the part, in a user message? False without media. */
bool ctx_render_media_sent(const struct ctx_part *p, enum ctx_provider provider);
/* OpenAI's name of an audio type that it takes, or NULL. */
const char *ctx_render_audio_format(struct ctx_span mime);

/* report.c: fill in what the options ask for. */
void ctx_render_report(const struct render *r);

/* {"type":"text","text":string}; string is JSON. */
void ctx_render_put_text_block(struct ctx_buf *b, struct ctx_span string);

/* One per provider: append system text and messages to the body. */
int ctx_render_openai(struct render *r, struct ctx_buf *b);
int ctx_render_anthropic(struct render *r, struct ctx_buf *b);
int ctx_render_gemini(struct render *r, struct ctx_buf *b);
int ctx_render_responses(struct render *r, struct ctx_buf *b);
/* Append a system value that joins the one of params (may be absent) and ours. */
void ctx_render_anthropic_system(
    struct render *r, struct ctx_span given, struct ctx_buf *b);
void ctx_render_gemini_system(struct render *r, struct ctx_span given, struct ctx_buf *b);

/* text.c: append text of a message with two spaces before each line that would pass for one
 * that begins a message or a section. */
void ctx_render_quote(struct ctx_buf *out, struct ctx_span text);

/* Append text as part of one line of Markdown, without controls and HTML. */
void ctx_render_markdown_line(struct ctx_buf *out, struct ctx_span text);

/* html_message.c, context.c: append to a page the escaped text of a JSON string;
 * a time, in ms since 1970, none when it is
 * CTX_TIME_NONE; a message; the folded context of an answer. */
struct ctx_page_message;
void ctx_render_html_string(struct ctx_buf *b, struct ctx_span json);
void ctx_render_html_time(struct ctx_buf *b, int64_t ms);
/* prefix: of the message's id in the page */
void ctx_render_html_message(struct ctx_buf *b, const char *prefix,
    const struct ctx_message *m, const struct ctx_page_message *pm);
void ctx_render_html_context(struct ctx_buf *b, struct ctx_span request);

#endif
