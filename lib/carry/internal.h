/* Private to lib/carry. */
#ifndef CTX_CARRY_INTERNAL_H
#define CTX_CARRY_INTERNAL_H

#include "carry/carry.h"

/* A turn: one message in Anthropic's format. Turns of the user and turns of the
 * assistant alternate. */
struct carry_turn {
	bool assistant;
	struct ctx_span content; /* JSON: a string or an array of blocks */
	int64_t at;              /* ms since the epoch */
};

/* An id that is derived from the session and the format, so that it is the same each
 * time. */
struct carry_id {
	char text[48];
};

struct carry {
	const struct ctx_carry_options *o;
	struct ctx_span session; /* the session record */
	struct ctx_buf system;   /* plain text; empty if the session has no system text */
	struct ctx_buf title, directory, model;
	/* true: the title was stored with the session; false: it was made from the
	 * session's first question */
	bool titled;
	struct carry_id id; /* a UUID derived from the session's id and the format */
	char hash[65]; /* SHA-256 of the session's id and the format, in hexadecimal */
	struct carry_turn *turns;
	size_t n;
	/* The JSON text of the messages; the contents of the turns point into this
	 * text. */
	struct ctx_buf body;
};

/* A file format. Each format has a separate source file and an entry in the table in
 * carry.c. */
struct carry_format {
	const char *name;
	void (*print)(struct carry *c, struct ctx_buf *out);
	/* appends the path at which the tool expects the file, relative to the tool's
	 * directory; NULL: the tool imports the file from any directory */
	void (*place)(const struct carry *c, struct ctx_buf *out);
	struct ctx_carry_home home;
	bool system; /* true: the format can store the system text */
};
extern const struct carry_format ctx_carry_atif, ctx_carry_claude_code, ctx_carry_codex,
    ctx_carry_gemini_cli, ctx_carry_goose, ctx_carry_opencode, ctx_carry_pi;

/* One block of a turn's content. Content that is a string counts as one text block. Each
 * member whose comment begins with a kind (TEXT means CARRY_TEXT) is set only for this
 * kind, and absent for the other kinds. */
struct carry_block {
	enum { CARRY_TEXT, CARRY_CALL, CARRY_RESULT, CARRY_IMAGE, CARRY_OTHER } kind;
	struct ctx_span json;        /* the whole block */
	struct ctx_span text;        /* TEXT: JSON string */
	struct ctx_span id;          /* CALL and RESULT: id of the call, a JSON string */
	struct ctx_span name, input; /* CALL: name of the tool, and arguments; JSON */
	/* IMAGE: MIME type and base64 data, JSON strings; absent if the block has only
	 * the URL of the image */
	struct ctx_span mime, data;
	bool error;  /* RESULT: the call failed */
	size_t next; /* index of the next block */
};
/* Sets *b to the next block of the content and returns true; returns false after the last
 * block. */
bool ctx_carry_next(struct carry_block *b, struct ctx_span content);
/* A loop over the blocks of content. Declares the variable b, the current block. */
#define CARRY_EACH(b, content) \
	for (struct carry_block b = {.next = 0}; ctx_carry_next(&(b), content);)

/* Finds the result of the tool call with this id. i is the index of the turn that
 * contains the call; the result must be in the next turn. If the result is found, sets *b
 * to the result and returns true. Otherwise returns false. */
bool ctx_carry_result(
    const struct carry *c, size_t i, struct ctx_span id, struct carry_block *b);
/* Appends the text of the tool result b as a JSON string in which "[image]" replaces each
 * image. If b is NULL, appends a text that says that the call has no result. */
void ctx_carry_put_result(struct ctx_buf *out, const struct carry_block *b);
/* Appends all texts of a turn's content as one JSON string. Empty lines separate the
 * texts. Tool calls and results are left out. An image becomes "[image]", and a block of
 * an unknown type becomes "[TYPE]". */
void ctx_carry_put_text(struct ctx_buf *out, struct ctx_span content);
/* Appends the text of one block as a JSON string, in the same way as
 * ctx_carry_put_text. */
void ctx_carry_put_words(struct ctx_buf *out, const struct carry_block *b);
/* Appends the data URL of an image, as a JSON string. The image must have data. */
void ctx_carry_put_data_url(struct ctx_buf *out, const struct carry_block *image);
/* Returns true if the turn consists of tool results only. */
bool ctx_carry_only_results(struct ctx_span content);
bool ctx_carry_has_calls(struct ctx_span content);

/* Returns an id that consists of the prefix and 26 letters or digits. The id is derived
 * from the session, the format and the number n. A higher n gives an id that sorts
 * later. */
struct carry_id ctx_carry_id(const struct carry *c, const char *prefix, size_t n);
/* Returns a UUID that is derived from the session, the format and the number n. */
struct carry_id ctx_carry_uuid(const struct carry *c, size_t n);
/* Appends a path with '-' in place of each byte that is not a letter or digit. */
void ctx_carry_put_slug(struct ctx_buf *out, struct ctx_span path);

#endif
