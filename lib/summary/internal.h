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
	CTX_PIECE_EARLIER, /* the text of an earlier summary */
};

/* A piece of a message: a text, a tool call or a tool result. The text and the label of
 * the piece are stored in ctx_summary_input.bytes. */
struct ctx_summary_piece {
	enum ctx_role role;
	enum ctx_piece_kind kind;
	/* for a tool call or tool result: true if the arguments or the result are a JSON
	 * object or array */
	bool json;
	bool error; /* for a tool result: true if the tool reported an error */
	/* for a tool result: index, plus 1, of the piece with the call; 0: unknown */
	uint32_t call;
	/* the piece's text: offset in ctx_summary_input.bytes, and length, both in
	 * bytes */
	size_t text, n;
	/* the speaker, such as "user" or "tool bash": offset in ctx_summary_input.bytes,
	 * and length, both in bytes */
	size_t label, n_label;
	/* for a tool call: length in bytes of the tool's name at the start of the text */
	size_t n_name;
};

struct ctx_summary_input {
	struct ctx_buf bytes;
	struct ctx_summary_piece *v;
	size_t n, cap;
	/* maps the hash of a call's id to the index, plus one, of the call's piece */
	struct ctx_map calls;
};

struct ctx_span ctx_summary_piece_text(const struct ctx_summary_input *in, size_t i);
/* Returns the role and the name of the speaker or tool, such as "user Mia". */
struct ctx_span ctx_summary_piece_label(const struct ctx_summary_input *in, size_t i);
/* Returns the text of piece i or, if the piece is a tool call, only the call's
 * arguments. */
struct ctx_span ctx_summary_piece_body(const struct ctx_summary_input *in, size_t i);
/* If the text that ctx_summary_piece_body returns is a JSON object or array, returns this
 * text; otherwise returns an absent span. */
struct ctx_span ctx_summary_piece_json(const struct ctx_summary_input *in, size_t i);
/* If piece i is a tool call or tool result, returns the tool's name, which is empty if
 * the tool is unknown. */
struct ctx_span ctx_summary_piece_name(const struct ctx_summary_input *in, size_t i);

/* ---- text ---- */

uint64_t ctx_summary_hash(uint64_t seed, const char *p, size_t n);

/* Iterates over the sentences of a text. The end of a line also ends a sentence. A long
 * sentence is returned clause by clause. Blank sentences are skipped, and
 * white space around a sentence is removed. */
struct ctx_summary_sentences {
	struct ctx_span text;
	size_t at;
	/* number, from 0, of the line that contains the sentence that was returned
	 * last */
	size_t line;
	/* true: the part that was returned last starts a sentence; false: the part is a
	 * later clause of a sentence */
	bool fresh;
	bool in_sentence;
};

void ctx_summary_sentences_init(struct ctx_summary_sentences *s, struct ctx_span text);
bool ctx_summary_sentences_next(struct ctx_summary_sentences *s, struct ctx_span *out);

/* Iterates over the words of a sentence and returns a hash of the lower-case form of each
 * word. In scripts without spaces, where Unicode has a word boundary after each letter,
 * returns each pair of adjacent letters instead. */
struct ctx_summary_words {
	struct ctx_span text;
	/* one byte for each byte of the text: whether a word begins there; buffer of the
	 * caller */
	char *breaks;
	size_t at;
	/* in scripts without spaces: hash of the letter before the current position
	 * (text.p + at); 0: no such letter */
	uint64_t letter;
};

struct ctx_summary_word {
	size_t offset, n;
	uint64_t hash;
	bool number; /* true: the word starts with a digit */
};

void ctx_summary_words_init(
    struct ctx_summary_words *w, struct ctx_span text, struct ctx_buf *scratch);
bool ctx_summary_words_next(struct ctx_summary_words *w, struct ctx_summary_word *out);

/* Returns true if the sentence is a question. */
bool ctx_summary_asks(struct ctx_span sentence);

/* ---- facts ---- */

/* Words in several languages that indicate failures, decisions and rules. */
struct ctx_summary_cues {
	/* maps the hash of a word to its class: 1 failures, 2 decisions, 3 rules */
	struct ctx_map words;
};

#define CTX_CUE_ERROR 1
#define CTX_CUE_DECISION 2

void ctx_summary_cues_init(struct ctx_summary_cues *c);
/* Returns what the word indicates: CTX_CUE_ERROR for a failure, CTX_CUE_DECISION for a
 * decision or a rule, otherwise 0. text: the sentence that contains the word. */
int ctx_summary_cue(const struct ctx_summary_cues *c, struct ctx_span text,
    const struct ctx_summary_word *w);

/* Appends the facts inside a sentence to *out. Does not append the sentence itself, even
 * if it reports an error or a decision. base: number to add to the offset of each fact;
 * fresh: false if the argument "sentence" is only a later clause of a sentence; otherwise
 * true. */
void ctx_summary_facts_scan(
    struct ctx_span sentence, bool fresh, size_t base, struct ctx_facts *out);

/* Returns true if the text contains a string. part: the string. Places inside a longer
 * ASCII word do not count: "cat" is found in "the cat", but not in "concatenate". */
bool ctx_summary_contains(struct ctx_span text, struct ctx_span part);
/* Like ctx_summary_contains, but for several strings: returns true if the text contains
 * any of them. list: the strings, separated by '|'. */
bool ctx_summary_contains_any(struct ctx_span text, const char *list);

bool ctx_summary_inside_word(struct ctx_span text, size_t at);

/* ---- condensing ---- */

/* Each of these functions shortens one type of text (JSON, a diff, a log) to at most
 * max_tokens tokens, appends the short form, and returns true. If the text cannot be
 * shortened that much, the function appends nothing and returns false. */
bool ctx_summary_condense_json(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
bool ctx_summary_condense_diff(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
bool ctx_summary_condense_log(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);
/* Shortens any text to at most max_tokens tokens: appends the start and the end of the
 * text. Cannot fail. */
void ctx_summary_condense_text(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens);

/* Returns true if the text is a JSON object or array. */
bool ctx_summary_is_json(struct ctx_span text);

bool ctx_summary_error_line(struct ctx_span line);

/* Reads the next line of *rest, without its newline, into *line, and advances *rest.
 * Returns false at the end. */
bool ctx_summary_line(struct ctx_span *rest, struct ctx_span *line);

#endif
