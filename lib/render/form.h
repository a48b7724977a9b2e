/* The formats that ctx-render prints besides provider bodies: text, markdown and prompt.
 * To add a format, add a row to the table in form.c. */
#ifndef CTX_RENDER_FORM_H
#define CTX_RENDER_FORM_H

#include "render/render.h"

struct ctx_render_form {
	const char *name;
	int (*print)(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
	    struct ctx_err *err);
	/* true if the output is meant for a model and must fit the token budget */
	bool budget;
};

/* Returns the format with this name, or NULL if name is NULL or unknown. */
const struct ctx_render_form *ctx_render_form_find(const char *name);

/* Appends the names of all formats, separated by ", ". last: the separator before the
 * last name, such as " or ". */
void ctx_render_form_names(struct ctx_buf *out, const char *last);

#endif
