/* Private to lib/summary: the document that the built-in summary prints. It consists of
 * sections, and a section of lines. Each line is a group: a subject, and items about it.
 * First all groups that could be printed are built; then items are chosen by the facts
 * that they contain. */
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

/* The kind of action that a tool performs. Values below CTX_TOOL_KINDS are also indices
 * of the words for these actions (see enum ctx_doc_word). */
enum ctx_tool_kind {
	CTX_TOOL_OTHER, /* an unknown tool, printed as "name(arguments)" */
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
	/* the tool has no effect, and is not mentioned */
	CTX_TOOL_THINK = CTX_TOOL_KINDS,
};

enum ctx_doc_word {
	CTX_WORD_TIMES = CTX_TOOL_KINDS, /* "(3 times)" */
	CTX_WORD_WAITS,
	CTX_WORD_TODO,
	CTX_WORD_ERROR,
	CTX_WORD_QUESTION,
	CTX_WORD_DIRECTORY, /* the common directory of the paths */
	CTX_WORD_NOTHING,   /* a call returned nothing */
	CTX_WORD_RESULTS,   /* "3 results" */
	CTX_WORD_LINES,     /* "3 lines" */
	CTX_DOC_WORDS,
};

const char *ctx_doc_heading(enum ctx_summary_language l, enum ctx_doc_section s);
const char *ctx_doc_word(enum ctx_summary_language l, int word);
/* Returns the section whose heading, in any language, is the line, or -1. */
int ctx_doc_heading_find(struct ctx_span line);

/* ---- facts ---- */

#define CTX_SAID_USER 1
#define CTX_SAID_ASSISTANT 2
#define CTX_SAID_CALL 4 /* in the arguments of a tool call */
#define CTX_SAID_RESULT 8

#define CTX_DOC_WORD 0.08f /* score of the most telling word */

struct ctx_doc_fact {
	enum ctx_fact_kind kind; /* CTX_FACT_KINDS for a word */
	/* number of pieces of the input that contain the fact, and the indices of the
	 * last and the first of them */
	uint32_t pieces, last, first;
	unsigned said;
	float score; /* estimated probability that the fact is needed later */
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
	size_t text, n;      /* in the buffer bytes of the document; n is in bytes */
	size_t note, n_note; /* text printed after the item: the result of a call */
	uint32_t times;
	uint32_t alike; /* number of further lines that differ only in numbers */
	int verb; /* enum ctx_tool_kind, or 0 for none */
	uint32_t fact, n_facts;
	float base;                  /* worth of the item apart from its facts */
	float share;                 /* share of the worth of its facts that counts */
	int64_t tokens, note_tokens; /* note_tokens is included in tokens */
	bool kept;
	enum ctx_excerpt excerpt; /* an excerpt is printed on a line of its own */
	/* the facts count in full even if they are printed elsewhere, so that the elements of
	 * a list are worth the same */
	bool whole;
	bool gap; /* text between the previous item and this one was left out */
	uint32_t next, next_in_group;
};

struct ctx_doc_group {
	enum ctx_doc_section section;
	uint32_t request; /* number of the user's request; 0: none */
	size_t subject, n_subject;
	uint32_t fact, n_facts;
	uint32_t first, last; /* first and last item of the group, each index plus one */
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
	uint32_t *held; /* indices of the facts of items and groups */
	size_t n_held, cap_held;
	struct ctx_map by_fact, by_word, by_group, by_item, by_action;
	uint32_t texts; /* number of messages by people */
	uint32_t requests;
	bool failed; /* the last tool result was a failure */
	bool chat;    /* many messages, and no tools are called */
	bool talk;    /* a chat of two people with names */
	bool ranked;  /* items are being chosen, and groups are open or not */
	bool is_last; /* the current request is the last one */
	bool worked;  /* tools were called for the current request */
	uint32_t line,
	    /* the group of actions that is being filled, and its number of actions */
	    line_actions;
	uint32_t line_request; /* number of that group's request, plus one */
	size_t root, n_root;   /* the common directory that is removed from paths */
	struct ctx_summary_cues cues;
	struct ctx_buf scratch;
	int64_t heading_tokens[CTX_DOC_SECTIONS];
};

