/* Private to ctx-render: reports which parts of the messages a body omits or changes. */
#ifndef CTX_CMD_RENDER_REPORT_H
#define CTX_CMD_RENDER_REPORT_H

#include "record/request.h"
#include "render/render.h"

/* Sets the members "names" (renamed tools) and "omitted" (omitted parts of messages) of
 * the request record q. */
void render_report_note(const struct ctx_render_report *report, struct ctx_request *q);

/* Prints notes on stderr about parts of the messages that the model does not get. */
void render_report_tell(
    const struct ctx_render_report *report, enum ctx_provider provider);

void render_report_release(struct ctx_render_report *report);

#endif
