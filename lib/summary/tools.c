/* The tools of common agents by name, and what a call of them does. */
#include "summary/doc.h"

#include <string.h>

#include "json/json.h"

static const struct {
	const char *name;
	enum ctx_tool_kind kind;
} tools[] = {
    /* Claude Code */
    {"Read", CTX_TOOL_READ},
    {"NotebookRead", CTX_TOOL_READ},
    {"Edit", CTX_TOOL_EDIT},
    {"MultiEdit", CTX_TOOL_EDIT},
    {"NotebookEdit", CTX_TOOL_EDIT},
    {"Write", CTX_TOOL_WRITE},
    {"Bash", CTX_TOOL_SHELL},
    {"Grep", CTX_TOOL_SEARCH},
    {"Glob", CTX_TOOL_SEARCH},
    {"WebSearch", CTX_TOOL_SEARCH},
    {"LS", CTX_TOOL_LIST},
    {"WebFetch", CTX_TOOL_FETCH},
    {"Task", CTX_TOOL_TASK},
    {"Agent", CTX_TOOL_TASK},
    {"TodoWrite", CTX_TOOL_TODO},
    /* Codex */
    {"shell", CTX_TOOL_SHELL},
    {"local_shell", CTX_TOOL_SHELL},
    {"shell_command", CTX_TOOL_SHELL},
    {"exec_command", CTX_TOOL_SHELL},
    {"container.exec", CTX_TOOL_SHELL},
    {"apply_patch", CTX_TOOL_PATCH},
    {"update_plan", CTX_TOOL_TODO},
    {"view_image", CTX_TOOL_READ},
    /* Gemini CLI, Qwen Code */
    {"read_file", CTX_TOOL_READ},
    {"read_many_files", CTX_TOOL_READ},
    {"write_file", CTX_TOOL_WRITE},
    {"replace", CTX_TOOL_EDIT},
    {"run_shell_command", CTX_TOOL_SHELL},
    {"search_file_content", CTX_TOOL_SEARCH},
    {"grep_search", CTX_TOOL_SEARCH},
    {"google_web_search", CTX_TOOL_SEARCH},
    {"list_directory", CTX_TOOL_LIST},
    {"web_fetch", CTX_TOOL_FETCH},
    {"write_todos", CTX_TOOL_TODO},
    /* opencode, pi */
    {"read", CTX_TOOL_READ},
    {"write", CTX_TOOL_WRITE},
    {"edit", CTX_TOOL_EDIT},
    {"multiedit", CTX_TOOL_EDIT},
    {"patch", CTX_TOOL_PATCH},
    {"bash", CTX_TOOL_SHELL},
    {"grep", CTX_TOOL_SEARCH},
    {"glob", CTX_TOOL_SEARCH},
    {"find", CTX_TOOL_SEARCH},
    {"websearch", CTX_TOOL_SEARCH},
    {"list", CTX_TOOL_LIST},
    {"ls", CTX_TOOL_LIST},
    {"webfetch", CTX_TOOL_FETCH},
    {"task", CTX_TOOL_TASK},
    {"todowrite", CTX_TOOL_TODO},
    /* SWE-agent */
    {"open", CTX_TOOL_READ},
    {"view", CTX_TOOL_READ},
    {"create", CTX_TOOL_WRITE},
    {"insert", CTX_TOOL_EDIT},
    {"str_replace_editor", CTX_TOOL_EDIT},
    {"find_file", CTX_TOOL_SEARCH},
    {"search_dir", CTX_TOOL_SEARCH},
    {"search_file", CTX_TOOL_SEARCH},
    /* Cline, OpenHands, OpenAI-style functions */
    {"str_replace_based_edit_tool", CTX_TOOL_EDIT},
    {"replace_in_file", CTX_TOOL_EDIT},
    {"edit_file", CTX_TOOL_EDIT},
    {"write_to_file", CTX_TOOL_WRITE},
    {"create_file", CTX_TOOL_WRITE},
    {"open_file", CTX_TOOL_READ},
    {"view_file", CTX_TOOL_READ},
    {"execute_command", CTX_TOOL_SHELL},
    {"execute_bash", CTX_TOOL_SHELL},
    {"run_command", CTX_TOOL_SHELL},
    {"run_in_terminal", CTX_TOOL_SHELL},
    {"terminal", CTX_TOOL_SHELL},
    {"python", CTX_TOOL_SHELL},
    {"code_interpreter", CTX_TOOL_SHELL},
    {"run_commands", CTX_TOOL_SHELL},
    {"editor", CTX_TOOL_EDIT},
    {"read_files", CTX_TOOL_READ},
    {"read_many_files", CTX_TOOL_READ},
    {"search_files", CTX_TOOL_SEARCH},
    {"search_code", CTX_TOOL_SEARCH},
    {"codebase_search", CTX_TOOL_SEARCH},
    {"file_search", CTX_TOOL_SEARCH},
    {"web_search", CTX_TOOL_SEARCH},
    {"list_files", CTX_TOOL_LIST},
    {"list_dir", CTX_TOOL_LIST},
    {"fetch", CTX_TOOL_FETCH},
    {"update_todo_list", CTX_TOOL_TODO},
    {"think", CTX_TOOL_THINK},
    {"sequentialthinking", CTX_TOOL_THINK},
};

