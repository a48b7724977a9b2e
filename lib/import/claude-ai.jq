# Claude.ai's export, conversations.json.
def text_block: select((.text | type) == "string" and (.text | test("[^\\s]"))) | {type: "text", text};
# A message of the model contains both calls and their results. It is split, because results are sent
# in messages of the user.
def turns($uuid):
  reduce to_entries[] as $e ([];
    $e.value as $b
    | if $b.type == "tool_result" then
        (.[-1].call // $b.tool_use_id) as $call
        | (if .[-1].role == "user" then . else . + [{role: "user", content: [], call: .[-1].call}] end)
        | .[-1].content += [{type: "tool_result", tool_use_id: ($b.tool_use_id // $call),
            content: ([$b.content | if type == "array" then .[] else . end
              | if type == "object" then ((.text | strings) // .) elif . == null then "" else . end] | lines)}
            + (if $b.is_error == true then {is_error: true} else {} end)]
      else
        (if .[-1].role == "assistant" then . else . + [{role: "assistant", content: []}] end)
        | if $b.type == "tool_use" then ($b.id // "\($uuid)-\($e.key)") as $id
            | .[-1].call = $id | .[-1].content += [{type: "tool_use", id: $id, name: $b.name, input: ($b.input // {})}]
          elif $b.type == "text" then .[-1].content += [$b | text_block]
          else . end
      end)
  | map(select(.content != []));
def attached: (.attachments // [])[] | select((.extracted_content | type) == "string")
  | {type: "text", text: "\(.file_name // "attachment"):\n\(.extracted_content)"};
def plain: if length == 1 and .[0].type == "text" then .[0].text else . end;
def said($sid):
  . as $m | {created_at: ($m.created_at | when)} as $at
  | (if ($m.content // []) == [] then [$m | {type: "text", text}] else $m.content end) as $blocks
  | if $m.sender == "human" then
      ([$m | attached] + [$blocks[] | text_block] | plain) as $c
      | if $c == [] then aside("no content") else message($sid; $m.uuid; {role: "user", content: $c}; $at) end
    elif $m.sender == "assistant" then
      ($blocks | turns($m.uuid)) as $t
      | if $t == [] then aside("no content")
        else range(0; $t | length) as $i
          | message($sid; (if $i == 0 then $m.uuid else "\($m.uuid)-\($i)" end);
              {role: $t[$i].role, content: ($t[$i].content | plain)}; $at) end
    else skip("sender \($m.sender)") end;
# The messages as a tree. The messages in older exports do not name their parents; these messages are
# one branch.
def tree:
  . as $m | any($m[]; .parent_message_uuid != null) as $told
  | reduce range(0; $m | length) as $i ({};
      (($m[$i].uuid | named) // "n\($i)" | tostring) as $k
      | (if $told then $m[$i].parent_message_uuid
         elif $i > 0 then (($m[$i - 1].uuid | named) // "n\($i - 1)" | tostring) else null end) as $p
      | .[$k] += {id: $k, parent: $p, said: $m[$i]}
      | if $p != null then .[$p].children += [$k] else . end)
  | with_entries(select(.value.said != null));
. as $in | .record as $r
| if ($r | type) != "object" or ($r.chat_messages | type) != "array" then skip("no conversation")
  else
    ($in.info.session // ($r.uuid | named) // own_id) as $sid
    | {title: ($r.name | str), created_at: ($r.created_at | when), metadata: {format: "claude-ai"}} as $about
    | (
      ([$r.chat_messages[] | objects] | tree) as $map
      | ([$map[] | .parent | strings] | unique) as $parents
      | [$map | keys_unsorted[] | select(. as $k | $parents | bsearch($k) < 0)] as $leaves
      | (($r.current_leaf_message_uuid | strings | select($map[.] != null)) //
          ([$r.chat_messages[] | objects | .uuid | strings | select($map[.] != null)] | .[-1])) as $current
      | late($map) as $late
      | if $in.info.current then
          (if $current == null then [] else path($map; $current) end) as $path
          | session($sid; $about), ($path[] | $map[.].said | said($sid)),
            (if ($leaves | length) > 1 then aside("other branch") else empty end)
        else
          (if $leaves == [] then session($sid; $about) else empty end),
          (branches($map; $late; $leaves; $current)
          | (range(.over) | too_many_branches), (.branches[] | .at[-1] as $at | branch_id($sid; $at) as $id
          | session($id; $about + (if $at == null then {} else {parent_session_id: branch_id($sid; .at[-2])} end)),
            (.path[] | $map[.].said | said($id))))
        end),
      ($r.chat_messages[] | (.files // [])[] | lost("files")),
      ($r.chat_messages[] | (.content // [])[] | select(.type == "thinking") | lost("thinking"))
  end
