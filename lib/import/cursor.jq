# Cursor's transcripts: each line is a message. Transcripts contain no times, no usage and no ids of
# calls, and lack most results. The file of a subagent is in the directory of its parent session.
# ctx-import: claims (has("type") | not) and (.role | among(["user", "assistant"])) and (.message | object) and (.message | has("content") and (has("role") | not))
# ctx-import: place ~/.cursor/projects/*/agent-transcripts/*/*.jsonl
# ctx-import: place ~/.cursor/projects/*/agent-transcripts/*.jsonl
# ctx-import: place ~/.cursor/projects/*/agent-transcripts/*/subagents/*.jsonl
def call: .type == "tool_use" or .type == "tool_call" or .type == "tool-call";
def result: .type == "tool_result" or .type == "tool-result";
def block($user; $n; $k):
  if .type == "text" then {type, text: (.text // "" | if $user then cursor_query else . end)}
  elif .type == "thinking" and (.thinking | type) == "string" then {type, thinking}
  elif call then call_block(.id // "c\($n).\($k + 1)"; .name; (.input // {} | arguments); {})
  elif result then empty
  elif (.text | type) == "string" then {type: "text", text}
  else empty end;
. as $in | .record as $r
| if ($r | type) != "object" then skip("no object")
  elif ($r.message | type) != "object" then aside("type \($r.type // "none")")
  elif $r.role != "user" and $r.role != "assistant" then skip("role \($r.role)")
  else
    ($in.info.path // "" | split("/")) as $path
    | (($path | length > 3) and $path[-2] == "subagents") as $sub
    | ($in.state // {sid: ($in.info.session // (if any($path[]; . == "agent-transcripts") then $in.info.source else $in | file_id end)), open: []}) as $s
    | ($r.message.content | if type == "string" then [{type: "text", text: .}] else [.[]? | objects] end) as $list
    | blocks_of([range(0; $list | length) as $k | $list[$k] | block($r.role == "user"; $in.info.n; $k)]) as $c
    | [$c | arrays | .[] | select(.type == "tool_use") | {id, name}] as $calls
    | (if $in.state == null then session($s.sid; {parent_session_id: (if $sub and any($path[]; . == "agent-transcripts") then $path[-3] else null end),
        metadata: ({format: "cursor", project: (if any($path[]; . == "agent-transcripts") then $path[($path | map(. == "agent-transcripts") | index(true)) - 1] else null end)} | filled)}) else empty end),
      # A result without an id belongs to the first call with the same name that has no result yet.
      (foreach ($list[] | select(result)) as $t ({open: $s.open, k: 0};
          .k += 1 | ([.open[] | select($t.name == null or .name == $t.name)][0]) as $call
          | .call = ($t.tool_use_id // $call.id) | .open |= map(select(. != $call));
          .k as $k | if .call == null then aside("result of no call") else
            result_message($s.sid; "m\($in.info.n)-\($k)"; .call; ($t.content | if type == "array" then blocks_of([.[] | objects]) else . // "" | as_text end); $t.is_error == true; {}) end)),
      (if $c == [] then (if any($list[]; result) then empty else aside("no content") end)
       else message($s.sid; "m\($in.info.n)"; {role: $r.role, content: $c}; {metadata: about({model: ($r.model | str)})}) end),
      ($list[] | select(.type == "text" or .type == "thinking" or call or result | not) | lost(.type // "block")),
      {kind: "state", state: {sid: $s.sid, open: ($s.open + $calls)[-20:]}}
  end
