/* The content of a message: one view over OpenAI's shape (tool_calls, role "tool") and
 * Anthropic's (blocks in content), so that no other layer needs to know them. */
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
	    raw; /* JSON: the block, the element of tool_calls, or a content string */
	/* JSON string: id of the call, or of the call that this answers */
	struct ctx_span id;
	struct ctx_span name; /* JSON string: name of the called tool */
	/* TEXT, THINKING: JSON string. TOOL_CALL: the arguments, a JSON object (Anthropic)
	 * or a JSON string that holds JSON (OpenAI) or free text (OpenAI custom tools).
	 * TOOL_RESULT: the content, a JSON string or an array of blocks, or absent. IMAGE:
	 * OpenAI's image_url (an object or a string) or Anthropic's source object; absent
	 * for MCP's shape, whose data stands in the block. */
	struct ctx_span body;
	bool error;  /* TOOL_RESULT: is_error was true */
	bool custom; /* TOOL_CALL: an OpenAI custom tool, whose input is free text */
	bool openai; /* written in OpenAI's shape */
	/* TOOL_CALL, TOOL_RESULT: a whole item of Responses (record/client_item.h) */
	bool item;
	/* TOOL_CALL: its result may come turns later, or never (OpenAI's async tools) */
	bool async;
	/* OTHER: part of an answer from the provider that the request is for */
	bool native;
	/* OTHER: invalid, because the provider fell back to another model after it */
	bool superseded;
	/* OTHER: content of a wrong type, or a function_call; not a block */
	bool stray;
};

struct ctx_message {
	struct ctx_span json; /* the whole message */
	enum ctx_role role;
	struct ctx_span
	    name; /* JSON string: the speaker's name (OpenAI); may be absent */
	struct ctx_part *parts;
	size_t n, cap;
};

#define CTX_MESSAGE_INIT                                        \
	{                                                       \
		{NULL, 0}, CTX_ROLE_USER, {NULL, 0}, NULL, 0, 0 \
	}

/* Parses valid JSON; m may be reused. CTX_EINPUT for a value that is not an object or
 * whose role is not system, developer, user, assistant or tool. m borrows from json. */
int ctx_message_parse(struct ctx_message *m, struct ctx_span json, struct ctx_err *err);
void ctx_message_release(struct ctx_message *m);

/* Parses only a content (a JSON string or an array of blocks, of a tool result or a
 * message) as the parts of a user message without json. m borrows from content. */
void ctx_message_parse_content(struct ctx_message *m, struct ctx_span content);

const char *ctx_role_name(enum ctx_role role);
/* Parses a JSON string; -1 when it is not a role. */
int ctx_role_parse(struct ctx_span s);

/* Returns the tool definition that an addition brings along, {"name", "description",
 * "input_schema"}: member tool_definition of a system message. Absent if there is
 * none. */
struct ctx_span ctx_message_tool(const struct ctx_message *m);

/* Counts the parts of the type. */
size_t ctx_message_count(const struct ctx_message *m, enum ctx_part_type type);

/* True if the value is not a string or contains only (Unicode) white space. Providers
 * refuse such texts and rendering leaves them out. */
bool ctx_message_blank(struct ctx_span string);

/* True if the message begins a turn: a user message with text (or other content) and
 * no tool result. */
bool ctx_message_starts_turn(const struct ctx_message *m);

/* Returns the roles whose words the message contains, as bits 1 << enum ctx_role:
 * normally its own role. A user message with tool results has the tool's bit, and the
 * user's bit only if it has other content too. */
unsigned ctx_message_roles(const struct ctx_message *m);

/* Returns the role to show to a person: tool for a message with only tool results,
 * which some providers send as a user message. */
enum ctx_role ctx_message_shown_role(const struct ctx_message *m);

/* Appends a message that has no texts but forms the same groups and turns: the role,
 * the ids of calls and results, and one word if it begins a turn. It is in Anthropic's
 * shape, where results are in user messages. */
void ctx_message_skeleton(const struct ctx_message *m, struct ctx_buf *out);

/* Appends the readable text of the message: text parts and text in tool results,
 * separated by newlines, without thinking and arguments. */
void ctx_message_text(const struct ctx_message *m, struct ctx_buf *out);

/* Appends the text of a tool result's content, or of another string or array of blocks:
 * text blocks joined by newlines; other blocks become "[image]" or similar. */
void ctx_content_text(struct ctx_span content, struct ctx_buf *out);

/* Returns the reason, for people, why the message cannot be sent to any provider, or
 * NULL: content of a wrong type, OpenAI's old function_call, an image without data, also
 * inside a tool result. */
const char *ctx_message_flaw(const struct ctx_message *m);

/* As ctx_message_flaw for a message that is not parsed (valid JSON). */
bool ctx_message_has_flaw(struct ctx_span json);

/* Returns the id of a call or result in one spelling for comparison, since JSON strings
 * can be escaped in several ways ("a/b", "a\/b"). Borrowed if it has no escapes, else in
 * the arena. A value that is not a string is returned unchanged. */
struct ctx_span ctx_message_call_id(struct ctx_span id, struct ctx_arena *arena);

#endif
