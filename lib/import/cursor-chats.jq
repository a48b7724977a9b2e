# Chats of Cursor's command line, store.db (cursor-chats.sql).
# ctx-import: tables holds("blobs"; ["id", "data"]) and holds("meta"; ["key", "value"])
# ctx-import: place ~/.cursor/chats/*/*/store.db
def query: if contains("<user_query>") and contains("</user_query>") then
    split("<user_query>")[1:] | join("<user_query>") | split("</user_query>")[:-1] | join("</user_query>") | ltrimstr("\n") | rtrimstr("\n")
  else . end;
def parts: if type == "string" then [{type: "text", text: .}] else [.[]? | objects] end;
def block($user):
  if .type == "text" then {type, text: (.text // "" | if $user then query else . end)}
  elif .type == "reasoning" then {type: "thinking", thinking: (.text // "")} + ({signature} | filled)
  elif .type == "redacted-reasoning" then {type: "redacted_thinking", data: (.data // "")}
  elif .type == "tool-call" then call_block(.toolCallId; .toolName; (.args // .input // {} | arguments); {})
  elif .type == "image" and (.image | type) == "string" then .image | data_image // empty
  else empty end;
. as $in | .record as $r | ($in.info.session // ($r.about.agentId | str | named) // ($in | file_id)) as $sid
| session($sid; {title: ($r.about.name | str | named), created_at: ($r.about.createdAt | ms),
    metadata: ({format: "cursor-chats", model: $r.about.lastUsedModel, mode: $r.about.mode} | filled)}),
  ($r.message as $m
  | if $r.id == null then aside("no messages")
    elif ($m | type) != "object" then skip("message that is no JSON")
    elif $m.role == "tool" then
      ($m.content | parts | to_entries[] | .key as $k | .value | select(.type == "tool-result")
        | result_message($sid; (if $k == 0 then $r.id else "\($r.id)-\($k + 1)" end); .toolCallId;
            ((.result // .output) | if type == "object" and (.value | type) == "string" then .value else . // "" | as_text end); .isError == true; {}))
    elif $m.role | among(["system", "user", "assistant"]) then
      blocks_of([$m.content | parts | .[] | block($m.role == "user")]) as $c
      | (if $c == [] then aside("no content") else message($sid; $r.id; {role: $m.role, content: $c}; {}) end),
        ($m.content | parts | .[] | select(.type | among(["text", "reasoning", "redacted-reasoning", "tool-call", "image"]) | not) | lost(.type // "block"))
    else skip("role \($m.role)") end)
