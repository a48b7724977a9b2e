/* The providers, in the order in which help texts and pages list them. A new one is a line
 * here and a folder lib/provider/NAME, which defines
 *   ctx_provider_NAME  what its API takes, as data (provider/provider.h)
 *   ctx_answer_NAME    how its answers are read (answer/internal.h)
 *   ctx_render_NAME    how its bodies are made (render/internal.h)
 *   ctx_lint_NAME      how its bodies are judged (lint/doc.h)
 * A command links only those that it uses. */
#ifndef CTX_PROVIDER_LIST_H
#define CTX_PROVIDER_LIST_H

#define CTX_PROVIDERS(ROW)        \
	ROW(OPENAI, openai)       \
	ROW(ANTHROPIC, anthropic) \
	ROW(GEMINI, gemini)       \
	ROW(RESPONSES, responses) \
	ROW(INTERACTIONS, interactions)

#endif
