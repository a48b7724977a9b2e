# Gemini's Interactions API: request bodies and complete answers.
def picture:
  if .data != null then {type: "image", source: {type: "base64", media_type: .mime_type, data}}
  else {type: "image", source: {type: "url", url: .uri}} end;
def content:
  if .type == "text" then .
  elif .type == "image" and (.data // .uri) != null then picture
  elif .type == "document" and .data != null then
    {type: "document", source: {type: "base64", media_type: .mime_type, data}}
  else {type: "step", step: {type: "model_output", content: [.]}} end;
def result:
  if type == "array" then map(content) elif type == "object" then tojson else . end;
# Returns {role, blocks} for a step. The role "result" means that the blocks are results of tools.
def blocks:
  if .type == "user_input" then {role: "user", blocks: [.content[]? | content]}
  elif .type == "model_output" then {role: "assistant", blocks: [.content[]? | content]}
  elif .type == "thought" then {role: "assistant", blocks: [.]}
  elif .type == "function_call" then {role: "assistant",
    blocks: [{type: "tool_use", id, name, input: .arguments} + ({signature} | filled)]}
  elif .type == "function_result" then {role: "result",
    blocks: [{type: "tool_result", tool_use_id: .call_id, content: (.result | result)}
      + (if .is_error == true then {is_error: true} else {} end)]}
  else {role: "assistant", blocks: [{type: "step", step: .}]} end;
# Joins consecutive steps of the model into one message, and consecutive results into one message.
# Each step of the user is a separate message.
def messages:
  reduce .[] as $s ([];
    ($s | if type == "object" then blocks else {role: "none", blocks: []} end) as $b
    | if length > 0 and .[-1].role == $b.role and $b.role != "user" then .[-1].blocks += $b.blocks
      else . + [$b] end);
. as $in | .record as $r
| if ($r | type) != "object" or ([$r.input, $r.steps] | any(type == "array" or type == "string") | not) then skip("no body")
  else
    ($in.info.session // ($r.session_id | str | named) // ($r.id | str | named) // own_id) as $sid
    | session($sid; {title: ($r.title | str), created_at: (($r.created_at // $r.created) | when),
        metadata: ({format: "interactions", model: ($r.model | str)} | filled)}),
      (if ($r.system_instruction | type) == "string" then
        message($sid; "system"; {role: "system", content: $r.system_instruction}; {}) else empty end),
      ((($r.input | if type == "string" then [{type: "user_input", content: [{type: "text", text: .}]}]
            elif type == "array" then (if any(.[]; type == "object" and (.type | among(["text", "image", "audio", "video", "document"])))
              then [{type: "user_input", content: .}] else . end)
            else [] end) + ($r.steps // [])) | messages | to_entries[]
        | if .value.blocks == [] then skip("no content")
          else message($sid; "s\(.key + 1)"; {role: (if .value.role == "assistant" then "assistant" else "user" end),
            content: (.value.blocks | one_text)}; {}) end),
      ($r | keys_unsorted[] | select(among(["input", "steps", "system_instruction", "model", "id", "object", "created",
          "session_id", "title", "created_at"]) | not) | lost(.))
  end
