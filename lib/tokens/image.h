/* Counts the tokens that providers charge for images and documents. */
#ifndef CTX_TOKENS_IMAGE_H
#define CTX_TOKENS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Reads the size in pixels from the header of a PNG, JPEG, GIF or WebP image. p points to
 * the first n bytes of the image. If the size can be read, sets *width and *height and
 * returns true; otherwise returns false. */
bool ctx_image_size(const unsigned char *p, size_t n, uint32_t *width, uint32_t *height);

/* Returns the number of tokens that OpenAI (ctx_image_openai) or Anthropic
 * (ctx_image_anthropic) charges for an image. image: the value of OpenAI's "image_url"
 * (an object, or the URL itself) or of Anthropic's "source".
 *
 * The number is computed from the size in pixels. If the size is unknown, because the
 * image is given by a URL or the data cannot be read, ctx_image_openai assumes 1024 x
 * 1024 pixels, and ctx_image_anthropic returns the maximum. If the image has "detail":
 * "low", ctx_image_openai returns the fixed price of this detail. */
int64_t ctx_image_openai(struct ctx_span image);
int64_t ctx_image_anthropic(struct ctx_span image);

/* Returns an estimate of the tokens of a PDF document: a fixed number for each page. If
 * no pages are found, the document counts as one page. data: a JSON string that contains
 * base64 or a data URL. */
int64_t ctx_image_pdf(struct ctx_span data);

#endif
