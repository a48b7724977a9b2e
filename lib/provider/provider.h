/* The model APIs that requests are rendered for and whose answers are read, and what each of
 * them takes. */
#ifndef CTX_PROVIDER_PROVIDER_H
#define CTX_PROVIDER_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "provider/list.h"

enum ctx_provider {
	CTX_PROVIDER_NONE = -1, /* unknown, or not chosen */
#define CTX_PROVIDER_ENUM(id, name) CTX_PROVIDER_##id,
	CTX_PROVIDERS(CTX_PROVIDER_ENUM)
#undef CTX_PROVIDER_ENUM
	    CTX_PROVIDER_COUNT
};

/* How a request passes a tool that was added after the request's run had begun. */
enum ctx_late_tools {
	CTX_LATE_TOOLS_NONE,
	CTX_LATE_TOOLS_ITEM,   /* as an item among the messages */
	CTX_LATE_TOOLS_SYSTEM, /* in a system message, if "tools" has at least one tool */
};

/* The shape of a tool's definition. */
struct ctx_provider_tools {
	const char *schema; /* member that holds the JSON Schema of the arguments */
	const char *inside; /* member that holds name and schema; NULL: the tool itself */
	const char *group;  /* member of one object that holds all tools; NULL: none */
	bool typed;         /* it has "type":"function" */
	bool strict;        /* "strict":false is said, for the API's default is true */
	bool keeps_strict;  /* a user's "strict" is a member that it knows */
	const char *shape;  /* as diagnostics show it */
};

struct ctx_err;
/* Compaction by the provider (provider/compaction.h). */
struct ctx_provider_compaction {
	/* Appends the members of the request that asks for it. */
	int (*put_body)(struct ctx_buf *out, struct ctx_span body,
	    const char *instructions, struct ctx_err *err);
	/* True if this block of type compaction is the provider's and not a failed one. */
	bool (*is_block)(struct ctx_span block);
	size_t instructions_most; /* characters of the user's instructions; 0: none */
	bool readable;            /* the block has its text in "content" */
	/* If compaction answers have a format of their own: the member that holds the items;
	 * otherwise NULL. */
	const char *items;
};

/* What an API takes, as data. Sources are cited where the data is (provider/NAME). */
struct ctx_provider_facts {
	const char *name;                        /* in options and records */
	const char *api;                         /* in messages: "Chat Completions" */
	const struct ctx_answer_ending *endings; /* provider/ending.h */
	const char
	    *stop; /* what its answers call the reason for which they end; "": status */

	/* the body */
	const char *list;      /* member that holds the messages */
	const char *system[3]; /* members that hold the system text, the first of which is
				  * written; none: system text is a message */
	bool system_parts;     /* … as {"parts":[{"text"}]} */
	const char *required[3]; /* members that the parameters must give */
	const char *stored;      /* member that stands for all of these, or NULL */
	const char *layout;      /* layout of bodies in request records, or NULL */
	bool bare_note;          /* a body without the required members is noted */
	bool user_first;         /* the first message must be the user's */
	/* member that makes the model go on with an interrupted answer, which is not sent
	 * then; NULL: such an answer goes back as it came, last */
	const char *continuation;
	bool system_inside;    /* some models take system messages among the others */
	bool cache_key;        /* the body may have a "prompt_cache_key" */
	bool cache_marks;      /* blocks may be marked for the prompt cache */
	bool checks_reasoning; /* models may check what stood before their reasoning */
	enum ctx_late_tools late_tools;
	/* Appends the HTTP headers that a body needs besides the content type, or NULL. */
	void (*headers)(struct ctx_buf *out, struct ctx_span body);
	struct ctx_provider_tools tools;

	const struct ctx_provider_compaction *compaction; /* NULL: it has none */

	/* names and ids */
	size_t id_most;    /* characters of the id of a call */
	bool id_nine;      /* an unknown server may take nine letters and digits only */
	bool id_plain;     /* only letters, digits, '_' and '-' in it */
	size_t name_most;  /* characters of a tool's name; 0: not checked */
	bool letter_first; /* a tool's name begins with a letter or '_' */

	/* media */
	const char *const *images; /* media types, ended by NULL */
	const char *image_block; /* type of the block that holds an image; "": another */
	bool uploads;            /* takes the ids of files that were uploaded to OpenAI */
	/* True if it takes a file that is not an image: media type, as a URL, with a name. */
	bool (*takes_file)(struct ctx_span mime, bool url, bool named);

	/* prices (tokens/price.c) */
	bool openai_images; /* images cost what OpenAI's do, else what Anthropic's do */
	bool chat_tools;    /* tools cost what Chat Completions' do, else their JSON */
	bool tools_prompt;  /* the first tool brings a system prompt */

	/* a line of a batch file */
	const char *batch_id, *batch_body; /* members: id of the request, and the body */
	const char *batch_url;             /* NULL: the line has no URL */
};

/* NULL for CTX_PROVIDER_NONE. */
const struct ctx_provider_facts *ctx_provider_facts(enum ctx_provider p);

/* Finds a provider by its name; CTX_PROVIDER_NONE if unknown or NULL. */
enum ctx_provider ctx_provider_parse(const char *name);
const char *ctx_provider_name(enum ctx_provider p);

/* Appends the names of all providers, with ", " between them and last before the last one
 * (" or ", ", "). */
void ctx_provider_names(struct ctx_buf *out, const char *last);

/* Appends a line for each header that a request with this body (checked JSON) needs, as
 * curl -H @FILE reads them: the content type and what the provider wants besides.
 * Authorization is not among them. */
void ctx_provider_headers(struct ctx_buf *out, struct ctx_span body, enum ctx_provider p);

/* True if the first message must be the user's; false also for CTX_PROVIDER_NONE. */
bool ctx_provider_user_first(enum ctx_provider p);

/* True if the provider accepts an image of this media type, in any case of letters. */
bool ctx_provider_takes_image(enum ctx_provider p, struct ctx_span type);

/* Media types of images that most APIs take, ended by NULL. */
extern const char *const ctx_provider_usual_images[];

/* Returns the media type that the first bytes of an image name, or NULL if they name none
 * that is known. data is base64, decoded from JSON. Providers refuse an image that says
 * another type. */
const char *ctx_image_type(struct ctx_span data);

#endif
