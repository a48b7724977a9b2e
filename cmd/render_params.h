/* ctx-render: the parameters of a request. */
#ifndef CTX_CMD_RENDER_PARAMS_H
#define CTX_CMD_RENDER_PARAMS_H

#include "cli.h"
#include "model/model.h"
#include "render/render.h"

/* With --fix: how->params without what the model or the API refuses, in text, which the
 * caller owns. Notes say what was changed. CTX_EANSWER if an error is left. */
int render_params_fix(
    struct ctx_render_options *how, struct ctx_buf *text, struct ctx_err *err);

/* Finds the model that the parameters name: 1 and *m, which borrows from models; 0 if they
 * name none, or the table has no row for it; -1. */
int render_params_model(const struct ctx_render_options *how, struct ctx_buf *models,
    struct ctx_model *m, struct ctx_err *err);

/* Sets the server: that with the name (given: on the command line) or, without one, that of the model. A request that goes
 * out again (replay) has that of its record, sent. CTX_EUSAGE for an unknown name, or one
 * that does not speak the provider's API. */
int render_params_server(struct ctx_render_options *how, const char *name, bool given,
    bool replay, const char *sent, struct ctx_err *err);

/* The error of a server that is not known; -1. */
int render_params_unknown(const char *server, struct ctx_err *err);

/* Sets what the model takes, as far as the table is sure of it. */
int render_params_facts(struct ctx_render_options *how, struct ctx_err *err);

/* Members that a body must have. Parameters from file (NULL: none were given) that lack one
 * are CTX_EANSWER; without a file a note says so, since the body may be completed later. */
int render_params_check(
    const struct ctx_render_options *how, const char *file, struct ctx_err *err);

#endif
