# ctx-import: whole
# Qwen Code: a tree of entries, each with the outer members of Claude Code's lines and with content in
# Gemini's format.
# ctx-import: claims has("sessionId") and has("uuid") and ((.message | object and has("parts")) or .type == "system" and has("systemPayload"))
# ctx-import: place ~/.qwen/projects/*/chats/*.jsonl
def context: startswith("<qwen:");
def blocks: [.message.parts[]? | objects
  | if (.text | type) == "string" then
      if .text == "" then empty elif .thought == true then {type: "thinking", thinking: .text} else {type: "text", text} end
    elif (.functionCall | type) == "object" then call_block(.functionCall.id // .functionCall.name; .functionCall.name; (.functionCall.args // {}); {})
    elif (.inlineData | type) == "object" then {type: "image", source: {type: "base64", media_type: .inlineData.mimeType, data: .inlineData.data}}
    else empty end];
def results: [.message.parts[]? | objects | .functionResponse | objects];
def said: (.type == "user" or .type == "assistant") and blocks != [] or .type == "tool_result" and results != [];
def output: .response | if type == "string" then .
  elif type == "object" and (.output | type) == "string" then .output
  elif type == "object" and (.error | type) == "string" then .error
  else as_text end;
def entry:
  .sid as $sid | .v | (.uuid | tostring) as $id | {created_at: (.timestamp | when)} as $at
  | if said | not then empty
    elif .type == "assistant" then
      message($sid; $id; {role: "assistant", content: blocks}; $at + {join: $id, metadata: about({model: (.model | str),
        usage: (.usageMetadata as $u | usage(($u.promptTokenCount? // null | if . == null then null else . - ($u.cachedContentTokenCount // 0) end);
          $u.cachedContentTokenCount?; null; ($u.candidatesTokenCount? // null | if . == null then null else . + ($u.thoughtsTokenCount // 0) end); {}))})})
    elif .type == "user" then
      (.subtype == "notification") as $note
      | blocks as $b | [$b[] | select(.type == "text" and (.text | context))] as $context
      | ([$b[] | select(.type != "text" or (.text | context | not))] | one_text) as $c
      | (if $c == [] then empty else message($sid; $id; {role: "user", content: $c};
          $at + {metadata: (if $note then {synthetic: true} else null end)}) end),
        (if $context == [] then empty
         else message($sid; "\($id)-context"; {role: "user", content: ($context | one_text)}; $at + {metadata: {synthetic: true}}) end)
    else
      .toolCallResult.status? as $status | results | to_entries[] | .key as $k | .value
      | result_message($sid; (if $k == 0 then $id else "\($id)-\($k + 1)" end); .id // .name; output;
          ($status | among(["error", "cancelled"])) or (.response | type == "object" and has("error")); $at)
    end;
. as $in | [.record[] | select(type == "object")] as $all
| ($in.info.session // ([$all[].sessionId | strings | select(. != "")][0]) // ($in | own_id)) as $sid
| {title: ([$all[] | select(.subtype == "custom_title") | .systemPayload.customTitle? | strings] | last),
   created_at: ($all[0].timestamp | when),
   metadata: ({format: "qwen", cwd: $all[0].cwd, branch: $all[0].gitBranch, version: $all[0].version} | filled)} as $about
| ($all | grow(.uuid; .parentUuid | before; said) | tree_sessions($in.info.current; $sid; $about; .last; entry)),
  ($all[] | select(said | not) | aside("type \(.type // "none")\(if .subtype then " " + (.subtype | tostring) else "" end)"))
