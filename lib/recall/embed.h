/* Embedding vectors of texts, computed by an external command and cached in the store's
 * derived file. */
#ifndef CTX_RECALL_EMBED_H
#define CTX_RECALL_EMBED_H

#include "base/exec.h"
#include "store/store.h"

/* A vector of length 1. n is the number of its dimensions; 0: there is no vector. */
struct ctx_vector {
	float *v;
	size_t n;
};

/* Returns the similarity of two vectors, from 0 to 1: the cosine of the angle between
 * them. Returns 0 if the cosine is negative, if a vector is missing, or if the numbers of
 * dimensions differ. */
double ctx_vector_cosine(const struct ctx_vector *a, const struct ctx_vector *b);

struct ctx_embedder;

/* Creates an embedder that runs the command in *exec. For each text, the command reads a
 * line {"text": …}, and writes a line with the vector: an array of numbers, or an object
 * with such an array as the member "embedding". The lines are in the same order. now: the
 * current time in ms since the epoch; it is stored with cached vectors. */
struct ctx_embedder *ctx_embedder_new(
    struct ctx_store *st, const struct ctx_exec_options *exec, int64_t now);
void ctx_embedder_free(struct ctx_embedder *e); /* e may be NULL */

struct ctx_embed_text {
	struct ctx_span text; /* only the first 8 KB are used */
	/* number of the session to which the text belongs; 0: no session. (When a session
	 * is purged, the cached vectors of its texts are deleted.) */
	int64_t session_no;
	struct ctx_vector vector;
};

/* Fills in the vectors of the n texts. Before the call, vector.n of each text must be 0.
 * Vectors are read from the cache if possible. The command computes the other vectors in
 * groups of a few hundred texts; the vectors of a group are cached as soon as the group
 * is complete. The command's timeout applies to each group and also to the whole call.
 * Returns 0 on success; 1 if the time ran out, so that the last texts have no vector; -1
 * if the command or the derived file failed. Must not be called inside a transaction. */
int ctx_embedder_ask(
    struct ctx_embedder *e, struct ctx_embed_text *list, size_t n, struct ctx_err *err);
/* Frees the vectors of the n texts, but not the array of texts. */
void ctx_embed_release(struct ctx_embed_text *list, size_t n);

#endif
