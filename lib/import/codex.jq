# Codex: rollout files and the output of codex exec --json. Newer rollouts consist of lines
# {timestamp, type, payload}. Older rollouts consist of bare items, after a first line of metadata. A
# compaction restarts the history: the lines after a compaction become a new session, which is a child
# of the previous session. Paginated rollouts contain each message twice: as an item of the API, and
# as a completed item before or after the item of the API.
# ctx-import: place ${CODEX_HOME:-~/.codex}/sessions/*/*/*/rollout-*.jsonl*
# ctx-import: place ${CODEX_HOME:-~/.codex}/archived_sessions/rollout-*.jsonl*
# True for a message that Codex inserts before the first question.
def context: .content | if type == "array" then .[0].text? else . end | type == "string" and
  (startswith("<environment_context>") or startswith("<user_instructions>") or startswith("# AGENTS.md instructions"));
def one: item_message | if .message.role == "user" then .message.content |= one_text else . end;
def start($in; $id; $time; $more; $parent):
  ($in.info.session // ($id | named) // ($in | file_id)) as $sid
  | {kind: "state", state: {sid: $sid, base: $sid, calls: $sid, made: ($in.state.made // 0), join: null}},
    session($sid; {created_at: ($time | when),
      parent_session_id: ($parent | str | if . == $sid then null else . end),
      metadata: ({format: "codex"} + $more | filled)});
# The id of a rollout, which is in its file name. The metadata at the beginning of a forked rollout is
# that of the parent, so the file's own id is taken from the name.
def own_uuid: .info.source
  | if test("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$") then .[-36:] else null end;
def need($in):
  (($in | .info.session // own_uuid) // ($in | file_id)) as $sid
  | $in.state // {sid: $sid, base: $sid, calls: "codex-\($in.info.source)", made: 0, join: null, new: true};
def item($in; $time):
  need($in) as $s
  | if .type == "message" and (.role | type) != "string" then skip("item without a role")
    elif .type == "ghost_snapshot" then aside(.type)
    else
      one as $m
      | (if $m.piece then $s.join // "n\($in.info.n)" else null end) as $join
      | (if $s.new then session($s.sid; {created_at: ($time | when), parent_session_id: $s.parent, metadata: {format: "codex"}}) else empty end),
        message($s.sid; "n\($in.info.n)"; $m.message; {created_at: ($time | when), join: $join,
          between: (if $m.message.role == "tool" then true else null end),
          metadata: (if $m.message.role == "user" and ($m.message | context) then {synthetic: true} else null end)}),
        {kind: "state", state: ($s | .join = $join | .answer = (if $join != null then $join elif $m.message.role == "tool" then .answer else null end) | del(.new))}
    end;
# The usage of an answer comes after the answer and after the results of its calls. Codex may repeat
# the same usage; a repetition has an unchanged total, and is ignored.
def token_count($in):
  $in.state as $s | .info.last_token_usage as $u | .info.total_token_usage as $total
  | aside("event_msg"),
    if $s == null or ($u | type) != "object" or $s.answer == null or $total == $s.total then empty
    else ($u.cached_input_tokens // 0) as $read | ($u.cache_write_input_tokens // 0) as $write
      | usage(($u.input_tokens // 0) - $read - $write; $read; $write; $u.output_tokens; {}) as $usage
      | message($s.sid; "usage"; {role: "assistant", content: []};
          {join: $s.answer, usage_only: true, metadata: about({model: $s.model, usage: $usage})}),
        {kind: "state", state: ($s | .total = $total)} end;
# Paginated rollouts contain a message twice: as an item of the API and as a completed item. A twin
# describes the first of these two copies until the second copy arrives in the same turn.
def twin($role): {role: $role, text: [.content[]? | objects | .text | strings] | join("")};
def is_twin($a; $b): $a.role == $b.role and ($a.text == $b.text or
  ($a.role == "user" and $a.text != "" and $b.text != "" and
    (($a.text | contains($b.text)) or ($b.text | contains($a.text)))));
def paired($in; $from; $to; $time):
  need($in) as $s | twin(.role) as $new
  | first(($s.twins[$to] // [] | to_entries[] | select(is_twin(.value; $new)) | .key), null) as $at
  | if $at != null then aside("message told twice"),
      {kind: "state", state: ($s | .twins[$to] |= (.[:$at] + .[$at + 1:]))}
    else item($in + {state: ($s | .twins[$from] = ((.twins[$from] // []) + [$new])[-20:])}; $time) end;
def completed_item($in; $time):
  if .type | among(["UserMessage", "userMessage", "AgentMessage", "agentMessage"]) then
    (if .type | among(["UserMessage", "userMessage"]) then "user" else "assistant" end) as $role
    | ([.content[]? | objects | select(.type | among(["local_image", "localImage", "LocalImage"])) | lost("local_image")] | unique[]),
      ({type: "message", role: $role, id: (if $role == "assistant" then .id | str else null end), phase, content: [.content[]? | objects
          | if (.text | type) == "string" then {type: "input_text", text}
            elif (.image_url | type) == "string" then {type: "input_image", image_url} else empty end]}
        | filled
        | if .content == [] then aside("item without text") else paired($in; "items"; "mirrors"; $time) end)
  else aside("item_completed") end;
def compacted($in; $time):
  need($in) as $s | ($s.made + 1) as $k | "\($s.base)~\($k)" as $sid
  | message($s.sid; null; {role: "assistant", content: []}; {usage_only: true}),
    session($sid; {created_at: ($time | when), parent_session_id: $s.sid,
      metadata: ({format: "codex", compaction: $k, message: (.message | str | if . == "" then null else . end)} | filled)}),
    ((.replacement_history // []) | to_entries[]
      | .key as $i | .value | select(type == "object")
      | if .type == "message" and (.role | type) != "string" then skip("item without a role")
        else one | message($sid; "n\($in.info.n).\($i + 1)"; .message;
          {created_at: ($time | when), join: (if .piece then "n\($in.info.n).\($i + 1)" else null end)}) end),
    {kind: "state", state: ($s | .sid = $sid | .made = $k | .join = null | .answer = null | del(.new))};
def text_message($in; $role; $text):
  need($in) as $s
  | ($in.record | .timestamp // .created_at | when) as $t
  | (if $s.new then session($s.sid; {created_at: ([$t] | earliest), metadata: {format: "codex"}}) else empty end),
    message($s.sid; "n\($in.info.n)"; {role: $role, content: $text}; {created_at: $t}),
    {kind: "state", state: ($s | .join = null | del(.new))};
def output($in; $call; $text):
  need($in) as $s
  | message($s.sid; "n\($in.info.n)r"; {role: "tool", tool_call_id: $call, content: $text}; {}),
    {kind: "state", state: ($s | .join = null | del(.new))};
# The output of codex exec --json has its own types of items, and each item is imported when it is
# completed.
def exec_item($in):
  if .type == "agent_message" then text_message($in; "assistant"; .text)
  elif .type == "command_execution" then
    need($in) as $s
    | message($s.sid; "n\($in.info.n)"; {role: "assistant", content: null, tool_calls: [{id: "\($s.calls)-\(.id)",
        type: "function", function: {name: "shell", arguments: ({command} | tojson)}}]}; {}),
      output($in; "\($s.calls)-\(.id)"; (.aggregated_output // ""))
  elif .type == "mcp_tool_call" then
    need($in) as $s
    | message($s.sid; "n\($in.info.n)"; {role: "assistant", content: null, tool_calls: [{id: "\($s.calls)-\(.id)",
        type: "function", function: {name: .tool, arguments: (.arguments // {} | as_text)}}]}; {}),
      output($in; "\($s.calls)-\(.id)"; (.result // .error // "" | as_text))
  elif .type | among(["reasoning", "file_change", "web_search", "todo_list", "error"]) then aside("item \(.type)")
  else skip("item \(.type)") end;
. as $in | .record as $r
| if ($r | type) != "object" then skip("no object")
  elif $r.type == "session_meta" then
    ($in | own_uuid) as $own | ($r.payload | (.id | named) // (.session_id | named)) as $id
    # A paginated rollout contains no messages of its parent. It may be a later branch of its thread, and
    # then has the thread's id in its metadata.
    | ($r.payload.history_mode == "paginated") as $paginated
    | if $in.state == null and $own != null and $id != $own and ($paginated | not)
      then aside("session_meta of the parent"), {kind: "state", state: (need($in) + {parent: $id})}
    elif $in.state == null or ($in.state | .new and .parent != null) then
      start($in; if $paginated then $own // $id else $id end; ($r.payload.timestamp // $r.timestamp);
        {model: $r.payload.model, cwd: $r.payload.cwd, git: $r.payload.git.branch, version: $r.payload.cli_version,
         history_base: $r.payload.history_base};
        $r.payload | .forked_from_id // .parent_thread_id // .history_base.thread_id? //
          (if $paginated then $id else $in.state.parent end)),
      (if ($r.payload.base_instructions // $r.payload.instructions) != null then lost("instructions") else empty end)
    else aside("session_meta again") end
  elif $r.type == "response_item" then
    $r.payload
    | if .type == "message" and (.role | among(["user", "assistant"])) then paired($in; "mirrors"; "items"; $r.timestamp)
      else item($in; $r.timestamp) end
  elif $r.type == "event_msg" and $r.payload.type? == "item_completed" and ($r.payload.item | type) == "object" then
    $r.payload.item | completed_item($in; $r.timestamp)
  elif $r.type == "event_msg" and $r.payload.type? == "token_count" then $r.payload | token_count($in)
  elif $r.type == "turn_context" and ($r.payload.model? | type) == "string" then
    aside("turn_context"), (if $in.state == null then empty else {kind: "state", state: ($in.state | .model = $r.payload.model)} end)
  elif $r.type == "event_msg" and $r.payload.type? == "task_started" and $in.state.twins != null then
    aside("event_msg"), {kind: "state", state: ($in.state | del(.twins))}
  elif $r.type == "compacted" then $r.payload | compacted($in; $r.timestamp)
  elif $r.type == "thread.started" then start($in; $r.thread_id; null; {}; null)
  elif $r.type == "item.completed" then $r.item | exec_item($in)
  elif ($r.type == "turn.completed" or $r.type == "turn.started" or $r.type == "item.started" or
      $r.type == "item.updated" or $r.type == "turn.failed" or $r.type == "error") then aside($r.type)
  elif $r.record_type != null then aside("record \($r.record_type)")
  elif $r.type == "function_call" and $r.function != null then
    # In an unusual form of the file, the name of a call is in an object, and a result belongs to the
    # preceding call.
    need($in) as $s
    | message($s.sid; "n\($in.info.n)"; {role: "assistant", content: null, tool_calls: [{id: "n\($in.info.n)",
        type: "function", function: {name: $r.function.name, arguments: ($r.arguments // {} | as_text)}}]};
        {created_at: ($r.created_at | when)}),
      {kind: "state", state: ($s | .call = "n\($in.info.n)" | del(.new))}
  elif $r.type == "function_result" then
    if $in.state.call == null then skip("result without a call")
    else output($in; $in.state.call; ($r.result | as_text)) end
  elif ($r.type | among(["message", "reasoning", "function_call", "function_call_output", "custom_tool_call",
      "custom_tool_call_output", "local_shell_call", "web_search_call"])) then
    $r | item($in; ($r.timestamp // $r.created_at))
  elif ($r.role | type) == "string" then
    ($r.content // $r.message) as $text
    | if ($text | type) == "string" and ($r.role | among(["user", "assistant", "system", "developer"]))
      then text_message($in; $r.role; $text) else skip("no text") end
  elif $r.id != null and $r.timestamp != null and $r.type == null and $in.state == null then
    start($in; $r.id; $r.timestamp; {git: $r.git.branch}; null),
    (if $r.instructions != null then lost("instructions") else empty end)
  elif $r.type | among(["event_msg", "turn_context"]) then aside($r.type)
  # Lines of newer versions are ignored if they do not look like messages.
  elif ($r.payload | type) == "object" and ($r.payload | has("role") or has("content") or has("text") | not)
  then aside($r.type // "no type" | tostring)
  else skip($r.type // "no type" | tostring) end
