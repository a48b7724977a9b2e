# Zed's agent: zed.sql reads the database threads.db, in which some threads are compressed with zstd.
# Messages have no times.
# ctx-import: tables holds("threads"; ["data_type", "data"])
# ctx-import: place ${XDG_DATA_HOME:-~/.local/share}/zed/threads/threads.db
# ctx-import: place ~/Library/Application Support/Zed/threads/threads.db
def content($list): [$list[]? | if type == "string" then {type: "text", text: .} elif type != "object" then empty
  elif (.Text | type) == "string" then {type: "text", text: .Text}
  elif (.Thinking | type) == "object" then {type: "thinking", thinking: .Thinking.text} + ({signature: .Thinking.signature} | filled)
  elif (.RedactedThinking | type) == "string" then {type: "redacted_thinking", data: .RedactedThinking}
  elif (.ToolUse | type) == "object" then .ToolUse | call_block(.id; .name; (.input // {} | arguments); {})
  elif (.Mention | type) == "object" then {type: "text", text: (.Mention.content // .Mention.uri // "" | as_text)}
  elif (.Image | type) == "object" and (.Image.source | type) == "string" then
    {type: "image", source: {type: "base64", media_type: "image/png", data: .Image.source}}
  else empty end];
def old($segments): [$segments[]? | objects | if .type == "text" then {type, text}
  elif .type == "thinking" then {type, thinking: (.text // "")} + ({signature} | filled)
  elif .type == "redacted_thinking" then {type, data: (.data | as_text)} else empty end];
def output: .content | if type == "object" and (.Text | type) == "string" then .Text
  elif type == "object" and has("Image") then [{type: "image", source: {type: "base64", media_type: "image/png", data: .Image.source?}}]
  elif type == "string" then . else . // "" | as_text end;
def results($sid; $list): $list | to_entries[] | .value | objects
  | result_message($sid; "\(.tool_use_id)-result"; .tool_use_id; output; .is_error == true; {});
. as $in | .record as $r | $r.thread as $t
| if ($t | type) != "object" then skip("thread that cannot be read (is zstd there?)")
  else
    ($in.info.session // $r.id) as $sid
    | about({model: $t.model.model?, provider: $t.model.provider?}) as $meta
    | session($sid; {title: (($t.title // $r.title) | str | named), created_at: (($r.created_at // $t.updated_at) | when), parent_session_id: ($r.parent | str | named),
        metadata: ({format: "zed", cwd: ($r.folder | str | named), model: $t.model.model?,
          usage: (if $t.cumulative_token_usage == null then null else [$t.cumulative_token_usage + ({model: $t.model.model?} | filled)] end)} | filled)}),
      ($t.messages // [] | to_entries[] | "m\(.key + 1)" as $id | .value
        | if (.User? | type) == "object" then
            blocks_of(.User | content(.content)) as $c
            | if $c == [] then aside("no content") else message($sid; .User.id // $id; {role: "user", content: $c}; {}) end
          elif (.Agent? | type) == "object" then
            blocks_of(.Agent | content(.content)) as $c
            | (if $c == [] then aside("no content") else message($sid; $id; {role: "assistant", content: $c}; {metadata: $meta}) end),
              results($sid; .Agent.tool_results // {})
          elif type == "object" and (.role | among(["user", "assistant", "system"])) then
            blocks_of(old(.segments) + [.tool_uses[]? | objects | call_block(.id; .name; (.input // {} | arguments); {})]) as $c
            | (if $c == [] then aside("no content") else message($sid; $id; {role, content: $c};
                {metadata: (if .role == "assistant" then $meta else null end)}) end),
              results($sid; [.tool_results[]? | objects])
          elif type == "string" then aside("\(.)")
          else skip("no message") end)
  end
