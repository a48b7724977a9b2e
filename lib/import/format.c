/* The formats: built in, or files of the user's. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "import/import.h"

#define PROGRAM_MAX ((size_t)1 << 20)

static const char common_jq[] = {
#include "import/common.jq.inc"
};
static const char anthropic_jq[] = {
#include "import/anthropic.jq.inc"
};
static const char auto_jq[] = {
#include "import/auto.jq.inc"
};
static const char chatgpt_jq[] = {
#include "import/chatgpt.jq.inc"
};
static const char claude_ai_jq[] = {
#include "import/claude-ai.jq.inc"
};
static const char claude_code_jq[] = {
#include "import/claude-code.jq.inc"
};
static const char codex_jq[] = {
#include "import/codex.jq.inc"
};
static const char gemini_jq[] = {
#include "import/gemini.jq.inc"
};
static const char gemini_cli_jq[] = {
#include "import/gemini-cli.jq.inc"
};
static const char goose_jq[] = {
#include "import/goose.jq.inc"
};
static const char goose_sql[] = {
#include "import/goose.sql.inc"
};
static const char llm_jq[] = {
#include "import/llm.jq.inc"
};
static const char openai_jq[] = {
#include "import/openai.jq.inc"
};
static const char pi_jq[] = {
#include "import/pi.jq.inc"
};
static const char qa_jq[] = {
#include "import/qa.jq.inc"
};
static const char responses_jq[] = {
#include "import/responses.jq.inc"
};
static const char sharegpt_jq[] = {
#include "import/sharegpt.jq.inc"
};
static const char swe_agent_jq[] = {
#include "import/swe-agent.jq.inc"
};

const char *const ctx_import_formats[] = {"anthropic", "auto", "chatgpt", "claude-ai",
    "claude-code", "codex", "gemini", "gemini-cli", "goose", "llm", "openai", "pi", "qa",
    "responses", "sharegpt", "swe-agent", NULL};
static const char *const programs[] = {anthropic_jq, auto_jq, chatgpt_jq, claude_ai_jq,
    claude_code_jq, codex_jq, gemini_jq, gemini_cli_jq, goose_jq, llm_jq, openai_jq,
    pi_jq, qa_jq, responses_jq, sharegpt_jq, swe_agent_jq};

/* Formats that are kept in databases, and how their rows become values. */
static const struct {
	const char *format, *script;
} scripts[] = {{"goose", goose_sql}, {NULL, NULL}};

/* Append the file FORMAT.ENDING of the first directory that has one: 1, 0 when none has. */
static int
read_users(struct ctx_buf *out, const char *format, const char *ending,
    const char *const dirs[], struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = 0;

	if (strchr(format, '/') != NULL || format[0] == '.' || format[0] == '\0')
		return ctx_err_set(
		    err, CTX_EUSAGE, "'%s' is not a name of a format", format);
	for (size_t i = 0; rc == 0 && dirs[i] != NULL; i++) {
		ctx_buf_reset(&path);
		ctx_buf_addf(&path, "%s/%s.%s", dirs[i], format, ending);
		if (access(path.p, F_OK) == 0)
			rc = ctx_io_read_found(path.p, out, PROGRAM_MAX, err) < 0 ? -1
										  : 1;
		else if (errno != ENOENT && errno != ENOTDIR)
			rc = ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path.p);
	}
	ctx_buf_release(&path);
	return rc;
}

int
ctx_import_program(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err)
{
	int rc;

	ctx_buf_adds(out, common_jq);
	rc = read_users(out, format, "jq", dirs, err);
	for (size_t i = 0; rc == 0 && ctx_import_formats[i] != NULL; i++)
		if (strcmp(ctx_import_formats[i], format) == 0) {
			ctx_buf_adds(out, programs[i]);
			return 0;
		}
	if (rc == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown format '%s' (--formats lists them)", format);
	return rc < 0 ? -1 : 0;
}

int
ctx_import_script(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err)
{
	int rc = read_users(out, format, "sql", dirs, err);

	for (size_t i = 0; rc == 0 && scripts[i].format != NULL; i++)
		if (strcmp(scripts[i].format, format) == 0) {
			ctx_buf_adds(out, scripts[i].script);
			rc = 1;
		}
	if (rc == 0)
		return ctx_err_set(
		    err, CTX_EINPUT, "format '%s' is not one of databases", format);
	return rc < 0 ? -1 : 0;
}
