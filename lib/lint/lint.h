/* Checks whether a provider would accept transcripts and request bodies, by the rules
 * that ctx-lint(1) lists, and repairs them. Lint is the test of selection and rendering,
 * so it shares no code with them. No I/O. */
#ifndef CTX_LINT_LINT_H
#define CTX_LINT_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"
#include "tokens/tokens.h"

/* What was read. */
struct ctx_lint_counts {
	size_t bodies;
	size_t messages; /* messages outside of bodies */
};

struct ctx_lint_options {
	/* the provider whose rules apply; CTX_PROVIDER_NONE: determined by the format of
	 * the input */
	enum ctx_provider rules;
	/* a body in another provider's format is checked by that provider's rules */
	bool soft;
	int64_t budget;       /* token limit of a body; negative: not checked */
	bool whole_histories; /* the budget also limits a history */
	/* counts tokens for the budget; NULL: the budget is not checked */
	struct ctx_tokenizer *tokenizer;
	/* makes the tokenizer count for the model of a body (JSON string, or absent); NULL:
	 * the tokenizer is used as it is */
	void (*count_for)(struct ctx_tokenizer *t, struct ctx_span model);
	bool check_model;               /* check the parameters against the model table */
	struct ctx_span models;         /* the user's own model table, or absent */
	struct ctx_lint_counts *counts; /* each call adds to the counts; may be NULL */
};

#define CTX_LINT_OPTIONS_INIT              \
	{                                  \
		.rules = CTX_PROVIDER_NONE \
	}

struct ctx_lint_diagnostic {
	const char *rule; /* id of the rule, such as "oa-orphan-result" */
	/* name of the provider; "all" for rules of every provider */
	const char *provider;
	bool error;  /* false: a warning */
	size_t line; /* line of the input, counted from 1 */
	/* index of the message in its transcript, counted from 0; -1 for the whole
	 * transcript */
	long index;
	const char *text; /* one line of UTF-8, valid during the call */
};

typedef void ctx_lint_sink(void *arg, const struct ctx_lint_diagnostic *d);

/* Checks a text. It is a sequence of JSON values, on lines of their own or
 * pretty-printed: message records and bare messages (which form one transcript; a session
 * record starts the next one), arrays of messages, and request bodies ({messages},
 * {contents}, {input}). Records of other kinds and additions (records with a slot) are
 * not checked. Calls sink, which may be NULL, with each diagnostic, in the order of the
 * text. Returns the number of errors, or -1 with CTX_EINPUT if the text cannot be
 * read. */
int ctx_lint_check(struct ctx_span text, const struct ctx_lint_options *o,
    ctx_lint_sink *sink, void *arg, struct ctx_err *err);

/* True if the value starts a document of its own: a session record or a request body. */
bool ctx_lint_begins(struct ctx_span value);

/* Like ctx_lint_check, but the text must be exactly one request body. */
int ctx_lint_body(struct ctx_span body, const struct ctx_lint_options *o,
    ctx_lint_sink *sink, void *arg, struct ctx_err *err);

/* Appends params, the parameters of a request (a JSON object), with members dropped,
 * renamed or lowered that their model or API refuses, as far as this does not change
 * their meaning. rules is the provider whose rules apply. models is the user's own model
 * table, or absent. Calls fixed with each change and left with each problem that remains;
 * both may be NULL. Returns the number of remaining errors. */
int ctx_lint_params_fix(struct ctx_span params, enum ctx_provider rules,
    struct ctx_span models, struct ctx_buf *out, ctx_lint_sink *fixed,
    ctx_lint_sink *left, void *arg);

/* Returns the name of a member of params that holds the system text of another provider's
 * API, or NULL if there is none. */
const char *ctx_lint_params_foreign(struct ctx_span params, enum ctx_provider rules);

/* Returns the number of tokens of a request body, as compared with a budget, or -1 with
 * CTX_EINPUT if body is not a request body. */
int64_t ctx_lint_body_tokens(
    struct ctx_span body, struct ctx_tokenizer *t, struct ctx_err *err);

/* Calls fn for each message, content or item of a request body, in order, with its JSON,
 * its role and parts (a string as input of Responses is a user message), and the tokens
 * that it adds to the request. value and m are valid during the call. Returns -1 with
 * CTX_EINPUT if body is not a request body. */
typedef void ctx_lint_item_fn(
    void *arg, struct ctx_span value, const struct ctx_message *m, int64_t tokens);
int ctx_lint_body_items(struct ctx_span body, struct ctx_tokenizer *t,
    ctx_lint_item_fn *fn, void *arg, struct ctx_err *err);

/* Appends the text with the smallest changes that satisfy the rules. Text without
 * violations is copied byte for byte, and a second repair changes nothing. Calls sink
 * with what was wrong with the input. Returns the number of errors that remain in the
 * output (a budget, a limit of the provider and an image without data cannot be
 * repaired), or -1 with CTX_EINPUT if the text cannot be read. */
int ctx_lint_repair(struct ctx_span text, const struct ctx_lint_options *o,
    struct ctx_buf *out, ctx_lint_sink *sink, void *arg, struct ctx_err *err);

#endif
