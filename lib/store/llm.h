/* Reads the database of the command-line tool llm (logs.db): the tables of versions up to
 * 0.31 (responses, tool_calls, tool_results), and the tables of versions from 0.32 on
 * (threads, messages, parts). Source: the documentation of llm, "Logging to SQLite". */
#ifndef CTX_STORE_LLM_H
#define CTX_STORE_LLM_H

#include "base/buf.h"
#include "base/err.h"
#include "store/foreign.h"

struct ctx_llm_sink {
	/* Called with one JSON object for each answer in the older tables, in order of
	 * creation, and then for each message of each thread in the newer tables. A
	 * thread that is in the older and in the newer tables is read from the newer
	 * tables only. To stop, the function sets err and returns -1. Members of the
	 * object: conversation {id, name, model}; time; and response {...} (older tables)
	 * or message {hash, role, parts [{type, text, name, payload}]} (newer tables). */
	ctx_foreign_fn *row;
	/* Called for a row that cannot be read; *err says why, with the code CTX_EINPUT.
	 * (A value is too long or is a BLOB, or the messages of a thread form a cycle.)
	 * To stop, the function returns -1; otherwise reading continues with the next
	 * row. */
	int (*bad)(void *arg, struct ctx_err *err);
	void *arg;
};

/* Reads the whole database. Fails with CTX_EINPUT if the file is not a database of the
 * tool llm, or if its tables are damaged. */
int ctx_llm_read(
    struct ctx_foreign *f, const struct ctx_llm_sink *to, struct ctx_err *err);

#endif
