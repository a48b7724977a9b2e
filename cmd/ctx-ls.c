/* ctx-ls: prints a table of sessions, for people. */
#include "cli_select.h"
#include "cli_term.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "record/short_id.h"
#include "store/store.h"
#include "store/waiting.h"

static struct {
	const char *sort;
	int64_t limit;
	bool reverse, tsv;
} opt = {.sort = "active", .limit = -1};

static struct cli_option options[] = {
    {"sort", 0, "KEY", "sort by: active (default), created, messages, tokens or title",
	CLI_STRING, &opt.sort, NULL},
    {"reverse", 'r', NULL, "reverse the order", CLI_FLAG, &opt.reverse, NULL},
    {"limit", 'n', "N", "print only the first N sessions", CLI_INT, &opt.limit, NULL},
    {"tsv", 0, NULL, "print full ids, times and titles separated by tabs, for scripts",
	CLI_FLAG, &opt.tsv, NULL},
    CLI_SELECT_OPTIONS,
    CLI_TERM_OPTIONS,
    CLI_STORE_OPTIONS,
    CLI_END,
};

enum key { KEY_ACTIVE, KEY_CREATED, KEY_MESSAGES, KEY_TOKENS, KEY_TITLE };

static struct ctx_store *store;
static struct ctx_term term;
static struct ctx_short_ids short_ids;
static enum key key;

/* The values of a row. The title is looked up when the row is printed, unless rows are
 * sorted by it. */
struct row {
	struct ctx_session s;
	char *title;               /* NULL: not looked up yet */
	enum ctx_turn_state state; /* likewise, and only of active sessions */
};
static struct row *rows;
static size_t n_rows, cap_rows;

static int
find_sort_key(struct ctx_err *err)
{
	static const char *const names[] = {
	    "active", "created", "messages", "tokens", "title"};

	for (int i = 0; i < 5; i++)
		if (strcmp(opt.sort, names[i]) == 0) {
			key = (enum key)i;
			return 0;
		}
	return ctx_err_set(err, CTX_EUSAGE,
	    "--sort: '%s' is not active, created, messages, tokens or title", opt.sort);
}

static int64_t
find_last_activity(const struct ctx_session *s)
{
	return s->last_message_at != CTX_TIME_NONE ? s->last_message_at : s->created_at;
}

static int
look_up_title(struct row *r, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, line = CTX_BUF_INIT;
	int rc = r->title != NULL ? 0 : ctx_store_title(store, &r->s, &text, err);

	if (rc == 0 && r->title == NULL) {
		ctx_term_clean_line(&line, &term, ctx_buf_span(&text));
		r->title = ctx_buf_detach(&line);
	}
	ctx_buf_release(&text);
	ctx_buf_release(&line);
	return rc;
}

static int
take_row(struct ctx_session *s, struct ctx_err *err)
{
	struct row *r;

	CTX_MEM_GROW(rows, n_rows, cap_rows);
	r = &rows[n_rows++];
	r->s = *s;
	r->title = NULL;
	r->state = CTX_TURN_DONE;
	ctx_session_init(s);
	return key == KEY_TITLE ? look_up_title(r, err) : 0;
}

static int
look_up_states(struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n_rows; i++)
		if (rows[i].s.status == CTX_STATUS_ACTIVE)
			rc = ctx_store_turn_state(store, &rows[i].s, &rows[i].state, err);
	return rc;
}

/* ---- order ---- */

static int64_t
number_of(const struct row *r)
{
	switch (key) {
	case KEY_CREATED:
		return r->s.created_at;
	case KEY_MESSAGES:
		return r->s.message_count;
	case KEY_TOKENS:
		return r->s.token_count;
	default:
		return find_last_activity(&r->s);
	}
}

/* Sorts the largest and newest rows first, and titles alphabetically. Equal rows are
 * sorted by creation. */
