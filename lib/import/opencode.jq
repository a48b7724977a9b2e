# opencode, and Kilo's command line: the database of version 1.2 and later, which opencode.sql reads,
# an exported session, or files of versions before 1.2. Of these files, only the file of the session is
# read directly; the files of its messages and parts are read with it.
# ctx-import: claims (.info | object) and (.info | has("id")) and (.messages | array) and all(.messages[]; object and (.info | object) and (.parts | array))
# ctx-import: claims has("projectID") and has("directory") and (.time | object)
# ctx-import: claims has("sessionID") and (has("role") or has("messageID"))
# ctx-import: claims has("messageID") and has("callID") and has("tool")
# ctx-import: tables holds("session"; ["directory", "title"]) and holds("message"; ["session_id", "data"]) and holds("part"; ["message_id", "data"])
# ctx-import: tables holds("session_v2"; ["directory", "title"]) and holds("session_message"; ["session_id", "seq", "data"])
# ctx-import: place ${XDG_DATA_HOME:-~/.local/share}/opencode/opencode*.db
# ctx-import: place ${XDG_DATA_HOME:-~/.local/share}/kilo/kilo.db
# ctx-import: place ${XDG_DATA_HOME:-~/.local/share}/opencode/storage/session/*/*.json
# ctx-import: beside messages ../../message/{id}/*.json
# ctx-import: beside parts ../../part/{messages.id}/*.json
# ctx-import: beside loose ../../part/*.json
def reasoning:
  (.metadata // .providerMetadata // {}) as $m
  | (.text // "") as $text
  | if ($m.openai.itemId? | type) == "string" then
      {type: "reasoning", id: $m.openai.itemId,
       summary: (if $text == "" then [] else [{type: "summary_text", text: $text}] end)}
      + ({encrypted_content: $m.openai.reasoningEncryptedContent} | filled)
    elif ($m.google.thoughtSignature? | type) == "string" then
      {type: "thought", text: $text, thoughtSignature: $m.google.thoughtSignature}
    elif ($m.anthropic.redactedData? | type) == "string" then {type: "redacted_thinking", data: $m.anthropic.redactedData}
    elif $text == "" then empty
    else {type: "thinking", thinking: $text} + ({signature: $m.anthropic.signature?} | filled) end;
def file:
  (.url // .uri | data_image) // {type: "text", text: "[file \(.filename // .name // .url // .uri // "")]"};
def block:
  if .type == "text" and .ignored != true then {type, text}
  elif .type == "reasoning" then reasoning
  elif .type == "tool" then call_block(.callID // .id; .tool // .name; (.state.input // {} | arguments); {})
  elif .type == "file" then file
  else empty end;
def failed: .state.status == "error" or .tool == "invalid" or .name == "invalid" or
  ((.state.metadata.exit? // .state.structured.exit?) | type == "number" and . != 0);
def output:
  .state | if .status == "error" then (.error // .output // "" | as_text)
    elif (.content | type) == "array" then
      [.content[] | objects | if .type == "text" then {type, text} elif .type == "file" then file else {type: "text", text: as_text} end] | one_text
    else (.output // "" | as_text) end;
def results($sid; $at):
  .[] | select(.type == "tool" and (.state.status | among(["completed", "success", "error"])))
  | result_message($sid; "\(.callID // .id)-result"; .callID // .id; output; failed;
      $at + {metadata: about({compacted: (if .state.time.compacted != null then true else null end),
        sub_session: .state.metadata.sessionId?})});
def losses:
  .[] | (select(.type | among(["patch", "subtask", "retry", "agent"])) | lost(.type)),
    (select(.type == "file" and (.url // .uri | data_image) == null) | lost("file")),
    (select((.state.attachments? // []) != []) | lost("attachments"));
def answer_usage: .tokens as $t | usage($t.input?; $t.cache.read?; $t.cache.write?; $t.output?;
  {reasoning_tokens: $t.reasoning?, cost});
# Converts an answer of any version.
def answer($sid; $id; $blocks; $at):
  . as $m | blocks_of([$blocks[] | block]) as $c
  | (if $c == [] then aside("no content")
     else message($sid; $id; {role: "assistant", content: $c}; $at + {
       message_type: (if $m.summary == true then "summary" else null end),
       metadata: about({model: ($m.modelID // $m.model.modelID? // $m.model.id?),
         provider: ($m.providerID // $m.model.providerID?), usage: ($m | answer_usage),
         agent: $m.agent, stop_reason: $m.finish, error: $m.error.name?})}) end),
    ($blocks | results($sid; $at)), ($blocks | losses);
# Converts a message of version 1, whose parts are $parts.
def old($sid; $id; $parts):
  . as $m | {created_at: (.time.created | ms)} as $at
  | if .role == "assistant" then answer($sid; $id; $parts; $at)
    elif .role == "user" then
      blocks_of([$parts[] | select(.synthetic != true) | block]) as $c
      | (if $c == [] then aside("no content")
         else message($sid; $id; {role: "user", content: $c}; $at + {metadata: about({agent: $m.agent})}) end),
        ($parts[] | select(.synthetic == true and .type == "text" and (.text // "") != "")
          | message($sid; .id; {role: "user", content: .text}; $at + {metadata: {synthetic: true}})),
        ($parts | losses)
    else skip("role \(.role)") end;
# Converts an entry of version 2.
def new($sid; $e):
  ($e.data // {}) as $d | {created_at: (($d.time.created // $e.created) | ms)} as $at
  | if $e.type == "assistant" then $d | answer($sid; $e.id; [.content[]? | objects]; $at)
    elif $e.type == "user" then
      blocks_of([{type: "text", text: ($d.text // "")}] + [$d.files[]? | objects | file]) as $c
      | if $c == [] then aside("no content") else message($sid; $e.id; {role: "user", content: $c}; $at) end
    elif $e.type == "synthetic" and ($d.text // "") != "" then
      message($sid; $e.id; {role: "user", content: $d.text}; $at + {metadata: {synthetic: true}})
    elif $e.type == "system" and ($d.text // "") != "" then message($sid; $e.id; {role: "system", content: $d.text}; $at)
    elif $e.type == "shell" then
      message($sid; $e.id; {role: "user", content: "Ran `\($d.command // "")`\n```\n\($d.output // "")\n```"}; $at)
    elif $e.type == "compaction" and ($d.summary // $d.text | type) == "string" then
      message($sid; $e.id; {role: "user", content: ($d.summary // $d.text)}; $at + {message_type: "summary"})
    else aside("type \($e.type)") end;
def about_session:
  {title: (.title | str | named), created_at: (.time.created | ms), parent_session_id: (.parentID | str),
   metadata: ({format: "opencode", cwd: .directory, version, revert: .revert.messageID?} | filled)};
def unfinished: .role == "assistant" and .time.completed == null and .error == null and .finish == null;
# True if the message was undone ("reverted") and only the current branch is imported. Undone messages
# stay in the file until the next prompt; their ids are equal to or greater than the id in the revert.
def reverted($in; $revert; $id): $in.info.current and ($revert | type) == "string" and $id >= $revert;
def hidden: aside("reverted");
. as $in | .record as $r
| if ($r | type) != "object" then skip("no object")
  elif ($r.session | type) == "object" then
    ($in.info.session // $r.session.id) as $sid
    | session($sid; $r.session | about_session),
      (($r.entry // $r.message) as $m
      | if reverted($in; $r.session.revert.messageID?; $m.id) then hidden
        elif $m.last == 1 and ($m.data // {} | .role = (.role // $m.type) | unfinished) then aside("answer that is not finished")
        elif $r.entry != null then new($sid; $m)
        elif ($m.data | type) != "object" then skip("message that is no JSON")
        else [$r.parts[]? | .id as $id | .data | objects | .id = $id] as $parts | $m.data | old($sid; $m.id; $parts) end)
  elif ($r.messages | type) == "array" then
    ($in.info.session // ($r.info.id | str | named) // own_id) as $sid
    | session($sid; $r.info | about_session),
      ($r.messages[] | objects | if reverted($in; $r.info.revert.messageID?; .info.id) then hidden
        else [.parts[]? | objects] as $parts | .info | old($sid; .id; $parts) end)
  elif $r | has("projectID") and has("directory") then
    ($in.info.session // ($r.id | named) // ($in | own_id)) as $sid
    | ([$in.info.beside // {} | .parts[]?, .loose[]? | (.path | split("/")[-2]) as $dir
        | .value | objects | .messageID = (.messageID // $dir)]) as $parts
    | session($sid; $r | about_session),
      ([$in.info.beside // {} | .messages[]? | .value | objects] | sort_by(.time.created, .id)[]
        | . as $m | if reverted($in; $r.revert.messageID?; $m.id) then hidden
          else old($sid; $m.id; [$parts[] | select(.messageID == $m.id)]) end)
  else aside("part of a session, which its own file tells") end