/* The members that tell what a call is about; the first one present is used. */
static const char *const keys[CTX_TOOL_KINDS][8] = {
    [CTX_TOOL_READ] = {NULL},
    [CTX_TOOL_SHELL] = {"command", "cmd", "commands", "code", "input", "script"},
    [CTX_TOOL_SEARCH] = {"pattern", "query", "search_term", "regex", "file_name", "q"},
    [CTX_TOOL_FETCH] = {"url", "prompt"},
    [CTX_TOOL_TASK] = {"description", "prompt", "task"},
};

static const char *const path_keys[] = {"file_path", "filePath", "absolute_path", "path",
    "notebook_path", "filename", "file_name", "file", "dir_path", "paths", "files"};

static enum ctx_tool_kind
find_subcommand(struct ctx_span args)
{
	struct ctx_span c = ctx_json_get(args, "command");

	return ctx_json_is(c, "view")     ? CTX_TOOL_READ
	       : ctx_json_is(c, "create") ? CTX_TOOL_WRITE
					  : CTX_TOOL_EDIT;
}

enum ctx_tool_kind
ctx_tool_find(struct ctx_span name, struct ctx_span args)
{
	enum ctx_tool_kind kind = CTX_TOOL_OTHER;

	if (name.n > 10 && memcmp(name.p, "functions.", 10) == 0)
		name = (struct ctx_span){name.p + 10, name.n - 10};
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (ctx_span_is(name, tools[i].name))
			kind = tools[i].kind;
	if (kind == CTX_TOOL_EDIT && name.n > 12 &&
	    memcmp(name.p, "str_replace_", 12) == 0)
		kind = find_subcommand(args);
	return kind;
}

bool
ctx_tool_changes(enum ctx_tool_kind kind)
{
	return kind == CTX_TOOL_EDIT || kind == CTX_TOOL_WRITE || kind == CTX_TOOL_PATCH;
}

bool
ctx_tool_looks_up(struct ctx_span name)
{
	static const char *const verbs[] = {"get", "list", "search", "find", "read",
	    "fetch", "lookup", "look", "view", "show", "query", "check", "calculate",
	    "think"};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		size_t n = strlen(verbs[i]);
		if (name.n > n && memcmp(name.p, verbs[i], n) == 0 &&
		    !(name.p[n] >= 'a' && name.p[n] <= 'z'))
			return true;
	}
	return false;
}

struct ctx_span
ctx_tool_path(struct ctx_span args, struct ctx_buf *tmp)
{
	struct ctx_span v;

	for (size_t i = 0; i < sizeof(path_keys) / sizeof(path_keys[0]); i++) {
		v = ctx_json_get(args, path_keys[i]);
		if (ctx_json_type(v) == CTX_JSON_ARRAY)
			v = ctx_json_first(v);
		if (ctx_json_type(v) == CTX_JSON_OBJECT)
			v = ctx_json_get(v, "path");
		if (ctx_json_type(v) == CTX_JSON_STRING)
			return ctx_json_text(v, tmp);
	}
	return CTX_SPAN_NONE;
}

/* Appends the files of a patch: "*** Update File: lib/a.c", "+++ b/lib/a.c". */
static bool
put_patched(struct ctx_buf *b, struct ctx_span patch)
{
	static const char *const leads[] = {
	    "*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"};
	struct ctx_span line;
	size_t files = 0;

	while (ctx_summary_line(&patch, &line)) {
		for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
			size_t n = strlen(leads[i]);
			if (line.n <= n || memcmp(line.p, leads[i], n) != 0)
				continue;
			ctx_buf_adds(b, files++ > 0 ? ", " : "");
			ctx_doc_add_code(
			    b, (struct ctx_span){line.p + n, line.n - n}, 160);
		}
	}
	return files > 0;
}

#define COMMAND_MAX 120 /* bytes of a command that are printed */

