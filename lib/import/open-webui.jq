# Open WebUI: an exported chat, a list of exported chats, the content of a chat, or the database, which
# open-webui.sql reads.
# ctx-import: claims (.chat | object) and (.chat.history | object) and (.chat.history.messages | object)
# ctx-import: claims (.history | object) and (.history.messages | object)
# ctx-import: tables holds("chat"; ["chat", "title", "created_at"])
# Sorts messages so that parents come before their children.
def ordered:
  . as $map | (reduce (to_entries[] | select(.value | type == "object")) as $e ({};
    .[$e.value.parentId // "" | tostring | if $map[.] == null then "" else . end] += [$e.value + {id: ($e.value.id // $e.key)}])) as $kids
  | def down: ., ($kids[.id | tostring][]? | down);
    [limit($map | length; $kids[""][]? | down)];
def thinking:
  if startswith("<details type=\"reasoning\"") and contains("</details>") then
    (split("</details>")[0] | split("</summary>") | .[1:] | join("</summary>") | split("\n") | map(ltrimstr("> ")) | join("\n") | ltrimstr("\n") | rtrimstr("\n")) as $t
    | (if $t == "" then empty else {type: "thinking", thinking: $t} end),
      {type: "text", text: (split("</details>")[1:] | join("</details>") | sub("^\\s+"; ""))}
  else {type: "text", text: .} end;
def said: (.role | among(["user", "assistant", "system"])) and ((.output // []) != [] or (.content | type == "string" and . != "" or type == "array" and . != []));
def item:
  if .type == "reasoning" then
    ([(.content // [])[], (.summary // [])[] | objects | .text | strings] | join("\n")) as $t
    | if $t == "" then empty else {message: {role: "assistant", content: [{type: "thinking", thinking: $t}]}, piece: true} end
  else item_message end;
def entry:
  .sid as $sid | .v | (.id | tostring) as $id | {created_at: (.timestamp | when)} as $at
  | about({model: .model, usage: (.usage as $u | if ($u.total_tokens? // $u.prompt_tokens? // 0) == 0 then null
      else usage($u.prompt_tokens?; null; null; $u.completion_tokens?; {}) end)}) as $meta
  | if said | not then empty
    elif .role == "assistant" and (.output // []) != [] then
      [.output[] | objects | item | select(.message.role | type == "string")] as $m
      | range(0; $m | length) as $i
      | ([range(0; $i + 1) | select($m[.].piece != true)] | last) as $from
      | message($sid; (if $i == 0 then $id else "\($id)-\($i + 1)" end); $m[$i].message;
          $at + {join: (if $m[$i].piece then "\($id) \($from)" else null end), metadata: (if $m[$i].piece then $meta else null end)})
    else
      (if (.content | type) == "array" then .content | item_text elif .role == "assistant" then blocks_of([.content | thinking]) else .content end) as $c
      | message($sid; $id; {role, content: $c}; $at + {metadata: (if .role == "assistant" then $meta else null end)})
    end;
def losses: (select((.files // []) != []) | lost("files")), (select((.sources // []) != []) | lost("sources"));
. as $in | .record as $r
| (if ($r.chat | type) == "object" then $r.chat else $r end) as $chat
| if ($r | type) != "object" or ($chat.history.messages? | type) != "object" then skip("no chat")
  else
    ($in.info.session // ($r.id | str | named) // ($chat.id | str | named) // own_id) as $sid
    | ($chat.history.messages | ordered) as $all
    | {title: (($r.title // $chat.title) | str | named),
       created_at: (if $r.created_at != null then $r.created_at | when else $chat.timestamp | ms end),
       metadata: ({format: "open-webui", model: $chat.models[0]?} | filled)} as $about
    | ($all | grow(.id; .parentId; said) | tree_sessions($in.info.current; $sid; $about; $chat.history.currentId; entry)),
      ($all[] | losses)
  end
