/* The providers, in the order of help texts and manual pages. To add one, add a line here
 * and a directory lib/provider/NAME that defines
 *   ctx_provider_NAME  what its API accepts, as data (provider/provider.h)
 *   ctx_answer_NAME    how its answers are read (answer/internal.h)
 *   ctx_render_NAME    how its bodies are rendered (render/internal.h)
 *   ctx_lint_NAME      how its bodies are checked and repaired (lint/doc.h)
 * A command links only the tables that it uses. */
#ifndef CTX_PROVIDER_LIST_H
#define CTX_PROVIDER_LIST_H

#define CTX_PROVIDERS(ROW)        \
	ROW(OPENAI, openai)       \
	ROW(ANTHROPIC, anthropic) \
	ROW(GEMINI, gemini)       \
	ROW(RESPONSES, responses) \
	ROW(INTERACTIONS, interactions)

#endif
