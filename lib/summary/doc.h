/* Private to lib/summary: the document that the built-in summary prints. It has sections
 * of lines. A line is a group: a subject and items about it. First all groups that could
 * be printed are built; then items are chosen by the facts that they contain. */
#ifndef CTX_SUMMARY_DOC_H
#define CTX_SUMMARY_DOC_H

#include "base/map.h"
#include "summary/internal.h"

enum ctx_doc_section {
	CTX_DOC_REQUESTS,
	CTX_DOC_ACTIONS,
	CTX_DOC_OUTCOMES,
	CTX_DOC_DECISIONS,
	CTX_DOC_STATE,
	CTX_DOC_OPEN,
	CTX_DOC_SECTIONS,
};

/* The kind of action that a tool performs. The words of enum ctx_doc_word are in the same
 * order. */
enum ctx_tool_kind {
	CTX_TOOL_OTHER, /* "name(arguments)" */
	CTX_TOOL_READ,
	CTX_TOOL_EDIT,
	CTX_TOOL_WRITE,
	CTX_TOOL_PATCH,
	CTX_TOOL_SHELL,
	CTX_TOOL_SEARCH,
	CTX_TOOL_LIST,
	CTX_TOOL_FETCH,
	CTX_TOOL_TASK,
	CTX_TOOL_TODO,
	CTX_TOOL_KINDS,
	CTX_TOOL_THINK = CTX_TOOL_KINDS, /* did nothing, and is not told */
};

enum ctx_doc_word {
	CTX_WORD_TIMES = CTX_TOOL_KINDS, /* "(3 times)" */
	CTX_WORD_WAITS,
	CTX_WORD_TODO,
	CTX_WORD_ERROR,
	CTX_WORD_QUESTION,
	CTX_WORD_DIRECTORY, /* that paths are below */
	CTX_DOC_WORDS,
};

const char *ctx_doc_heading(enum ctx_summary_language l, enum ctx_doc_section s);
const char *ctx_doc_word(enum ctx_summary_language l, int word);
/* Returns the section whose heading the line is, in any language, or -1. */
int ctx_doc_heading_find(struct ctx_span line);

/* ---- facts ---- */

#define CTX_SAID_USER 1
#define CTX_SAID_ASSISTANT 2
#define CTX_SAID_CALL 4 /* an argument of a call */
#define CTX_SAID_RESULT 8

#define CTX_DOC_WORD 0.08f /* worth of a word that tells most */

struct ctx_doc_fact {
	enum ctx_fact_kind kind; /* CTX_FACT_KINDS: a word */
	/* number of pieces that contain it, and the last and the first of them */
	uint32_t pieces, last, first;
	unsigned said;
	float score; /* estimated probability that it is needed later */
	bool covered;
};

/* ---- the document ---- */

enum ctx_excerpt {
	CTX_NO_EXCERPT,
	CTX_EXCERPT_OUTPUT,
	CTX_EXCERPT_FILE,
};

struct ctx_doc_item {
	uint32_t group;
	size_t text, n;      /* in bytes */
	size_t note, n_note; /* text printed after it: the result of a call */
	uint32_t times;
	int verb; /* enum ctx_tool_kind, or 0 */
	uint32_t fact, n_facts;
	float base;                  /* worth without its facts */
	float share;                 /* of the worth of its facts */
	int64_t tokens, note_tokens; /* the note's are part of tokens */
	bool kept;
	enum ctx_excerpt excerpt; /* printed on a line of its own */
	bool gap; /* text between the previous item and this one was left out */
	uint32_t next, next_in_group;
};

struct ctx_doc_group {
	enum ctx_doc_section section;
	uint32_t request; /* 0: none */
	size_t subject, n_subject;
	uint32_t fact, n_facts;
	uint32_t first, last; /* items, plus one */
	int64_t tokens;
	bool open;
};

struct ctx_doc {
	const struct ctx_summary_input *in;
	struct ctx_tokenizer *tokenizer;
	enum ctx_summary_language language;
	struct ctx_buf bytes;
	struct ctx_doc_item *items;
	size_t n, cap;
	struct ctx_doc_group *groups;
	size_t n_groups, cap_groups;
	struct ctx_doc_fact *facts;
	size_t n_facts, cap_facts;
	uint32_t *held; /* facts of items */
	size_t n_held, cap_held;
	struct ctx_map by_fact, by_word, by_group, by_item, by_action;
	uint32_t texts; /* messages of people */
	uint32_t requests;
	bool failed; /* the last result */
	bool worked; /* calls were made for the request */
	uint32_t line,
	    /* the group of actions being filled, and its number of actions */
	    line_actions;
	uint32_t line_request; /* its request, plus one */
	size_t root, n_root;   /* the common directory, which is cut from paths */
	struct ctx_summary_cues cues;
	struct ctx_buf scratch;
	int64_t heading_tokens[CTX_DOC_SECTIONS];
};