static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order;

	if (key == KEY_TITLE)
		order = strcmp(x->title, y->title);
	else
		order = (number_of(x) < number_of(y)) - (number_of(x) > number_of(y));
	if (order == 0)
		order = (x->s.order < y->s.order) - (x->s.order > y->s.order);
	return opt.reverse ? -order : order;
}

/* ---- the table ---- */

#define TITLE_LEAST 12 /* fewer columns of a title are of no use */

enum { ID, AGE, MESSAGES, TOKENS, STATUS, COLUMNS };
static const char *const heads[COLUMNS] = {"ID", "ACTIVE", "MSGS", "TOKENS", "STATUS"};
static const bool to_the_right[COLUMNS] = {[MESSAGES] = true, [TOKENS] = true};

static void
write_cell(struct ctx_buf *out, const struct row *r, int column)
{
	switch (column) {
	case ID:
		ctx_term_clean_line(
		    out, &term, ctx_short_id(&short_ids, r->s.session_id));
		break;
	case AGE:
		ctx_term_age(out, term.now, find_last_activity(&r->s));
		break;
	case MESSAGES:
		ctx_term_count(out, r->s.message_count);
		break;
	case TOKENS:
		ctx_term_short_count(out, r->s.token_count);
		break;
	default:
		ctx_buf_adds(out, r->state == CTX_TURN_OPEN ? "open"
				  : r->state == CTX_TURN_FAILED
				      ? "failed"
				      : ctx_status_name((enum ctx_status)r->s.status));
	}
}

static void
measure_columns(size_t widths[COLUMNS])
{
	struct ctx_buf cell = CTX_BUF_INIT;

	for (int c = 0; c < COLUMNS; c++) {
		widths[c] = strlen(heads[c]);
		for (size_t i = 0; i < n_rows; i++) {
			size_t w;
			ctx_buf_reset(&cell);
			write_cell(&cell, &rows[i], c);
			w = ctx_term_width(ctx_buf_span(&cell));
			if (w > widths[c])
				widths[c] = w;
		}
	}
	ctx_buf_release(&cell);
}

static void
print_cell(struct ctx_span cell, size_t width, bool right, enum ctx_style style)
{
	struct ctx_buf *out = &cli_out.buf;
	size_t used = ctx_term_width(cell);

	if (right)
		ctx_term_pad(out, width - used);
	if (style != CTX_STYLE_PLAIN)
		ctx_term_style(out, &term, style);
	ctx_buf_addspan(out, cell);
	if (style != CTX_STYLE_PLAIN)
		ctx_term_style(out, &term, CTX_STYLE_PLAIN);
	if (!right)
		ctx_term_pad(out, width - used);
	ctx_buf_adds(out, "  ");
}

/* Returns the columns that remain for titles. */
static size_t
count_title_columns(const size_t widths[COLUMNS])
{
	size_t used = 0;

	for (int c = 0; c < COLUMNS; c++)
		used += widths[c] > 0 ? widths[c] + 2 : 0;
	if (term.columns == 0)
		return SIZE_MAX / 2;
	return used < (size_t)term.columns ? (size_t)term.columns - used : 0;
}

/* If the terminal is narrow, omits numbers to make space for titles, which are more
 * useful. Omitted columns have width 0. */
static void
fit_columns(size_t widths[COLUMNS])
{
	static const int spare[] = {STATUS, TOKENS, MESSAGES};

	for (size_t i = 0; i < sizeof(spare) / sizeof(spare[0]) &&
			   count_title_columns(widths) < TITLE_LEAST;
	     i++)
		widths[spare[i]] = 0;
}

static void
print_heads(const size_t widths[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++)
		if (widths[c] > 0)
			print_cell(ctx_span_of(heads[c]), widths[c], to_the_right[c],
			    CTX_STYLE_BOLD);
	ctx_term_style(&cli_out.buf, &term, CTX_STYLE_BOLD);
	ctx_term_put_cut(
	    &cli_out.buf, &term, ctx_span_of("TITLE"), count_title_columns(widths));
	ctx_term_style(&cli_out.buf, &term, CTX_STYLE_PLAIN);
	ctx_buf_addc(&cli_out.buf, '\n');
}

