# Antigravity's command line: each line is a step of the conversation. The steps of tools contain the
# results of the preceding calls, in the order of the calls.
# ctx-import: claims has("step_index") and has("source") and (.type | string)
# ctx-import: place ~/.gemini/antigravity-cli/brain/*/.system_generated/logs/transcript_full.jsonl
def request: if contains("<USER_REQUEST>") and contains("</USER_REQUEST>") then
  split("<USER_REQUEST>")[1] | split("</USER_REQUEST>")[0] | ltrimstr("\n") | rtrimstr("\n") else . end;
def plain_args: if type == "object" then map_values(. as $v | if type == "string" then (try fromjson catch $v) else . end) else arguments end;
. as $in | .record as $r
| if ($r | type) != "object" then skip("no object")
  else
    ($in.info.path // "" | split("/")) as $path
    | (if any($path[]; . == "brain") then $path[($path | map(. == "brain") | index(true)) + 1] else null end) as $name
    | ($in.state // {sid: ($in.info.session // $name // ($in | file_id)), open: []}) as $s
    | "s\($r.step_index // $in.info.n)" as $id | {created_at: ($r.created_at | when)} as $at
    | ($r.content | str // "") as $text
    | (if $in.state == null then session($s.sid; {created_at: $at.created_at, metadata: {format: "antigravity"}}), {kind: "state", state: $s} else empty end),
      (if $r.type == "USER_INPUT" then
        ($text | request) as $t | if $t == "" then aside("no content") else message($s.sid; $id; {role: "user", content: $t}; $at) end
      elif $r.type == "PLANNER_RESPONSE" then
        [($r.tool_calls // [])[] | objects] as $calls
        | [range(0; $calls | length) | {id: "c\($r.step_index // $in.info.n).\(. + 1)", call: $calls[.]}] as $calls
        | blocks_of([($r.thinking | strings | select(. != "") | {type: "thinking", thinking: .}), {type: "text", text: $text},
            ($calls[] | .id as $c | .call | call_block($c; .name; (.args // {} | plain_args); {}))]) as $c
        | (if $c == [] then aside("no content") else message($s.sid; $id; {role: "assistant", content: $c}; $at) end),
          {kind: "state", state: ($s | .open = [$calls[].id])}
      elif $r.type == "CHECKPOINT" and $text != "" then message($s.sid; $id; {role: "user", content: $text}; $at + {message_type: "summary"})
      elif $r.source == "SYSTEM" and $text != "" then message($s.sid; $id; {role: "user", content: $text}; $at + {metadata: {synthetic: true}})
      elif $text == "" then aside("type \($r.type)")
      elif $s.open != [] then
        result_message($s.sid; $id; $s.open[0]; $text; $r.status == "ERROR"; $at), {kind: "state", state: ($s | .open |= .[1:])}
      else message($s.sid; $id; {role: "user", content: $text}; $at + {metadata: {synthetic: true, step: $r.type}}) end),
      (if ($r.truncated_fields // []) != [] then lost("truncated") else empty end)
  end
