# Finds the format of a file. Input: {records, path, tables}. records: the first values of the file;
# tables: {name: [columns]} of a database. Output: the name of the format, "records" if the file
# already contains records of ctx, or null if the format is unknown.
# A value has a format if it has members that only this format has. A role, a type or a list of
# messages is not enough. The first value whose format is recognized decides for the whole file.
# Two functions are generated from the notes of the formats: claimed, from the notes "claims", for
# values, and stored, from the notes "tables", for databases.

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

# The format of a value with the member conversations: ShareGPT or pairs of questions and answers,
# depending on the members of the first entry.
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

# first() cannot be used here: it stops by an exception, which the "try" around the claims would catch.
if $tables != null then stored else [(.records[], null) | one | select(. != null)][0] end
