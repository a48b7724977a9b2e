/* Images and documents as providers price them. */
#ifndef CTX_TOKENS_IMAGE_H
#define CTX_TOKENS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Size in pixels from the head of a PNG, JPEG, GIF or WebP image. */
bool ctx_image_size(const unsigned char *p, size_t n, uint32_t *width, uint32_t *height);

/* Tokens of an image with OpenAI and with Anthropic, by its size where its data is there,
 * with OpenAI by its detail, too. It may be written in either's shape: an image_url, which
 * is an object or the URL, or a source. */
int64_t ctx_image_openai(struct ctx_span image);
int64_t ctx_image_anthropic(struct ctx_span image);

/* Tokens of a PDF, by its pages; a JSON string of base64, or a data URL. */
int64_t ctx_image_pdf(struct ctx_span data);

#endif
