# ctx-import: claims .type == "session" and has("id") and (has("cwd") or has("version"))
# ctx-import: whole
# pi, and OpenClaw, which writes the same files: a file contains a tree of entries, and each branch
# becomes a session. The main branch follows the oldest entry at every fork, and has the session's id.
# Every other branch becomes a child session, which starts with the entries that the branch shares
# with its parent branch. The id of the child session contains the id of the entry at which the
# branch leaves its parent branch. The conversation continues after the last entry of the file.
# ctx-import: place ${PI_CODING_AGENT_DIR:-~/.pi/agent}/sessions/*/*.jsonl
# ctx-import: place ~/.openclaw/agents/*/sessions/*.jsonl
def block:
  if .type == "text" then {type, text}
  elif .type == "image" then {type, source: {type: "base64", media_type: .mimeType, data}}
  elif .type == "thinking" and .redacted == true then {type: "redacted_thinking", data: (.thinkingSignature // "")}
  elif .type == "thinking" then {type, thinking} + ({signature: .thinkingSignature} | filled)
  elif .type == "toolCall" then call_block(.id; .name; (.arguments | arguments); {thoughtSignature})
  else . end;
def content:
  if type == "array" then [.[] | objects | select(.type != "text" or .text != "") | block] | one_text
  elif type == "string" then . else [] end;
def about($e): ({model: .model, provider: .provider, usage: .usage, stop_reason: .stopReason} | filled
  | if . == {} then null else . end);
def entry($sid):
  . as $e | {created_at: ($e.timestamp | when)} as $at
  | if .type == "message" and (.message | type) == "object" then
      .message as $m | ($m.content | content) as $c
      | if $m.role == "toolResult" then
          message($sid; $e.id; {role: "user", content: [{type: "tool_result", tool_use_id: $m.toolCallId, content: $c}
            + (if $m.isError == true then {is_error: true} else {} end)]}; $at)
        elif $m.role == "bashExecution" then
          message($sid; $e.id; {role: "user", content: "Ran `\($m.command)`\n```\n\($m.output // "")\n```\(
            if $m.exitCode != null and $m.exitCode != 0 then "\nexit status \($m.exitCode)" else "" end)"}; $at)
        elif $c == [] or $c == "" then aside("no content")
        elif $m.role == "assistant" then message($sid; $e.id; {role: "assistant", content: $c}; $at + {metadata: ($m | about($e))})
        elif $m.role == "user" or $m.role == "system" then message($sid; $e.id; {role: $m.role, content: $c}; $at)
        elif $m.role == "custom" then message($sid; $e.id; {role: "user", content: $c}; $at + {metadata: {custom: $m.customType}})
        else skip("role \($m.role)") end
    elif .type == "custom_message" then
      (.content | content) as $c
      | if $c == [] or $c == "" then aside("no content")
        else message($sid; $e.id; {role: "user", content: $c}; $at + {metadata: {custom: .customType}}) end
    elif (.type == "compaction" or .type == "branch_summary") and (.summary | type) == "string" then
      message($sid; $e.id; {role: "user", content: .summary}; $at + {message_type: "summary",
        metadata: ({type, first_kept: (.firstKeptEntryId // .firstKeptEntryIndex), from: .fromId} | filled)})
    elif type == "object" and has("message") | not then aside("type \(.type)")
    else skip("type \(.type)") end;
# Reports the parts of an entry that no message contains.
def losses:
  (.message | objects | (if .details != null then lost("details") else empty end),
    (if .errorMessage != null then lost("errorMessage") else empty end)),
  (select(.type == "compaction" and .details != null) | lost("details"));
# Gives ids to entries of version 1, which have no ids. If the parent of an entry is missing, the
# preceding entry becomes its parent.
def linked:
  reduce .[] as $e ({n: 0, seen: {}, last: null, out: []};
    .n += 1 | ($e.id // "n\(.n)" | tostring) as $id
    | (if ($e | has("parentId") | not) then .last
       elif $e.parentId == null then null
       elif .seen[$e.parentId | tostring] then $e.parentId else .last end) as $parent
    | .seen[$id] = true | .last = $id | .out += [$e + {id: $id, parentId: $parent}])
  | .out;
. as $in | [.record[] | select(type == "object")] as $all
| (first($all[] | select(.type == "session")) // {}) as $head
| ($in.info.session // ($head.id | str | named) // ($in | own_id)) as $sid
| ([$all[] | select(.type != "session")] | linked) as $entries
| (reduce $entries[] as $e ({}; .[$e.id] = $e)) as $by
# The entries that have an older sibling. A branch begins at each of these entries.
| (reduce $entries[] as $e ({first: {}, late: {}};
    ($e.parentId // "") as $p
    | if .first[$p] == null then .first[$p] = $e.id else .late[$e.id] = true end) | .late) as $late
| (reduce $entries[] as $e ({}; if $e.parentId == null then . else .[$e.parentId] = true end)) as $parents
| ([$entries[] | select($parents[.id] == null) | .id]) as $leaves
| (($head.parentSession // $head.branchedFrom) | str
    | if . == null then null else split("/")[-1] | sub("\\.jsonl.*$"; "") | split("_")[-1] end) as $from
| {title: (last($entries[] | select(.type == "session_info") | .name | strings) // null),
   created_at: ($head.timestamp | when),
   metadata: ({format: "pi", cwd: $head.cwd, version: $head.version, model: $head.modelId} | filled)} as $about
| def path: [limit($entries | length; recurse(if $by[.].parentId == null then empty else $by[.].parentId end))] | reverse;
  def branch_id($node): if $node == null then $sid else "\($sid)~\($node)" end;
  if $entries == [] then session($sid; $about + {parent_session_id: $from})
  else
    (if $in.info.current then [$entries[-1].id] else $leaves end)[]
    | path as $path
    | [range(0; $path | length) | select($late[$path[.]])] as $at
    | (if $at == [] then null else $path[$at[-1]] end) as $node
    | branch_id($node) as $id
    | session($id; $about + (if $node == null then {parent_session_id: $from} else
        {parent_session_id: branch_id(if ($at | length) > 1 then $path[$at[-2]] else null end),
         parent_seq: ([$path[:$at[-1]][] | $by[.] | entry($id) | select(.kind == "message")] | length)} end)),
      ($path[] | $by[.] | entry($id))
  end,
  ($entries[] | losses),
  (if $in.info.current and ($leaves | length) > 1 then aside("other branch") else empty end)
