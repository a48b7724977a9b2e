/* For each model, compares ctx's token counts with the usage that providers reported.
 * These functions do no I/O. */
#ifndef CTX_TOKENS_CALIBRATE_H
#define CTX_TOKENS_CALIBRATE_H

#include <stdint.h>

#include "base/buf.h"
#include "record/record.h"

struct ctx_calibration;

/* Starts a calibration, which the caller frees with ctx_calibration_free. tokenizer: name
 * of a tokenizer, or NULL. With a name, requests whose tokens were counted with another
 * tokenizer are skipped, and all counts are converted to the factor in the name. With
 * NULL, each tokenizer gets lines of its own in the output, and all counts are converted
 * to counts without a factor. */
struct ctx_calibration *ctx_calibration_new(const char *tokenizer);
void ctx_calibration_free(struct ctx_calibration *c);

/* Adds an answer. r: the message record of the answer, whose metadata names the model;
 * own: the number of the answer's tokens as ctx counted them. Does nothing if the
 * metadata does not name a model, or if the calibration was started without a
 * tokenizer. */
void ctx_calibration_answer(
    struct ctx_calibration *c, const struct ctx_record *r, int64_t own);

/* Adds a request record (valid JSON). The request is counted for the model that gave its
 * answer, if this answer was added before. Otherwise the request is counted for the
 * argument "model" (a JSON string) or, if this argument is absent, for the model in the
 * request's parameters. Fails with CTX_EINPUT if the record cannot be read. */
int ctx_calibration_request(struct ctx_calibration *c, struct ctx_span record,
    struct ctx_span model, struct ctx_err *err);

/* Returns the number of requests that were skipped because their tokens were counted with
 * another tokenizer. */
long ctx_calibration_left(const struct ctx_calibration *c);

/* Appends a record of kind "calibration" for each model or, if no tokenizer was given,
 * for each pair of model and tokenizer. If learned is true: sets the member "learned" of
 * the records, leaves out requests and answers without a model name, and sorts the
 * records by number of requests, ascending, because readers use the last record that
 * matches. */
void ctx_calibration_print(struct ctx_calibration *c, bool learned, struct ctx_buf *out);

#endif
