# ctx-import: whole
# Cline: sessions of the command line, each one JSON object, and tasks of the extensions Cline, Roo
# and Kilo. A task contains messages in Anthropic's format; its usage and title are in other files in
# the same directory.
# ctx-import: claims has("sessionId") and (.messages | array) and (.version | type) == "number" and (has("agent") or has("updated_at"))
# ctx-import: claims ($path | endswith("/api_conversation_history.json")) and (.role | string) and has("content")
# ctx-import: place ${CLINE_DATA_DIR:-~/.cline/data}/sessions/*/*.messages.json
# ctx-import: place ${XDG_CONFIG_HOME:-~/.config}/*/User/globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json
# ctx-import: place ${XDG_CONFIG_HOME:-~/.config}/*/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/api_conversation_history.json
# ctx-import: place ${XDG_CONFIG_HOME:-~/.config}/*/User/globalStorage/kilocode.kilo-code/tasks/*/api_conversation_history.json
# ctx-import: place ~/Library/Application Support/*/User/globalStorage/*/tasks/*/api_conversation_history.json
# ctx-import: place ~/.vscode-server*/data/User/globalStorage/*/tasks/*/api_conversation_history.json
# ctx-import: beside ui ui_messages.json
# ctx-import: beside item history_item.json
# ctx-import: beside history ../../state/taskHistory.json
# ctx-import: beside about {sessionId}.json
def unwrapped: if startswith("<task>") and (rtrimstr("\n") | endswith("</task>")) then
    rtrimstr("\n") | .[6:-7] | ltrimstr("\n") | rtrimstr("\n") else . end;
def block:
  if .type == "text" then {type, text: (.text // "" | unwrapped)}
  elif .type == "file" then {type: "text", text: "\(.path)\n\(.content // "")"}
  elif .type == "tool_result" then {type, tool_use_id, content: (.content // "" | if type == "string" or type == "array" then . else as_text end)}
    + (if .is_error == true then {is_error: true} else {} end)
  elif .type == "tool_use" then call_block(.id; .name; (.input // {} | arguments); {})
  else . end;
def content: if type == "string" then unwrapped else blocks_of([.[]? | objects | block]) end;
def one($sid; $id; $more):
  (.content | content) as $c
  | if .role != "user" and .role != "assistant" then skip("role \(.role)")
    elif $c == [] or $c == "" then aside("no content")
    else message($sid; $id; {role, content: $c}; {created_at: (.ts | ms)} + $more) end;
def first_line: split("\n")[0] | .[:100] | named;
. as $in | .record as $all | ($in.info.beside // {}) as $beside
| if ($all[0] | type) == "object" and ($all[0].messages | type) == "array" then
    $all[0] as $r | ($in.info.session // ($r.sessionId | named) // ($in | own_id)) as $sid
    | session($sid; {created_at: ([$r.messages[] | objects | .ts | numbers][0] | ms),
        title: (($r.title // ([$beside.about[]? | .value | objects | .title // .name // empty][0])) | str | named),
        parent_session_id: ($r.parentSessionId | str), metadata: ({format: "cline", agent: $r.agent} | filled)}),
      ($r.messages | to_entries[] | (.key + 1) as $n | .value | objects
        | one($sid; .id // "m\($n)"; {metadata: about({model: .modelInfo.id?, provider: .modelInfo.provider?,
            usage: (.metrics as $u | usage(($u.inputTokens? // null | if . == null then null else . - ($u.cacheReadTokens // 0) - ($u.cacheWriteTokens // 0) end); $u.cacheReadTokens?; $u.cacheWriteTokens?; $u.outputTokens?; {cost: $u.cost?}))})})),
      (if ($r.system_prompt // "") == "" then empty else lost("system_prompt") end)
  else
    ($in.info.path // "" | split("/")[-2]) as $task
    | ([$beside.item[]?.value, ($beside.history[]?.value | arrays | .[]) | objects | select((.id | tostring) == $task)][0] // {}) as $item
    | ($in.info.session // $task // ($in | own_id)) as $sid
    | [$all[] | objects] as $list
    # The usage of each answer is known only if the file of requests has as many requests as there are
    # answers.
    | [$beside.ui[]?.value | arrays | .[] | objects | select(.say == "api_req_started") | {ts, u: (.text | try fromjson catch {})}] as $requests
    | ([$list[] | select(.role == "assistant")] | length == ($requests | length)) as $paired
    | session($sid; {title: (($item.task // ([$list[0].content | if type == "string" then . else .[]?.text? // empty end | unwrapped][0])) | str // "" | first_line),
        created_at: ((($item.ts // null) as $ts | $task | (tonumber? // $ts)) | ms),
        metadata: ({format: "cline", cwd: ($item.cwdOnTaskInitialization // $item.workspace), model: $item.modelId,
          usage: (if $paired or $item.tokensIn == null then null else
            [usage($item.tokensIn; $item.cacheReads; $item.cacheWrites; $item.tokensOut; {cost: $item.totalCost}) + ({model: $item.modelId} | filled)] end)} | filled)}),
      (foreach ($list | to_entries[]) as $e ({k: -1};
          if $e.value.role == "assistant" then .k += 1 else . end;
          $requests[.k] as $q | "m\($e.key + 1)" as $id
          | $e.value | one($sid; $id; if .role == "assistant" and $paired then
              {created_at: (.ts // $q.ts | ms), metadata: about({model: $item.modelId,
                usage: ($q.u as $u | usage($u.tokensIn; $u.cacheReads; $u.cacheWrites; $u.tokensOut; {cost: $u.cost}))})} else {} end)))
  end
