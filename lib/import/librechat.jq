# LibreChat: an exported conversation, whose messages are a list or a tree with lists of children.
# ctx-import: claims (.conversationId | string) and (.messages | array) and all(.messages[]; object and has("isCreatedByUser"))
def flat($parent): .[]? | objects | (.messageId // .id) as $id
  | . + {id: $id, parent: (.parentMessageId // $parent)}, ((.children // []) | flat($id));
def parts: if (.content | type) == "array" and .content != [] then [.content[] | objects] else [{type: "text", text: (.text // "")}] end;
def text: .text | if type == "object" then .value // "" else . // "" end | tostring;
def blocks: blocks_of([parts[] |
  if .type == "text" then {type, text: text}
  elif .type == "think" then {type: "thinking", thinking: (.think | if type == "object" then .value // "" else . // "" end | tostring)}
  elif .type == "tool_call" and (.tool_call | type) == "object" then
    .tool_call | call_block(.id // .name; .name // .function.name?; (.args // .function.arguments? // {} | arguments); {})
  elif .type == "error" then {type: "text", text: (.error // "" | as_text)}
  else empty end]);
def said: blocks as $b | $b != [] and $b != "";
def entry:
  .sid as $sid | .v | .id as $id | {created_at: (.createdAt | when)} as $at
  | if said | not then empty
    elif .isCreatedByUser == true then message($sid; $id; {role: "user", content: blocks}; $at)
    else message($sid; $id; {role: "assistant", content: blocks}; $at + {metadata: about({model: (.model | str), provider: (.endpoint | str),
        stop_reason: (.finish_reason | str), usage: usage(.promptTokens; null; null; .tokenCount; {})})}),
      (parts | to_entries[] | .key as $k | .value | select(.type == "tool_call") | .tool_call | objects | select(.output != null)
        | result_message($sid; "\($id)-result\($k + 1)"; .id // .name; (.output | as_text); false; $at))
    end;
. as $in | .record as $r
| if ($r | type) != "object" or ($r.messages | type) != "array" then skip("no conversation")
  else
    ($in.info.session // ($r.conversationId | str | named) // own_id) as $sid
    | [$r.messages | flat(null)] as $all
    | (reduce $all[] as $m ({}; if $m.id == null then . else .[$m.id] = true end)) as $known
    | [$all[] | .parent as $p | if $p == null or $known[$p] != true then .parent = null else . end] as $all
    | {title: ($r.title | str | named), created_at: (([$all[].createdAt | strings][0]) | when),
       metadata: ({format: "librechat", endpoint: $r.endpoint, model: $r.options.model?} | filled)} as $about
    | ($all | grow(.id; .parent; said) | tree_sessions($in.info.current; $sid; $about; .last; entry)),
      (if ($r.options.promptPrefix? // "") == "" then empty else lost("promptPrefix") end),
      ($all[] | (select((.files // []) != []) | lost("files")),
        (.content? | arrays | .[] | objects | select(.type | among(["text", "think", "tool_call", "error"]) | not) | lost(.type // "content")))
  end
