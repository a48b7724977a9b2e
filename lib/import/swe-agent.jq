# SWE-agent: .traj files, whose member history contains the messages.
def block_text: if type == "string" then . elif type != "array" then ""
  elif all(.[]; (.text? | type) == "string") then [.[].text] | join("\n") else . end;
. as $in | .record as $r
| if ($r | type) != "object" or ($r.history | type) != "array" then skip("no trajectory")
  else
    own_id as $sid
    | session($sid; {metadata: ({format: "swe-agent", environment: $r.environment,
        exit_status: $r.info.exit_status} | filled)}),
      ($r.history | to_entries[] | .key as $i | .value
        | if type != "object" or (known_role | not) then skip("no message")
          else
            . as $m
            | (if .role == "tool" then {role, tool_call_id: (.tool_call_ids[0]? // .tool_call_id), content: (.content | block_text)}
               elif (.tool_calls // []) != [] then {role, content: (.content | block_text), tool_calls}
               else {role, content} end) as $message
            | message($sid; "h\($i + 1)"; $message; {metadata: (if $m.agent != null or $m.is_demo == true
                then ({agent: $m.agent, demo: $m.is_demo} | filled) else null end)})
          end),
      ($r | keys_unsorted[] | select(among(["history", "environment", "info"]) | not) | lost(.))
  end
