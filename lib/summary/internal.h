/* Shared inside lib/summary only. */
#ifndef CTX_SUMMARY_INTERNAL_H
#define CTX_SUMMARY_INTERNAL_H

#include "summary/summary.h"

/* ---- input ---- */

enum ctx_piece_kind {
	CTX_PIECE_TEXT,
	CTX_PIECE_CALL, /* the text is the name, a space, and the arguments */
	CTX_PIECE_RESULT,
	CTX_PIECE_EARLIER, /* a summary made before */
};

/* A piece of a message: text and label lie in the input's buffer. */
struct ctx_summary_piece {
	enum ctx_role role;
	enum ctx_piece_kind kind;
	bool json;      /* the arguments, the result: is it an object or array? */
	bool error;     /* a result that the tool marked as a failure */
	uint32_t call;  /* of a result: the piece that called, plus one; 0: unknown */
	size_t text, n; /* offset and bytes */
	size_t label, n_label; /* "user", "tool bash" */
	size_t n_name;         /* of a call: bytes of the name in its text */
};

struct ctx_summary_input {
	struct ctx_buf bytes;
	struct ctx_summary_piece *v;
	size_t n, cap;
	struct ctx_summary_call {
		uint64_t id;    /* hash of the call's id; 0 is free */
		uint32_t piece; /* that called */
	} * calls;              /* open hash table of calls, 2^bits slots */
	size_t n_calls, cap_calls;
};

struct ctx_span ctx_summary_piece_text(const struct ctx_summary_input *in, size_t i);
struct ctx_span ctx_summary_piece_label(const struct ctx_summary_input *in, size_t i);
/* The text; of a call only the arguments. */
struct ctx_span ctx_summary_piece_body(const struct ctx_summary_input *in, size_t i);
/* The body where it is an object or an array, else absent. */
struct ctx_span ctx_summary_piece_json(const struct ctx_summary_input *in, size_t i);
/* The name of the tool of a call or of a result; may be absent. */
struct ctx_span ctx_summary_piece_name(const struct ctx_summary_input *in, size_t i);

/* ---- text ---- */

/* The first boundary between graphemes behind the one at byte k. */
size_t ctx_summary_boundary_after(struct ctx_span text, size_t k);

uint64_t ctx_summary_hash(uint64_t seed, const char *p, size_t n);

/* Sentences of a text. A sentence ends at a line's end too; long ones are handed out in
 * clauses. Blank ones are skipped, white space around is not part of any. */
struct ctx_summary_sentences {
	struct ctx_span text;
	size_t at;
	size_t line; /* of the sentence handed out last, counted from 0 */
	bool fresh;  /* it begins a sentence, is not a further clause */
	bool in_sentence;
};

void ctx_summary_sentences_init(struct ctx_summary_sentences *s, struct ctx_span text);
bool ctx_summary_sentences_next(struct ctx_summary_sentences *s, struct ctx_span *out);

/* Words of a sentence, folded to lower case and hashed. Where a script puts no spaces
 * between words (a word boundary after each letter) pairs of letters stand for them. */
struct ctx_summary_words {
	struct ctx_span text;
	char *breaks; /* room for text.n bytes, the caller's */
	size_t at;
	uint64_t letter; /* hash of a single letter that ends at at, or 0 */
};

struct ctx_summary_word {
	size_t offset, n;
	uint64_t hash;
	bool number; /* starts with a digit */
};

void ctx_summary_words_init(
    struct ctx_summary_words *w, struct ctx_span text, struct ctx_buf *scratch);
bool ctx_summary_words_next(struct ctx_summary_words *w, struct ctx_summary_word *out);

/* Does the sentence ask something? */
bool ctx_summary_asks(struct ctx_span sentence);

/* ---- facts ---- */

/* Words that tell of failures, of decisions and of rules, in some languages. */
struct ctx_summary_cues {
	uint64_t word[160];
	size_t n, end[3]; /* of each class */
	unsigned char filter[512];
};

#define CTX_CUE_ERROR 1
#define CTX_CUE_DECISION 2

void ctx_summary_cues_init(struct ctx_summary_cues *c);
/* 0 or one of the above; text is what the word was found in. */
int ctx_summary_cue(const struct ctx_summary_cues *c, struct ctx_span text,
    const struct ctx_summary_word *w);

/* Append the facts inside one sentence, not the sentence itself; offsets from base. */
void ctx_summary_facts_scan(
    struct ctx_span sentence, bool fresh, size_t base, struct ctx_facts *out);

/* Does part stand in text, not inside a longer ASCII word? */
bool ctx_summary_contains(struct ctx_span text, struct ctx_span part);

bool ctx_summary_inside_word(struct ctx_span text, size_t at);

/* ---- condensing ---- */

/* Each appends at most max tokens; false and nothing when it can't. */
bool ctx_summary_condense_json(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
bool ctx_summary_condense_diff(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
bool ctx_summary_condense_log(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
/* Head and tail; always fits. */
void ctx_summary_condense_text(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);

/* Back to n bytes. */
void ctx_summary_rewind(struct ctx_buf *b, size_t n);

bool ctx_summary_error_line(struct ctx_span line);

/* The next line of *rest without its end; false at the end. */
bool ctx_summary_line(struct ctx_span *rest, struct ctx_span *line);
size_t ctx_summary_count_lines(struct ctx_span text);

#endif
