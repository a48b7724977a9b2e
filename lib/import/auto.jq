# Which format? Input: {records: the first values of the file}; output: a name, or null;
# "records" for those that need no import.
# of ShareGPT, or questions and answers: the entries tell
def conversations:
  (first(.conversations[] | objects) // {}) as $e
  | if $e | has("from") or has("value") or has("role") then "sharegpt"
    elif $e | has("query") or has("question") or has("user_message") or has("response") or has("answer") then "qa"
    elif .conversations == [] and has("session_id") then "qa"
    else "sharegpt" end;
def one:
  if type == "array" then
    if length == 0 then null
    elif (.[0] | type) != "object" then null
    elif .[0].role != null then "openai"
    elif .[0].type != null then "responses"
    elif .[0] | has("question") or has("user_message") or (has("query") and has("response")) then "qa" else null end
  elif type != "object" then null
  elif (.kind | type) == "string" and has("session_id") then "records"
  elif (.mapping | type) == "object" then "chatgpt"
  elif (.chat_messages | type) == "array" then "claude-ai"
  elif (.conversations | type) == "array" then conversations
  elif (.history | type) == "array" and (has("trajectory") or has("environment") or (has("sessionId") | not) and (.history[0] | type) == "object" and (.history[0] | has("role"))) then "swe-agent"
  elif has("sessionId") and ((.messages | type) == "array" or (.history | type) == "array" or has("projectHash")) then "gemini-cli"
  elif has("sessionId") and (has("uuid") or has("parentUuid") or has("isSidechain")) then "claude-code"
  elif .type == "file-history-snapshot" or .type == "queue-operation" or .type == "permission-mode" then "claude-code"
  elif .type == "summary" and has("leafUuid") then "claude-code"
  elif (.type | type) == "string" and (.type | among(["session_meta", "turn_context", "response_item", "event_msg", "compacted",
      "thread.started", "turn.started", "item.completed"])) then "codex"
  elif has("record_type") then "codex"
  elif has("created_at") and (has("role") or has("function")) then "codex"
  elif has("id") and has("timestamp") and (has("instructions") or has("git")) then "codex"
  elif (.messages | type) == "array" then
    if has("system") or any(.messages[]; (.content? | type) == "array" and any(.content[]; .type? == "tool_use" or .type? == "tool_result"))
    then "anthropic"
    elif .messages != [] and (any(.messages[]; type == "object" and (.role | type) == "string") | not) then null
    else "openai" end
  elif (.contents | type) == "array" then "gemini"
  elif has("input") and (has("model") or (.input | type) == "array") then "responses"
  elif .object == "response" then "responses"
  elif has("turns") or has("question") or has("user_message") or has("answer") or
      (has("query") and has("response")) then "qa"
  elif (.role | type) == "string" then
    if (.content | type) == "array" and any(.content[]; .type? == "tool_use" or .type? == "tool_result")
    then "anthropic"
    elif .type == "message" then "responses" else "openai" end
  elif (.type | type) == "string" and (.type | among(["function_call", "function_call_output", "reasoning", "message"])) then "responses"
  else null end;
first(.records[] | one | select(. != null)) // null