void ctx_doc_init(struct ctx_doc *d, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, enum ctx_summary_language l);
void ctx_doc_release(struct ctx_doc *d);

/* Returns the group of that key, created if missing; key 0 always creates one. */
uint32_t ctx_doc_group(struct ctx_doc *d, enum ctx_doc_section s, uint32_t request,
    struct ctx_span subject, uint64_t key);

/* Returns the State line about the subject. */
uint32_t ctx_doc_subject(struct ctx_doc *d, struct ctx_span subject);

/* Adds an item, or replaces the text of the item with that key in the group (key 0:
 * always adds). The text is put on one line. Returns its number. */
uint32_t ctx_doc_item(
    struct ctx_doc *d, uint32_t group, struct ctx_span text, uint64_t key, float base);
/* Adds a quotation on a line of its own below the group; its worth is that of its facts. */
void ctx_doc_excerpt(struct ctx_doc *d, uint32_t group, struct ctx_span quoted,
    uint64_t key, enum ctx_excerpt kind);
void ctx_doc_item_note(struct ctx_doc *d, uint32_t item, struct ctx_span note);

struct ctx_span ctx_doc_item_text(const struct ctx_doc *d, const struct ctx_doc_item *it);

/* Print what is kept. */
void ctx_doc_print(const struct ctx_doc *d, struct ctx_buf *out);

/* Counts and scores the facts of all pieces. */
void ctx_doc_rank(struct ctx_doc *d);
/* The fact, or NULL. */
struct ctx_doc_fact *ctx_doc_fact_find(struct ctx_doc *d, struct ctx_span text);

/* ---- builders ---- */

/* Returns a copy of the input in which commands that stand in the assistant's text, and
 * the output that the user's messages bring, are calls and results; NULL if it has calls
 * already or none such. */
struct ctx_summary_input *ctx_summary_input_commands(const struct ctx_summary_input *in);

/* Appends text as one line: control characters and runs of white space become a space. */
void ctx_doc_add_line(struct ctx_buf *b, struct ctx_span text);
/* As ctx_doc_add_line in “quotation marks” that text cannot close; at most max bytes, cut
 * between words with an ellipsis. Appends nothing for text without a word. */
void ctx_doc_add_quoted(struct ctx_buf *b, struct ctx_span text, size_t max);
/* The same between backticks. */
void ctx_doc_add_code(struct ctx_buf *b, struct ctx_span text, size_t max);

enum ctx_tool_kind ctx_tool_find(struct ctx_span name, struct ctx_span args);
/* Appends what the call is about: the path, a command, or "name(arguments)". */
void ctx_tool_put(struct ctx_buf *b, enum ctx_tool_kind kind, struct ctx_span name,
    struct ctx_span args, struct ctx_span path);
/* Returns the path that the call reads or changes; absent if there is none. */
struct ctx_span ctx_tool_path(struct ctx_span args, struct ctx_buf *tmp);

/* ctx_doc_find_root finds the directory that most paths start with; ctx_doc_short_path
 * returns a path without it. */
void ctx_doc_find_root(struct ctx_doc *d);
struct ctx_span ctx_doc_short_path(const struct ctx_doc *d, struct ctx_span path);

/* Appends value as an argument or a member; strings with white space are quoted. */
void ctx_doc_add_value(struct ctx_buf *b, struct ctx_span value, size_t max);

/* Iterates over sentences of prose, without marks of lists and of emphasis: no code between
 * fences, nothing that is cut inside a word or a code. A sentence that ends with a colon
 * goes with the one that follows it, and is left out if what follows is code. */
struct ctx_prose {
	struct ctx_summary_sentences it;
	struct ctx_buf tmp, joined, ahead;
	bool fenced, inside;
	int code; /* lines of code outside of fences, right before */
	bool gap; /* something before the sentence was left out; the reader resets it */
	bool nested; /* the sentence is an item of a list inside a list */
	bool heading, item;
	bool has_ahead, ahead_gap, ahead_nested, ahead_heading, ahead_item;
};

void ctx_prose_init(struct ctx_prose *p, struct ctx_span text);
void ctx_prose_release(struct ctx_prose *p);
bool ctx_prose_next(struct ctx_prose *p, struct ctx_span *out);

void ctx_doc_build(struct ctx_doc *d);
/* Adds what a call did, and its result. */
void ctx_doc_add_call(struct ctx_doc *d, uint32_t piece, uint32_t *item_of);
void ctx_doc_add_result(struct ctx_doc *d, uint32_t piece, const uint32_t *item_of);
/* Adds the unfinished entries of the last to-do list. */
void ctx_doc_add_todo(struct ctx_doc *d, struct ctx_span args);
/* Adds records inside a JSON value as lines of the State section. */
void ctx_doc_add_records(
    struct ctx_doc *d, struct ctx_span json, struct ctx_span name, struct ctx_span args);
/* Adds the lines of an earlier document. */
void ctx_doc_add_earlier(struct ctx_doc *d, struct ctx_span text);

#endif
