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

/* Where an API accepts the definition of a late tool, that is, a tool that a later
 * request adds in the middle of a conversation. */
enum ctx_late_tools {
	CTX_LATE_TOOLS_NONE,
	CTX_LATE_TOOLS_ITEM, /* the definition is an item in the list of messages */
	/* the definition is in a system message; the member "tools" of the body must
	 * contain at least one tool */
	CTX_LATE_TOOLS_SYSTEM,
};

/* The format of a tool definition. */
struct ctx_provider_tools {
	const char *schema; /* name of the member with the JSON Schema of the arguments */
	/* if the tool's name and schema are in an object inside the definition: name of
	 * the member that holds this object; NULL: the name and the schema are members of
	 * the definition itself */
	const char *inside;
	/* if the API requires one object that contains all tools: name of the member of
	 * this object that lists the tools; otherwise NULL */
	const char *group;
	bool typed;  /* true: the definition has "type":"function" */
	bool strict; /* true: write "strict":false, because the API's default is true */
	/* true: the API accepts the member "strict" in a user's tool definition */
	bool keeps_strict;
	const char *shape; /* how diagnostics show the format of a tool definition */
};

struct ctx_err;
/* Compaction by the provider (see provider/compaction.h). */
struct ctx_provider_compaction {
	/* Converts the body of an ordinary request to the body of a compaction request,
	 * as ctx_compaction_body describes, and appends the members of the new body.
	 * Returns 0, or -1 with err set. */
	int (*put_body)(struct ctx_buf *out, struct ctx_span body,
	    const char *instructions, struct ctx_err *err);
	/* Returns true if the block, whose type is "compaction", was made by this
	 * provider and is not the result of a failed compaction. */
	bool (*is_block)(struct ctx_span block);
	/* maximum length in characters of the user's instructions for a compaction; 0:
	 * the provider accepts no instructions for a compaction */
	size_t instructions_most;
	bool readable; /* true: a compaction block contains its text in "content" */
	/* Name of the member that lists the items of the answer to a compaction request;
	 * NULL if this answer has the format of ordinary answers. */
	const char *items;
};

/* The facts about an API: what the API accepts, as data. The sources are cited next to
 * the data (provider/NAME). */
struct ctx_provider_facts {
	const char *name; /* name of the provider in options and records */
	/* name of the API in error messages, such as "Chat Completions" */
	const char *api;
	/* table of stop reasons, which ends with a row whose reason is NULL */
	const struct ctx_answer_ending *endings;
	/* text to print before the stop reason in error messages, such as "stop_reason
	 * "; may be "" */
	const char *stop;

	/* The body: */
	const char *list; /* name of the member that holds the messages */
	/* Names of the members that can hold the system text; rendering uses the first
	 * one. If all are NULL, the system text is sent as a message. */
	const char *system[3];
	/* true: the system text is written as {"parts":[{"text"}]}, not as a string */
	bool system_parts;
	/* names of the members that the parameters must contain */
	const char *required[3];
	/* name of a member that makes all required members unnecessary, such as one that
	 * names a stored prompt; NULL: there is no such member */
	const char *stored;
	/* value of "layout" in request records, which names the layout of the body;
	 * NULL: request records have no "layout" */
	const char *layout;
	/* true: if required members are missing, print a note even if the user gave no
	 * parameters */
	bool bare_note;
	bool user_first; /* true: the first message must be a user message */
	/* Name of the member that contains a token with which the model continues an
	 * interrupted answer; the answer itself is then not sent. NULL: there is no such
	 * member; the model continues an interrupted answer that is sent, unchanged, as
	 * the last message. */
	const char *continuation;
	/* true: some models accept system messages among the messages of other roles */
	bool system_inside;
	bool cache_key;   /* true: the body may have a "prompt_cache_key" */
	bool cache_marks; /* true: blocks may have cache marks ("cache_control") */
	/* true: some models check that the messages before their own reasoning are
	 * unchanged */
	bool checks_reasoning;
	enum ctx_late_tools late_tools;
	/* Appends the HTTP headers that a request needs in addition to the content type.
	 * NULL: no request needs such headers. */
	void (*headers)(struct ctx_buf *out, struct ctx_span body);
	struct ctx_provider_tools tools;

	/* how the API compacts a conversation; NULL: the API has no compaction */
	const struct ctx_provider_compaction *compaction;

	/* Names and ids: */
	size_t id_most; /* maximum length in bytes of the id of a tool call */
	/* true: an unknown server may accept only ids of nine letters and digits for
	 * tool calls, so that long ids are shortened */
	bool id_nine;
	bool id_plain; /* true: ids may contain only letters, digits, '_' and '-' */
	/* maximum length in characters of a tool's name; 0: no limit is checked */
	size_t name_most;
	bool letter_first; /* true: the name of a tool must begin with a letter or '_' */

