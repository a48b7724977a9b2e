# ctx-import: tables holds("responses"; ["prompt", "response"]) and holds("conversations"; ["id"])
# ctx-import: tables holds("threads"; ["tip_message_hash"]) and holds("messages"; ["hash"]) and holds("parts"; ["message_hash"])
# The database of llm. ctx-import converts its rows into objects: {response, conversation} for each
# answer in the older tables, and {message, conversation} for each message in the newer tables.
# ctx-import: place ${LLM_USER_PATH:-~/.config/io.datasette.llm}/logs.db
def text_of: if type == "string" then . else "" end;
# Returns a prompt with its fragments before it, as llm sends them.
def with($fragments; $between):
  [($fragments // [])[] | text_of] + [text_of] | map(select(. != "")) | join($between);
. as $in | .record as $r
| ($in.info.session // ($r.conversation.id | named) // ($r.response.id | named)) as $sid
| session($sid; {title: ($r.conversation.name | str), created_at: ($r.time | when),
    parent_session_id: ($r.conversation.forked_from | str),
    metadata: ({format: "llm", model: $r.conversation.model} | filled)}),
  (if $r.response != null then
    $r.response as $a | ($a.time | when) as $t
    | ($a.system | with($a.system_fragments; "\n\n")) as $system
    | ($a.prompt | with($a.fragments; "\n")) as $prompt
    | (if $system != "" and $in.state.system != $system then
        message($sid; "\($a.id)-system"; {role: "system", content: $system}; {created_at: $t}) else empty end),
      {kind: "state", state: {system: $system}},
      ($a.tool_results[]? | message($sid; "\($a.id)-\((.tool_call_id | named) // .name)";
        {role: "tool", tool_call_id: ((.tool_call_id | named) // .name), content: (.output | text_of)}; {created_at: $t})),
      (if $prompt != "" then
        message($sid; "\($a.id)-prompt"; {role: "user", content: $prompt}; {created_at: $t}) else empty end),
      (if ($a.tool_calls // []) != [] then
        message($sid; $a.id; {role: "assistant", content: ($a.response | text_of | if . == "" then null else . end),
          tool_calls: [$a.tool_calls[] | {id: ((.tool_call_id | named) // .name), type: "function",
            function: {name, arguments: (.arguments // "{}")}}]}; {created_at: $t, metadata: ({model: $a.model} | filled)})
       elif ($a.response | text_of) != "" then
        message($sid; $a.id; {role: "assistant", content: $a.response}; {created_at: $t, metadata: ({model: $a.model} | filled)})
       else aside("no answer") end),
      (range(($a.attachments // 0) + ($a.result_attachments // 0)) | lost("attachments")),
      ($a.tool_results[]? | select(.exception != null) | lost("exception"))
  else
    $r.message as $m | $m.parts as $p
    | (if ($p | any(.type == "reasoning")) then lost("reasoning") else empty end),
      (if ($p | any(.type == "attachment")) then lost("attachments") else empty end),
      [$p[] | select(.type == "text") | .text | text_of] as $texts
    | ($texts | join("\n")) as $text
    | [$p[] | select(.type == "tool_call")] as $calls
    | ([$p[] | select(.type == "tool_result")] | to_entries[] | .key as $i | .value
        | message($sid; "\($m.hash)-\($i + 1)"; {role: "tool",
            tool_call_id: ((.payload.tool_call_id | named) // (.payload.id | named) // .name // .payload.name), content: (.text // .payload.output | text_of)}; {})),
      (if $calls != [] then
        message($sid; $m.hash; {role: "assistant", content: (if $text == "" then null else $text end),
          tool_calls: [$calls[] | {id: ((.payload.tool_call_id | named) // (.payload.id | named) // .name // .payload.name), type: "function",
            function: {name: (.name // .payload.name), arguments: (.payload.arguments // {} | as_text)}}]}; {})
       elif $text != "" then
        message($sid; $m.hash; {role: (if $m.role == "system" or $m.role == "assistant" then $m.role else "user" end), content: $text}; {})
       else empty end)
  end)