void ctx_doc_init(struct ctx_doc *d, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, enum ctx_summary_language l);
void ctx_doc_release(struct ctx_doc *d);

/* Returns the index of the group with this key, which is created if it does not exist.
 * With key 0 a new group is always created. */
uint32_t ctx_doc_group(struct ctx_doc *d, enum ctx_doc_section s, uint32_t request,
    struct ctx_span subject, uint64_t key);

/* Returns the index of the group about this subject in the section State. */
uint32_t ctx_doc_subject(struct ctx_doc *d, struct ctx_span subject);

/* Adds an item, or replaces the text of the group's item with this key; with key 0 an
 * item is always added. The text is put on one line. base is the worth of the item apart
 * from its facts. Returns the index of the item. */
uint32_t ctx_doc_item(
    struct ctx_doc *d, uint32_t group, struct ctx_span text, uint64_t key, float base);
/* Adds a quotation that is printed on a line of its own below the group. Returns the index
 * of the item. */
uint32_t ctx_doc_excerpt(struct ctx_doc *d, uint32_t group, struct ctx_span quoted,
    uint64_t key, enum ctx_excerpt kind, float base);
/* Removes the group's item with this key if there is one; key 0: all quotations. */
void ctx_doc_item_remove(struct ctx_doc *d, uint32_t group, uint64_t key);
void ctx_doc_item_note(struct ctx_doc *d, uint32_t item, struct ctx_span note);

struct ctx_span ctx_doc_item_text(const struct ctx_doc *d, const struct ctx_doc_item *it);

/* Appends the document with the items and groups that were chosen. */
void ctx_doc_print(const struct ctx_doc *d, struct ctx_buf *out);

/* Finds, counts and scores the facts of the whole input. */
void ctx_doc_rank(struct ctx_doc *d);
/* Returns the fact with this text, or NULL if the input does not contain it. */
struct ctx_doc_fact *ctx_doc_fact_find(struct ctx_doc *d, struct ctx_span text);

/* ---- builders ---- */

/* For agents that have no tool calls: returns a copy of the input in which commands in
 * the assistant's text become calls, and their output in the user's messages becomes
 * results. Returns NULL if the input has tool calls already or contains no such
 * commands. */
struct ctx_summary_input *ctx_summary_input_commands(const struct ctx_summary_input *in);

/* Appends text as one line: each sequence of control characters and white space becomes
 * one space. */
void ctx_doc_add_line(struct ctx_buf *b, struct ctx_span text);
/* Like ctx_doc_add_line, in “quotation marks”; marks inside the text are changed so that
 * it cannot close them. At most max bytes are appended; longer text is cut between words
 * and ends with an ellipsis. Appends nothing if the text contains no word. */
void ctx_doc_add_quoted(struct ctx_buf *b, struct ctx_span text, size_t max);
/* Like ctx_doc_add_quoted, but between backticks. */
void ctx_doc_add_code(struct ctx_buf *b, struct ctx_span text, size_t max);

enum ctx_tool_kind ctx_tool_find(struct ctx_span name, struct ctx_span args);
/* True if a call of this kind changes files. */
bool ctx_tool_changes(enum ctx_tool_kind kind);
/* Appends the object of a call: the path, the command, or "name(arguments)". */
void ctx_tool_put(struct ctx_buf *b, enum ctx_tool_kind kind, struct ctx_span name,
    struct ctx_span args, struct ctx_span path);
/* Returns the path that a call with these arguments reads or changes; absent if there is
 * none. The result may use the memory of tmp. */
struct ctx_span ctx_tool_path(struct ctx_span args, struct ctx_buf *tmp);

/* ctx_doc_find_root finds the directory in which most paths of the conversation are;
 * ctx_doc_short_path returns a path without it. */
void ctx_doc_find_root(struct ctx_doc *d);
struct ctx_span ctx_doc_short_path(const struct ctx_doc *d, struct ctx_span path);

/* Appends value as an argument or member, at most max bytes of it; strings with white
 * space are quoted. */
void ctx_doc_add_value(struct ctx_buf *b, struct ctx_span value, size_t max);

/* Returns a factor for the worth of a sentence of the piece: about 1 if it contains names,
 * numbers or new words; far less if it only agrees, thanks or encourages. */
