# ctx-import: whole
# Copilot's chat in VS Code: a file contains a session as one JSON object (version 3), or as a list of
# changes, the first of which contains the initial session.
# ctx-import: claims .kind == 0 and (.v | object) and (.v.requests | array)
# ctx-import: claims (.requests | array) and (.version | type) == "number" and has("sessionId")
# ctx-import: place ${XDG_CONFIG_HOME:-~/.config}/Code*/User/workspaceStorage/*/chatSessions/*.json*
# ctx-import: place ${XDG_CONFIG_HOME:-~/.config}/Code*/User/globalStorage/emptyWindowChatSessions/*.json*
# ctx-import: place ~/Library/Application Support/Code*/User/workspaceStorage/*/chatSessions/*.json*
# ctx-import: place ~/Library/Application Support/Code*/User/globalStorage/emptyWindowChatSessions/*.json*
# ctx-import: place ~/.vscode-server*/data/User/workspaceStorage/*/chatSessions/*.json*
# ctx-import: beside workspace ../workspace.json
def apply($l):
  if ($l | type) != "object" or ($l.k | type) != "array" or any($l.k[]; type == "string" or type == "number" | not) then .
  elif $l.kind == 1 then try setpath($l.k; $l.v) catch .
  elif $l.kind == 2 then
    . as $old | try (getpath($l.k) as $a | setpath($l.k;
      (if ($l.i | type) == "number" then ($a // [])[:$l.i] else $a // [] end) + ($l.v // []))) catch $old
  elif $l.kind == 3 then . as $old | try delpaths([$l.k]) catch $old
  else . end;
def reference: .inlineReference | (.name? // .fsPath? // .path? // .location.uri.path? // .uri.path? // "") | tostring | split("/")[-1] | "`\(.)`";
def words: if type == "object" then .value // "" else . // "" end | if type == "string" then . else "" end;
# Returns the text of a result, which is a string or a tree of texts.
def tree_text: if type != "object" then "" else
  (if .lineBreakBefore == true then "\n" else "" end) + (.text // "" | tostring) + ([.children[]? | tree_text] | add // "") end;
def result_text: [.content[]? | objects | .value | if type == "string" then . elif type == "object" then (.node // .) | tree_text else empty end]
  | join("\n") | ltrimstr("\n");
def said: [.response[]? | objects
  | if .kind == null or .kind == "markdownContent" then (if .kind == null then words else .content | words end)
    elif .kind == "inlineReference" then reference
    elif .kind == "toolInvocationSerialized" then "\n[\(.pastTenseMessage // .invocationMessage | words)]\n"
    else empty end] | add // "";
def thoughts: [.response[]? | objects | select(.kind == "thinking") | .value | if type == "array" then .[] else . end | strings | select(. != "")
  | {type: "thinking", thinking: .}];
# Converts an answer. Only the rounds (toolCallRounds) contain arguments and results of calls, and a
# canceled turn has no rounds.
def answer($sid; $id; $at):
  . as $r | about({model: .modelId, usage: ((.result.usage? // .usage) as $u
    | usage($u.promptTokens?; null; null; $u.completionTokens?; {}))}) as $meta
  | [.result.metadata.toolCallRounds[]? | objects] as $rounds
  | if $rounds != [] then
      (.result.metadata.toolCallResults // {}) as $results
      | range(0; $rounds | length) as $i | $rounds[$i]
      | blocks_of([(.thinking.text? | if type == "array" then join("") else . end | strings | {type: "thinking", thinking: .}),
          {type: "text", text: (.response | words)},
          (.toolCalls[]? | objects | call_block(.id; .name; (.arguments | arguments); {}))]) as $c
      | (if $c == [] then aside("no content")
         else message($sid; "\($id)-\($i + 1)"; {role: "assistant", content: $c};
           $at + {metadata: (if $i == ($rounds | length) - 1 then $meta else about({model: $r.modelId}) end)}) end),
        (.toolCalls[]? | objects | select($results[.id] != null)
          | .id as $call | result_message($sid; "\($call)-result"; $call; ($results[$call] | result_text); false; $at))
    else
      blocks_of(thoughts + [{type: "text", text: (said | sub("^\\s+"; ""))}]) as $c
      | (if $c == [] then aside("no content") else message($sid; $id; {role: "assistant", content: $c}; $at + {metadata: $meta}) end),
        (.response[]? | objects | select(.kind == "toolInvocationSerialized") | lost("toolInvocation"))
    end;
def losses: (.response[]? | objects | .kind | select(among(["textEditGroup", "notebookEditGroup", "codeblockUri"])) | lost(.)),
  (select((.variableData.variables? // []) != []) | lost("variableData"));
. as $in | [.record[] | select(type == "object")] as $all
| (if $all == [] then {} elif $all[0].kind == 0 then reduce $all[1:][] as $l ($all[0].v; apply($l)) else $all[0] end) as $s
| if ($s.requests | type) != "array" then skip("no session")
  else
    ($in.info.session // ($s.sessionId | str | named) // ($in | own_id)) as $sid
    | session($sid; {title: ($s.customTitle | str | named), created_at: ($s.creationDate | ms),
        metadata: ({format: "vscode-chat", folder: ([$in.info.beside.workspace[]? | .value.folder?][0])} | filled)}),
      (range(0; $s.requests | length) as $i | $s.requests[$i] | objects
        | (.requestId // "r\($i + 1)") as $id | {created_at: (.timestamp | ms)} as $at
        | ((.message.text? // (.message | str)) | str | named) as $text
        | (if $text == null then aside("no content") else message($sid; $id; {role: "user", content: $text}; $at) end),
          (if .result == null and .isCanceled == false and $i == ($s.requests | length) - 1 then aside("answer that is not finished")
           else answer($sid; .responseId // "\($id)-answer"; $at) end),
          losses)
  end
