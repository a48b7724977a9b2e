# ATIF, the Agent Trajectory Interchange Format: a trajectory is one JSON object.
# ctx-import: claims (.schema_version | string) and (.schema_version | startswith("ATIF-")) and (.steps | array)
def content: if type == "string" then . else blocks_of([.[]? | objects
  | if .type == "text" then {type, text} elif .type == "image" then (.source.path? // .source.url? | data_image) // {type: "text", text: "[image]"}
    else {type: "text", text: as_text} end]) end;
def said: . != [] and . != "";
. as $in | .record as $r
| if ($r | type) != "object" or ($r.steps | type) != "array" then skip("no trajectory")
  else
    ($in.info.session // ($r.session_id | str | named) // ($r.trajectory_id | str | named) // own_id) as $sid
    | session($sid; {created_at: (([$r.steps[] | objects | .timestamp | strings][0]) | when),
        metadata: ({format: "atif", agent: $r.agent.name?, version: $r.agent.version?, model: $r.agent.model_name?} | filled)}),
      ($r.steps | to_entries[] | "s\(.value.step_id? // (.key + 1))" as $id | .value | objects
        | {created_at: (.timestamp | when)} as $at | (.message // "" | content) as $c
        | if .source == "system" or .source == "user" then
            if $c | said then message($sid; $id; {role: .source, content: $c}; $at) else aside("no content") end
          elif .source == "agent" then
            blocks_of([(.reasoning_content | strings | select(. != "") | {type: "thinking", thinking: .}),
              ($c | if type == "string" then {type: "text", text: .} else .[] end),
              (.tool_calls[]? | objects | call_block(.tool_call_id; .function_name; (.arguments // {} | arguments); {}))]) as $blocks
            | (if $blocks | said then message($sid; $id; {role: "assistant", content: $blocks}; $at + {metadata: about({model: (.model_name // $r.agent.model_name?),
                usage: (.metrics as $u | usage(($u.prompt_tokens? // null | if . == null then null else . - ($u.cached_tokens // 0) end);
                  $u.cached_tokens?; null; $u.completion_tokens?; {cost: $u.cost_usd?}))})}) else aside("no content") end),
              (.observation.results? // [] | to_entries[] | .key as $k | .value | objects
                | if .source_call_id == null then
                    (if (.content // "" | content | said) then message($sid; "\($id)-\($k + 1)"; {role: "user", content: (.content | content)}; $at + {metadata: {synthetic: true}}) else empty end)
                  else result_message($sid; "\($id)-\($k + 1)"; .source_call_id; (.content // "" | content); false;
                    $at + {metadata: about({sub_session: .subagent_trajectory_ref[0]?.session_id?})}) end)
          else skip("source \(.source)") end),
      (if $r.agent.tool_definitions? != null then lost("tool_definitions") else empty end)
  end