#define CTX_DOC_EMPTY 0.04f /* the factor if there is nothing of that at all */
float ctx_doc_weigh(struct ctx_doc *d, struct ctx_span sentence, uint32_t piece);

/* Iterates over the sentences of prose, without list and emphasis marks. Code and
 * sentences that are cut inside a word or inside code are left out. A sentence that ends
 * with a colon is joined with the next one, and left out if code follows it. */
struct ctx_prose {
	struct ctx_summary_sentences it;
	struct ctx_buf tmp, joined, ahead;
	bool fenced, inside;
	int code; /* number of lines of code directly before, outside of fences */
	bool gap; /* something before the sentence was left out; the caller resets it */
	bool nested; /* the sentence is an item of a nested list */
	bool heading, item;
	bool has_ahead, ahead_gap, ahead_nested, ahead_heading, ahead_item;
};

void ctx_prose_init(struct ctx_prose *p, struct ctx_span text);
void ctx_prose_release(struct ctx_prose *p);
bool ctx_prose_next(struct ctx_prose *p, struct ctx_span *out);

void ctx_doc_build(struct ctx_doc *d);
/* Add the action of a call, and the outcome of a call from its result. item_of[i] is the
 * item of the call in piece i, plus one. */
void ctx_doc_add_call(struct ctx_doc *d, uint32_t piece, uint32_t *item_of);
void ctx_doc_add_result(struct ctx_doc *d, uint32_t piece, const uint32_t *item_of);
/* Quotes the lines of a result that are worth it. path is the file that was read; item is
 * the item of the call plus one. */
void ctx_doc_add_excerpts(struct ctx_doc *d, struct ctx_span text,
    enum ctx_tool_kind kind, struct ctx_span path, uint32_t item);
/* Returns the number of facts of the line that the conversation uses. file: the line is of
 * a file; otherwise facts count only if they also occur in other pieces. */
int ctx_doc_count_used(
    struct ctx_doc *d, struct ctx_span line, bool file, struct ctx_facts *f);
/* Returns the line without the number that a viewer put before it and without the bar of
 * an outline. */
struct ctx_span ctx_doc_plain_line(struct ctx_span line);
/* True for brackets and the marks around results. */
bool ctx_doc_is_mark(struct ctx_span line);
uint64_t ctx_doc_hash_line(struct ctx_span line);
/* Adds the line as an excerpt, which is worth more for the last request. */
void ctx_doc_quote_line(struct ctx_doc *d, uint32_t group, struct ctx_span line,
    uint64_t key, enum ctx_excerpt kind, float base);
/* Takes a change of the file into account: quotes the main lines of the new text, and
 * removes quotations of lines that no longer exist. */
void ctx_doc_add_change(
    struct ctx_doc *d, uint32_t group, enum ctx_tool_kind kind, struct ctx_span args);
/* The same for one replacement of text. */
void ctx_doc_add_replacement(
    struct ctx_doc *d, uint32_t group, struct ctx_span old, struct ctx_span now);
/* Adds to the actions that the file was edited. group is that of the file. */
void ctx_doc_add_edit(struct ctx_doc *d, struct ctx_span path, uint32_t group);
/* Adds the files that a message contains as text. answer: the assistant wrote it. */
void ctx_doc_add_pasted(struct ctx_doc *d, struct ctx_span text, bool answer);
/* True for a line of a repository map. */
bool ctx_doc_is_outline(struct ctx_span line);
/* Quotes the main lines of a file or of a part of it. */
void ctx_doc_add_file_lines(
    struct ctx_doc *d, uint32_t group, struct ctx_span text, bool markup);
/* Adds the unfinished entries of the last to-do list. */
void ctx_doc_add_todo(struct ctx_doc *d, struct ctx_span args);
/* Adds the records in a JSON result as lines of the section State. name and args are
 * those of the call. */
void ctx_doc_add_records(
    struct ctx_doc *d, struct ctx_span json, struct ctx_span name, struct ctx_span args);
/* Adds the lines of an earlier summary document. */
void ctx_doc_add_earlier(struct ctx_doc *d, struct ctx_span text);

#endif
