/* Compares our token counts with the usage that providers reported, for each model. Pure:
 * no I/O. */
#ifndef CTX_TOKENS_CALIBRATE_H
#define CTX_TOKENS_CALIBRATE_H

#include <stdint.h>

#include "base/buf.h"
#include "record/record.h"

struct ctx_calibration;

/* Requests that were counted with a tokenizer other than the given one are skipped. If
 * tokenizer is NULL, each tokenizer gets separate output lines. Counts by one tokenizer
 * with different factors are converted to the factor of the given one, or to none. Free
 * with ctx_calibration_free. */
struct ctx_calibration *ctx_calibration_new(const char *tokenizer);
void ctx_calibration_free(struct ctx_calibration *c);

/* Adds an answer: a message record whose metadata names the model. own is our token
 * count. */
void ctx_calibration_answer(
    struct ctx_calibration *c, const struct ctx_record *r, int64_t own);

/* Adds a request record (checked JSON). model is a JSON string; if absent, the model of
 * the request's answer is used if it was added, or else the model in the request's
 * parameters. Fails with CTX_EINPUT if the record cannot be read. */
int ctx_calibration_request(struct ctx_calibration *c, struct ctx_span record,
    struct ctx_span model, struct ctx_err *err);

/* Returns the number of requests skipped because another tokenizer counted them. */
long ctx_calibration_left(const struct ctx_calibration *c);

/* Appends a record of kind "calibration" for each model (and tokenizer). With learned,
 * the records are marked as learned, and those of models with fewer requests come first,
 * because the last matching line applies. */
void ctx_calibration_print(struct ctx_calibration *c, bool learned, struct ctx_buf *out);

#endif
