/* Shared by the files of ctx_view_print. */
#ifndef CTX_RENDER_VIEW_INTERNAL_H
#define CTX_RENDER_VIEW_INTERNAL_H

#include "base/arena.h"
#include "record/message.h"
#include "render/view.h"

struct view_call {
	const struct ctx_part *part, *result; /* NULL: none */
	struct ctx_span id;
	int64_t seq; /* of its message */
	bool waits;  /* a result can still come */
};

struct view {
	const struct ctx_page *page;
	const struct ctx_view_options *o;
	struct ctx_flow flow;
	struct ctx_arena ids;
	struct ctx_message *messages; /* one for each of the page's */
	size_t *first_call;           /* of each message, in calls */
	struct view_call *calls;
	size_t n_calls, cap_calls;
	const struct ctx_part **strays; /* results without a call */
	size_t n_strays, cap_strays;
	struct view_range {
		int64_t first, last;
	} * hidden; /* from windows */
	size_t n_hidden, cap_hidden;
	int64_t cut_results, cut_lines, cut_thoughts; /* what is not shown */
	char day[11]; /* of the message before, as it was printed */
	bool loop;    /* the last line is one of calls, which others may follow */
};

#define CTX_VIEW_REMARK "  " /* before lines that are not of the conversation's texts */

/* Adds a line that is not of the conversation's texts, and stands before their column. */
void ctx_view_remark(struct view *v, struct ctx_span line, enum ctx_style style);

/* view_frame.c: the title and figures; the first message of the newest turns that are asked
 * for; how many messages come before it, without failed requests; the line that says what is
 * not shown in full, if something is not. */
void ctx_view_title(struct view *v);
size_t ctx_view_start(const struct view *v);
int64_t ctx_view_count_messages(const struct view *v, size_t start);
void ctx_view_end(struct view *v);

/* view_call.c: the line of a call, with the number of its message unless that is 0; with
 * --full its whole text. */
void ctx_view_call(struct view *v, const struct view_call *c, int64_t number);

#endif
