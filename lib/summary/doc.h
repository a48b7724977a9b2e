/* Private to lib/summary: the document that the built-in summary prints. The document has
 * sections, and a section has lines. Each line is printed from a group: a subject, and
 * items about this subject. First, all possible groups are built. Then the items to print
 * are chosen by the facts that they contain. A fact is a number, a path, a name, an error
 * or the like, or a characteristic word. */
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

/* The kind of action that a tool performs. For a value below CTX_TOOL_KINDS, ctx_doc_word
 * returns the word for the action. */
enum ctx_tool_kind {
	CTX_TOOL_OTHER, /* an unknown tool; its call is printed as "name(arguments)" */
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
	/* the tool has no effect, so its calls are not mentioned */
	CTX_TOOL_THINK = CTX_TOOL_KINDS,
};

enum ctx_doc_word {
	CTX_WORD_TIMES = CTX_TOOL_KINDS, /* "(3 times)" */
	CTX_WORD_WAITS,
	CTX_WORD_TODO,
	CTX_WORD_ERROR,
	CTX_WORD_QUESTION,
	/* label before the directory that most paths have in common */
	CTX_WORD_DIRECTORY,
	CTX_WORD_NOTHING, /* a call returned nothing */
	CTX_WORD_RESULTS, /* "3 results" */
	CTX_WORD_LINES,   /* "3 lines" */
	CTX_DOC_WORDS,
};

const char *ctx_doc_heading(enum ctx_summary_language l, enum ctx_doc_section s);
const char *ctx_doc_word(enum ctx_summary_language l, int word);
/* If the line is the heading of a section in one of the languages, returns that section
 * (enum ctx_doc_section); otherwise returns -1. */
int ctx_doc_heading_find(struct ctx_span line);

/* ---- facts ---- */

#define CTX_SAID_USER 1
#define CTX_SAID_ASSISTANT 2
#define CTX_SAID_CALL 4 /* the fact occurs in the arguments of a tool call */
#define CTX_SAID_RESULT 8
/* the fact is the value of a member of a tool result, and the member's name indicates an
 * id (such as "user_id") or is also the name of an argument of some tool call */
#define CTX_SAID_ID 16
#define CTX_SAID_EFFECT \
	32 /* the fact is an argument of a call to a tool that does more than read */

/* the fact is a value in a tool result, and the name of the value's member suggests an
 * id */
#define CTX_SAID_NAMED 64

#define CTX_DOC_WORD 0.08f /* maximum score of a fact that is a word */

struct ctx_doc_fact {
	/* kind of the fact; CTX_FACT_KINDS: a characteristic word */
	enum ctx_fact_kind kind;
	/* pieces: number of pieces of the input that contain the fact; first and last:
	 * indices of the first and of the last of these pieces. A piece is a text, a tool
	 * call or a tool result. */
	uint32_t pieces, last, first;
	unsigned said;
	float score; /* estimated probability that the fact is needed later */
	bool covered;
	/* true: an item was chosen that prints a whole record with this fact as its
	 * title */
	bool described;
};

/* ---- the document ---- */

enum ctx_excerpt {
	CTX_NO_EXCERPT,
	CTX_EXCERPT_OUTPUT,
	CTX_EXCERPT_FILE,
};

struct ctx_doc_item {
	uint32_t group;
	/* the item's text: offset in ctx_doc.bytes, and length, both in bytes */
	size_t text, n;
	/* the result of a call, printed after the text: offset in ctx_doc.bytes, and
	 * length, both in bytes */
	size_t note, n_note;
	/* number of times that the item was added; 0: the item was removed */
	uint32_t times;
	/* if the item quotes an error line of a tool's output: number of other lines of
	 * the output that differ from this line only in numbers */
	uint32_t alike;
	/* kind of the tool that the item is about (enum ctx_tool_kind); 0: an unknown
	 * tool, or no tool */
	int verb;
	uint32_t fact, n_facts;
	/* score of the item without the score of its facts; the higher the score, the
	 * earlier the item is chosen */
	float base;
	/* factor by which the score of the item's facts is multiplied */
	float share;
	/* tokens: number of tokens of the whole item; note_tokens: number of tokens of
	 * the item's note */
	int64_t tokens, note_tokens;
	bool kept;
	/* kind of excerpt, which is printed on a line of its own; CTX_NO_EXCERPT: the
	 * item is not an excerpt */
	enum ctx_excerpt excerpt;
	/* line number of the excerpt in the file; 0: unknown, or the file has changed */
	uint32_t line;
	/* true: facts that another item already prints still count in part for this item.
	 * Set for elements of lists, so that all elements have similar scores. */
	bool whole;
	/* true: the item is a record inside another record, and is printed on a line of
	 * its own */
	bool part;
	bool rest; /* true: the item is printed only if space is left */
	bool gap;  /* true: text between the previous item and this item was left out */
	/* index of the item's bucket; -1: the item is in no bucket. (The items that can
	 * be chosen are sorted into buckets by score.) */
	int bucket;
	uint32_t next, prev, next_in_group;
};

