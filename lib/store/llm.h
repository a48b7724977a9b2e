/* The database of the tool llm (logs.db), read only: tables of versions up to 0.31
 * (responses, tool_calls, tool_results) and from 0.32 on (threads, messages, parts), as
 * its documentation, "Logging to SQLite", describes them. */
#ifndef CTX_STORE_LLM_H
#define CTX_STORE_LLM_H

#include "base/buf.h"
#include "base/err.h"
#include "store/foreign.h"

struct ctx_llm_sink {
	/* Called with one JSON object for each answer of the older tables, in the order of
	 * their making, then for each message of each thread: conversation {id, name,
	 * model}, time, and response {…} or message {hash, role, parts [{type, text, name,
	 * payload}]}. Threads that the older tables hold too come once, from the newer.
	 * Returns -1 with err set to stop. */
	ctx_foreign_fn *row;
	/* Called with CTX_EINPUT in err for a row that cannot be read (a value that is too
	 * long, a BLOB, a circle of messages); the others go on. Returns -1 to stop. */
	int (*bad)(void *arg, struct ctx_err *err);
	void *arg;
};

/* CTX_EINPUT when it is not such a database or its tables are damaged. */
int ctx_llm_read(
    struct ctx_foreign *f, const struct ctx_llm_sink *to, struct ctx_err *err);

#endif
