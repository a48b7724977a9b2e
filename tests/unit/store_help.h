/* A store in a temporary directory, and sessions with plain texts in this store. */
#ifndef CTX_TEST_STORE_HELP_H
#define CTX_TEST_STORE_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/message.h"
#include "store/store.h"

static char store_dir[] = "/tmp/ctx-test-XXXXXX";
static char store_path[64];

static inline void
store_must(int rc, const struct ctx_err *err)
{
	if (rc < 0) {
		printf("Bail out! %s\n", err->msg);
		exit(1);
	}
}

static inline struct ctx_store *
store_open(void)
{
	struct ctx_store_options o = {
	    .path = store_path, .busy_ms = 1000, .sync = CTX_SYNC_OFF, .create = true};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_store *st;

	if (store_path[0] == '\0') {
		if (mkdtemp(store_dir) == NULL)
			exit(1);
		snprintf(store_path, sizeof(store_path), "%s/ctx.db", store_dir);
	}
	store_must(ctx_store_open(&st, &o, &err), &err);
	return st;
}

static inline void
store_remove(void)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-lock", "-derived",
	    "-derived-wal", "-derived-shm", "-derived-lock"};
	char path[128];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", store_path, ends[i]);
		unlink(path);
	}
	rmdir(store_dir);
}

/* Call inside a write transaction. */
static inline void
store_session(struct ctx_store *st, struct ctx_session *s, const char *id)
{
	struct ctx_err err = CTX_ERR_INIT;

	ctx_session_init(s);
	s->session_id = ctx_mem_str(id);
	s->created_at = s->updated_at = 0;
	store_must(ctx_store_session_create(st, s, &err), &err);
}

/* Call inside a write transaction. After the last call, store the session's counters. */
static inline void
store_say(struct ctx_store *st, struct ctx_session *s, enum ctx_role role,
    const char *name, const char *text, int64_t at)
{
	struct ctx_buf json = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_stored m = {.role = role,
	    .type = role == CTX_ROLE_ASSISTANT,
	    .created_at = at,
	    .token_count = 1,
	    .tokenizer = "approx",
	    .starts_turn = role == CTX_ROLE_USER};

	ctx_json_put_open(&json, '{');
	ctx_json_add_str(&json, "role", ctx_role_name(role));
	ctx_json_add_str(&json, "name", name);
	ctx_json_add_str(&json, "content", text);
	ctx_json_put_close(&json, '}');
	m.message = ctx_buf_span(&json);
	store_must(ctx_store_append(st, s, &m, &err), &err);
	ctx_buf_release(&json);
}

#endif
