/* ctx-render: the parameters of a request. */
#ifndef CTX_CMD_RENDER_PARAMS_H
#define CTX_CMD_RENDER_PARAMS_H

#include "cli.h"
#include "model/model.h"
#include "render/render.h"

/* Implements --fix: writes how->params, without the members that the model or the API
 * refuses, to text, which the caller owns. Notes say what was changed. CTX_EANSWER if
 * an error remains. */
int render_params_fix(
    struct ctx_render_options *how, struct ctx_buf *text, struct ctx_err *err);

/* Finds the model that the parameters name. Returns 1 with *m, which borrows from
 * models; 0 if they name none or the table does not have it; -1 on error. */
int render_params_model(const struct ctx_render_options *how, struct ctx_buf *models,
    struct ctx_model *m, struct ctx_err *err);

/* Sets the server: the named one (given: named on the command line), else the model's.
 * A request that was sent before (replay) keeps the server of its record, sent.
 * CTX_EUSAGE for an unknown name, or for a server without the provider's API. */
int render_params_server(struct ctx_render_options *how, const char *name, bool given,
    bool replay, const char *sent, struct ctx_err *err);

/* Sets the error for an unknown server. Returns -1. */
int render_params_unknown(const char *server, struct ctx_err *err);

/* Sets what the model accepts, as far as the model table is certain. */
int render_params_facts(struct ctx_render_options *how, struct ctx_err *err);

/* Checks that the parameters have the members that a body needs. If one is missing,
 * CTX_EANSWER for parameters from file; without a file (NULL) only a note, since the
 * body may be completed later. */
int render_params_check(
    const struct ctx_render_options *how, const char *file, struct ctx_err *err);

#endif
