/* The providers: the model APIs for which ctx renders requests and reads answers.
 * Describes what each API accepts. */
#ifndef CTX_PROVIDER_PROVIDER_H
#define CTX_PROVIDER_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "provider/list.h"

enum ctx_provider {
	CTX_PROVIDER_NONE = -1, /* the provider is unknown or was not chosen */
#define CTX_PROVIDER_ENUM(id, name) CTX_PROVIDER_##id,
	CTX_PROVIDERS(CTX_PROVIDER_ENUM)
#undef CTX_PROVIDER_ENUM
	    CTX_PROVIDER_COUNT
};

/* How an API accepts a late tool. A late tool is added by a later request of a run, in
 * the middle of the conversation. */
enum ctx_late_tools {
	CTX_LATE_TOOLS_NONE,
	CTX_LATE_TOOLS_ITEM, /* as an item in the list of messages */
	/* in a system message; the member "tools" of the body must then contain at least
	 * one tool */
	CTX_LATE_TOOLS_SYSTEM,
};

/* The format of a tool definition. */
struct ctx_provider_tools {
	const char *schema; /* name of the member with the JSON Schema of the arguments */
	/* member of the definition that holds an object with the tool's name and schema;
	 * NULL: name and schema are members of the definition itself */
	const char *inside;
	/* if the API requires one object with all tools: name of the object's member
	 * that lists the tools; otherwise NULL */
	const char *group;
	bool typed;  /* true: the definition has "type":"function" */
	bool strict; /* true: write "strict":false, because the API's default is true */
	/* true: the API accepts the member "strict" in a user's tool definition */
	bool keeps_strict;
	const char *shape; /* the format as diagnostics show it */
};

struct ctx_err;
/* Compaction by the provider (see provider/compaction.h). */
struct ctx_provider_compaction {
	/* Appends the members of the compaction request for body, as ctx_compaction_body
	 * describes. Returns 0, or -1 with err set. */
	int (*put_body)(struct ctx_buf *out, struct ctx_span body,
	    const char *instructions, struct ctx_err *err);
	/* Returns true if the provider made this block of type "compaction" and the
	 * compaction did not fail. */
	bool (*is_block)(struct ctx_span block);
	/* maximum length in characters of the user's instructions; 0: the provider
	 * accepts no instructions */
	size_t instructions_most;
	bool readable; /* true: a compaction block contains its text in "content" */
	/* Name of the member that holds the items of a compaction answer; NULL if
	 * compaction answers have the format of ordinary answers. */
	const char *items;
};

/* The facts about an API: what the API accepts, as data. The sources are cited next to
 * the data (provider/NAME). */
struct ctx_provider_facts {
	const char *name; /* name of the provider in options and records */
	/* name of the API in error messages, such as "Chat Completions" */
	const char *api;
	/* table of stop reasons, see provider/ending.h */
	const struct ctx_answer_ending *endings;
	/* text to print before the stop reason in error messages, such as "stop_reason ";
	 * "" if the API reports a status instead of a stop reason */
	const char *stop;

	/* The body: */
	const char *list; /* name of the member that holds the messages */
	/* names of the members that can hold system text; rendering uses the first one.
	 * All NULL: system text is sent as a message */
	const char *system[3];
	bool system_parts; /* true: the system text is written as {"parts":[{"text"}]} */
	/* names of the members that the parameters must contain */
	const char *required[3];
	/* name of a member that, if present, makes all required members unnecessary,
	 * because it refers to stored parameters; or NULL */
	const char *stored;
	/* name of the body layout that request records store; NULL: they store no name */
	const char *layout;
	/* true: print a note if required members are missing and no parameters file was
	 * given */
	bool bare_note;
	bool user_first; /* true: the first message must be a user message */
	/* Name of the member that makes the model continue an interrupted answer; the
	 * answer itself is then not sent again. NULL: there is no such member; the model
	 * continues an interrupted answer if the answer is sent unchanged as the last
	 * message. */
	const char *continuation;
	/* true: some models accept system messages among the messages of other roles */
	bool system_inside;
	bool cache_key;   /* true: the body may have a "prompt_cache_key" */
	bool cache_marks; /* true: blocks may have cache marks */
	/* true: a model may check that the messages before its reasoning are unchanged */
	bool checks_reasoning;
	enum ctx_late_tools late_tools;
	/* Appends the HTTP headers that a body needs besides the content type. NULL: no
	 * other headers are needed. */
	void (*headers)(struct ctx_buf *out, struct ctx_span body);
	struct ctx_provider_tools tools;

