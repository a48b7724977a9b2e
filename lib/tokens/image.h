/* Images and documents as providers price them. */
#ifndef CTX_TOKENS_IMAGE_H
#define CTX_TOKENS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Size in pixels from the head of a PNG, JPEG, GIF or WebP image. */
bool ctx_image_size(const unsigned char *p, size_t n, uint32_t *width, uint32_t *height);

/* Tokens of OpenAI's image_url object: by its detail, and by its size where it is a data
 * URL. */
int64_t ctx_image_openai(struct ctx_span image_url);

/* Tokens of Anthropic's source object. */
int64_t ctx_image_anthropic(struct ctx_span source);

/* Tokens of a PDF of Anthropic's document block, by its pages. */
int64_t ctx_image_pdf(struct ctx_span source);

#endif
