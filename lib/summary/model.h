/* What the extractive summariser knows of its input: sentences, and the concepts (terms
 * and facts) that they hold. Inside lib/summary only. */
#ifndef CTX_SUMMARY_MODEL_H
#define CTX_SUMMARY_MODEL_H

#include "summary/internal.h"

/* A term, or a fact of kind - 1. Known by the hash of its text alone. */
struct ctx_concept {
	uint64_t key;
	uint32_t sentences; /* that hold it */
	uint32_t last;      /* the last of these, counted from 1 */
	float weight;
	unsigned char kind; /* 0: a term */
	bool covered;
	size_t text, n;    /* facts: the first occurrence, in the input's bytes */
	uint32_t sentence; /* where that is */
};

struct ctx_sentence {
	struct ctx_span text;
	uint32_t piece, line;
	uint32_t concept, n; /* in ctx_model.held */
	float factor;
	int64_t tokens;
	uint32_t next; /* in a bucket of selection */
	bool question, cue, kept;
};

struct ctx_model {
	const struct ctx_summary_input *in;
	struct ctx_tokenizer *tokenizer;
	struct ctx_sentence *s;
	size_t n, cap;
	uint32_t *held;
	size_t n_held, cap_held;
	struct ctx_concept *c;
	size_t n_c, cap_c;
	uint32_t *slots; /* concept + 1, 0 free; a power of two of them */
	size_t n_slots;
	int64_t *label_tokens; /* of each piece's label */
	int64_t tokens;        /* of all sentences and labels */
};

/* Read and weigh the whole input. */
void ctx_model_init(
    struct ctx_model *m, const struct ctx_summary_input *in, struct ctx_tokenizer *t);
void ctx_model_release(struct ctx_model *m);

/* Keep sentences that cover the most weight within about max tokens. Forgets what was
 * kept and covered before. */
void ctx_model_select(struct ctx_model *m, int64_t max);

/* Append the sentences kept, under their labels. */
void ctx_model_print(const struct ctx_model *m, struct ctx_buf *out);

/* Append a list of facts that are not covered, of about max tokens, and cover them. */
void ctx_model_list(struct ctx_model *m, int64_t max, struct ctx_buf *out);

#endif