struct ctx_doc_group {
	enum ctx_doc_section section;
	/* number, from 1, of the user's request to which the group belongs; 0: no
	 * request */
	uint32_t request;
	size_t subject, n_subject;
	/* date at the beginning of the message's text, if there is one: offset in
	 * ctx_doc.bytes, and length, both in bytes */
	size_t date, n_date;
	uint32_t fact, n_facts;
	/* index plus one of the group's first item and of its last item; 0: no items */
	uint32_t first, last;
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
	/* Indices into the array "facts". The facts of an item or group g are
	 * facts[held[i]], where i runs from g.fact to g.fact + g.n_facts - 1. */
	uint32_t *held;
	size_t n_held, cap_held;
	struct ctx_map by_fact, by_word, by_group, by_item, by_action;
	/* index of the piece with the last call to a tool that does more than read; 0: no
	 * such call */
	uint32_t last_effect;
	uint32_t texts; /* number of messages by people */
	uint32_t requests;
	bool failed; /* true: the last tool result reported a failure */
	bool tools;  /* true: the conversation has tool calls or results */
	bool chat;   /* true: the conversation has many messages and no tool calls */
	/* true: the conversation is a chat in which the speaker of every answer has a
	 * name */
	bool talk;
	/* true: the choice of items has begun, so ctx_doc_group.open says which groups
	 * are printed */
	bool ranked;
	/* true: items whose member "rest" is true may be chosen too, because space is
	 * left */
	bool spacious;
	/* true: sentences without information are kept too, because the summary would
	 * otherwise be empty */
	bool keep_all;
	/* true: the current piece of the input belongs to the user's last request */
	bool is_last;
	uint32_t file_line; /* line number of the next excerpt of a file; 0: unknown */
	/* line: index of the group to which actions are being added; line_actions: number
	 * of actions in this group */
	uint32_t line, line_actions;
	/* number, plus 1, of the user's request during which the actions of group "line"
	 * happened */
	uint32_t line_request;
	/* the common directory that is removed from paths: offset in ctx_doc.bytes, and
	 * length, both in bytes */
	size_t root, n_root;
	/* date at the beginning of the newest message that begins with a date: offset in
	 * ctx_doc.bytes, and length, both in bytes */
	size_t date, n_date;
	struct ctx_buf sought; /* words that tool calls searched for, one per line */
	/* hash of the mark that ends each message of the user (see ctx_doc_find_mark),
	 * computed without the digits of the mark; 0: no mark */
	uint64_t mark;
	struct ctx_summary_cues cues;
	struct ctx_buf scratch;
	int64_t heading_tokens[CTX_DOC_SECTIONS];
};

void ctx_doc_init(struct ctx_doc *d, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, enum ctx_summary_language l);
void ctx_doc_release(struct ctx_doc *d);

/* Returns the index of the group with this key. If there is no such group, or if key is
 * 0, creates a new group. */
uint32_t ctx_doc_group(struct ctx_doc *d, enum ctx_doc_section s, uint32_t request,
    struct ctx_span subject, uint64_t key);

/* If the text of a message begins with a date in brackets, such as "[4:04 pm on 20
 * January, 2023]", stores the date; groups that are created later get this date. Returns
 * the text after the date, or the whole text if there is no such date. */
struct ctx_span ctx_doc_take_date(struct ctx_doc *d, struct ctx_span text);

/* Some programs end each message of the user with a mark such as "->-> 1,2". The digits
 * of the mark differ from message to message. ctx_doc_find_mark finds this mark and sets
 * d->mark. ctx_doc_skip_mark returns the text without the mark. */
void ctx_doc_find_mark(struct ctx_doc *d);
struct ctx_span ctx_doc_skip_mark(const struct ctx_doc *d, struct ctx_span text);

