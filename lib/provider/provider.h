/* The model APIs for which requests are rendered and whose answers are read, and what
 * each of them accepts. */
#ifndef CTX_PROVIDER_PROVIDER_H
#define CTX_PROVIDER_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "provider/list.h"

enum ctx_provider {
	CTX_PROVIDER_NONE = -1, /* unknown or not chosen */
#define CTX_PROVIDER_ENUM(id, name) CTX_PROVIDER_##id,
	CTX_PROVIDERS(CTX_PROVIDER_ENUM)
#undef CTX_PROVIDER_ENUM
	    CTX_PROVIDER_COUNT
};

/* How a request adds a tool after its run has begun. */
enum ctx_late_tools {
	CTX_LATE_TOOLS_NONE,
	CTX_LATE_TOOLS_ITEM, /* as an item among the messages */
	/* in a system message; "tools" must contain at least one tool */
	CTX_LATE_TOOLS_SYSTEM,
};

/* The format of a tool definition. */
struct ctx_provider_tools {
	const char *schema; /* name of the member with the JSON Schema of the arguments */
	/* name of the member that contains name and schema; NULL: the tool itself
	 * contains them */
	const char *inside;
	/* name of the member of a single object that contains all tools; NULL: none */
	const char *group;
	bool typed;        /* the definition has "type":"function" */
	bool strict;       /* write "strict":false, because the API's default is true */
	bool keeps_strict; /* the API knows the member "strict" of a user's tool */
	const char *shape; /* the format as diagnostics show it */
};

struct ctx_err;
/* Compaction by the provider (see provider/compaction.h). */
struct ctx_provider_compaction {
	/* Appends the members of the compaction request. Returns 0, or -1 with err
	 * set. */
	int (*put_body)(struct ctx_buf *out, struct ctx_span body,
	    const char *instructions, struct ctx_err *err);
	/* True if this block of type "compaction" is the provider's and did not fail. */
	bool (*is_block)(struct ctx_span block);
	/* longest instructions of the user, in characters; 0: none accepted */
	size_t instructions_most;
	bool readable; /* the block contains its text in "content" */
	/* If compaction answers have a format of their own, the name of the member with
	 * the items; otherwise NULL. */
	const char *items;
};

/* What an API accepts, as data. Sources are cited beside the data (provider/NAME). */
struct ctx_provider_facts {
	const char *name; /* name in options and records */
	const char *api;  /* name in error messages, such as "Chat Completions" */
	/* table of stop reasons, see provider/ending.h */
	const struct ctx_answer_ending *endings;
	/* prefix of a stop reason in error messages, such as "stop_reason "; "" if it is
	 * a status */
	const char *stop;

	/* The body: */
	const char *list; /* name of the member that holds the messages */
	/* names of the members for system text, of which the first one is written; all
	 * NULL if system text is sent as a message */
	const char *system[3];
	bool system_parts;       /* the system text is written as {"parts":[{"text"}]} */
	const char *required[3]; /* members that the parameters must contain */
	const char *stored;      /* a member that replaces all required ones, or NULL */
	const char *layout;      /* name of the body layout in request records, or NULL */
	/* print a note if required members are missing and no parameters file was
	 * given */
	bool bare_note;
	bool user_first; /* the first message must be a user message */
	/* Name of the member that makes the model continue an interrupted answer; the
	 * answer itself is not sent then. NULL: the interrupted answer is sent unchanged
	 * as the last message. */
	const char *continuation;
	/* some models accept system messages among the other messages */
	bool system_inside;
	bool cache_key;   /* the body may have a "prompt_cache_key" */
	bool cache_marks; /* blocks may have cache marks */
	/* models may check that the messages before their reasoning are unchanged */
	bool checks_reasoning;
	enum ctx_late_tools late_tools;
	/* Appends the HTTP headers that a body needs besides the content type. NULL if
	 * there are none. */
	void (*headers)(struct ctx_buf *out, struct ctx_span body);
	struct ctx_provider_tools tools;

	/* NULL if the API has no compaction */
	const struct ctx_provider_compaction *compaction;

	/* Names and ids: */
	size_t id_most; /* longest id of a call, in characters */
	/* an unknown server may accept only ids of nine letters and digits */
	bool id_nine;
	bool id_plain;     /* ids may contain only letters, digits, '_' and '-' */
	size_t name_most;  /* longest name of a tool, in characters; 0: not checked */
	bool letter_first; /* the name of a tool must begin with a letter or '_' */

	/* Media: */
	/* accepted media types of images, terminated by NULL */
	const char *const *images;
	/* type of the block that holds an image; "" if images are never copied
	 * unchanged */
	const char *image_block;
	bool uploads; /* accepts the ids of files that were uploaded to OpenAI */
	/* True if the API accepts a file that is not an image. mime is its media type,
	 * url says whether it is given as a URL, named whether it has a name. */
	bool (*takes_file)(struct ctx_span mime, bool url, bool named);

	/* Token prices (see tokens/price.c): */
	/* images cost as many tokens as OpenAI's; otherwise as Anthropic's */
	bool openai_images;
	/* tools cost as many tokens as in Chat Completions; otherwise those of their
	 * JSON */
	bool chat_tools;
	bool tools_prompt; /* the first tool adds a system prompt of the provider */

	/* The lines of a batch file: */
	/* names of the members with the request's id and with the body */
	const char *batch_id, *batch_body;
	const char *batch_url; /* value of the member "url"; NULL if lines have none */
};

/* Returns NULL for CTX_PROVIDER_NONE. */
const struct ctx_provider_facts *ctx_provider_facts(enum ctx_provider p);

/* Returns the provider with this name, or CTX_PROVIDER_NONE if name is NULL or
 * unknown. */
enum ctx_provider ctx_provider_parse(const char *name);
const char *ctx_provider_name(enum ctx_provider p);

/* Appends the names of all providers, separated by ", ". last is the separator before the
 * last name, such as " or ". */
void ctx_provider_names(struct ctx_buf *out, const char *last);

/* Appends the HTTP headers that a request with this body (valid JSON) needs, one per
 * line, in the format of curl -H @FILE: the content type and the headers of the provider.
 * The Authorization header is not included. */
void ctx_provider_headers(struct ctx_buf *out, struct ctx_span body, enum ctx_provider p);

/* True if the first message must be a user message. False for CTX_PROVIDER_NONE. */
bool ctx_provider_user_first(enum ctx_provider p);

/* True if the provider accepts images of this media type; case is ignored. */
bool ctx_provider_takes_image(enum ctx_provider p, struct ctx_span type);

/* The media types of images that most APIs accept, terminated by NULL. */
extern const char *const ctx_provider_usual_images[];

/* Returns the media type that the first bytes of an image indicate, or NULL if it is
 * unknown. data is base64 text. Providers refuse an image whose declared type differs. */
const char *ctx_image_type(struct ctx_span data);

#endif
