/* Compares own counts with the usage that providers reported, by model. Pure: no I/O. */
#ifndef CTX_TOKENS_CALIBRATE_H
#define CTX_TOKENS_CALIBRATE_H

#include <stdint.h>

#include "base/buf.h"
#include "record/record.h"

struct ctx_calibration;

/* tokenizer: requests that another one counted are left out; NULL: each tokenizer has lines
 * of its own. Counts by one tokenizer with different factors are added up as if it had counted
 * with the factor of tokenizer, or with none. Free with ctx_calibration_free. */
struct ctx_calibration *ctx_calibration_new(const char *tokenizer);
void ctx_calibration_free(struct ctx_calibration *c);

/* Adds an answer: a message record whose metadata name a model. own: tokens as counted
 * here. */
void ctx_calibration_answer(
    struct ctx_calibration *c, const struct ctx_record *r, int64_t own);

/* Adds a request record (checked JSON). model: JSON string, or absent: that of its answer, if
 * it was added, or else of its parameters. CTX_EINPUT for a record that cannot be read. */
int ctx_calibration_request(struct ctx_calibration *c, struct ctx_span record,
    struct ctx_span model, struct ctx_err *err);

/* Requests that were left out because another tokenizer counted them. */
long ctx_calibration_left(const struct ctx_calibration *c);

/* Appends a record of kind calibration for each model (and tokenizer), those with more
 * requests later. learned marks them as such. */
void ctx_calibration_print(struct ctx_calibration *c, bool learned, struct ctx_buf *out);

#endif
