# ctx-import: whole
# Kimi Code: wire.jsonl, with one file for each agent. The older kimi-cli: context.jsonl; kimi-cli also
# writes a wire.jsonl, which repeats the context and is not imported.
# ctx-import: claims .type == "metadata" and has("protocol_version")
# ctx-import: claims .role | among(["_system_prompt", "_checkpoint", "_usage"])
# ctx-import: place ${KIMI_CODE_HOME:-~/.kimi-code}/sessions/*/*/agents/*/wire.jsonl
# ctx-import: place ~/.kimi/sessions/*/*/context.jsonl
# ctx-import: beside state ../../state.json
def think: {type: "thinking", thinking: (.think // "")} + ({signature: .encrypted} | filled);
def block: if .type == "text" then {type, text} elif .type == "think" then think
  elif .type == "image_url" then (.imageUrl.url? // .image_url.url? | data_image) // {type: "text", text: "[image]"}
  else {type: "text", text: "[\(.type)]"} end;
def list: if type == "string" then [{type: "text", text: .}] else [.[]? | objects | block] end;
# Returns a unique id for a call. The ids of calls restart in each turn, so an id may occur several
# times: its second occurrence gets the suffix "~2", its third "~3", and so on.
def call_id($id): (.seen[$id] // 0) + 1 | if . == 1 then $id else "\($id)~\(.)" end;
def opened($id): .call = call_id($id) | .seen[$id] = ((.seen[$id] // 0) + 1) | .open[$id] = .call;
# Converts the lines, in order, into events {id, role, blocks, results, …}.
def events($in):
  foreach (.[], {type: "end"}) as $l ({n: 0, seen: {}, open: {}, step: null, out: []};
    .n += 1 | .out = [] | .n as $n | ($l.event // {}) as $e
    | if $l.type == "context.append_message" then
        .out = [{id: "n\($n)", role: $l.message.role, blocks: ($l.message.content | list), at: $l.time,
          meta: about({synthetic: (if $l.message.role == "user" and ($l.message.origin.kind? // "user") != "user" then true else null end)})}]
      elif $l.type == "context.apply_compaction" and ($l.summary | type) == "string" then
        .out = [{id: "n\($n)", role: "user", blocks: [{type: "text", text: $l.summary}], at: $l.time, kind: "summary"}]
      elif $l.type == "config.update" and ($l.modelAlias | type) == "string" then .model = $l.modelAlias
      elif $l.type == "context.append_loop_event" then
        if $e.type == "step.begin" then
          (if .step != null then .out = [.step] + .step.results else . end)
          | .step = {id: $e.uuid, role: "assistant", blocks: [], results: [], at: $l.time, meta: {model: .model}}
        elif $e.type == "content.part" and .step != null then .step.blocks += [$e.part | block]
        elif $e.type == "tool.call" and .step != null then
          opened($e.toolCallId) | .step.blocks += [call_block(.call; $e.name; ($e.args // {} | arguments); {})]
        elif $e.type == "tool.result" then
          (.open[$e.toolCallId | tostring] // $e.toolCallId) as $call
          | {id: "n\($n)", role: "result", call: $call, output: ($e.result.output // $e.result.message? // "" | if type == "array" then list | one_text else as_text end),
             failed: ($e.result.isError == true or $e.result.is_error == true), at: $l.time} as $result
          | if .step != null then .step.results += [$result] else .out = [$result] end
        elif $e.type == "step.end" and .step != null then
          .step.meta.usage = ($e.usage as $u | usage($u.inputOther?; $u.inputCacheRead?; $u.inputCacheCreation?; $u.output?; {}))
          | .out = [.step] + .step.results | .step = null
        else . end
      elif $l.type == "end" then
        # A step without an end was still running when the file was read.
        if .step != null then .out = [{role: "unfinished"}] else . end
      elif $l.role == "user" or $l.role == "system" then
        .out = [{id: "n\($n)", role: $l.role, blocks: ($l.content | list),
          meta: about({synthetic: (if ($l.content | type) == "string" and ($l.content | startswith("<system-reminder>")) then true else null end)})}]
      elif $l.role == "assistant" then
        reduce ($l.tool_calls[]? | objects) as $c (.blocks = ($l.content | list);
          opened($c.id) | .blocks += [call_block(.call; $c.function.name; ($c.function.arguments | arguments); {})])
        | .out = [{id: "n\($n)", role: "assistant", blocks}]
      elif $l.role == "tool" then
        .out = [{id: "n\($n)", role: "result", call: (.open[$l.tool_call_id | tostring] // $l.tool_call_id), output: ($l.content | list | one_text), failed: false}]
      else .out = [{role: "aside", type: ($l.type // $l.role // "none")}] end;
    .out[]);
def give($sid):
  {created_at: (.at | ms), message_type: .kind} as $more
  | if .role == "aside" then aside("type \(.type)")
    elif .role == "unfinished" then aside("answer that is not finished")
    elif .role == "result" then result_message($sid; .id; .call; .output; .failed; $more)
    elif .role | among(["user", "assistant", "system"]) then
      blocks_of(.blocks) as $c
      | if $c == [] then aside("no content")
        else message($sid; .id; {role, content: $c}; $more + {metadata: (.meta // {} | about(.))}) end
    else skip("role \(.role)") end;
. as $in | [.record[] | select(type == "object")] as $all
| ($in.info.path // "" | split("/")) as $path
| ([$in.info.beside.state[]?.value | objects][0] // {}) as $state
| (($path | length > 4) and $path[-3] == "agents") as $code
| ($path[-2] // "" | . != "main") as $sub
| (if $code then $path[-4] elif $path[-1] == "context.jsonl" then $path[-2] else null end) as $name
| ($in.info.session // (if $name == null then $in | own_id elif $code and $sub then "\($name)/\($path[-2])" else $name end)) as $sid
| if any($all[]; .message.type? | among(["TurnBegin", "StepBegin"])) then aside("repetition of context.jsonl")
  else
    session($sid; {title: (if $code and $sub then $path[-2] else $state.title | str | named end),
      created_at: (([$all[] | .created_at // .time | numbers][0]) | ms),
      parent_session_id: (if $code and $sub then $name else $state.forkedFrom | str end),
      metadata: ({format: "kimi", cwd: ($state.workDir // ([$all[] | select(.type == "config.update") | .cwd | strings][0])),
        model: ([$all[] | select(.type == "config.update") | .modelAlias | strings][0])} | filled)}),
    ($all | events($in) | give($sid)),
    ($all[] | select(.type == "config.update" and .systemPrompt != null) | lost("systemPrompt"))
  end
