# ctx-import: whole
# GitHub Copilot's command line: events.jsonl. A sub-agent's events name the call that began it,
# and are a session of their own.
# ctx-import: claims (.data | object) and (.type | string) and has("parentId") and (.type | split(".")[0] | among(["session", "user", "assistant", "tool", "subagent", "system"]))
# ctx-import: place ${COPILOT_HOME:-~/.copilot}/session-state/*/events.jsonl
# ctx-import: place ${COPILOT_HOME:-~/.copilot}/session-state/*.jsonl
# ctx-import: beside workspace workspace.yaml
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
# what no message holds of an event
def left($calls):
  if said($calls) then
    (select(.data.transformedContent != null and .data.transformedContent != .data.content) | lost("transformedContent")),
    (select((.data.attachments // []) != []) | lost("attachments")),
    (select(.data.reasoningOpaque != null) | lost("reasoningOpaque")),
    (select(.data.encryptedContent != null) | lost("encryptedContent"))
  elif .type == "tool.execution_complete" then aside("result of no call")
  elif .type | among(["user.message", "assistant.message", "system.message"]) then aside("no content")
  else aside("type \(.type)") end;
# the sum that the end of the session tells, by model
def ledger: [.data.modelMetrics // {} | to_entries[] | .key as $model | .value.usage | objects
  | usage(.inputTokens - ((.cacheReadTokens // 0) + (.cacheWriteTokens // 0)); .cacheReadTokens; .cacheWriteTokens; .outputTokens; {}) + {model: $model}]
  | if . == [] then null else . end;
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
  ($all[] | left($calls))
