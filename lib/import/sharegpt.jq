# ShareGPT: objects {id, conversations: [{from, value}]}.
def role: {human: "user", user: "user", gpt: "assistant", assistant: "assistant", chatgpt: "assistant",
  bing: "assistant", bard: "assistant", model: "assistant", system: "system"}[.];
. as $in | .record as $r
| ($r | if type == "object" then .conversations // .conversation // .items else null end) as $list
| if ($r | type) != "object" or ($list | type) != "array" then skip("no conversation")
  else
    ($in.info.session // ($r.id | str | named) // own_id) as $sid
    | session($sid; {title: ($r.title | str), metadata: {format: "sharegpt"}}),
      (if ($r.system | type) == "string" and $r.system != "" then
        message($sid; "system"; {role: "system", content: $r.system}; {}) else empty end),
      ($list | to_entries[] | .key as $i | .value
        | ((.from // .role) as $f | if ($f | type) == "string" then $f | role else null end) as $role
        | (.value // .content // .text) as $text
        | if $role == null then skip("from \(.from // .role)")
          elif ($text | type) != "string" then skip("no text")
          else message($sid; "m\($i + 1)"; {role: $role, content: $text}; {}) end),
      ($r | keys_unsorted[] | select(among(["id", "conversations", "conversation", "items", "title", "system"]) | not) | lost(.))
  end
