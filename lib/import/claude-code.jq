# Claude Code: session files and those of its subagents, one JSON object a line.
def sid($in; $r):
  $in.info.session // $r.sessionId // $in.info.own_file
  | if $r.agentId != null then "\(.)~\($r.agentId)"
    elif $r.isSidechain == true then "\(.)~sidechain" else . end;
def content:
  if type == "string" then .
  elif type == "array" then map(select(type == "object"))
  else null end;
. as $in | .record as $r
| if ($r | type) != "object" then skip("no object")
  elif $r.type == "summary" then aside("summary")
  elif $r.type == "tool_use" and $r.message == null and ($r.name | type) == "string" then
    # a drifted shape: calls and results as lines of their own, paired by their order
    sid($in; $r) as $sid
    | message($sid; $r.uuid // "n\($in.info.n)"; {role: "assistant", content: [
        call_block($r.id // $r.uuid // "n\($in.info.n)"; $r.name; $r.input // {}; {})]}; {created_at: ($r.timestamp | when)}),
      {kind: "state", state: {call: ($r.id // $r.uuid // "n\($in.info.n)")}}
  elif $r.type == "tool_result" and $r.message == null then
    if $in.state.call == null then skip("result without a call")
    else
      message(sid($in; $r); $r.uuid // "n\($in.info.n)"; {role: "user", content: [{type: "tool_result",
        tool_use_id: $in.state.call, content: ($r.output // "" | as_text)}]};
        {created_at: ($r.timestamp | when)}),
      {kind: "state", state: null}
    end
  elif $r.type != "user" and $r.type != "assistant" then
    # bookkeeping, unless it looks like a message
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
            then ($in.info.session // $r.sessionId // $in.info.own_file) else null end),
          metadata: ({format: "claude-code", cwd: $r.cwd, git: $r.gitBranch, version: $r.version} | filled)}),
        message($sid; $r.uuid // "n\($in.info.n)"; {role: $r.type, content: $content};
          {created_at: ($r.timestamp | when),
           join: (if $r.type == "assistant" then $r.message.id else null end),
           between: (if $results then true else null end),
           message_type: (if $r.isCompactSummary == true then "summary" else null end),
           metadata: ({model: $r.message.model, parent: $r.parentUuid, usage: $r.message.usage,
             meta: (if $r.isMeta == true then true else null end)} | filled
             | if . == {} then null else . end)}),
        (if $r.toolUseResult != null and ($results | not) then lost("toolUseResult") else empty end)
      end
  end
