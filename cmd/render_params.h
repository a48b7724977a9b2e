/* Private to ctx-render: checks and completes the parameters of a request. */
#ifndef CTX_CMD_RENDER_PARAMS_H
#define CTX_CMD_RENDER_PARAMS_H

#include "cli.h"
#include "model/model.h"
#include "render/render.h"

/* Implements --fix: removes the parameters that the model or the API would reject. The
 * result is stored in text, which the caller owns, and in how->params. Prints a note for
 * each change. Fails with CTX_EANSWER if an error remains. */
int render_params_fix(
    struct ctx_render_options *how, struct ctx_buf *text, struct ctx_err *err);

/* Finds the model that the parameters name in the model table. Returns 1 and sets *m,
 * which borrows from models; 0 if the parameters name no model or the table does not have
 * it; -1 on error. */
int render_params_model(const struct ctx_render_options *how, struct ctx_buf *models,
    struct ctx_model *m, struct ctx_err *err);

/* Sets the server in how to the server called name or, without a name, to the model's
 * server. The argument given is true if the name is from the command line. With replay =
 * true, a request is printed again and keeps its server, which the argument sent names.
 * Fails with CTX_EUSAGE if the name is unknown or the server does not offer the
 * provider's API. */
int render_params_server(struct ctx_render_options *how, const char *name, bool given,
    bool replay, const char *sent, struct ctx_err *err);

/* Sets the error for an unknown server. Returns -1. */
int render_params_unknown(const char *server, struct ctx_err *err);

/* Stores in *how which parameters the model accepts, as far as the model table knows. */
int render_params_facts(struct ctx_render_options *how, struct ctx_err *err);

/* Checks that the parameters have the members that a body requires. file is the parameter
 * file, or NULL if there is none. If a member is missing, fails with CTX_EANSWER or, with
 * file = NULL, only prints a note, since the user may complete the body later. */
int render_params_check(
    const struct ctx_render_options *how, const char *file, struct ctx_err *err);

#endif
