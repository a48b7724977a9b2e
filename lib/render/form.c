#include "render/form.h"

#include <string.h>

static const struct ctx_render_form forms[] = {
    {"text", ctx_render_text, false},
    {"markdown", ctx_render_markdown, false},
    {"prompt", ctx_render_prompt, true},
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

const struct ctx_render_form *
ctx_render_form_find(const char *name)
{
	for (size_t i = 0; name != NULL && i < FORMS; i++)
		if (strcmp(forms[i].name, name) == 0)
			return &forms[i];
	return NULL;
}

void
ctx_render_form_names(struct ctx_buf *out, const char *last)
{
	for (size_t i = 0; i < FORMS; i++)
		ctx_buf_addf(out, "%s%s",
		    i == 0          ? ""
		    : i + 1 < FORMS ? ", "
				    : last,
		    forms[i].name);
}
