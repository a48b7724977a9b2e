/* Declarations shared by view.c and view_call.c. */
#ifndef CTX_RENDER_VIEW_INTERNAL_H
#define CTX_RENDER_VIEW_INTERNAL_H

#include "base/arena.h"
#include "record/message.h"
#include "render/view.h"

struct view_call {
	/* part: the call; result: the result of the call, or NULL if there is no
	 * result */
	const struct ctx_part *part, *result;
	struct ctx_span id;
	int64_t seq; /* sequence number of the message that contains the call */
	bool waits;  /* true: the call has no result yet, but a result may still come */
};

struct view {
	const struct ctx_page *page;
	const struct ctx_view_options *o;
	struct ctx_flow flow;
	struct ctx_arena ids;
	struct ctx_message *messages; /* the parsed messages of the page */
	/* for each message: index of the message's first call in the array "calls" */
	size_t *first_call;
	struct view_call *calls;
	size_t n_calls, cap_calls;
	const struct ctx_part **strays; /* results whose call is not in the session */
	size_t n_strays, cap_strays;
	struct view_range {
		int64_t first, last;
	} * hidden; /* ranges of messages that ctx-prune has hidden */
	size_t n_hidden, cap_hidden;
	/* numbers of tool results, lines and thoughts that are not shown in full */
	int64_t cut_results, cut_lines, cut_thoughts;
	char day[11]; /* date of the previous message, as printed */
	/* true: the last printed message has tool calls; if the next message has nothing
	 * but tool calls, it is printed without a heading */
	bool loop;
};

/* indent of lines that ctx adds to the text of the conversation */
#define CTX_VIEW_REMARK "  "

/* Prints a line that ctx adds to the text of the conversation, with the indent
 * CTX_VIEW_REMARK. */
void ctx_view_remark(struct view *v, struct ctx_span line, enum ctx_style style);

/* These functions are in view_frame.c. ctx_view_title prints the title and statistics of
 * the session; ctx_view_end prints the line that says how much was cut. ctx_view_start
 * returns the index of the first message of the newest o->turns turns.
 * ctx_view_count_messages returns the number of messages whose index is less than start,
 * not counting failed requests. */
void ctx_view_title(struct view *v);
size_t ctx_view_start(const struct view *v);
int64_t ctx_view_count_messages(const struct view *v, size_t start);
void ctx_view_end(struct view *v);

/* Prints a tool call and its result on one line or, if v->o->full is true, in full
 * (view_call.c). number: the message number to print with the call; 0: print no
 * number. */
void ctx_view_call(struct view *v, const struct view_call *c, int64_t number);

#endif
