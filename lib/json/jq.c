#include "json/jq.h"

#include <jq.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/jq_value.h"

struct ctx_jq {
	jq_state *jq;
	char *name;
	struct ctx_buf message; /* message of a compile error */
	struct ctx_jq_values values;
};

extern char **environ; /* POSIX requires programs to declare this variable */

/* deepest accepted nesting of an output, since a program can nest without limit */
#define DEPTH 2000

/* The grammar allows imports only at the very beginning, so these definitions, which come
 * first, prevent them. They also replace the functions that access anything outside. */
static const char before[] =
    "def input_filename: null; def input: error(\"no input\"); def inputs: empty; "
    "def debug: .; def stderr: .; def input_line_number: 0; def get_search_list: "
    "[]; def halt: error(\"halt\"); def halt_error: error; def halt_error($code): "
    "error; def modulemeta: error(\"no modules\"); def env: {}; {} as $ENV | (";

/* Gives libjq an empty environment while it compiles or runs a program, because it reads
 * HOME (for ~/.jq) and $ENV. */
static char **
hide_environment(char **empty)
{
	char **kept = environ;

	environ = empty;
	return kept;
}

static void
note_error(void *arg, jv message)
{
	struct ctx_jq *q = arg;

	message = jq_format_error(message);
	if (q->message.n == 0 && jv_get_kind(message) == JV_KIND_STRING)
		ctx_buf_adds(&q->message, jv_string_value(message));
	jv_free(message);
}

/* Replaces libjq's handler, which aborts. */
static void
no_memory(void *unused CTX_UNUSED)
{
	ctx_mem_out();
}

int
ctx_jq_open(
    struct ctx_jq **out, struct ctx_span program, const char *name, struct ctx_err *err)
{
	struct ctx_jq *q = ctx_mem_new(sizeof(*q));
	struct ctx_buf text = CTX_BUF_INIT;
	char *none[] = {NULL}, **kept = hide_environment(none);
	int ok = 0;

	*out = q;
	ctx_jq_values_init(&q->values);
	q->name = ctx_mem_str(name);
	ctx_buf_adds(&text, before);
	ctx_buf_addspan(&text, program);
	ctx_buf_adds(&text, "\n)");
	q->jq = jq_init();
	if (q->jq != NULL) {
		jq_set_nomem_handler(q->jq, no_memory, NULL);
		jq_set_error_cb(q->jq, note_error, q);
		ok = jq_compile(q->jq, text.p);
	}
	environ = kept;
	ctx_buf_release(&text);
	if (!ok) {
		ctx_err_set(err, CTX_EUSAGE, "%s: %s", name,
		    q->message.n > 0 ? q->message.p : "cannot be compiled");
		ctx_jq_close(q);
		*out = NULL;
		return -1;
	}
	return 0;
}

void
ctx_jq_close(struct ctx_jq *q)
{
	if (q == NULL)
		return;
	ctx_jq_values_release(&q->values);
	jq_teardown(&q->jq);
	free(q->name);
	ctx_buf_release(&q->message);
	free(q);
}

/* Returns the error if the program ended in one, else 0. Consumes v. */
static int
end_of(struct ctx_jq *q, jv v, struct ctx_err *err)
{
	int rc = 0;

	if (jv_invalid_has_msg(jv_copy(v))) {
		jv message = jq_format_error(jv_invalid_get_msg(jv_copy(v)));
		const char *text = jv_get_kind(message) == JV_KIND_STRING
				       ? jv_string_value(message)
				       : "failed";
		if (strncmp(text, "jq: error: ", 11) == 0)
			text += 11;
		rc = ctx_err_set(err, CTX_EINPUT, "%s: %s", q->name, text);
		jv_free(message);
	}
	jv_free(v);
	return rc;
}

int
ctx_jq_run(struct ctx_jq *q, const struct ctx_jq_input input[], size_t n,
    ctx_jq_output_fn *fn, void *arg, struct ctx_err *err)
{
	char *none[] = {NULL}, **kept;
	struct ctx_buf line = CTX_BUF_INIT;
	jv in, out;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		if (input[i].json.n > INT_MAX) /* jq stores lengths as int */
			return ctx_err_set(err, CTX_EINPUT, "%s: %s is longer than 2 GiB",
			    q->name, input[i].key);
	in = jv_object();
	for (size_t i = 0; i < n; i++)
		in = jv_object_set(in, jv_string(input[i].key),
		    ctx_jq_values_read(&q->values, input[i].json));
	kept = hide_environment(none);
	jq_start(q->jq, in, 0);
	while (rc == 0 && jv_is_valid(out = jq_next(q->jq))) {
		ctx_buf_reset(&line);
		if (ctx_jq_values_write(&q->values, &line, out, DEPTH) < 0)
			rc = ctx_err_set(err, CTX_EINPUT,
			    "%s: the output of the jq program is nested too deeply",
			    q->name);
		environ = kept;
		if (rc == 0)
			rc = fn(arg, ctx_buf_span(&line), err);
		hide_environment(none);
	}
	if (rc == 0)
		rc = end_of(q, out, err);
	/* releases the values that the program still holds */
	jq_start(q->jq, jv_null(), 0);
	environ = kept;
	ctx_jq_values_forget(&q->values);
	ctx_buf_release(&line);
	return rc;
}
