/* The tools of common agents by name, and what a call of them does. */
#include "summary/doc.h"

#include <stdio.h>
#include <string.h>

#include "json/json.h"

/* Tools of Claude Code, Codex, Gemini CLI, Qwen Code, opencode, pi, SWE-agent, Cline and
 * OpenHands, and usual names of functions. */
static const char *const tools[CTX_TOOL_KINDS + 1] = {
    [CTX_TOOL_OTHER] = "",
    [CTX_TOOL_READ] = "Read|NotebookRead|view_image|read_file|read_many_files|read|open|"
		      "view|open_file|view_file|read_files",
    [CTX_TOOL_EDIT] = "Edit|MultiEdit|NotebookEdit|replace|edit|multiedit|insert|"
		      "str_replace_editor|str_replace_based_edit_tool|replace_in_file|"
		      "edit_file|editor",
    [CTX_TOOL_WRITE] = "Write|write_file|write|create|write_to_file|create_file",
    [CTX_TOOL_PATCH] = "apply_patch|patch",
    [CTX_TOOL_SHELL] = "Bash|shell|local_shell|shell_command|exec_command|container.exec|"
		       "run_shell_command|bash|execute_command|execute_bash|run_command|"
		       "run_in_terminal|terminal|python|code_interpreter|run_commands",
    [CTX_TOOL_SEARCH] =
	"Grep|Glob|WebSearch|search_file_content|grep_search|"
	"google_web_search|grep|glob|find|websearch|find_file|search_dir|"
	"search_file|search_files|search_code|codebase_search|file_search|"
	"web_search",
    [CTX_TOOL_LIST] = "LS|list_directory|list|ls|list_files|list_dir",
    [CTX_TOOL_FETCH] = "WebFetch|web_fetch|webfetch|fetch",
    [CTX_TOOL_TASK] = "Task|Agent|task",
    [CTX_TOOL_TODO] = "TodoWrite|update_plan|write_todos|todowrite|update_todo_list",
    [CTX_TOOL_THINK] = "think|sequentialthinking",
};

/* The members that tell what a call is about; the first one present is used. */
static const char *const keys[CTX_TOOL_KINDS] = {
    [CTX_TOOL_PATCH] = "input|patchText|patch|diff",
    [CTX_TOOL_SHELL] = "command|cmd|commands|code|input|script",
    [CTX_TOOL_SEARCH] = "pattern|query|search_term|regex|file_name|q",
    [CTX_TOOL_FETCH] = "url|prompt",
    [CTX_TOOL_TASK] = "description|prompt|task",
};

static struct ctx_span
get_member(struct ctx_span object, struct ctx_span key)
{
	char name[24];

	snprintf(name, sizeof(name), "%.*s", (int)key.n, key.p);
	return ctx_json_get(object, name);
}

struct ctx_span
ctx_doc_get_first(struct ctx_span object, const char *list)
{
	struct ctx_span v = CTX_SPAN_NONE, key;

	while (v.p == NULL && ctx_list_next(&list, &key))
		v = get_member(object, key);
	return v;
}

struct ctx_span
ctx_doc_get_text(struct ctx_span object, const char *list, struct ctx_buf *tmp)
{
	struct ctx_span text = CTX_SPAN_NONE, key;

	while (text.n == 0 && ctx_list_next(&list, &key))
		text = ctx_json_text(get_member(object, key), tmp);
	return text;
}

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

	if (ctx_span_begins(name, "functions."))
		name = ctx_span_from(name, 10);
	while (kind < CTX_TOOL_THINK && !ctx_span_is_any(name, tools[kind]))
		kind++;
	if (kind == CTX_TOOL_THINK && !ctx_span_is_any(name, tools[kind]))
		return CTX_TOOL_OTHER;
	return ctx_span_begins(name, "str_replace_") ? find_subcommand(args) : kind;
}

bool
ctx_tool_changes(enum ctx_tool_kind kind)
{
	return kind == CTX_TOOL_EDIT || kind == CTX_TOOL_WRITE || kind == CTX_TOOL_PATCH;
}

bool
ctx_tool_looks_up(struct ctx_span name)
{
	size_t n = ctx_span_begins_any(name,
	    "get|list|search|find|read|fetch|lookup|look|view|show|query|check|calculate|"
	    "think");

	return n > 0 && name.n > n && !ctx_is_lower(name.p[n]);
}

struct ctx_span
ctx_tool_path(struct ctx_span args, struct ctx_buf *tmp)
{
	const char *list = "file_path|filePath|absolute_path|path|notebook_path|filename|"
			   "file_name|file|dir_path|paths|files";
	struct ctx_span v, key;

	while (ctx_list_next(&list, &key)) {
		v = get_member(args, key);
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
	struct ctx_span line;
	size_t files = 0, n;

	while (ctx_summary_line(&patch, &line)) {
		n = ctx_span_begins_any(
		    line, "*** Update File: |*** Add File: |*** Delete File: |+++ b/");
		if (n == 0 || n == line.n)
			continue;
		ctx_buf_adds(b, files++ > 0 ? ", " : "");
		ctx_doc_add_code(b, ctx_span_from(line, n), 160);
	}
	return files > 0;
}

#define COMMAND_MAX 120 /* bytes of a command that are printed */

/* Appends a command; ["bash","-lc","ls"] becomes "ls". */
static bool
put_command(struct ctx_buf *b, struct ctx_span v, struct ctx_buf *tmp)
{
	struct ctx_buf line = CTX_BUF_INIT;
	struct ctx_span word;
	bool ok;

	if (ctx_json_type(v) == CTX_JSON_STRING) {
		word = ctx_json_text(v, tmp);
		/* arguments that are JSON inside JSON */
		if (ctx_span_begins(word, "{") && ctx_summary_is_json(word)) {
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
put_tool_object(struct ctx_buf *b, enum ctx_tool_kind kind, struct ctx_span args,
    struct ctx_span path)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span v = CTX_SPAN_NONE;
	bool done = kind == CTX_TOOL_TODO;

	if (keys[kind] != NULL)
		v = ctx_doc_get_first(args, keys[kind]);
	if (kind == CTX_TOOL_PATCH)
		done = put_patched(b, v.p != NULL ? ctx_json_text(v, &tmp)
				      : ctx_json_type(args) == CTX_JSON_OBJECT
					  ? CTX_SPAN_NONE
					  : args);
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
