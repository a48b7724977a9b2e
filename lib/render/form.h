/* The forms of a window that people read. A new one is a row in form.c. */
#ifndef CTX_RENDER_FORM_H
#define CTX_RENDER_FORM_H

#include "render/render.h"

struct ctx_render_form {
	const char *name;
	int (*print)(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
	    struct ctx_err *err);
	bool budget; /* it is sent to a model, and has to fit */
};

/* The form with the name; NULL if there is none, or name is NULL. */
const struct ctx_render_form *ctx_render_form_find(const char *name);

/* Appends the names, with ", " between them and last before the last one. */
void ctx_render_form_names(struct ctx_buf *out, const char *last);

#endif
