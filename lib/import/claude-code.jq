# ctx-import: whole with --current
# Claude Code: the files of sessions and subagents, with one JSON object on each line.
# ctx-import: place ${CLAUDE_CONFIG_DIR:-~/.claude}/projects/*/*.jsonl
# ctx-import: place ${CLAUDE_CONFIG_DIR:-~/.claude}/projects/*/*/subagents/*.jsonl
def sid($in; $r):
  $in.info.session // ($r.sessionId | named) // $in.info.own_file
  | if $r.agentId != null then "\(.)~\($r.agentId)"
    elif $r.isSidechain == true then "\(.)~sidechain" else . end;
def content:
  if type == "string" then .
  elif type == "array" then map(select(type == "object"))
  else null end;
def line($in; $r):
  if ($r | type) != "object" then skip("no object")
    elif $r.type == "summary" then aside("summary")
    elif $r.type == "tool_use" and $r.message == null and ($r.name | type) == "string" then
      # In an unusual form of the file, calls and results are separate lines. A result belongs to
      # the preceding call.
      sid($in; $r) as $sid
      | message($sid; ($r.uuid | named) // "n\($in.info.n)"; {role: "assistant", content: [
          call_block(($r.id | named) // ($r.uuid | named) // "n\($in.info.n)"; $r.name; $r.input // {}; {})]}; {created_at: ($r.timestamp | when)}),
        {kind: "state", state: {call: (($r.id | named) // ($r.uuid | named) // "n\($in.info.n)")}}
    elif $r.type == "tool_result" and $r.message == null then
      if $in.state.call == null then skip("result without a call")
      else
        message(sid($in; $r); ($r.uuid | named) // "n\($in.info.n)"; {role: "user", content: [{type: "tool_result",
          tool_use_id: $in.state.call, content: ($r.output // "" | as_text)}]};
          {created_at: ($r.timestamp | when)}),
        {kind: "state", state: null}
      end
    elif $r.type != "user" and $r.type != "assistant" then
      # A line of another type is ignored, or reported as skipped if it contains a message.
      "type \($r.type // "none")" + (if $r.type == "system" and $r.subtype != null then " \($r.subtype)" else "" end)
      | if $r.message == null then aside(.) else skip(.) end
    elif ($r.message | type) != "object" then skip("no message")
    elif $r.message.model == "<synthetic>" then aside("synthetic")
    elif $r.isVisibleInTranscriptOnly == true and $r.isCompactSummary != true then aside("visible in transcript only")
    else
      sid($in; $r) as $sid
      | ($r.message.content | content) as $content
      | (($content | type) == "array" and ($content | length > 0) and
          ($content | all(.type == "tool_result"))) as $results
      | if $content == null then skip("no content")
        elif $content == [] or $content == "" then aside("no content")
        else
          session($sid; {created_at: ($r.timestamp | when), agent: ($r.agentId | str | named),
            parent_session_id: (if $r.agentId != null or $r.isSidechain == true
              then ($in.info.session // ($r.sessionId | named) // $in.info.own_file) else null end),
            metadata: ({format: "claude-code", cwd: $r.cwd, git: $r.gitBranch, version: $r.version} | filled)}),
          message($sid; ($r.uuid | named) // "n\($in.info.n)"; {role: $r.type, content: $content};
            {created_at: ($r.timestamp | when),
             join: (if $r.type == "assistant" then $r.message.id else null end),
             between: (if $results then true else null end),
             message_type: (if $r.isCompactSummary == true then "summary" else null end),
             metadata: ({model: $r.message.model, parent: $r.parentUuid, usage: $r.message.usage,
               meta: (if $r.isMeta == true then true else null end)} | filled
               | if . == {} then null else . end)}),
          (if $r.toolUseResult != null and ($results | not) then lost("toolUseResult") else empty end)
        end
    end;
# Finds the lines of the branch that was shown last. After a rewind, the file only continues with a
# line that has an earlier parent. Lines that are not on the path to the last line still belong to the
# branch if they are a part of a message in the branch or a result of a call in the branch.
def living:
  def own: (.type == "user" or .type == "assistant") and .uuid != null and .isSidechain != true;
  . as $lines
  | (reduce ($lines[] | objects | select(.uuid != null)) as $l ({};
      .[$l.uuid] = (.[$l.parentUuid // $l.logicalParentUuid // ""] // $l.uuid))) as $root
  | (last($lines[] | objects | select(own)) // null) as $leaf
  | (reduce ($lines | reverse)[] as $l ({want: $leaf.uuid, set: {}};
      if ($l | type) == "object" and $l.uuid != null and $l.uuid == .want
      then .set[$l.uuid] = true | .want = ($l.parentUuid // $l.logicalParentUuid) else . end) | .set) as $set
  | (reduce ($lines[] | objects | select(.uuid != null and $set[.uuid] and .message.id != null)) as $l ({};
      .["\($l.message.id)"] = true)) as $said
  | def kept: $set[.uuid] or (.message.id != null and $said["\(.message.id)"] == true);
    (reduce ($lines[] | objects | select(own and kept) | .message.content | arrays | .[] | objects
      | select(.type == "tool_use")) as $c ({}; .["\($c.id)"] = true)) as $calls
  | [range(0; $lines | length) as $i | $lines[$i] | . as $l
    | (if type == "object" and own and $root[.uuid] == $root[$leaf.uuid] and (kept | not) and
        (any(.message.content | arrays | .[] | objects; .type == "tool_result" and $calls["\(.tool_use_id)"] == true) | not)
      then {n: ($i + 1), gone: true} else {n: ($i + 1), line: $l} end)];
. as $in | .record as $r
| if ($r | type) == "array" and $in.info.current then
    $r | living[] | .n as $n
    | if .gone then aside("other branch") else line($in | .info.n = $n; .line) end
  else line($in; $r) end
