/* Private to lib/carry. */
#ifndef CTX_CARRY_INTERNAL_H
#define CTX_CARRY_INTERNAL_H

#include "carry/carry.h"

/* One message of the session in Anthropic's format. User and assistant alternate. */
struct carry_turn {
	bool assistant;
	struct ctx_span content; /* JSON: a string or an array of blocks */
	int64_t at;              /* ms since the epoch */
};

struct carry {
	const struct ctx_carry_options *o;
	struct ctx_span session; /* the session record */
	struct ctx_buf system;   /* plain text; empty: none */
	struct ctx_buf title, directory, model;
	/* the title is stored with the session, not derived from its first question */
	bool titled;
	char id[40];   /* a UUID derived from the session's id and the format */
	char hash[65]; /* SHA-256 of the session's id and the format, in hexadecimal */
	struct carry_turn *turns;
	size_t n;
	struct ctx_buf body;    /* JSON that the turns' content points into */
	struct ctx_buf scratch; /* working space for the piece being written */
};

/* A file format: one source file each, and one entry of the table in carry.c. */
struct carry_format {
	const char *name;
	void (*print)(struct carry *c, struct ctx_buf *out);
	/* appends the file's path relative to the tool's directory; NULL: the tool can
	 * import the file from any place */
	void (*place)(const struct carry *c, struct ctx_buf *out);
	struct ctx_carry_home home;
	bool system; /* the format has a place for the system text */
};
extern const struct carry_format ctx_carry_atif, ctx_carry_claude_code, ctx_carry_codex,
    ctx_carry_gemini_cli, ctx_carry_goose, ctx_carry_opencode, ctx_carry_pi;

/* One block of a turn's content. A string counts as one text block. */
struct carry_block {
	enum { CARRY_TEXT, CARRY_CALL, CARRY_RESULT, CARRY_IMAGE, CARRY_OTHER } kind;
	struct ctx_span json; /* the whole block */
	struct ctx_span text; /* TEXT: JSON string */
	struct ctx_span id;   /* CALL, RESULT: JSON string */
	struct ctx_span name, input;
	/* IMAGE: JSON strings; absent if the image is a URL */
	struct ctx_span mime, data;
	bool error; /* RESULT: the call failed */
};
struct carry_iter {
	struct ctx_span content;
	size_t at; /* index of the next block */
};
bool ctx_carry_next(struct carry_iter *it, struct carry_block *b);

/* Sets *b to the result of the call with this id, which is in the turn after turn i.
 * Returns false if there is no such result. */
bool ctx_carry_result(
    const struct carry *c, size_t i, struct ctx_span id, struct carry_block *b);
/* Appends the text of a result as a JSON string, with "[image]" for images. If b is NULL,
 * appends a text that says that the call has no result. */
void ctx_carry_put_result(struct ctx_buf *out, const struct carry_block *b);
/* Appends the texts of a turn as one JSON string, separated by empty lines; blocks of
 * other kinds that the format cannot hold are described in words. Returns false, and
 * appends nothing, if the turn has no text. */
bool ctx_carry_put_text(struct ctx_buf *out, struct ctx_span content);
/* Returns true if the turn consists of tool results only. */
bool ctx_carry_only_results(struct ctx_span content);
bool ctx_carry_has_calls(struct ctx_span content);

/* Appends a member "key" with an id: the prefix and n letters or digits. The same session
 * always gives the same id. */
void ctx_carry_add_id(struct ctx_buf *out, const char *key, const char *prefix,
    const struct carry *c, size_t n);
/* Appends a UUID derived from the session and n. */
void ctx_carry_put_uuid(struct ctx_buf *out, const struct carry *c, size_t n);
/* Appends path with each byte other than letters and digits replaced by '-'. */
void ctx_carry_put_slug(struct ctx_buf *out, struct ctx_span path);

#endif
