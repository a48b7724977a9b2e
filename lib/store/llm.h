/* Reads the database of the tool llm (logs.db): the tables of versions up to 0.31
 * (responses, tool_calls, tool_results) and from 0.32 on (threads, messages, parts),
 * described in its documentation under "Logging to SQLite". */
#ifndef CTX_STORE_LLM_H
#define CTX_STORE_LLM_H

#include "base/buf.h"
#include "base/err.h"
#include "store/foreign.h"

struct ctx_llm_sink {
	/* Called with one JSON object for each answer of the older tables, in order of
	 * creation, then for each message of each thread. Members: conversation {id,
	 * name, model}, time, and response {…} or message {hash, role, parts [{type,
	 * text, name, payload}]}. A thread found in both kinds of tables is read from the
	 * newer ones only. Returns -1 with err set to stop. */
	ctx_foreign_fn *row;
	/* Called with CTX_EINPUT in err for a row that cannot be read (value too long, a
	 * BLOB, a cycle of messages); reading continues with the next row. Returns -1 to
	 * stop. */
	int (*bad)(void *arg, struct ctx_err *err);
	void *arg;
};

/* CTX_EINPUT when the file is not such a database or its tables are damaged. */
int ctx_llm_read(
    struct ctx_foreign *f, const struct ctx_llm_sink *to, struct ctx_err *err);

#endif
