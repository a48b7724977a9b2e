/* Positions in files that grow. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "import/internal.h"

void
ctx_import_point_release(struct ctx_import_point *p)
{
	free(p->state);
	free(p->own);
	*p = (struct ctx_import_point){0, NULL, NULL};
}

/* Replaces a stored text if it has changed. */
static void
keep_point_text(char **kept, const char *text)
{
	if (text != NULL && *kept != NULL && strcmp(*kept, text) == 0)
		return;
	free(*kept);
	*kept = ctx_mem_str(text);
}

bool
ctx_import_point(const struct ctx_import *im, struct ctx_import_point *p)
{
	if (im->whole || im->held.n > 0 || im->own[0].waiting > 0 ||
	    (im->own[1].waiting > 0 && im->own[1].id == NULL))
		return false;
	p->no = im->no;
	keep_point_text(&p->state, im->state.n > 0 ? im->state.p : NULL);
	keep_point_text(&p->own, im->own[1].id);
	return true;
}

void
ctx_import_continue(struct ctx_import *im, const struct ctx_import_point *p)
{
	im->no = p->no;
	if (p->state != NULL)
		ctx_buf_adds(&im->state, p->state);
	if (p->own != NULL) {
		im->own[1].id = ctx_mem_str(p->own);
		im->own[1].spoken = true;
	}
}

bool
ctx_import_drop_pieces(struct ctx_import *im)
{
	bool any = im->held.n > 0;

	ctx_import_held_release(&im->held);
	return any;
}