static int
print_row(struct row *r, const size_t widths[COLUMNS], struct ctx_err *err)
{
	static const enum ctx_style styles[COLUMNS] = {
	    [ID] = CTX_STYLE_TOOL, [AGE] = CTX_STYLE_PLAIN, [STATUS] = CTX_STYLE_DIM};
	struct ctx_buf cell = CTX_BUF_INIT;

	if (look_up_title(r, err) < 0)
		return -1;
	for (int c = 0; c < COLUMNS; c++) {
		if (widths[c] == 0)
			continue;
		ctx_buf_reset(&cell);
		write_cell(&cell, r, c);
		print_cell(ctx_buf_span(&cell), widths[c], to_the_right[c],
		    c == STATUS && r->state == CTX_TURN_FAILED ? CTX_STYLE_ERROR
							       : styles[c]);
	}
	ctx_term_put_cut(
	    &cli_out.buf, &term, ctx_span_of(r->title), count_title_columns(widths));
	while (cli_out.buf.n > 0 && cli_out.buf.p[cli_out.buf.n - 1] == ' ')
		cli_out.buf.n--;
	ctx_buf_addc(&cli_out.buf, '\n');
	ctx_buf_release(&cell);
	return cli_flush_some(err);
}

/* Prints a row as tab-separated values. Titles are clean text on one line, so they
 * contain no tabs. */
static int
print_tsv_row(struct row *r, struct ctx_err *err)
{
	char time[CTX_TIME_LEN + 1];

	if (look_up_title(r, err) < 0)
		return -1;
	ctx_time_format(find_last_activity(&r->s), time);
	ctx_buf_addf(&cli_out.buf, "%s\t%s\t%" PRId64 "\t%" PRId64 "\t%s\t%s\n",
	    r->s.session_id, time, r->s.message_count, r->s.token_count,
	    ctx_status_name((enum ctx_status)r->s.status), r->title);
	return cli_flush_some(err);
}

static int
print_rows(struct ctx_err *err)
{
	size_t widths[COLUMNS];
	int rc = 0;

	if (n_rows > 0)
		qsort(rows, n_rows, sizeof(*rows), compare_rows);
	while (opt.limit >= 0 && n_rows > (size_t)opt.limit) {
		n_rows--;
		ctx_session_release(&rows[n_rows].s);
		free(rows[n_rows].title);
	}
	if (!opt.tsv && n_rows > 0) {
		rc = cli_term_short_ids(store, &short_ids, err);
		if (rc == 0)
			rc = look_up_states(err);
		measure_columns(widths);
		fit_columns(widths);
		print_heads(widths);
		cli_term_page();
	}
	for (size_t i = 0; rc == 0 && i < n_rows; i++)
		rc = opt.tsv ? print_tsv_row(&rows[i], err)
			     : print_row(&rows[i], widths, err);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 || find_sort_key(err) < 0 ||
	    cli_select_check(err) < 0 || cli_term_open(&term, err) < 0 ||
	    cli_store_open(&store, 0, err) < 0)
		return -1;
	rc = cli_select_each(store, take_row, err);
	if (rc == 0)
		rc = print_rows(err);
	for (size_t i = 0; i < n_rows; i++) {
		ctx_session_release(&rows[i].s);
		free(rows[i].title);
	}
	free(rows);
	ctx_short_ids_release(&short_ids);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-ls",
    .synopsis = "[--sort KEY] [-n N] [-u USER] [--idle TIME] [OPTION ...]",
    .about = "Prints a readable table of sessions, most recently used first.",
    .options = options,
    .init = cli_select_init,
    .run = run,
};

CLI_MAIN(command)
