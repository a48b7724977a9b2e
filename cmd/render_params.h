/* Private to ctx-render: checks and completes the parameters of a request. */
#ifndef CTX_CMD_RENDER_PARAMS_H
#define CTX_CMD_RENDER_PARAMS_H

#include "cli.h"
#include "model/model.h"
#include "render/render.h"

/* Implements --fix: removes or changes parameters that the model or the API would reject.
 * Stores the changed parameters in *text, which the caller owns, and sets how->params to
 * them. Prints a note for each change. Fails with CTX_EANSWER if an error remains. */
int render_params_fix(
    struct ctx_render_options *how, struct ctx_buf *text, struct ctx_err *err);

/* Looks up the model that the parameters name. Returns 1 with *m set, which borrows from
 * *models; 0 if the parameters name no model or the model table does not list it; -1 on
 * error. */
int render_params_model(const struct ctx_render_options *how, struct ctx_buf *models,
    struct ctx_model *m, struct ctx_err *err);

/* Sets how->server, the server for which the body is made: the server with this name or,
 * if name is NULL, the server of the model. given: true if name is from the command line.
 * replay: true if the body of an earlier request is printed again; name is then ignored,
 * and how->server is the server of that request. sent: the name of the server of that
 * request.
 *
 * Fails with CTX_EUSAGE if the server is unknown or does not have the provider's API.
 * However, if name is a default from the settings, a server without the provider's API is
 * not an error: how->server is then set to NULL. */
int render_params_server(struct ctx_render_options *how, const char *name, bool given,
    bool replay, const char *sent, struct ctx_err *err);

/* Sets the error for an unknown server. Returns -1. */
int render_params_unknown(const char *server, struct ctx_err *err);

/* Sets how->system_inside: true if the model table says that the model accepts system
 * messages among the other messages. */
int render_params_facts(struct ctx_render_options *how, struct ctx_err *err);

/* Checks that the parameters have the members that a body requires. file: the name of the
 * parameter file. Fails with CTX_EANSWER if a member is missing. If file is NULL (no
 * parameter file), only prints a note, because the user may add the parameters to the
 * body later. */
int render_params_check(
    const struct ctx_render_options *how, const char *file, struct ctx_err *err);

#endif
