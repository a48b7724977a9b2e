# Gemini's generateContent: request bodies.
def response:
  if type == "string" then .
  elif type == "object" and keys_unsorted == ["output"] and (.output | type) == "string" then .output
  elif type == "object" and keys_unsorted == ["error"] and (.error | type) == "string" then .error
  else as_text end;
def block($ids; $i; $k):
  if .functionCall != null then
    {type: "tool_use", id: (.functionCall.id // "c\($i + 1).\($k + 1)"), name: .functionCall.name,
      input: (.functionCall.args // {})} + ({thoughtSignature} | filled)
  elif .functionResponse != null then
    .functionResponse as $r
    | {type: "tool_result", tool_use_id: ($r.id // $ids[$k] // "none"), content: ($r.response | response)}
      + (if ($r.response | type) == "object" and ($r.response | has("error")) then {is_error: true} else {} end)
  elif .thought == true then {type: "thought"} + del(.thought)
  elif (.text | type) == "string" then {type: "text"} + .
  elif .inlineData != null and (.inlineData.mimeType | tostring | startswith("image/")) then
    {type: "image", source: {type: "base64", media_type: .inlineData.mimeType, data: .inlineData.data}}
  elif .fileData != null and (.fileData.mimeType | tostring | startswith("image/")) then
    {type: "image", source: {type: "url", url: .fileData.fileUri}}
  else {type: "part"} + . end;
def parts: .parts | if type == "array" then map(select(type == "object")) elif type == "object" then [.] else [] end;
. as $in | .record as $r
| if ($r | type) != "object" or ($r.contents | type) != "array" then skip("no body")
  else
    ($in.info.session // ($r.session_id | str | named) // own_id) as $sid
    | session($sid; {title: ($r.title | str), created_at: ($r.created_at | when),
        metadata: ({format: "gemini", model: ($r.model | str)} | filled)}),
      (($r.systemInstruction // $r.system_instruction) as $s
        | if $s == null then empty
          else message($sid; "system"; {role: "system", content: ([$s | if type == "string" then {text: .} else parts[] end
            | {type: "text", text}] | one_text)}; {}) end),
      (foreach ($r.contents | to_entries[]) as $e ({ids: [], out: []};
          $e.key as $i | ($e.value | if type == "object" then parts else [] end) as $p
          | .ids as $ids
          # The responses belong to the calls of the preceding turn, in the same order.
          | ([range(0; $p | length) | . as $k | $p[$k]
              | block($ids; $i; (if $p[$k].functionResponse != null
                  then [$p[:$k][] | select(.functionResponse != null)] | length else $k end))]) as $blocks
          | .ids = [$blocks[] | select(.type == "tool_use") | .id]
          | .out = (if $blocks == [] then [skip("no parts")]
              else [message($sid; "m\($i + 1)";
                {role: (if $e.value.role == "model" then "assistant" else "user" end), content: ($blocks | one_text)}; {})] end);
          .out[])),
      ($r | keys_unsorted[] | select(among(["contents", "systemInstruction", "system_instruction", "model",
          "session_id", "title", "created_at"]) | not) | lost(.))
  end