/* Appends a command; ["bash","-lc","ls"] becomes "ls". */
static bool
put_command(struct ctx_buf *b, struct ctx_span v, struct ctx_buf *tmp)
{
	struct ctx_buf line = CTX_BUF_INIT;
	struct ctx_err ignored;
	struct ctx_span word;
	bool ok;

	if (ctx_json_type(v) == CTX_JSON_STRING) {
		word = ctx_json_text(v, tmp);
		/* arguments that are JSON inside JSON */
		if (word.n > 0 && word.p[0] == '{' &&
		    ctx_json_check(word, NULL, NULL, &ignored) == 0) {
			ctx_buf_addspan(&line, word);
			v = ctx_json_get(ctx_buf_span(&line), "command");
			ok = v.p != NULL && put_command(b, v, tmp);
			ctx_buf_release(&line);
			return ok;
		}
		ctx_buf_addspan(&line, word);
	} else {
		CTX_JSON_EACH(it, v) {
			word = ctx_json_text(it.value, tmp);
			if (word.n > 1 && word.p[0] == '-' && word.p[word.n - 1] == 'c')
				ctx_buf_reset(&line);
			else if (word.p != NULL) {
				ctx_buf_adds(&line, line.n > 0 ? " " : "");
				ctx_buf_addspan(&line, word);
			}
		}
	}
	if (line.n > 0)
		ctx_doc_add_code(b, ctx_buf_span(&line), COMMAND_MAX);
	ctx_buf_release(&line);
	return b->n > 0;
}

static bool
put_patch(struct ctx_buf *b, struct ctx_span args, struct ctx_buf *tmp)
{
	static const char *const names[] = {"input", "patchText", "patch", "diff"};
	struct ctx_span v;

	if (ctx_json_type(args) != CTX_JSON_OBJECT)
		return put_patched(b, args);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		v = ctx_json_get(args, names[i]);
		if (v.p != NULL)
			return put_patched(b, ctx_json_text(v, tmp));
	}
	return false;
}

static bool
put_tool_object(struct ctx_buf *b, enum ctx_tool_kind kind, struct ctx_span args,
    struct ctx_span path)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span v = CTX_SPAN_NONE;
	bool done = kind == CTX_TOOL_TODO;

	for (size_t i = 0; v.p == NULL && i < 8 && keys[kind][i] != NULL; i++)
		v = ctx_json_get(args, keys[kind][i]);
	if (kind == CTX_TOOL_PATCH)
		done = put_patch(b, args, &tmp);
	else if (kind == CTX_TOOL_SHELL && v.p != NULL)
		done = put_command(b, v, &tmp);
	else if (v.p != NULL && (v = ctx_json_text(v, &tmp)).n > 0) {
		if (kind == CTX_TOOL_TASK)
			ctx_doc_add_quoted(b, v, COMMAND_MAX);
		else
			ctx_doc_add_code(b, v, COMMAND_MAX);
		done = true;
	} else if (!done && kind != CTX_TOOL_SHELL && kind != CTX_TOOL_TASK &&
		   path.n > 0) {
		ctx_doc_add_code(b, path, 240);
		done = true;
	}
	ctx_buf_release(&tmp);
	return done;
}

#define ARGUMENTS_MAX 8
#define VALUE_MAX 64

/* Appends the short arguments with their names. */
static void
put_arguments(struct ctx_buf *b, struct ctx_span args)
{
	struct ctx_buf value = CTX_BUF_INIT, tmp = CTX_BUF_INIT;
	size_t n = 0;

	CTX_JSON_EACH_WHILE(n < ARGUMENTS_MAX, it, args) {
		ctx_buf_reset(&value);
		ctx_doc_add_value(&value, it.value, VALUE_MAX);
		if (value.n == 0)
			continue;
		ctx_buf_adds(b, n++ > 0 ? ", " : "");
		if (it.object) {
			ctx_doc_add_line(b, ctx_json_text(it.key, &tmp));
			ctx_buf_addc(b, ' ');
		}
		ctx_buf_addspan(b, ctx_buf_span(&value));
	}
	ctx_buf_release(&value);
	ctx_buf_release(&tmp);
}

static bool
is_plain_tool_name(struct ctx_span name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] <= ' ' || strchr("()[]`\"';,", name.p[i]) != NULL)
			return false;
	return name.n > 0;
}

void
ctx_tool_put(struct ctx_buf *b, enum ctx_tool_kind kind, struct ctx_span name,
    struct ctx_span args, struct ctx_span path)
{
	if (kind != CTX_TOOL_OTHER && put_tool_object(b, kind, args, path))
		return;
	if (is_plain_tool_name(name))
		ctx_buf_addspan(b, name);
	else
		ctx_doc_add_code(b, name, 120);
	ctx_buf_addc(b, '(');
	put_arguments(b, args);
	ctx_buf_addc(b, ')');
}
