# Amp: each file contains a thread, as one JSON object.
# ctx-import: claims (.id | string) and (.id | startswith("T-")) and (.messages | array) and has("created")
# ctx-import: place ${XDG_DATA_HOME:-~/.local/share}/amp/threads/T-*.json
def output: .run as $run | if ($run | type) != "object" then .content // .output // "" | as_text
  else ($run.result // $run.error.message? // $run.error // $run.status // "" | if type == "object" and (.output | type) == "string" then .output else as_text end) end;
def block:
  if .type == "text" then {type, text}
  elif .type == "thinking" then {type, thinking} + ({signature} | filled)
  elif .type == "redacted_thinking" then {type, data}
  elif .type == "tool_use" then call_block(.id; .name; (.input // {} | arguments); {})
  elif .type == "tool_result" then {type, tool_use_id: (.toolUseID // .tool_use_id), content: output}
    + (if .run.status? | among(["error", "cancelled", "rejected-by-user"]) then {is_error: true} else {} end)
  elif .type == "image" and (.source.data? | type) == "string" then {type, source: {type: "base64", media_type: (.source.mediaType // .source.media_type), data: .source.data}}
  else empty end;
. as $in | .record as $r
| if ($r | type) != "object" or ($r.messages | type) != "array" then skip("no thread")
  else
    ($in.info.session // ($r.id | named) // ($in | own_id)) as $sid
    | session($sid; {title: ($r.title | str | named), created_at: ($r.created | ms), parent_session_id: ($r.mainThreadID | str),
        metadata: ({format: "amp", cwd: $r.env.initial.trees[0]?.uri?} | filled)}),
      ($r.messages | to_entries[] | .key as $k | .value | objects
        | blocks_of([(.content | if type == "string" then {type: "text", text: .} else .[]? end) | objects | block]) as $c
        | if .role != "user" and .role != "assistant" then skip("role \(.role)")
          elif .state.type? == "running" or .state.type? == "streaming" then aside("answer that is not finished")
          elif $c == [] then aside("no content")
          else message($sid; "m\(.messageId // $k)"; {role, content: $c}; {created_at: ((.meta.sentAt? // .usage.timestamp?) | if type == "number" then ms else when end),
            metadata: (if .role == "assistant" then about({model: .usage.model?, stop_reason: .state.stopReason?,
              usage: (.usage as $u | usage($u.inputTokens?; $u.cacheReadInputTokens?; $u.cacheCreationInputTokens?; $u.outputTokens?; {cost: $u.cost?}))}) else null end)}) end)
  end
