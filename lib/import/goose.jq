# ctx-import: claims has("working_dir") and (has("extension_data") or has("description") or (.conversation | array))
# ctx-import: tables holds("sessions"; ["working_dir"]) and holds("messages"; ["session_id", "content_json"])
# goose: a database (read by goose.sql), an exported session, or a file of an older version. In the file
# of an older version, the first line is the session, and each other line is a message.
# ctx-import: place ${XDG_DATA_HOME:-~/.local/share}/goose/sessions/sessions.db
# ctx-import: place ${GOOSE_PATH_ROOT}/data/sessions/sessions.db
def result_block:
  if .type == "text" then {type, text}
  elif .type == "image" then {type, source: {type: "base64", media_type: .mimeType, data}}
  else {type: "text", text: as_text} end;
def block:
  if .type == "text" then select(.text != "") | {type, text}
  elif .type == "image" and (.mimeType | type) == "string" then
    {type, source: {type: "base64", media_type: .mimeType, data}}
  elif .type == "thinking" then {type, thinking} + ({signature} | filled)
  elif .type == "redactedThinking" then {type: "redacted_thinking", data}
  elif .type == "toolRequest" or .type == "frontendToolRequest" then
    if (.toolCall.value | type) == "object" then
      call_block(.id; .toolCall.value.name; (.toolCall.value.arguments | arguments); {})
    else {type: "text", text: "tool call that failed: \(.toolCall.error // "" | tostring)"} end
  elif .type == "toolResponse" then
    {type: "tool_result", tool_use_id: .id} +
    (.toolResult | if .status == "error" then {content: (.error // "" | as_text), is_error: true}
     else ((.value | if type == "object" and has("content") then . else {content: .} end) as $v
       | {content: ([$v.content | arrays[] | objects | result_block] | one_text)}
         + (if $v.isError == true then {is_error: true} else {} end)) end)
  else empty end;
def known_block: .type | among(["text", "thinking", "redactedThinking", "toolRequest", "frontendToolRequest", "toolResponse"]);
def one($sid; $n):
  . as $m | ([(.content // [])[] | objects | block] | one_text) as $c
  | if type != "object" or (.role != "user" and .role != "assistant") then skip("no message")
    else
      (if $c == [] then aside("no content")
       else message($sid; ($m.id // "n\($n)"); {role, content: $c}; {created_at: (.created | when),
         message_type: (if $m.metadata.userVisible == false and $m.metadata.agentVisible != false then "summary" else null end),
         metadata: (if $m.metadata.agentVisible == false then {agent_visible: false} else null end)}) end),
      ((.content // [])[] | objects | select(known_block | not) | select(.type != "image" or .mimeType == null)
        | lost(.type // "content"))
    end;
# A time without a zone, such as "2026-01-01 10:00:00", is UTC.
def time: if type == "string" and .[10:11] == " " then .[:10] + "T" + .[11:] else . end | when;
def about:
  {title: ((.name // .description) | str | named), created_at: (.created_at | time), parent_session_id: .parent,
   metadata: ({format: "goose", cwd: .working_dir, type: .session_type, provider: .provider_name,
     model: .model_config.model_name, usage: (.ledger | if . == [] then null else . end)} | filled)};
. as $in | .record as $r
| if ($r | type) != "object" then skip("no object")
  elif ($r.session | type) == "object" and ($r.message | type) == "object" then
    ($in.info.session // $r.session.id) as $sid
    | session($sid; $r.session | about), ($r.message | one($sid; $in.info.n))
  elif ($r.conversation | type) == "array" then
    ($in.info.session // ($r.id | str | named) // own_id) as $sid
    | session($sid; $r | about | .metadata += ({usage: $r.accumulated_usage} | filled)),
      ($r.conversation | to_entries[] | (.key + 1) as $n | .value | one($sid; $n))
  elif ($r | has("working_dir")) and ($r | has("role") | not) then
    ($in.info.session // ($r.id | str | named) // $in.info.source) as $sid
    | session($sid; $r | about), {kind: "state", state: $sid}
  elif $r | has("role") then
    ($in.state // ($in | file_id)) as $sid | $r | one($sid; $in.info.n)
  else skip("no message") end
