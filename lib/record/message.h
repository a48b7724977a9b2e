/* Parses a message into parts, such as texts, tool calls and tool results. The parts are
 * the same for messages in OpenAI's format (tool_calls, role "tool") and in Anthropic's
 * format (blocks in content), so that other code need not know the formats. */
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

/* Returns true if messages of this role (enum ctx_role) are instructions, not
 * conversation. */
static inline bool
ctx_role_is_system(int role)
{
	return role == CTX_ROLE_SYSTEM || role == CTX_ROLE_DEVELOPER;
}

enum ctx_part_type {
	CTX_PART_TEXT,
	CTX_PART_TOOL_CALL,
	CTX_PART_TOOL_RESULT,
	CTX_PART_IMAGE,
	CTX_PART_THINKING, /* blocks of type "thinking" or "redacted_thinking" */
	/* other blocks, such as documents, audio, files, and calls of tools that the
	 * provider runs */
	CTX_PART_OTHER,
};

/* One part of a message. The parts are in the order of the message, and their spans
 * borrow from the message. */
struct ctx_part {
	enum ctx_part_type type;
	/* the part as JSON: a block, an element of tool_calls, or the content string */
	struct ctx_span raw;
	/* JSON string. TOOL_CALL: id of the call; TOOL_RESULT: id of the call to which
	 * the result belongs */
	struct ctx_span id;
	struct ctx_span name; /* TOOL_CALL: name of the tool, JSON string */
	/* TEXT, THINKING: a JSON string. TOOL_CALL: the arguments, which are a JSON
	 * object (Anthropic) or a JSON string that contains JSON (OpenAI) or free text
	 * (OpenAI's custom tools). TOOL_RESULT: the content, a JSON string or an array of
	 * blocks; may be absent. IMAGE: OpenAI's image_url (an object or a string) or
	 * Anthropic's source object; absent in MCP's format, where the data is in the
	 * block itself. */
	struct ctx_span body;
	/* TOOL_RESULT: true if the tool failed ("is_error":true or "status":"failed") */
	bool error;
	/* TOOL_CALL: true if the called tool is an OpenAI custom tool, whose input is
	 * free text */
	bool custom;
	bool openai; /* true: the part is written in OpenAI's format */
	/* TOOL_CALL, TOOL_RESULT: true if the part is a whole item of the Responses API
	 * (see record/calls.h) */
	bool item;
	/* TOOL_CALL: true if the called tool is one of OpenAI's async tools, whose result
	 * may come several turns later, or never */
	bool async;
	/* OTHER: true if the block is from an answer of the provider to which the request
	 * will be sent */
	bool native;
	/* OTHER: true if the block must not be used, because it is obsolete: the
	 * provider switched to another model after this block */
	bool superseded;
	/* OTHER: true if the part is not a block: the part is content of a wrong type, or
	 * OpenAI's old function_call */
	bool stray;
};

struct ctx_message {
	struct ctx_span json; /* the whole message */
	enum ctx_role role;
	/* the speaker's name (OpenAI), JSON string; may be absent */
	struct ctx_span name;
	struct ctx_part *parts;
	size_t n, cap;
};

#define CTX_MESSAGE_INIT                                        \
	{                                                       \
		{NULL, 0}, CTX_ROLE_USER, {NULL, 0}, NULL, 0, 0 \
	}

/* Parses a message. json: the message, valid JSON, from which *m borrows. Several
 * messages may be parsed into the same *m, one after the other, without a release between
 * them. Returns -1 with CTX_EINPUT if the message is not an object or if its role is not
 * system, developer, user, assistant or tool. */
int ctx_message_parse(struct ctx_message *m, struct ctx_span json, struct ctx_err *err);
void ctx_message_release(struct ctx_message *m);

/* The members of a message that ctx_message_parse reads. */
enum ctx_message_key {
	CTX_KEY_ROLE,
	CTX_KEY_CONTENT,
	CTX_KEY_NAME,
	CTX_KEY_CALLS,
	CTX_KEY_CALL_ID,
	CTX_KEY_REFUSAL,
	CTX_KEY_OLD_CALL,
	CTX_KEY_AUDIO,
	CTX_KEYS
};
struct ctx_message_members {
	/* start of the checked message; the spans in v point into this message */
	const char *text;
	struct ctx_span v[CTX_KEYS];
};

/* Checks that a message is valid JSON, as ctx_json_check does. In the same pass, finds
 * the members of the message that ctx_message_parse reads, and stores them in *found.
 * Returns 0, or -1 with err set. */