/* Returns the index of the group about this subject in the section State. */
uint32_t ctx_doc_subject(struct ctx_doc *d, struct ctx_span subject);

/* Adds an item to the group. If key is not 0 and the group has an item with this key,
 * that item gets the new text, and the higher of the two scores. Line breaks in the text
 * become spaces. base: see struct ctx_doc_item. Returns the index of the item. */
uint32_t ctx_doc_item(
    struct ctx_doc *d, uint32_t group, struct ctx_span text, uint64_t key, float base);
/* Adds a quotation, which is printed below the group on a line of its own. The other
 * arguments are as for ctx_doc_item. Returns the index of the item. */
uint32_t ctx_doc_excerpt(struct ctx_doc *d, uint32_t group, struct ctx_span quoted,
    uint64_t key, enum ctx_excerpt kind, float base);
/* Removes the item with this key from the group, if there is such an item. If key is 0,
 * removes all quotations of the group. */
void ctx_doc_item_remove(struct ctx_doc *d, uint32_t group, uint64_t key);
void ctx_doc_item_note(struct ctx_doc *d, uint32_t item, struct ctx_span note);

struct ctx_span ctx_doc_item_text(const struct ctx_doc *d, const struct ctx_doc_item *it);

/* Appends the document to *out. The document has only the groups and items that were
 * chosen. */
void ctx_doc_print(const struct ctx_doc *d, struct ctx_buf *out);

/* Finds, counts and scores the facts of the whole input, and stores them in d->facts. */
void ctx_doc_rank(struct ctx_doc *d);
/* Returns the fact with this text, or NULL if the input does not contain this fact. */
struct ctx_doc_fact *ctx_doc_fact_find(struct ctx_doc *d, struct ctx_span text);
/* said: a set of places (bits CTX_SAID_...). Returns true if the text contains a fact
 * that occurs in each of these places of the input. If the argument "identifier" is true,
 * only facts of the kind CTX_FACT_IDENTIFIER count. */
bool ctx_doc_names(
    struct ctx_doc *d, struct ctx_span text, bool identifier, unsigned said);

/* ---- builders ---- */

/* Some agents do not use tool calls: they write commands into the assistant's text, and
 * get the output of the commands in the user's messages. For the input from such an
 * agent, returns a copy in which the commands are replaced with tool calls, and the
 * output of the commands with tool results. Returns NULL if the input has tool calls or
 * contains no such commands. */
struct ctx_summary_input *ctx_summary_input_commands(const struct ctx_summary_input *in);

/* Appends text as one line: each sequence of control characters and white space becomes
 * one space. */
void ctx_doc_add_line(struct ctx_buf *b, struct ctx_span text);
/* Like ctx_doc_add_line, but puts the text in “quotation marks”. Quotation marks inside
 * the text are changed so that they cannot end the quotation. Appends at most max bytes:
 * a longer text is cut between words and ends with an ellipsis. Appends nothing if the
 * text contains no word. */
void ctx_doc_add_quoted(struct ctx_buf *b, struct ctx_span text, size_t max);
/* Like ctx_doc_add_quoted, but puts the text between backticks. */
void ctx_doc_add_code(struct ctx_buf *b, struct ctx_span text, size_t max);

enum ctx_tool_kind ctx_tool_find(struct ctx_span name, struct ctx_span args);
/* name: the name of an unknown tool. Returns true if the name suggests that the tool only
 * reads something. */
bool ctx_tool_looks_up(struct ctx_span name);
/* Returns true if a tool call of this kind changes files. */
bool ctx_tool_changes(enum ctx_tool_kind kind);
/* Appends the target of a tool call: the path or the command in the arguments. For an
 * unknown tool, appends "name(arguments)". */
void ctx_tool_put(struct ctx_buf *b, enum ctx_tool_kind kind, struct ctx_span name,
    struct ctx_span args, struct ctx_span path);
/* list: names of members, separated by '|'. ctx_doc_get_first returns the value of the
 * first of these members that the object has. ctx_doc_get_text returns the text of the
 * first of these members that is a text and not empty; the result may point into *tmp. If
 * there is no such member, the length of the result is 0. */
struct ctx_span ctx_doc_get_first(struct ctx_span object, const char *list);
struct ctx_span ctx_doc_get_text(
    struct ctx_span object, const char *list, struct ctx_buf *tmp);
/* Returns the path of the file that a tool call with these arguments reads or changes, or
 * an absent span if the arguments contain no path. The result may point into *tmp. */
