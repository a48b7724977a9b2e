/* Private to ctx-render: reports what a body leaves out of its messages or says in another
 * form. */
#ifndef CTX_CMD_RENDER_REPORT_H
#define CTX_CMD_RENDER_REPORT_H

#include "record/request.h"
#include "render/render.h"

/* Set the members names and omitted of the request record. */
void render_report_note(const struct ctx_render_report *report, struct ctx_request *q);

/* Name on stderr what the model does not get to see. */
void render_report_tell(
    const struct ctx_render_report *report, enum ctx_provider provider);

void render_report_release(struct ctx_render_report *report);

#endif
