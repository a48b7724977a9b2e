/* Embedding vectors of texts, computed by an external command and cached in the derived
 * file. */
#ifndef CTX_RECALL_EMBED_H
#define CTX_RECALL_EMBED_H

#include "base/exec.h"
#include "store/store.h"

/* A vector of length 1; n is 0 if there is none. */
struct ctx_vector {
	float *v;
	size_t n;
};

/* Similarity of two vectors, 0…1: their cosine, where negative values count as 0. 0 also
 * when one has no vector or their dimensions differ. */
double ctx_vector_cosine(const struct ctx_vector *a, const struct ctx_vector *b);

struct ctx_embedder;

/* The command reads one line {"text"} per text and writes one line per text, in order: an
 * array of numbers, or an object with such an array as "embedding". now is the time (ms)
 * for cached values. */
struct ctx_embedder *ctx_embedder_new(
    struct ctx_store *st, const struct ctx_exec_options *exec, int64_t now);
void ctx_embedder_free(struct ctx_embedder *e); /* NULL is fine */

struct ctx_embed_text {
	struct ctx_span text; /* only the first 8 KB are used */
	/* session that the text belongs to (0: none), so that a purge finds the vector */
	int64_t session_no;
	struct ctx_vector vector;
};

/* Fills in the vectors (n must be 0 before): cached ones first, the others by the command
 * in groups of some hundreds, which are cached at once. The command's timeout applies to
 * each group and to the whole call. Returns 0; 1 when time ran out and the last texts
 * have no vector; -1 when the command or the derived file failed. Must not be called
 * inside a transaction. */
int ctx_embedder_ask(
    struct ctx_embedder *e, struct ctx_embed_text *list, size_t n, struct ctx_err *err);
void ctx_embed_release(struct ctx_embed_text *list, size_t n); /* the vectors */

#endif
