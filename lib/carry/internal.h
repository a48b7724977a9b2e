/* Private to lib/carry. */
#ifndef CTX_CARRY_INTERNAL_H
#define CTX_CARRY_INTERNAL_H

#include "carry/carry.h"

/* One message of the session in Anthropic's shape; the roles alternate. */
struct carry_turn {
	bool assistant;
	struct ctx_span content; /* JSON: a string or an array of blocks */
	int64_t at;              /* ms */
};

struct carry {
	const struct ctx_carry_options *o;
	struct ctx_span session; /* the record */
	struct ctx_buf system;   /* plain text; empty: none */
	struct ctx_buf title, directory, model;
	bool titled; /* the title is the session's own, not made of its first question */
	char id[40]; /* a UUID made from the session's id and the format */
	char hash[65]; /* hexadecimal, of the same */
	struct carry_turn *turns;
	size_t n;
	struct ctx_buf body;    /* the turns borrow from it */
	struct ctx_buf scratch; /* of the piece that is being written */
};

/* A format: one file, one row of the table in carry.c. */
struct carry_format {
	const char *name;
	void (*print)(struct carry *c, struct ctx_buf *out);
	/* appends the path below the tool's directory; NULL: none */
	void (*place)(const struct carry *c, struct ctx_buf *out);
	struct ctx_carry_home home;
	bool system; /* it has a place for the system text */
};
extern const struct carry_format ctx_carry_atif, ctx_carry_claude_code, ctx_carry_codex,
    ctx_carry_gemini_cli, ctx_carry_goose, ctx_carry_opencode, ctx_carry_pi;

/* The blocks of a turn, one after the other; a string is one block of text. */
struct carry_block {
	enum { CARRY_TEXT, CARRY_CALL, CARRY_RESULT, CARRY_IMAGE, CARRY_OTHER } kind;
	struct ctx_span json; /* the block */
	struct ctx_span text; /* JSON string: of TEXT */
	struct ctx_span id;   /* JSON string: of CALL, RESULT */
	struct ctx_span name, input;
	struct ctx_span mime, data; /* JSON strings: of IMAGE; absent for a URL */
	bool error;                 /* RESULT */
};
struct carry_iter {
	struct ctx_span content;
	size_t at; /* of the next block */
};
bool ctx_carry_next(struct carry_iter *it, struct carry_block *b);

/* Sets *b to the result of the call with this id, which stands in the turn after turn i.
 * Returns false if there is none. */
bool ctx_carry_result(
    const struct carry *c, size_t i, struct ctx_span id, struct carry_block *b);
/* Appends, as a JSON string, the text of a result, images as "[image]"; of a call without
 * a result (b NULL) a text that says so. */
void ctx_carry_put_result(struct ctx_buf *out, const struct carry_block *b);
/* Appends, as a JSON string, the texts of a turn, with an empty line between them and what
 * has no other place in words. Returns false, with nothing appended, if there are none. */
bool ctx_carry_put_text(struct ctx_buf *out, struct ctx_span content);
/* True if the turn has nothing but results. */
bool ctx_carry_only_results(struct ctx_span content);
bool ctx_carry_has_calls(struct ctx_span content);

/* Member "key" with an id that is the same each time: the prefix and n digits or letters. */
void ctx_carry_add_id(struct ctx_buf *out, const char *key, const char *prefix,
    const struct carry *c, size_t n);
/* Appends a UUID, the same one each time for the session and n. */
void ctx_carry_put_uuid(struct ctx_buf *out, const struct carry *c, size_t n);
/* The directory's path with every byte but letters and digits as '-'. */
void ctx_carry_put_slug(struct ctx_buf *out, struct ctx_span path);

#endif
