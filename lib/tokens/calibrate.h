/* For each model, compares ctx's token counts with the usage that providers reported.
 * These functions do no I/O. */
#ifndef CTX_TOKENS_CALIBRATE_H
#define CTX_TOKENS_CALIBRATE_H

#include <stdint.h>

#include "base/buf.h"
#include "record/record.h"

struct ctx_calibration;

/* Starts a calibration, which the caller frees with ctx_calibration_free. tokenizer is
 * the name of a tokenizer: requests whose tokens were counted with another tokenizer are
 * skipped; counts that were made with the same tokenizer but another factor are converted
 * to the factor in the name. If tokenizer is NULL, no request is skipped: each tokenizer
 * gets separate output lines, and all counts are converted to counts without a factor. */
struct ctx_calibration *ctx_calibration_new(const char *tokenizer);
void ctx_calibration_free(struct ctx_calibration *c);

/* Adds an answer. r is the message record of the answer; its metadata names the model.
 * own is ctx's own token count of the answer. Does nothing if the metadata does not name
 * a model, or if the calibration was started without a tokenizer. */
void ctx_calibration_answer(
    struct ctx_calibration *c, const struct ctx_record *r, int64_t own);

/* Adds a request record (checked JSON). The request counts for the model of its answer,
 * if this answer was added before. Otherwise the request counts for model (a JSON string)
 * or, if model is absent, for the model in the request's parameters. Fails with
 * CTX_EINPUT if the record cannot be read. */
int ctx_calibration_request(struct ctx_calibration *c, struct ctx_span record,
    struct ctx_span model, struct ctx_err *err);

/* Returns the number of requests that were skipped because their tokens were counted with
 * another tokenizer. */
long ctx_calibration_left(const struct ctx_calibration *c);

/* Appends a record of kind "calibration" for each model or, if no tokenizer was given,
 * for each pair of model and tokenizer. If learned is true, marks the records as learned,
 * leaves out requests and answers whose model has no name, and writes the records in
 * ascending order of the number of requests, because readers use the last record that
 * matches. */
void ctx_calibration_print(struct ctx_calibration *c, bool learned, struct ctx_buf *out);

#endif
