# ctx-import: whole
# GitHub Copilot's command line: events.jsonl. The events of a subagent name the call that started the
# subagent, and become a separate session. Earlier versions kept each session as one object in
# history-session-state. This object contains the messages as they were sent, and a timeline with the
# times and the outcomes of calls.
# ctx-import: claims ((.sessionId | string) and (.chatMessages | array) and ((.timeline | array) or (.startTime | string))) or (.data | object) and (.type | string) and has("parentId") and (.type | split(".")[0] | among(["session", "user", "assistant", "tool", "subagent", "system"]))
# ctx-import: place ${COPILOT_HOME:-~/.copilot}/session-state/*/events.jsonl
# ctx-import: place ${COPILOT_HOME:-~/.copilot}/session-state/*.jsonl
# ctx-import: place ${COPILOT_HOME:-~/.copilot}/history-session-state/*.json
# ctx-import: beside workspace workspace.yaml
# ctx-import: beside newer ../session-state/{sessionId}/events.jsonl ../session-state/{sessionId}.jsonl
def summary: .data | (.summary // .summaryContent) | str | named;
def said($calls):
  if .type == "user.message" or .type == "system.message" then (.data.content | str | named) != null
  elif .type == "assistant.message" then (.data.content | str | named) != null or (.data.reasoningText | str | named) != null or (.data.toolRequests // []) != []
  elif .type == "tool.execution_complete" then .data.toolCallId as $c | $calls | has($c)
  else .type == "session.compaction_complete" and summary != null end;
def entry($calls):
  .sid as $sid | .v | .data as $d | {created_at: (.timestamp | when)} as $at
  | if said($calls) | not then empty
    elif .type == "user.message" then message($sid; .id; {role: "user", content: $d.content}; $at)
    elif .type == "system.message" then message($sid; .id; {role: "system", content: $d.content}; $at)
    elif .type == "assistant.message" then
      message($sid; $d.messageId // .id; {role: "assistant", content: blocks_of(
          [if ($d.reasoningText | str | named) != null then {type: "thinking", thinking: $d.reasoningText} else empty end,
           {type: "text", text: ($d.content // "")},
           (($d.toolRequests // [])[] | objects | call_block(.toolCallId; .name; (.arguments | arguments); {}))])};
        $at + {metadata: about({model: $d.model, usage: usage(null; null; null; $d.outputTokens; {})})})
    elif .type == "tool.execution_complete" then
      result_message($sid; .id; $d.toolCallId; ($d.result.content // $d.error.message? // $d.error // "" | as_text); $d.success == false; $at)
    else message($sid; .id; {role: "user", content: summary}; $at + {message_type: "summary"}) end;
# Reports the parts of an event that no message contains.
def left($calls):
  if said($calls) then
    (select(.data.transformedContent != null and .data.transformedContent != .data.content) | lost("transformedContent")),
    (select((.data.attachments // []) != []) | lost("attachments")),
    (select(.data.reasoningOpaque != null) | lost("reasoningOpaque")),
    (select(.data.encryptedContent != null) | lost("encryptedContent"))
  elif .type == "tool.execution_complete" then aside("result of no call")
  elif .type | among(["user.message", "assistant.message", "system.message"]) then aside("no content")
  else aside("type \(.type)") end;
# The total usage of each model, from the event that ends a session.
def ledger: [.data.modelMetrics // {} | to_entries[] | .key as $model | .value.usage | objects
  | usage(.inputTokens - ((.cacheReadTokens // 0) + (.cacheWriteTokens // 0)); .cacheReadTokens; .cacheWriteTokens; .outputTokens; {}) + {model: $model}]
  | if . == [] then null else . end;
# Reads a session of history-session-state. Calls without an id get generated ids, and their results
# come in the order of the calls.
def call_ids($n): [(.tool_calls // [])[] | objects] | to_entries | map(.value + {id: ((.value.id | str | named) // "call_m\($n)-\(.key + 1)")});
def old_session($in; $newer):
  ($in.info.session // (.sessionId | str | named)) as $sid
  | ([.timeline[]? | objects]) as $line
  | (reduce ($line[] | select((.callId | type) == "string")) as $t ({};
      if $t.type == "tool_call_requested" then .[$t.callId].at = ($t.timestamp | when)
      else .[$t.callId] += {end: ($t.timestamp | when), failed: (($t.result.type? // "success") | among(["success", "completed"]) | not)} end)) as $calls
  | if $newer then aside("session that session-state has")
    else
      session($sid; {title: (.title // .name | str | named), created_at: (.startTime | when),
        metadata: ({format: "copilot", cwd: (.cwd | str), model: (.selectedModel // .model | str)} | filled)}),
      foreach (.chatMessages | to_entries[]) as $e ({open: [], asked: [$line[] | select(.type == "user")], out: []};
        ($e.key + 1) as $n | $e.value as $m | "m\($n)" as $id
        | if ($m | type) != "object" then .out = [skip("no message")]
          elif $m.role == "user" or $m.role == "system" then
            ([.asked | to_entries[] | select(.value.text == $m.content) | .key][0]) as $k
            | (if $k == null or $m.role == "system" then null else .asked[$k].timestamp | when end) as $at
            | (if $at == null then . else .asked |= .[$k + 1:] end)
            | ($m.content | if type == "array" then [.[] | objects
                | if .type == "image_url" then (.image_url.url? | data_image) // {type: "text", text: "[image]"} else . end] | blocks_of(.)
              else . // "" | as_text end) as $c
            | .out = (if $c == "" or $c == [] then [aside("no content")] else [message($sid; $id; {role: $m.role, content: $c}; {created_at: $at})] end)
          elif $m.role == "assistant" then
            ($m | call_ids($n)) as $list
            | .open += [$list[].id]
            | blocks_of([($m.reasoning_text | str | named | values | {type: "thinking", thinking: .}),
                ($m.content | if type == "array" then .[] else {type: "text", text: (. // "" | as_text)} end),
                ($list[] | call_block(.id; (.function.name? // .name); (.function.arguments? // .arguments | arguments); {}))]) as $c
            | .out = [(if $c == [] then aside("no content")
                else message($sid; $id; {role: "assistant", content: $c}; {created_at: (first($list[] | $calls[.id].at | values) // null)}) end),
              (if ($m.reasoning_opaque // null) != null then lost("reasoningOpaque") else empty end)]
          elif $m.role == "tool" then
            ($m.tool_call_id // $m.toolCallId // .open[0]) as $c
            | if $c == null or (.open as $open | $c | among($open) | not) then .out = [aside("result of no call")]
              else .open -= [$c]
                | .out = [result_message($sid; $id; $c; ($m.content // "" | if type == "array" then [.[] | objects] | one_text else as_text end);
                    $calls[$c].failed == true; {created_at: $calls[$c].end})] end
          else .out = [skip("role \($m.role)")] end;
        .out[])
    end;
def events:
. as $in | [.record[] | select(type == "object" and (.type | type) == "string")] as $all
| (first($all[] | select(.type == "session.start")) // {data: {}}) as $head
| ($in.info.session // ($head.data.sessionId | str | named) // ($in | own_id)) as $sid
| (reduce ($all[] | select(.type == "assistant.message") | .data.toolRequests // [] | .[] | objects | .toolCallId | strings) as $c ({}; .[$c] = true)) as $calls
| ([$in.info.beside.workspace[]? | .value | if type == "string" then split("\n")[] | select(startswith("name:")) | .[5:] | ltrimstr(" ") else empty end][0] | named) as $name
| {title: $name, created_at: (($head.data.startTime // $all[0].timestamp) | when),
   metadata: ({format: "copilot", cwd: $head.data.context.cwd?, branch: $head.data.context.branch?,
     version: $head.data.copilotVersion, model: $head.data.selectedModel, usage: (last($all[] | select(.type == "session.shutdown")) // {} | ledger)} | filled)} as $about
| ([$all[] | select(.data.parentToolCallId == null)] | grow(.id; .parentId | before; said($calls)) | tree_sessions($in.info.current; $sid; $about; .last; entry($calls))),
  ([$all[] | select(.data.parentToolCallId != null)] | group_by(.data.parentToolCallId)[]
    | .[0].data.parentToolCallId as $call | "\($sid)/\($call)" as $id
    | session($id; {parent_session_id: $sid, created_at: (.[0].timestamp | when),
        title: (first($all[] | select(.type == "subagent.started" and .data.toolCallId == $call) | .data | .agentDisplayName // .agentName) // null),
        metadata: {format: "copilot"}}),
      (.[] | {sid: $id, v: .} | entry($calls))),
  ($all[] | left($calls));
. as $whole | (first(.record[] | objects | select(.chatMessages | type == "array")) // null) as $old
| if $old == null then $whole | events else $old | old_session($whole; ($whole.info.beside.newer // []) != []) end
