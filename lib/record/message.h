/* The inside of a message: one view over OpenAI's shape (tool_calls, role "tool") and
 * Anthropic's (blocks in content), so that no other layer looks at either. */
#ifndef CTX_RECORD_MESSAGE_H
#define CTX_RECORD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum ctx_role {
	CTX_ROLE_SYSTEM,
	CTX_ROLE_DEVELOPER,
	CTX_ROLE_USER,
	CTX_ROLE_ASSISTANT,
	CTX_ROLE_TOOL,
};

enum ctx_part_type {
	CTX_PART_TEXT,
	CTX_PART_TOOL_CALL,
	CTX_PART_TOOL_RESULT,
	CTX_PART_IMAGE,
	CTX_PART_THINKING, /* thinking or redacted_thinking, signed by the provider */
	CTX_PART_OTHER,    /* documents, audio, files, provider-run tools, … */
};

/* One part of a message, in order of appearance. All spans borrow from the message. */
struct ctx_part {
	enum ctx_part_type type;
	struct ctx_span
	    raw; /* JSON: the block, the tool_calls element, or a content string */
	struct ctx_span id;   /* JSON string: id of the call, or of the call answered */
	struct ctx_span name; /* JSON string: name of the tool called */
	/* TEXT, THINKING: JSON string. TOOL_CALL: the arguments, a JSON object (Anthropic) or
	 * a JSON string that holds JSON (OpenAI) or free text (OpenAI custom tools).
	 * TOOL_RESULT: the content, a JSON string or an array of blocks, or absent.
	 * IMAGE: OpenAI's image_url (an object or a string) or Anthropic's source object; absent
	 * for MCP's shape, whose data stands in the block. */
	struct ctx_span body;
	bool error;  /* TOOL_RESULT: is_error was true */
	bool custom; /* TOOL_CALL: an OpenAI custom tool, whose input is free text */
	bool openai; /* written in OpenAI's shape */
	bool stray;  /* OTHER: a content of a wrong type, or a function_call: no block */
};

struct ctx_message {
	struct ctx_span json; /* the whole message */
	enum ctx_role role;
	struct ctx_span
	    name; /* JSON string: OpenAI's name of the speaker; may be absent */
	struct ctx_part *parts;
	size_t n, cap;
};

#define CTX_MESSAGE_INIT                                        \
	{                                                       \
		{NULL, 0}, CTX_ROLE_USER, {NULL, 0}, NULL, 0, 0 \
	}

/* Parse checked JSON. m may be one used before: its array is used again. CTX_EINPUT for
 * a value that is no object or has no role, or one that is none of system, developer,
 * user, assistant, tool. m borrows from json. */
int ctx_message_parse(struct ctx_message *m, struct ctx_span json, struct ctx_err *err);
void ctx_message_release(struct ctx_message *m);

/* Only a content, a JSON string or an array of blocks (of a tool result, of a message),
 * as the parts of a user message without json. m borrows from content. */
void ctx_message_parse_content(struct ctx_message *m, struct ctx_span content);

const char *ctx_role_name(enum ctx_role role);
/* -1 when it is none; s is a JSON string. */
int ctx_role_parse(struct ctx_span s);

/* The definition that an addition of a tool brings along, {"name","description",
 * "input_schema"}: the member tool_definition of a system message. Absent where there is
 * none. */
struct ctx_span ctx_message_tool(const struct ctx_message *m);

/* How many parts of the type. */
size_t ctx_message_count(const struct ctx_message *m, enum ctx_part_type type);

/* Is the value not a string, or one of white space alone (Unicode's), which providers refuse
 * and rendering leaves out? */
bool ctx_message_blank(struct ctx_span string);

/* Does it begin a turn: a user message that says something and carries no tool result? */
bool ctx_message_starts_turn(const struct ctx_message *m);

/* Whose words it holds, bits 1 << enum ctx_role: that of its role; of a user message that
 * brings tool results the tool's, and the user's only where it says something, too. */
unsigned ctx_message_roles(const struct ctx_message *m);

/* Whose a message is for a reader: the tool's if it holds only results, which some providers
 * have come as the user's. */
enum ctx_role ctx_message_shown_role(const struct ctx_message *m);

/* Append a message without texts that forms the same groups and turns: the role, calls and
 * results by id, and a word where it begins a turn. In Anthropic's shape, where it is the
 * user who brings results. */
void ctx_message_skeleton(const struct ctx_message *m, struct ctx_buf *out);

/* Append the human-readable text of the message: text parts, and text inside tool
 * results, with a newline between parts; no thinking, no arguments. */
void ctx_message_text(const struct ctx_message *m, struct ctx_buf *out);

/* Append the text of a tool result's content (or of any string-or-blocks value): text
 * blocks joined by newlines; blocks that are no text become "[image]" and the like. */
void ctx_content_text(struct ctx_span content, struct ctx_buf *out);

/* Why no provider can be sent the message, for people; NULL if one can: content of a wrong
 * type, OpenAI's old function_call, an image without data, also inside a tool's result. */
const char *ctx_message_flaw(const struct ctx_message *m);

/* The same for a message that was not parsed (checked JSON). */
bool ctx_message_has_flaw(struct ctx_span json);

/* The id of a call or result in the one spelling that ids are compared in: JSON strings
 * can be escaped in several ways ("a/b", "a\/b"). Borrowed where it holds no escape, else
 * in the arena. What is no string stays as it is. */
struct ctx_span ctx_message_call_id(struct ctx_span id, struct ctx_arena *arena);

#endif
