/* Vectors of texts, from a command, kept in the derived file. */
#ifndef CTX_EMBED_EMBED_H
#define CTX_EMBED_EMBED_H

#include "base/exec.h"
#include "store/store.h"

/* Of length 1; n 0: there is none. */
struct ctx_vector {
	float *v;
	size_t n;
};

/* How near two directions are, 0 … 1: their cosine, where opposite ones count as nothing
 * shared. 0 too when one has no vector, or another number of dimensions. */
double ctx_vector_cosine(const struct ctx_vector *a, const struct ctx_vector *b);

struct ctx_embedder;

/* The command reads a line {"text"} for each text and writes a line for each, in order: an
 * array of numbers, or an object with such a member "embedding". now: ms, for what is
 * kept. */
struct ctx_embedder *ctx_embedder_new(
    struct ctx_store *st, const struct ctx_exec_options *exec, int64_t now);
void ctx_embedder_free(struct ctx_embedder *e); /* NULL is fine */

struct ctx_embed_text {
	struct ctx_span text; /* of a long one the first 8 KB are taken */
	int64_t session_no;   /* whose it is (0 nobody's), for purging */
	struct ctx_vector vector;
};

/* Fill in the vectors (0 before): those kept by content, the others from the command, some
 * hundreds at a time, which are kept at once. Each time has the timeout of the command;
 * once it has passed in all nothing more is asked. 0; 1 when time ran out and the last
 * ones have none; -1 when command or derived file failed. No transaction may be open. */
int ctx_embedder_ask(
    struct ctx_embedder *e, struct ctx_embed_text *list, size_t n, struct ctx_err *err);
void ctx_embed_release(struct ctx_embed_text *list, size_t n); /* the vectors */

#endif
