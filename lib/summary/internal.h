/* Private to lib/summary. */
#ifndef CTX_SUMMARY_INTERNAL_H
#define CTX_SUMMARY_INTERNAL_H

#include "base/map.h"
#include "summary/summary.h"

/* ---- input ---- */

enum ctx_piece_kind {
	CTX_PIECE_TEXT,
	CTX_PIECE_CALL, /* the text is the tool's name, a space, and the arguments */
	CTX_PIECE_RESULT,
	CTX_PIECE_EARLIER, /* a summary made before */
};

/* A piece of a message. Its text and label are in the buffer bytes of the input. */
struct ctx_summary_piece {
	enum ctx_role role;
	enum ctx_piece_kind kind;
	bool json;      /* the arguments or the result are a JSON object or array */
	bool error;     /* RESULT: the tool marked it as an error */
	uint32_t call;  /* RESULT: index of its call plus one; 0 if unknown */
	size_t text, n; /* offset in the buffer, and length in bytes */
	size_t label, n_label; /* such as "user" or "tool bash" */
	size_t n_name; /* CALL: length of the tool's name at the start of the text */
};

struct ctx_summary_input {
	struct ctx_buf bytes;
	struct ctx_summary_piece *v;
	size_t n, cap;
	/* maps the hash of a call's id to the index of its piece plus one */
	struct ctx_map calls;
};

struct ctx_span ctx_summary_piece_text(const struct ctx_summary_input *in, size_t i);
/* Returns the role and the name of the speaker or tool, such as "user Mia". */
struct ctx_span ctx_summary_piece_label(const struct ctx_summary_input *in, size_t i);
/* Returns the text of piece i; for a call only its arguments. */
struct ctx_span ctx_summary_piece_body(const struct ctx_summary_input *in, size_t i);
/* Returns the body of piece i if it is a JSON object or array, otherwise an absent
 * span. */
struct ctx_span ctx_summary_piece_json(const struct ctx_summary_input *in, size_t i);
/* Returns the name of the tool of a call or result; may be absent. */
struct ctx_span ctx_summary_piece_name(const struct ctx_summary_input *in, size_t i);

/* ---- text ---- */

/* Returns the first grapheme boundary after byte k. */
size_t ctx_summary_boundary_after(struct ctx_span text, size_t k);

uint64_t ctx_summary_hash(uint64_t seed, const char *p, size_t n);

/* Iterates over the sentences of a text. A line end ends a sentence too, and long
 * sentences are returned in clauses. Blank sentences are skipped, and surrounding white
 * space is removed. */
struct ctx_summary_sentences {
	struct ctx_span text;
	size_t at;
	size_t line; /* line of the last sentence, counted from 0 */
	/* true: the result starts a sentence; false: it is a further clause of one */
	bool fresh;
	bool in_sentence;
};

void ctx_summary_sentences_init(struct ctx_summary_sentences *s, struct ctx_span text);
bool ctx_summary_sentences_next(struct ctx_summary_sentences *s, struct ctx_span *out);

/* Iterates over the words of a sentence and hashes their lower-case form. In scripts
 * without spaces, where Unicode has a word boundary after each letter, pairs of letters
 * are returned instead. */
struct ctx_summary_words {
	struct ctx_span text;
	char *breaks; /* buffer of text.n bytes, provided by the caller */
	size_t at;
	uint64_t letter; /* hash of the single letter that ends at byte at, or 0 */
};

struct ctx_summary_word {
	size_t offset, n;
	uint64_t hash;
	bool number; /* the word starts with a digit */
};

void ctx_summary_words_init(
    struct ctx_summary_words *w, struct ctx_span text, struct ctx_buf *scratch);
bool ctx_summary_words_next(struct ctx_summary_words *w, struct ctx_summary_word *out);

/* True if the sentence is a question. */
bool ctx_summary_asks(struct ctx_span sentence);

/* ---- facts ---- */

/* Words in several languages that indicate failures, decisions and rules. */
struct ctx_summary_cues {
	uint64_t word[160];
	size_t n, end[3]; /* end of each class of words in the array word */
	unsigned char filter[512];
};

#define CTX_CUE_ERROR 1
#define CTX_CUE_DECISION 2

void ctx_summary_cues_init(struct ctx_summary_cues *c);
/* Returns the class of the word (CTX_CUE_ERROR, CTX_CUE_DECISION), or 0. text is the text
 * that contains the word. */
int ctx_summary_cue(const struct ctx_summary_cues *c, struct ctx_span text,
    const struct ctx_summary_word *w);

/* Appends the facts inside one sentence, but not the sentence itself as an error or
 * decision. Offsets are relative to the sentence, plus base. fresh: the text starts a
 * sentence. */
void ctx_summary_facts_scan(
    struct ctx_span sentence, bool fresh, size_t base, struct ctx_facts *out);

/* True if text contains part as whole words, that is, not inside a longer ASCII word. */
bool ctx_summary_contains(struct ctx_span text, struct ctx_span part);

bool ctx_summary_inside_word(struct ctx_span text, size_t at);

/* ---- condensing ---- */

/* Each of these functions appends a condensed form of text that costs at most max_tokens.
 * Returns false, and appends nothing, if that is impossible. */
bool ctx_summary_condense_json(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
bool ctx_summary_condense_diff(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
bool ctx_summary_condense_log(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
/* The same for any text: keeps its start and its end. Always succeeds. */
void ctx_summary_condense_text(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);

/* Shortens the buffer to n bytes. */
void ctx_summary_rewind(struct ctx_buf *b, size_t n);

bool ctx_summary_error_line(struct ctx_span line);

/* Reads the next line of *rest, without its newline, and advances *rest. Returns false at
 * the end. */
bool ctx_summary_line(struct ctx_span *rest, struct ctx_span *line);

#endif
