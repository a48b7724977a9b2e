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

/* Looks up the parameters' model in the model table. Returns 1 with *m set, which borrows
 * from *models; 0 if the parameters name no model or a model that is not in the table; -1
 * on error. */
int render_params_model(const struct ctx_render_options *how, struct ctx_buf *models,
    struct ctx_model *m, struct ctx_err *err);

/* Sets how->server to the server called name or, if name is NULL, to the model's server.
 * given: true if name is from the command line. If replay is true, the body of an earlier
 * request is printed again, and how->server is set to the server of that request instead;
 * sent is the name of this server. Fails with CTX_EUSAGE if the name is unknown. If the
 * server does not offer the provider's API, fails with CTX_EUSAGE if given or replay is
 * true; otherwise sets how->server to NULL. */
int render_params_server(struct ctx_render_options *how, const char *name, bool given,
    bool replay, const char *sent, struct ctx_err *err);

/* Sets the error for an unknown server. Returns -1. */
int render_params_unknown(const char *server, struct ctx_err *err);

/* Looks up in the model table which parameters the model accepts, and stores the result
 * in *how. */
int render_params_facts(struct ctx_render_options *how, struct ctx_err *err);

/* Checks that the parameters have the members that a body requires. file is the name of
 * the parameter file; NULL: there is no parameter file. If a member is missing, fails
 * with CTX_EANSWER. With file = NULL, only prints a note instead, because the user may
 * add the parameters to the body later. */
int render_params_check(
    const struct ctx_render_options *how, const char *file, struct ctx_err *err);

#endif
