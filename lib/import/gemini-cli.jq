# ctx-import: whole
# Gemini CLI: a chat is one JSON object, or a file of lines. A line may set members of the chat, or
# replace an earlier message.
# ctx-import: place ${GEMINI_CLI_HOME:-~}/.gemini/tmp/*/chats/session-*.json*
def said:
  if type == "object" then (.output | strings) // (.error | strings) // . else . end;
def response: said | as_text;
def text_parts:
  if type == "string" then (if . == "" then [] else [{type: "text", text: .}] end)
  elif type == "object" then [.] | text_parts
  elif type == "array" then
    map(if type == "string" then {type: "text", text: .}
      elif (.text | type) == "string" then
        (if .thought == true then {type: "thought", text} else {type: "text", text} end) + ({thoughtSignature} | filled)
      elif .functionCall != null then
        {type: "tool_use", id: .functionCall.id, name: .functionCall.name, input: (.functionCall.args // {})} + ({thoughtSignature} | filled)
      elif .functionResponse != null then
        {type: "tool_result", tool_use_id: .functionResponse.id, content: (.functionResponse.response | response)}
      elif .inlineData != null then
        {type: "image", source: {type: "base64", media_type: .inlineData.mimeType, data: .inlineData.data}}
      else {type: "part"} + . end)
  else [] end;
def plain: if length == 1 and .[0].type == "text" and (.[0] | keys_unsorted) == ["type", "text"] then .[0].text else . end;
def result_text:
  if . == null then ""
  elif type == "array" then
    [.[] | if type == "object" then .functionResponse.response // .text // . else . end | said] | lines
  else response end;
# The calls of a message, each only with its own result. In a resumed chat, each call has the results
# of all calls.
def calls($m):
  [($m.toolCalls // [])[] | select(.name | type == "string") | .id as $id
    | if (.result | type) == "array" and any(.result[]; objects | .functionResponse.id? == $id and $id != null)
      then .result |= map(select((type != "object") or .functionResponse == null or .functionResponse.id == $id)) else . end];
# The ids of calls whose results are in toolCalls. A resumed chat also contains these calls and results
# as parts of messages.
def told: reduce (.[] | objects | select(.type == "gemini" or .type == "model") | .toolCalls[]? | objects | select(.result != null) | .id | strings) as $id ({}; .[$id] = true);
def context: type == "array" and length == 1 and (.[0] | type) == "object" and (.[0].text | type) == "string" and (.[0].text | startswith("<session_context>"));
def one($sid; $told):
  . as $m | ($m.id // "n" | tostring) as $id
  | {created_at: ($m.timestamp | when)} as $at
  | if $m.type == "user" and ($m.content | context) then aside("session context")
    elif $m.type == "user" then
      ($m.content // $m.parts | text_parts) as $c
      | ($c | map(select(.type != "tool_result" or (.tool_use_id as $r | $r != null and $told[$r | tostring] == true | not))) | plain) as $left
      | if $c == [] then aside("no content")
        elif $left == [] then aside("result told with its call")
        else message($sid; $id; {role: "user", content: $left}; $at) end
    elif $m.type == "gemini" or $m.type == "model" then
      ($m.content | text_parts) as $c
      | (if $c == [] then $m.parts | text_parts else $c end) as $c
      | (reduce ($c[] | select(.type == "tool_use" and (.id | type) == "string")) as $u ({}; .[$u.id] = $u)) as $parts
      | [calls($m)[] | {type: "tool_use", id: ((.id | named) // .name), name, input: (.args // {})}
          + ($parts[.id | strings] // {} | {thoughtSignature} | filled)] as $uses
      | ($c | map(select(.type != "tool_use" or (.id as $u | any($uses[]; .id == $u) | not)))) as $c
      | (if $c + $uses == [] then aside("no content")
        else message($sid; $id; {role: "assistant", content: ($c + $uses | plain)};
          $at + {metadata: ({model: $m.model, tokens: $m.tokens} | filled | if . == {} then null else . end)}) end),
        (if ($uses | length) > 0 then
          message($sid; "\($id)-results"; {role: "user", content: [calls($m)[]
            | (.status == "cancelled") as $cancelled
            | {type: "tool_result", tool_use_id: ((.id | named) // .name),
               content: (.result | result_text | if . == "" and $cancelled then "cancelled" else . end)}
              + (if .status == "error" or $cancelled then {is_error: true} else {} end)]}; $at) else empty end),
        (if ($m.thoughts // []) != [] then lost("thoughts") else empty end)
    elif $m.role == "user" or $m.role == "model" then
      ($m.parts // $m.content | text_parts | plain) as $c
      | if $c == [] then aside("no content")
        else message($sid; $id; {role: (if $m.role == "model" then "assistant" else "user" end), content: $c}; $at) end
    elif $m.type | among(["info", "warning", "error", "system"]) then aside("type \($m.type)")
    else skip("type \($m.type // "none")") end;
def chat($in):
  ($in.info.session // (.sessionId | named) // $in.info.own) as $sid
  | session($sid; {created_at: ([.startTime, ((.messages // .history // [])[] | objects | .timestamp) | when] | earliest), title: (.summary | str),
      metadata: ({format: "gemini-cli", project: .projectHash} | filled)}),
    ((.messages // .history // []) | told as $told | to_entries[] | .key as $i | .value
      | if type == "object" then (if .id == null then .id = "n\($i + 1)" else . end | one($sid; $told)) else skip("no object") end);
# Builds a chat from a file of lines. The first line is the chat without its messages.
def assemble:
  reduce .[] as $l ({chat: {}, order: [], by: {}};
    if ($l | type) != "object" then .
    elif $l["$set"] != null then
      .chat += $l["$set"]
      # A line that sets the messages replaces all earlier messages.
      | if $l["$set"].messages != null then .order = [] | .by = {} else . end
    elif ($l["$rewindTo"] | type) == "string" then
      # The user undid the named message and all messages after it.
      ((.chat.messages // []) | map(.id? // null)) as $set
      | (first(range(0; $set | length) | select($set[.] == $l["$rewindTo"])) // null) as $at
      | (.order as $o | first(range(0; $o | length) | select($o[.] == $l["$rewindTo"])) // null) as $i
      | if $i != null then .by = (reduce .order[$i:][] as $id (.by; del(.[$id]))) | .order = .order[:$i]
        elif $at != null then .chat.messages = .chat.messages[:$at] | .order = [] | .by = {}
        else . end
    elif $l.sessionId != null and $l.type == null then .chat += $l
    else ($l.id // "n\(.order | length + 1)" | tostring) as $id
      | (if .by[$id] == null then .order += [$id] else . end) | .by[$id] = $l end)
  | . as $s | $s.chat + {messages: (($s.chat.messages // []) + [$s.order[] | $s.by[.]])};
. as $in | .record
| if length == 1 and (.[0] | type) == "object" and (.[0].messages // .[0].history) != null
  then .[0] | chat($in)
  else assemble | chat($in) end
