/* Counts the tokens of images and documents as providers charge them. */
#ifndef CTX_TOKENS_IMAGE_H
#define CTX_TOKENS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Reads the size in pixels from the header of a PNG, JPEG, GIF or WebP image. Returns
 * false if it cannot be read. */
bool ctx_image_size(const unsigned char *p, size_t n, uint32_t *width, uint32_t *height);

/* Return the tokens of an image with OpenAI and with Anthropic. They are computed from
 * the size in pixels if the image's data is present; with OpenAI also from its "detail".
 * image may have OpenAI's form (image_url: an object or the URL itself) or Anthropic's
 * (source). */
int64_t ctx_image_openai(struct ctx_span image);
int64_t ctx_image_anthropic(struct ctx_span image);

/* Returns the tokens of a PDF, estimated by its number of pages. data is a JSON string:
 * base64 or a data URL. */
int64_t ctx_image_pdf(struct ctx_span data);

#endif