struct ctx_span ctx_tool_path(struct ctx_span args, struct ctx_buf *tmp);

/* ctx_doc_find_root finds the directory that contains most paths of the conversation.
 * ctx_doc_short_path returns the path without this directory. */
void ctx_doc_find_root(struct ctx_doc *d);
struct ctx_span ctx_doc_short_path(const struct ctx_doc *d, struct ctx_span path);
/* ctx_doc_find_sought collects the words that tool calls searched for. ctx_doc_is_sought
 * returns true if a line of a file contains one of these words, or if the user or the
 * assistant mentioned the line by its number. number: the line's number; 0: unknown. */
void ctx_doc_find_sought(struct ctx_doc *d);
bool ctx_doc_is_sought(struct ctx_doc *d, struct ctx_span line, uint32_t number);
/* Returns the index of the group about a file, in the section State. path: the path of
 * the file. */
uint32_t ctx_doc_file(struct ctx_doc *d, struct ctx_span path);

/* Appends a JSON value, such as an argument of a call, in at most max bytes. Strings that
 * contain white space are quoted. */
void ctx_doc_add_value(struct ctx_buf *b, struct ctx_span value, size_t max);

/* result of ctx_doc_weigh for a sentence without names, numbers and new words */
#define CTX_DOC_EMPTY 0.04f
/* Returns a factor by which the score of a sentence is multiplied: about 1 if the
 * sentence contains names, numbers or new words; far less if the sentence only agrees,
 * thanks or encourages. piece: the index of the piece that contains the sentence. */
float ctx_doc_weigh(struct ctx_doc *d, struct ctx_span sentence, uint32_t piece);

/* Returns true if the sentence begins like a conclusion, such as "Therefore, ...". */
bool ctx_doc_concludes(struct ctx_span sentence);

/* Returns true if the sentence is a step of a calculation: a formula with fewer than
 * three words. */
bool ctx_doc_is_formula(struct ctx_span sentence);

/* Iterates over the sentences of prose in Markdown. Removes the marks of lists and of
 * emphasis. Leaves out code, and sentences that are cut inside a word or inside code.
 * Joins a sentence that ends with a colon with the next sentence; if code follows the
 * colon, leaves out the sentence. */
struct ctx_prose {
	struct ctx_summary_sentences it;
	struct ctx_buf tmp, joined, ahead;
	/* Maximum length of a sentence in bytes. The last clauses of a longer sentence
	 * are left out. ctx_prose_init sets a default, which the caller may change. */
	size_t max;
	bool fenced, inside;
	/* number of lines of code directly before the sentence; code in fenced blocks
	 * does not count */
	int code;
	/* ctx_prose_next sets this to true if it left out text before the sentence. The
	 * caller resets it. */
	bool gap;
	struct ctx_prose_line {
		bool nested; /* true: the sentence is an item of a nested list */
		bool heading, item;
		size_t indent; /* number of spaces at the start of the sentence's line */
	} line, ahead_line;
	/* The caller may set this to true after ctx_prose_init. An item of a list is then
	 * returned together with the lines that are indented below the item. */
	bool entries;
	/* true: the sentence stands for a whole list. It consists of the introduction of
	 * the list, the first item, and "(1/N)", where N is the number of items. */
	bool counted;
	bool has_ahead;
};

void ctx_prose_init(struct ctx_prose *p, struct ctx_span text);
void ctx_prose_release(struct ctx_prose *p);
bool ctx_prose_next(struct ctx_prose *p, struct ctx_span *out);

void ctx_doc_build(struct ctx_doc *d);
/* piece: index of a piece of the input. ctx_doc_add_call adds an item for the tool call
 * in this piece; ctx_doc_add_result adds the outcome of the call whose result is in this
 * piece. item_of[i]: index, plus one, of the item for the call in piece i; 0: no item.
 * ctx_doc_add_call sets item_of[piece]. */
void ctx_doc_add_call(struct ctx_doc *d, uint32_t piece, uint32_t *item_of);
void ctx_doc_add_result(struct ctx_doc *d, uint32_t piece, const uint32_t *item_of);
/* Quotes the most useful lines of a tool result. text: the result; kind: the kind of the
 * tool; path: the path in the call's arguments; item: index, plus one, of the item for
 * the call (see ctx_doc_add_call). again: true if an earlier call had the same arguments;
 * the quotations from the output of the earlier call are then removed, because they are
 * no longer valid. */
