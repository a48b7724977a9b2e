# OpenAI Responses: request bodies, complete answers, lists of items, or one item on each line.
def join_key($n; $items):
  # Returns the index of the first of the consecutive items that form one answer together with item $n.
  reduce range(0; $n + 1) as $i (null;
    if ($items[$i] | has("piece")) then (if . == null then $i else . end) else null end);
def items($sid; $list):
  [$list[] | if type == "object" then item_message else null end] as $m
  | range(0; $m | length) as $i
  | if $m[$i] == null then skip("no item")
    elif ($m[$i].message.role | type) != "string" then skip("item without a role")
    else
      message($sid; "i\($i + 1)"; $m[$i].message;
        {join: (if $m[$i].piece then "i\(join_key($i; $m) + 1)" else null end)})
    end;
. as $in | .record as $r
| if ($r | type) == "array" then
    own_id as $sid | session($sid; {metadata: {format: "responses"}}), items($sid; $r)
  elif ($r | type) != "object" then skip("no body and no item")
  elif ($r.type | type) != "string" and ($r | has("input") or has("output")) then
    (.info.session // (($r.session_id | named) // $r.id | str | named) // own_id) as $sid
    | session($sid; {title: ($r.title | str), created_at: ($r.created_at | when),
        metadata: ({format: "responses", model: ($r.model | str)} | filled)}),
      (if ($r.instructions | type) == "string" then
        message($sid; "instructions"; {role: "developer", content: $r.instructions}; {}) else empty end),
      items($sid; ($r.input | if type == "string" then [{role: "user", content: .}] else . // [] end)
        + ($r.output // [])),
      ($r | keys_unsorted[] | select(among(["input", "output", "instructions", "id",
          "created_at", "model", "object", "session_id", "title"]) | not) | lost(.))
  elif ($r.type // $r.role) | type == "string" then
    ($in.state // {sid: file_id, join: null}) as $s
    | ($r | item_message) as $m
    | (if $m.piece then $s.join // $in.info.n else null end) as $join
    | (if $in.state == null then session($s.sid; {metadata: {format: "responses"}}) else empty end),
      message($s.sid; "i\($in.info.n)"; $m.message; {join: (if $join == null then null else "\($join)" end)}),
      {kind: "state", state: {sid: $s.sid, join: $join}}
  else skip("no body and no item") end
