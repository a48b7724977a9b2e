# Which format? Input: {records: the first values of the file, path, tables: {name: [columns]}
# of a database}; output: a name, or null; "records" for those that need no import.
# A format is named where the members that only it has are there: that a value has a role, a
# type or a list of messages does not tell whose it is. The first value that does decides.
# The formats of tools say by themselves what is theirs: claimed, and stored for databases.

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

def one:
  claimed // if type == "array" then
    if length == 0 or (.[0] | object | not) then null
    elif .[0] | spoken then (if any(.[]; blocks) then "anthropic" else "openai" end)
    elif .[0] | item then "responses"
    elif .[0] | has("question") or has("user_message") or (has("query") and has("response")) then "qa"
    else null end
  elif type != "object" then null
  elif (.kind | string) and has("session_id") then "records"
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
  elif any((.input, .steps) | select(array) | .[]; object and (.type | among(["user_input", "model_output", "function_result"]))) then "interactions"
  elif (.input | string) and has("model") then "responses"
  elif (.input | array) and (.input == [] or any(.input[]; item or spoken)) then "responses"
  elif .object == "response" then "responses"
  elif has("turns") or has("question") or has("user_message") or has("answer") or
    (has("query") and has("response")) then "qa"
  elif item then "responses"
  elif (has("type") | not) and spoken then (if blocks then "anthropic" else "openai" end)
  else null end;

# not first(): its end would be caught by what tries the claims
if $tables != null then stored else [(.records[], null) | one | select(. != null)][0] end
