# Which format? Input: {records: the first values of the file}; output: a name, or null;
# "records" for those that need no import. A database is one value: {tables: {name: [columns]}}.
# A format is named where the members that only it has are there: that a value has a role, a
# type or a list of messages does not tell whose it is. The first value that does decides.

def object: type == "object";
def array: type == "array";
def string: type == "string";
def spoken: object and (.role | string) and
  ((has("content") and (.content | type | among(["string", "array", "null"])))
    or (.tool_calls | array) or (.function_call | object));
def blocks: object and (.content | array) and any(.content[]; .type? | among(["tool_use", "tool_result"]));
# an item of the Responses API
def item: object and
  if .type == "message" then (.role | string) and has("content")
  elif .type == "function_call" or .type == "custom_tool_call" then (.name | string) and has("call_id")
  elif .type == "function_call_output" or .type == "custom_tool_call_output" then has("call_id")
  elif .type == "reasoning" then has("summary") or has("encrypted_content")
  else false end;

# of ShareGPT, or questions and answers: the entries tell
def conversations:
  (first(.conversations[] | objects) // {}) as $e
  | if $e | has("from") or has("value") or has("role") then "sharegpt"
    elif $e | has("query") or has("question") or has("user_message") or has("response") or has("answer") then "qa"
    elif .conversations == [] and has("session_id") then "qa"
    else "sharegpt" end;

# the tools' own sessions
def of_tool:
  if .type == "session" and has("id") and (has("cwd") or has("version")) then "pi"
  elif .type == "metadata" and has("protocol_version") then "kimi"
  elif .role | among(["_system_prompt", "_checkpoint", "_usage"]) then "kimi"
  elif (.data | object) and (.type | string) and has("parentId") and
    (.type | split(".")[0] | among(["session", "user", "assistant", "tool", "subagent", "system"]))
  then "copilot"
  elif .kind == 0 and (.v | object) and (.v.requests | array) then "vscode-chat"
  elif (.requests | array) and (.version | type) == "number" and has("sessionId") then "vscode-chat"
  elif (has("type") | not) and (.role | among(["user", "assistant"])) and (.message | object) and
    (.message | has("content") and (has("role") | not)) then "cursor"
  elif (.info | object) and (.info | has("id")) and (.messages | array) and
    all(.messages[]; object and (.info | object) and (.parts | array)) then "opencode"
  elif has("sessionID") and (has("role") or has("messageID")) then "opencode"
  elif has("projectID") and has("directory") and (.time | object) then "opencode"
  elif has("messageID") and has("callID") and has("tool") then "opencode"
  elif has("working_dir") and (has("extension_data") or has("description") or (.conversation | array)) then "goose"
  elif (.schema_version | string) and (.schema_version | startswith("ATIF-")) and (.steps | array) then "atif"
  elif has("step_index") and has("source") and (.type | string) then "antigravity"
  elif (.chat | object) and (.chat.history | object) and (.chat.history.messages | object) then "open-webui"
  elif (.history | object) and (.history.messages | object) then "open-webui"
  elif (.conversationId | string) and (.messages | array) then "librechat"
  elif has("sessionId") and has("uuid") and
    ((.message | object and has("parts")) or .type == "system" and has("systemPayload")) then "qwen"
  elif has("sessionId") and (.messages | array) and (.version | type) == "number" and
    (has("agent") or has("updated_at")) then "cline"
  else null end;

def one:
  if type == "array" then
    if length == 0 or (.[0] | object | not) then null
    elif .[0] | spoken then (if any(.[]; blocks) then "anthropic" else "openai" end)
    elif .[0] | item then "responses"
    elif .[0] | has("question") or has("user_message") or (has("query") and has("response")) then "qa"
    else null end
  elif type != "object" then null
  elif (.kind | string) and has("session_id") then "records"
  elif of_tool != null then of_tool
  elif .mapping | object then "chatgpt"
  elif .chat_messages | array then "claude-ai"
  elif .conversations | array then conversations
  elif (.history | array) and (has("trajectory") or has("environment") or
    (has("sessionId") | not) and (.history[0] | object) and (.history[0] | has("role"))) then "swe-agent"
  elif has("sessionId") and (has("projectHash") or has("startTime")) then "gemini-cli"
  elif has("sessionId") and ((.messages // .history) | array) and
    any((.messages // .history)[]; object and (.type | among(["user", "gemini"]))
      or (.role | among(["user", "model"])) and has("parts")) then "gemini-cli"
  elif has("sessionId") and (has("uuid") or has("parentUuid") or has("isSidechain")) then "claude-code"
  elif .type | among(["file-history-snapshot", "queue-operation", "permission-mode"]) then "claude-code"
  elif .type == "summary" and has("leafUuid") then "claude-code"
  elif .type | among(["session_meta", "turn_context", "response_item", "event_msg", "compacted",
    "thread.started", "turn.started", "item.completed"]) then "codex"
  elif has("record_type") then "codex"
  elif has("created_at") and (has("role") or has("function")) then "codex"
  elif has("id") and has("timestamp") and (has("instructions") or has("git")) then "codex"
  elif (.messages | array) and (.messages == [] or any(.messages[]; spoken)) then
    if has("system") or any(.messages[]; blocks) then "anthropic" else "openai" end
  elif (.contents | array) and (.contents == [] or any(.contents[]; object and has("parts"))) then "gemini"
  elif (.input | string) and has("model") then "responses"
  elif (.input | array) and (.input == [] or any(.input[]; item or spoken)) then "responses"
  elif .object == "response" then "responses"
  elif has("turns") or has("question") or has("user_message") or has("answer") or
    (has("query") and has("response")) then "qa"
  elif item then "responses"
  elif (has("type") | not) and spoken then (if blocks then "anthropic" else "openai" end)
  else null end;

def database:
  .tables as $t
  | def holds($table; $columns): ($t[$table] | array) and all($columns[]; . as $c | $t[$table] | any(.[]; . == $c));
  if holds("responses"; ["prompt", "response"]) and holds("conversations"; ["id"]) then "llm"
  elif holds("threads"; ["tip_message_hash"]) and holds("messages"; ["hash"]) and holds("parts"; ["message_hash"]) then "llm"
  elif holds("session"; ["directory", "title"]) and holds("message"; ["session_id", "data"]) and
    holds("part"; ["message_id", "data"]) then "opencode"
  elif holds("sessions"; ["working_dir"]) and holds("messages"; ["session_id", "content_json"]) then "goose"
  elif holds("cursorDiskKV"; ["key", "value"]) then "cursor-ide"
  elif holds("blobs"; ["id", "data"]) and holds("meta"; ["key", "value"]) then "cursor-chats"
  elif holds("threads"; ["data_type", "data"]) then "zed"
  elif holds("agent_sessions"; ["session_id"]) and holds("agent_messages"; ["message_data"]) then "openai-agents"
  elif holds("chat"; ["chat", "title"]) then "open-webui"
  else null end;

if (.records | length) == 1 and (.records[0] | object and keys == ["tables"] and (.tables | object))
then .records[0] | database
else first(.records[] | one | select(. != null)) // null end