int ctx_message_check(
    struct ctx_message_members *found, struct ctx_span json, struct ctx_err *err);

/* Like ctx_message_parse, but uses the members in *found instead of searching for them.
 * json: the message in which ctx_message_check found these members, or a copy of this
 * message. */
int ctx_message_parse_members(struct ctx_message *m, struct ctx_span json,
    const struct ctx_message_members *found, struct ctx_err *err);

/* Parses the content of a message or of a tool result (a JSON string or an array of
 * blocks) as if it were the content of a user message. *m borrows from the content;
 * m->json is absent. */
void ctx_message_parse_content(struct ctx_message *m, struct ctx_span content);

const char *ctx_role_name(enum ctx_role role);
/* Returns the role that a JSON string names, or -1 if the string does not name a role. */
int ctx_role_parse(struct ctx_span s);

/* Returns the tool that the message defines: an object {"name", "description",
 * "input_schema"}. Only a system message that ctx-enrich added to the request can define
 * a tool, in its member tool_definition. Returns an absent span if the message has no
 * valid definition. */
struct ctx_span ctx_message_tool(const struct ctx_message *m);

/* Returns the number of parts with this type. */
size_t ctx_message_count(const struct ctx_message *m, enum ctx_part_type type);

/* Returns true if the JSON value is not a string, or is a string that is empty or
 * contains only (Unicode) white space. Providers refuse such texts, so rendering leaves
 * them out. */
bool ctx_message_blank(struct ctx_span string);

/* Appends {"type":"text","text":string}. string: a JSON string. */
void ctx_message_put_text(struct ctx_buf *b, struct ctx_span string);
/* Appends the blocks of a message's content. If the content is a string, appends a text
 * block with this string, but nothing if the string is blank. */
void ctx_message_put_blocks(struct ctx_buf *b, struct ctx_span content);

/* Returns true if the message starts a turn, that is, if it is a user message with text
 * or other content and without tool results. */
bool ctx_message_starts_turn(const struct ctx_message *m);

/* Returns the set of roles that contributed content to the message; the bit of a role is
 * 1 << role (enum ctx_role). The set is normally only the message's own role. For a user
 * message with tool results, the set contains the role "tool" and, if the message also
 * has other content, the role "user". */
unsigned ctx_message_roles(const struct ctx_message *m);

/* Returns the role to show to people: "tool" if the message consists of tool results only
 * (some providers send those as user messages), otherwise the message's own role. */
enum ctx_role ctx_message_shown_role(const struct ctx_message *m);

/* Appends a short version of *m, for code that needs only the role, the calls and
 * results, and whether the message starts a turn. The short version has Anthropic's
 * format. It consists of the calls (id and name), the ids of the results, and a short
 * text if *m starts a turn. The role "tool" becomes "user", because results are in user
 * messages in this format. */
void ctx_message_skeleton(const struct ctx_message *m, struct ctx_buf *out);

/* Appends the readable text of the message: text parts and texts in tool results,
 * separated by newlines. Thinking and arguments of calls are left out. */
void ctx_message_text(const struct ctx_message *m, struct ctx_buf *out);

/* Appends the text of the content of a tool result, or of another JSON string or array of
 * blocks. Text blocks are separated by newlines; other blocks become "[image]" or
 * similar. */
void ctx_content_text(struct ctx_span content, struct ctx_buf *out);

/* If no provider accepts the message, returns a text that says why. Otherwise returns
 * NULL. There are three reasons: content of a wrong type; OpenAI's old function_call; an
 * image that has no data, no URL and no file id (in a tool result, or in a message that
 * is not the assistant's). */
const char *ctx_message_flaw(const struct ctx_message *m);

/* Returns true if ctx_message_flaw would return a reason for the message. json: the
 * message, valid JSON. */
bool ctx_message_has_flaw(struct ctx_span json);

/* A fast test that reads only the members in *found. Returns false if
 * ctx_message_has_flaw would certainly return false; otherwise returns true. */
bool ctx_message_may_have_flaw(const struct ctx_message_members *found);

/* Converts the id of a call or result to a form that can be compared byte by byte. The
 * JSON string cannot be compared in this way, because there are several spellings of the
 * same text ("a/b", "a\/b"). Returns the id itself if it contains no escapes or is not a
 * string; otherwise returns a string allocated in the arena. */
struct ctx_span ctx_message_call_id(struct ctx_span id, struct ctx_arena *arena);

#endif