	/* NULL if the API has no compaction */
	const struct ctx_provider_compaction *compaction;

	/* Names and ids: */
	size_t id_most; /* maximum length in bytes of the id of a tool call */
	/* true: a compatible server that is not known by name may accept only ids of nine
	 * letters and digits */
	bool id_nine;
	bool id_plain; /* true: ids may contain only letters, digits, '_' and '-' */
	/* maximum length in characters of a tool's name; 0: not checked */
	size_t name_most;
	bool letter_first; /* true: the name of a tool must begin with a letter or '_' */

	/* Media: */
	/* accepted media types of images, terminated by NULL */
	const char *const *images;
	/* type of the block that holds an image; "" if images are never copied
	 * unchanged */
	const char *image_block;
	/* true: the API accepts ids of files that were uploaded to OpenAI */
	bool uploads;
	/* For a file other than an image: returns true if the API accepts the file. mime
	 * is the file's media type. url is true if the file is given as a URL; named is
	 * true if the file has a name. A NULL pointer here means that the API accepts
	 * all files. */
	bool (*takes_file)(struct ctx_span mime, bool url, bool named);

	/* Token prices (see tokens/price.c): */
	/* true: the tokens of images are computed as for OpenAI; otherwise as for
	 * Anthropic */
	bool openai_images;
	/* true: the tokens of tools are computed as for Chat Completions; otherwise from
	 * their JSON */
	bool chat_tools;
	/* true: if a request has tools, the provider adds a system prompt, which costs
	 * tokens */
	bool tools_prompt;

	/* The lines of a batch file: */
	/* names of the members of a batch line that hold the id and the body of a
	 * request */
	const char *batch_id, *batch_body;
	/* value of the member "url" in a batch line; NULL if batch lines have no such
	 * member */
	const char *batch_url;
	/* if the API has no batches (batch_body is NULL): what the user can do instead,
	 * for the error message */
	const char *no_batch;

	/* the value of OpenTelemetry's gen_ai.provider.name; NULL: the same as name */
	const char *telemetry;
};

/* Returns NULL for CTX_PROVIDER_NONE. */
const struct ctx_provider_facts *ctx_provider_facts(enum ctx_provider p);

/* Returns the provider with this name, or CTX_PROVIDER_NONE if name is NULL or
 * unknown. */
enum ctx_provider ctx_provider_parse(const char *name);
const char *ctx_provider_name(enum ctx_provider p);

/* Appends the names of all providers, separated by ", ". The string last, such as " or ", is
 * the separator before the last name. */
void ctx_provider_names(struct ctx_buf *out, const char *last);

/* Appends the HTTP headers that a request with this body (valid JSON) needs, one per
 * line, in the format of curl -H @FILE: the content type and the headers of the provider.
 * The Authorization header is not included. */
void ctx_provider_headers(struct ctx_buf *out, struct ctx_span body, enum ctx_provider p);

/* Returns true if the first message must be a user message; false for
 * CTX_PROVIDER_NONE. */
bool ctx_provider_user_first(enum ctx_provider p);

/* Returns true if the provider accepts images of this media type; case is ignored. */
bool ctx_provider_takes_image(enum ctx_provider p, struct ctx_span type);

/* The media types of images that most APIs accept, terminated by NULL. */
extern const char *const ctx_provider_usual_images[];

/* Detects the media type of an image from its first bytes. data is the image as base64
 * text. Returns NULL if the type is unknown. Providers refuse an image whose declared
 * type differs from the detected one. */
const char *ctx_image_type(struct ctx_span data);

#endif
