# ChatGPT's export, conversations.json: each conversation is a tree of messages, and each branch
# becomes a session. The main branch follows the oldest child at every fork, and has the
# conversation's id. Every other branch becomes a child session, which starts with the messages that
# the branch shares with its parent branch. The id of the child session contains the id of the node
# at which the branch leaves its parent branch. Therefore the id of a branch does not change if
# branches grow, if branches are added, or if another branch is shown. The order of the messages is
# taken from the tree, because times may be missing or wrong.
def part_text:
  if type == "string" then .
  elif type == "object" then
    if (.text | type) == "string" then .text
    else "[\(.content_type // "data")\(if .asset_pointer then " \(.asset_pointer)" else "" end)]" end
  else "" end;
def text:
  if type != "object" then ""
  elif .content_type == "user_editable_context" then
    [.user_profile, .user_instructions | strings | select(. != "")] | join("\n\n")
  elif (.parts | type) == "array" then [.parts[] | part_text | select(. != "")] | join("\n")
  elif (.text | type) == "string" then .text
  elif (.result | type) == "string" then .result
  else "" end;
def shown:
  type == "object" and .metadata.is_visually_hidden_from_conversation != true and
  (.author.role | type) == "string" and
  (.content.content_type | among(["thoughts", "reasoning_recap", "model_editable_context"]) | not) and
  (.content | text | test("[^\\s]"));
def messages($map; $sid):
  [.[] | $map[.] | select(.message | shown)] as $nodes
  | range(0; $nodes | length) as $i
  | $nodes[$i].message as $m | ($m.content | text) as $text
  | {created_at: ($m.create_time | when),
     metadata: ({model: $m.metadata.model_slug, tool: (if $m.author.role == "tool" then $m.author.name else null end)}
       | filled | if . == {} then null else . end)} as $more
  | ($m.author.role == "assistant" and ($m.recipient // "all") != "all" and
      $nodes[$i + 1].message.author.role == "tool") as $call
  | ($i > 0 and ($nodes[$i - 1].message | .author.role == "assistant" and (.recipient // "all") != "all")) as $answer
  | message($sid; $nodes[$i].id // $m.id;
      (if $call then {role: "assistant", content: null, tool_calls: [{id: $m.id, type: "function",
          function: {name: $m.recipient, arguments: ({input: $text} | tojson)}}]}
       elif $m.author.role == "tool" and $answer then
         {role: "tool", tool_call_id: $nodes[$i - 1].message.id, content: $text}
       elif $m.author.role == "tool" then {role: "assistant", content: $text}
       elif $m.author.role == "system" or $m.author.role == "user" then {role: $m.author.role, content: $text}
       else {role: "assistant", content: $text} end); $more);
# Reports the parts of a node that are not imported.
def losses:
  .message | objects
  | if shown then .content.parts? | arrays | .[] | objects | lost(.content_type // "part")
    elif .metadata.is_visually_hidden_from_conversation == true then aside("hidden message")
    elif .content.content_type | among(["thoughts", "reasoning_recap", "model_editable_context"]) then
      lost(.content.content_type)
    else aside("empty message") end;
. as $in | .record as $r
| if ($r | type) != "object" or ($r.mapping | type) != "object" then skip("no conversation")
  else
    ($r.mapping | with_entries(.key as $k | .value |= (if type == "object" then .id = ((.id | named) // $k) else {id: $k} end))) as $map
    | ($in.info.session // ($r.conversation_id | named) // ($r.id | named) // own_id) as $sid
    | ([$map[] | .parent | strings] | unique) as $parents
    | ([$map | keys_unsorted[] | select(. as $k | $parents | bsearch($k) < 0)]) as $leaves
    | (($r.current_node | strings | select($map[.] != null)) // $leaves[-1]) as $current
    | {metadata: ({format: "chatgpt"} | filled), created_at: ($r.create_time | when), title: ($r.title | str)} as $about
    | late($map) as $late
    | (if $in.info.current then
        ($current | branch($map; $late)
        | branch_id($sid; .at[-1]) as $id
        | session($id; $about), (.path | messages($map; $id))),
        (if ($leaves | length) > 1 then aside("other branch") else empty end)
       else
        branches($map; $late; if $leaves == [] then [$current] else $leaves end; $current)
        | (range(.over) | too_many_branches), (.branches[] | .at[-1] as $at | branch_id($sid; $at) as $id
        | session($id; $about + (if $at == null then {} else {parent_session_id: branch_id($sid; .at[-2]),
            parent_seq: ([.path[:$at][] | $map[.].message | select(shown)] | length)} end)),
          (.path | messages($map; $id)))
       end),
      ($map[] | losses)
  end
