# Claude.ai's export, conversations.json.
def text_block: select((.text | type) == "string" and (.text | test("[^\\s]"))) | {type: "text", text};
# A model's message holds calls and their results in a row; results are the user's to send.
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
. as $in | .record as $r
| if ($r | type) != "object" or ($r.chat_messages | type) != "array" then skip("no conversation")
  else
    ($in.info.session // $r.uuid // own_id) as $sid
    | session($sid; {title: ($r.name | str), created_at: ($r.created_at | when),
        metadata: ({format: "claude-ai"} | filled)}),
      ($r.chat_messages[]
        | . as $m | {created_at: ($m.created_at | when)} as $at
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
          else skip("sender \($m.sender)") end),
      ($r.chat_messages[] | (.files // [])[] | lost("files")),
      ($r.chat_messages[] | (.content // [])[] | select(.type == "thinking") | lost("thinking"))
  end
