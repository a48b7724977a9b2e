/* Compares our token counts with the usage that providers reported, for each model. Pure:
 * no I/O. */
#ifndef CTX_TOKENS_CALIBRATE_H
#define CTX_TOKENS_CALIBRATE_H

#include <stdint.h>

#include "base/buf.h"
#include "record/record.h"

struct ctx_calibration;

/* Starts a calibration, which the caller frees with ctx_calibration_free. tokenizer is
 * the name of a tokenizer. Requests that another tokenizer counted are skipped. If the
 * requests were counted with the same tokenizer but another factor, their counts are
 * converted to the factor in the name. If tokenizer is NULL, no request is skipped: each
 * tokenizer gets separate output lines, and all counts are converted to counts without a
 * factor. */
struct ctx_calibration *ctx_calibration_new(const char *tokenizer);
void ctx_calibration_free(struct ctx_calibration *c);

/* Adds an answer, which is a message record whose metadata names the model. The parameter
 * own is our token count of the answer. Does nothing if the model is missing or the
 * calibration was started without a tokenizer. */
void ctx_calibration_answer(
    struct ctx_calibration *c, const struct ctx_record *r, int64_t own);

/* Adds a request record (checked JSON). If the request's answer was added before, the
 * request counts for the model of the answer. Otherwise the request counts for the
 * argument model (a JSON string) or, if model is absent, for the model in the request's
 * parameters. Fails with CTX_EINPUT if the record cannot be read. */
int ctx_calibration_request(struct ctx_calibration *c, struct ctx_span record,
    struct ctx_span model, struct ctx_err *err);

/* Returns the number of requests skipped because another tokenizer counted them. */
long ctx_calibration_left(const struct ctx_calibration *c);

/* Appends a record of kind "calibration" for each model (and tokenizer). With learned =
 * true, the records are marked as learned, and the records of models with fewer requests
 * come first, because the last matching line applies. */
void ctx_calibration_print(struct ctx_calibration *c, bool learned, struct ctx_buf *out);

#endif