void ctx_doc_add_excerpts(struct ctx_doc *d, struct ctx_span text,
    enum ctx_tool_kind kind, struct ctx_span path, uint32_t item, bool again);
/* Returns the number of facts in the line that make the line worth quoting. file: true if
 * the line is from a file. If file is false, the line is from a tool result, and a fact
 * counts only if the conversation also contains this fact elsewhere. f: temporary
 * memory. */
int ctx_doc_count_used(
    struct ctx_doc *d, struct ctx_span line, bool file, struct ctx_facts *f);
/* Returns the line without the parts that a tool put before the text of the line: a line
 * number, or the bar "│" of a repository map. */
struct ctx_span ctx_doc_plain_line(struct ctx_span line);
/* Returns true if the line has no content of its own: only brackets, or text that tools
 * put around results, such as "(End of file". */
bool ctx_doc_is_mark(struct ctx_span line);
uint64_t ctx_doc_hash_line(struct ctx_span line);
/* Removes the line numbers of the group's excerpts. Called when the file is changed. */
void ctx_doc_forget_lines(struct ctx_doc *d, uint32_t group);

/* Adds the line to the group as an excerpt. The excerpt gets a higher score if d->is_last
 * is true. Returns the new item, or NULL if the line has no text. The pointer is valid
 * until the next item is added. */
struct ctx_doc_item *ctx_doc_quote_line(struct ctx_doc *d, uint32_t group,
    struct ctx_span line, uint64_t key, enum ctx_excerpt kind, float base);
/* Like ctx_doc_quote_line, but the line is printed only if space is left, and the facts
 * in the line do not count. Ignores very short and very long lines. */
void ctx_doc_quote_rest(struct ctx_doc *d, uint32_t group, struct ctx_span line,
    uint64_t key, enum ctx_excerpt kind);
/* Called when a tool call changes the file that the group is about. Quotes the main lines
 * of the new text, and removes quotations of lines that no longer exist. kind: the kind
 * of the tool; args: the arguments of the call. */
void ctx_doc_add_change(
    struct ctx_doc *d, uint32_t group, enum ctx_tool_kind kind, struct ctx_span args);
/* Like ctx_doc_add_change, but for the replacement of one text with another. old: the
 * text that is replaced; now: the text that replaces it. */
void ctx_doc_add_replacement(
    struct ctx_doc *d, uint32_t group, struct ctx_span old, struct ctx_span now);
/* Adds an item to the section Actions. The item says that a file was edited. path: the
 * path of the file; group: the index of the group about this file. */
void ctx_doc_add_edit(struct ctx_doc *d, struct ctx_span path, uint32_t group);
/* Finds the contents of files that were pasted into a message, and adds groups about
 * these files. text: the text of the message; answer: true if the assistant wrote the
 * message. */
void ctx_doc_add_pasted(struct ctx_doc *d, struct ctx_span text, bool answer);
/* Returns true if the line is from a repository map, an outline of source files in which
 * the lines begin with "│" or "⋮". */
bool ctx_doc_is_outline(struct ctx_span line);
/* Quotes the main lines of a file or of a part of a file. group: the index of the group
 * about the file; text: the content; markup: true if the file is a document, such as
 * Markdown; false if it is source code. */
void ctx_doc_add_file_lines(
    struct ctx_doc *d, uint32_t group, struct ctx_span text, bool markup);
/* score of an item in the section Open (ctx_doc_item.base) */
#define CTX_DOC_OPEN_WORTH 2.5f
/* Fills the section Open: adds the last calls if they have no results, the last result if
 * it is a failure, and the unfinished entries of the to-do list. item_of: see
 * ctx_doc_add_call; answered[i]: true if piece i is a call that has a result; last: index
 * of the piece with the user's last request. */
void ctx_doc_add_open(
    struct ctx_doc *d, const uint32_t *item_of, const bool *answered, uint32_t last);
/* Adds the unfinished entries of the to-do list. args: the arguments of the last tool
 * call that wrote the list. */
void ctx_doc_add_todo(struct ctx_doc *d, struct ctx_span args);
/* Adds the records in a tool result as lines of the section State. json: the result;
 * name: the name of the tool; args: the arguments of the call. */
void ctx_doc_add_records(
    struct ctx_doc *d, struct ctx_span json, struct ctx_span name, struct ctx_span args);
/* Adds the lines of an earlier summary document. */
void ctx_doc_add_earlier(struct ctx_doc *d, struct ctx_span text);

#endif
