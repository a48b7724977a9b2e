# The chats of Cursor's editor. cursor-ide.sql reads the database state.vscdb. A bubble (Cursor's name
# for a message) that no header of the chat names was undone, and is not imported. A chat without
# bubbles is read from the messages of its agent. Each stored state of the agent is a list of digests
# of messages. A state that does not continue another state is a separate branch.
# ctx-import: tables holds("cursorDiskKV"; ["key", "value"])
# ctx-import: place ${XDG_CONFIG_HOME:-~/.config}/Cursor/User/globalStorage/state.vscdb
# ctx-import: place ~/Library/Application Support/Cursor/User/globalStorage/state.vscdb
def tool_failed: .status | among(["error", "cancelled", "rejected", "failed"]);
def tool_output:
  if (.result | type) == "string" and .result != "" then .result
  elif .result != null and .result != "" then .result | as_text
  else (.error // "" | if type == "string" then (try (fromjson | .clientVisibleErrorMessage // .modelVisibleErrorMessage) catch null) // . else as_text end) end;
def about_chat: {title: (.name | str | named), created_at: (.createdAt | ms), parent_session_id: (.parent | str),
  metadata: ({format: "cursor-ide", cwd: .folder, model} | filled)};
# Builds the tree {nodes, last} from the states. A message has one node for each different sequence of
# messages that precedes it.
def grown:
  reduce .states[] as $state ({n: 0, by: {}, ids: {}, nodes: [], last: null};
    .last = null
    | reduce $state[] as $hash (.; "\(.last)/\($hash)" as $way
        | if .by[$way] != null then .last = .by[$way]
          else .n += 1 | .last as $up
            | (if .ids[$hash] then "\($hash[:16])~\($up // "" | .[:8])" else $hash[:16] end) as $id
            | .nodes += [{id: $id, parent: $up, n, list: [{hash: $hash, id: $id}]}] | .ids[$hash] = true | .by[$way] = $id | .last = $id end));
def agent_talk($in; $sid; $about):
  . as $r | ($r | grown) as $tree
  | $tree | tree_sessions($in.info.current; $sid; $about; .last; .sid as $sid | .v.id as $id
      | $r.messages[.v.hash] | if . == null then skip("message that is missing") else cursor_message($sid; $id) end);
. as $in | .record as $r | $r.composer as $c | $r.bubble as $b
| if ($r | type) != "object" or ($c | type) != "object" then skip("no bubble")
  elif ($r.states | type) == "array" then
    ($in.info.session // ($c.id | str | named) // ($in | own_id)) as $sid
    | $r | agent_talk($in; $sid; $c | about_chat)
  else
    ($in.info.session // ($c.id | str | named) // ($in | own_id)) as $sid
    | if ($b | type) != "object" then aside("bubble without a value") else
      session($sid; $c | about_chat),
      (if $r.last == 1 and $c.status == "generating" then aside("answer that is not finished")
       else
         (($b.bubbleId // $r.header.bubbleId | str | named) // "n\($r.n)") as $id
         | {created_at: ($b.createdAt | if type == "number" then ms else when end)} as $at
         | $b.toolFormerData as $t | (($t | type) == "object" and ($t.name | type) == "string") as $tool
         | ($t.toolCallId? // "\($id)-call") as $call
         | if $b.type == 1 or $b.type == "user" then
             ($b.text // $b.rawText // "" | tostring) as $text
             | if $text == "" then aside("no content") else message($sid; $id; {role: "user", content: $text}; $at) end
           elif $b.type == 2 or $b.type == "ai" then
             blocks_of([($b.thinking.text? | strings | select(. != "") | {type: "thinking", thinking: .} + ({signature: $b.thinking.signature} | filled)),
               {type: "text", text: ($b.text // $b.rawText // "" | tostring)},
               (if $tool then call_block($call; $t.name; ($t.rawArgs // $t.params // {} | arguments); {}) else empty end)]) as $blocks
             | (if $blocks == [] then aside("no content")
                else message($sid; $id; {role: "assistant", content: $blocks}; $at + {metadata: about({model: ($b.modelInfo.modelName? // $c.model),
                  usage: ($b.tokenCount as $u | if ($u.inputTokens? // 0) + ($u.outputTokens? // 0) > 0 then usage($u.inputTokens; null; null; $u.outputTokens; {}) else null end)})}) end),
               (if $tool and ($t.status | among(["completed", "error", "cancelled", "rejected", "failed"])) then
                  result_message($sid; "\($id)-result"; $call; ($t | tool_output); ($t | tool_failed); $at) else empty end)
           else skip("bubble of type \($b.type)") end,
           (if ($b.images? // []) != [] then lost("images") else empty end)
       end)
      end
  end