	/* Media: */
	/* accepted media types of images, terminated by NULL */
	const char *const *images;
	/* type of the content blocks with images that are copied unchanged into a request;
	 * "": blocks with images are always converted */
	const char *image_block;
	/* true: the API accepts the ids of files that the user uploaded to OpenAI */
	bool uploads;
	/* Returns true if the API accepts a file that is not an image. mime: the file's
	 * media type; url: true if the file is given as a URL; named: true if the file
	 * has a name. NULL: the API accepts all files. */
	bool (*takes_file)(struct ctx_span mime, bool url, bool named);

	/* How many tokens media and tools cost (see tokens/price.c): */
	/* true: images are counted as OpenAI counts them; false: as Anthropic counts
	 * them */
	bool openai_images;
	/* true: tool definitions are counted as Chat Completions counts them; false: as
	 * the tokens of their JSON */
	bool chat_tools;
	/* true: a request with tools has additional tokens, because the provider adds a
	 * system prompt to it */
	bool tools_prompt;

	/* The lines of a batch file: */
	/* names of the members of a batch line that hold the id and the body of a
	 * request */
	const char *batch_id, *batch_body;
	/* value of the member "url" in a batch line; NULL if batch lines have no such
	 * member */
	const char *batch_url;
	/* what the user can do if the API has no batches (batch_body is NULL); part of
	 * an error message */
	const char *no_batch;

	/* value of OpenTelemetry's gen_ai.provider.name; NULL: the member "name" is
	 * used */
	const char *telemetry;
};

/* Returns the facts about the provider, or NULL for CTX_PROVIDER_NONE. */
const struct ctx_provider_facts *ctx_provider_facts(enum ctx_provider p);

/* Returns the provider with this name, or CTX_PROVIDER_NONE if name is NULL or
 * unknown. */
enum ctx_provider ctx_provider_parse(const char *name);
const char *ctx_provider_name(enum ctx_provider p);

/* Appends the names of all providers, separated by ", ". last: the separator before the
 * last name, such as " or ". */
void ctx_provider_names(struct ctx_buf *out, const char *last);

/* Appends the HTTP headers that a request with this body (valid JSON) needs, one per
 * line, in the format of curl -H @FILE: the content type and the headers of the provider.
 * The Authorization header is not included. */
void ctx_provider_headers(struct ctx_buf *out, struct ctx_span body, enum ctx_provider p);

/* Returns true if the provider requires that the first message is a user message.
 * Returns false for CTX_PROVIDER_NONE. */
bool ctx_provider_user_first(enum ctx_provider p);

/* Returns true if the provider accepts images of this media type; case is ignored. */
bool ctx_provider_takes_image(enum ctx_provider p, struct ctx_span type);

/* The media types of images that most APIs accept, terminated by NULL. */
extern const char *const ctx_provider_usual_images[];

/* Detects the media type of an image from its first bytes. data: the image as base64
 * text. Returns NULL if the type is unknown. Providers refuse an image whose declared
 * type differs from the detected one. */
const char *ctx_image_type(struct ctx_span data);

/* Stop reasons: the reasons that providers give for the end of an answer. Each provider
 * has a table of its stop reasons (provider/NAME/facts.c). */

enum ctx_ending {
	CTX_ENDING_COMPLETE,
	/* A limit ended the answer early. The answer is stored, and the limit is
	 * reported. */
	CTX_ENDING_PARTIAL,
	/* The provider or the model refused to answer. The answer is stored, and the
	 * refusal is reported. */
	CTX_ENDING_REFUSED,
	CTX_ENDING_FAILED,  /* There is no answer. Nothing is stored. */
	CTX_ENDING_PENDING, /* The answer is not ready yet. Nothing is stored. */
};

/* What later requests do with a stored answer. */
enum ctx_next {
	CTX_NEXT_NONE, /* nothing was stored, so there is nothing to send */
	CTX_NEXT_SEND, /* send the answer like any other */
	/* send the answer; if it is the last message of the request, the model continues
	 * it */
	CTX_NEXT_RESUME,
	CTX_NEXT_WITHHOLD, /* do not send the answer; it stays in the store */
};

/* A row of a provider's table of stop reasons: a reason and its consequences. A row
 * whose reason is NULL ends the table. */
struct ctx_answer_ending {
	const char *reason;
	enum ctx_ending ending;
	enum ctx_next next;
};

/* Returns how an answer with this stop reason ended. If reason is NULL (the answer has
 * no stop reason) or unknown, returns CTX_ENDING_COMPLETE. The stop reason is the
 * finish_reason, stop_reason or finishReason in the answer; for OpenAI's Responses API,
 * it is the status and incomplete_details of the response. Sources: the API references
 * "The chat completion object", "Handling stop reasons" (Anthropic), "FinishReason"
 * (Gemini), "The response object". */
enum ctx_ending ctx_answer_ending(enum ctx_provider provider, const char *reason);

/* Returns what later requests do with a stored answer. metadata: the metadata of the
 * answer's record (JSON, or absent). The result depends on the provider and the stop
 * reason in the metadata. If the provider or the stop reason is missing or unknown,
 * returns CTX_NEXT_SEND. Sets *name to the stop reason (a static string), or to NULL if
 * the stop reason is not in the provider's table. */
enum ctx_next ctx_answer_next(struct ctx_span metadata, const char **name);

#endif
