/* The database of the tool llm (logs.db), read only: tables of versions up to 0.31
 * (responses, tool_calls, tool_results) and from 0.32 on (threads, messages, parts), as
 * its documentation, "Logging to SQLite", describes them. */
#ifndef CTX_STORE_LLM_H
#define CTX_STORE_LLM_H

#include "base/buf.h"
#include "base/err.h"

/* Called with one JSON object for each answer of the older tables, in the order of their
 * making, then for each message of each thread: conversation {id, name, model}, time, and
 * response {…} or message {hash, role, parts [{type, text, name, payload}]}. Threads that
 * the older tables hold too come once, from the newer. Return -1 with err set to stop. */
typedef int ctx_llm_fn(void *arg, struct ctx_span json, struct ctx_err *err);

/* CTX_EIO when the file cannot be read, CTX_EINPUT when it is no such database. */
int ctx_llm_read(const char *path, ctx_llm_fn *fn, void *arg, struct ctx_err *err);

#endif
