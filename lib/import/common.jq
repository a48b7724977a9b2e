# What the formats share. A program's input: {record, state, info: {format, source, hash,
# session, own, own_file, n, current}}; its outputs: see ctx-import(1).

# seconds since the epoch, or a time as text, as RFC 3339; null for all else. Beyond the
# years 1000 to 9999 they have other forms, and far beyond libjq 1.6 ends the process.
def when:
  if type == "number" and (. < -30610224000 or . >= 253402300800) then null
  elif type == "number" then
    ((. * 1000 | floor) as $ms
    | ($ms / 1000 | floor | todate | .[:-1]) + "." +
      ($ms - ($ms / 1000 | floor) * 1000 + 1000 | tostring | .[1:]) + "Z")
  elif type == "string" and .[4:5] == "-" and .[7:8] == "-" and .[13:14] == ":" then
    if endswith("Z") or .[-6:-5] == "+" or .[-6:-5] == "-" then . else . + "Z" end
  else null end;

# seconds since the epoch of what when gave, null for what is no time
def instant: try (
  (if endswith("Z") then [.[19:-1], "+", 0, 0]
   else [.[19:-6], .[-6:-5], (.[-5:-3] | tonumber), (.[-2:] | tonumber)] end) as [$fraction, $sign, $h, $m]
  | (.[0:10] + "T" + .[11:19] + "Z") as $utc
  | ($utc | fromdate) as $s
  | if ($s | todate) != $utc or $h > 23 or $m > 59 then null
    else $s + ("0" + $fraction | tonumber) + (if $sign == "+" then -60 else 60 end) * (60 * $h + $m) end
  ) catch null;
# the earliest of such, null where none is a time
def earliest: map(select(. != null and instant != null)) | if . == [] then null else min_by(instant) end;

# not index([$x]): that of libjq 1.6 leaks
def among($list): . as $x | any($list[]; . == $x);
def str: if type == "string" then . else null end;
def named: if . == "" then null else . end;
def filled: with_entries(select(.value != null));
def session($id; $more):
  {kind: "session", session_id: $id} + ($more | .parent_session_id |= named | filled);
def message($sid; $id; $message; $more):
  {kind: "message", session_id: $sid, id: ($id | named)} + ($more | filled) + {message: $message};
# content that is left out, and what is known to be none
def skip($reason): {kind: "skip", reason: $reason};
def aside($reason): skip($reason) + {known: true};
def lost($field): {kind: "lost", field: $field};

# the id of a session whose source gives none: the conversation in this value, or the one
# in this file, of which each value holds a part
def own_id: .info.session // .info.own;
def file_id: .info.session // .info.own_file;

# A text as it is, all else as the JSON that came in: tojson would round its numbers.
def as_text: if type == "string" then . else {"$text": .} end;
def lines:
  if all(.[]; type == "string") then join("\n")
  elif length == 1 then .[0] | as_text else {"$lines": .} end;

# OpenAI's function_call and role "function", which came before tools, with $id for the call:
# {value, open}, or why, where a result is of no call; open is the call that waits for one.
def as_tools($id; $open):
  if type == "object" and .role == "assistant" and (.function_call | type) == "object" and
      (.function_call.name | type) == "string" and (.tool_calls // []) == [] then
    .function_call as $call
    | {value: (del(.function_call) | .tool_calls = [{id: $id, type: "function",
          function: {name: $call.name, arguments: ($call.arguments // "{}" | as_text)}}]),
       open: {id: $id, name: $call.name}}
  elif type == "object" and .role == "function" then
    if $open != null and (.name == null or .name == $open.name) then
      {value: (del(.name) | .role = "tool" | .tool_call_id = $open.id
          | .content |= (if . == null then "" elif type == "array" and all(.[]; type == "object" and (.type | type) == "string") then . else as_text end)),
       open: null}
    else {why: "result of function '\(.name)' without a call", open: $open} end
  else {value: ., open: $open} end;

# Messages that are in the shape already, given as a list, a body or one a line.
def known_role: .role | among(["system", "developer", "user", "assistant", "tool"]);
def plain_messages($sid; $time):
  foreach to_entries[] as $e (null; .open as $open | $e | .value | as_tools("call_m\($e.key + 1)"; $open);
    .why as $why | .value
    | if $why != null then skip($why)
      elif type == "object" and known_role then
        message($sid; "m\($e.key + 1)"; .; {created_at: $time})
      elif type == "object" and (.role | type) == "string" then skip("role \(.role)")
      else skip("no message") end);
def bodies:
  . as $in | .record as $r
  | if ($r | type) == "array" then
      own_id as $sid
      | session($sid; {metadata: {format: .info.format}}), ($r | plain_messages($sid; null))
    elif ($r | type) != "object" then skip("no body and no message")
    elif ($r.messages | type) == "array" and
        ($r.messages != [] and (any($r.messages[]; type == "object" and (.role | type) == "string") | not)) then
      skip("no message has a role")
    elif ($r.messages | type) == "array" then
      (.info.session //
        ($r | (.session_id | named) // (.conversation_id | named) // .id | str | named) //
        own_id) as $sid
      | (($r.created_at // $r.created // $r.timestamp) | when) as $time
      | session($sid; {title: ($r.title | str), created_at: $time,
          metadata: ({format: $in.info.format, model: ($r.model | str)} | filled)}),
        (if $r.system == null or $r.system == "" then empty
         else message($sid; "system"; {role: "system", content: $r.system}; {}) end),
        ($r.messages | plain_messages($sid; null)),
        ($r | keys_unsorted[]
          | select(among(["messages", "system", "model", "id", "title", "session_id",
              "conversation_id", "created_at", "created", "timestamp"]) | not)
          | lost(.))
    elif ($r.role | type) == "string" then
      ($in.state // {sid: file_id}) as $s
      | ($r | as_tools("call_m\($in.info.n)"; $s.open)) as $m
      | (if $in.state == null then session($s.sid; {metadata: {format: .info.format}}) else empty end),
        (if $in.state == null or $m.open != $s.open then
          {kind: "state", state: {sid: $s.sid, open: $m.open}} else empty end),
        (if $m.why != null then skip($m.why)
         else $m.value | if known_role then message($s.sid; "m\($in.info.n)"; .; {})
           else skip("role \(.role)") end end)
    else skip("no body and no message") end;

# Items of the Responses API as messages: a list of {message, join}.
def item_text:
  if type == "string" then .
  elif type == "array" then
    map(if type == "string" then {type: "text", text: .}
        elif type != "object" then {type: "text", text: as_text}
        elif (.type == "input_text" or .type == "output_text" or .type == "text" or
            .type == "summary_text") and (.text | type) == "string" then
          {type: "text", text: .text} + (if (.annotations // []) == [] then {} else {annotations} end)
        elif .type == "refusal" then {type: "refusal", refusal: .refusal}
        elif .type == "input_image" then
          if (.image_url | type) == "string" then
            {type: "image_url", image_url: ({url: .image_url, detail: .detail} | filled)}
          else . end
        elif .type == "input_file" then
          {type: "file", file: (. | del(.type))}
        elif (.type | type) == "string" then .
        else {type: "text", text: as_text} end)
  elif type == "object" then
    if (.content | type) == "string" then .content
    elif (.text | type) == "string" then .text
    else as_text end
  elif . == null then ""
  else as_text end;
def arguments:
  if type == "object" then .
  elif type == "string" then
    # {"$json": TEXT} stands for the JSON in the text, byte for byte
    if (try (fromjson | type) catch null) == "object" then {"$json": .} else {input: .} end
  elif . == null then {}
  else {input: .} end;
# arguments whose white space the message would not keep
def spaced:
  if type == "string" and test("^\\s|\\s$|[\\[{,:]\\s|\\s[\\]},:]") and
    (try (fromjson | type) catch null) == "object" then . else null end;
def one_text: if type == "array" and (length == 1) and (.[0] | keys_unsorted) == ["type", "text"]
  then .[0].text else . end;
def call_block($id; $name; $input; $more):
  {type: "tool_use", id: $id, name: $name, input: $input} + ($more | filled);
def item_message:
  if .type == "message" or (.type == null and .role != null) then
    if .role == "assistant" then
      {message: {role: "assistant", content:
          (.id as $item | (.phase | str) as $phase | .content | item_text
          | if type == "array" then . else [{type: "text", text: .}] end
          | map(. + ({item_id: $item, phase: $phase} | filled)))}, piece: true}
    else {message: {role, content: (.content | item_text)}} end
  elif .type == "function_call" then
    {message: {role: "assistant", content: [call_block(.call_id // .id; .name;
        .arguments | arguments; {arguments: (.arguments | spaced), item_id: .id, namespace, caller, async})]}, piece: true}
  elif .type == "custom_tool_call" then
    {message: {role: "assistant", content: [call_block(.call_id // .id; .name;
        {input: .input}; {item_id: .id, item_type: .type, namespace, caller, async})]}, piece: true}
  elif .type == "function_call_output" or .type == "custom_tool_call_output" then
    {message: {role: "tool", tool_call_id: .call_id, content: (.output | item_text | one_text)}}
  else {message: {role: "assistant", content: [.]}, piece: true} end;

# Trees of messages: $map holds the nodes by id, each with its parent and maybe children.
# node ids from the root to a leaf; a way that leads back to itself ends somewhere
def path($map; $leaf):
  def up: if . == null or $map[.] == null then empty else ., ($map[.].parent | up) end;
  [limit($map | length; $leaf | up)] | reverse;
# the nodes that have an older sibling, sorted
def late($map):
  def older: ([.[] | $map[.k].message.create_time? | numbers] | length) as $n
    | if $n == length then min_by($map[.k].message.create_time) else .[0] end;
  [[$map | to_entries[] | {k: .key, p: (.value.parent | if type == "string" and $map[.] != null then . else "" end)}]
    | group_by(.p)[] | select(length > 1)
    | map(.k) as $kids | .[0].p as $p
    | (first($map[$p].children? | arrays | .[] | strings | select($map[.] != null and $map[.].parent == $p)) // older.k) as $first
    | $kids[] | select(. != $first)] | sort;
# a leaf: its way from the root, and where on it the branches begin
def branch($map; $late):
  path($map; .) as $path
  | {$path, at: [range(0; $path | length) | . as $i | select($late | bsearch($path[$i]) >= 0)]};
# {branches: those of the leaves, the one of $current first of all, over: how many more there
# are}: what branches share comes again in each, so all of them together are limited
def branches($map; $late; $leaves; $current):
  reduce (($leaves[] | select(. == $current)), ($leaves[] | select(. != $current)))
    as $leaf ({left: (30 * ($map | length) + 5000), branches: [], over: 0};
    if .over > 0 then .over += 1
    else ($leaf | branch($map; $late)) as $b
      | (.left - ($b.path | length)) as $left
      | if $left < 0 then .over = 1 else .left = $left | .branches += [$b] end
    end)
  | .branches |= sort_by(.at[-1] // -1);
def too_many_branches: skip("branch: all together are too long");
def branch_id($sid; $i): if $i == null then $sid else "\($sid)~\(.path[$i])" end;

# Sessions of agents. What an answer cost, with the cached input apart from the other.
def usage($input; $read; $write; $output; $more):
  {input_tokens: $input, cache_read_input_tokens: $read, cache_creation_input_tokens: $write,
   output_tokens: $output} + $more | with_entries(select(.value | type == "number"))
  | if . == {} then null else . end;
def about($members): $members | filled | if . == {} then null else . end;
# a list of blocks, without empty texts
def blocks_of($list): [$list | .[] | objects | select(.type != "text" or (.text // "") != "")] | one_text;
def result_message($sid; $id; $call; $content; $failed; $more):
  message($sid; $id; {role: "user", content: [{type: "tool_result", tool_use_id: $call, content: $content}
    + (if $failed then {is_error: true} else {} end)]}; $more);
# an image in a data: URL; null for another URL
def data_image:
  if type == "string" and startswith("data:image/") and contains(";base64,") then
    {type: "image", source: {type: "base64", media_type: (.[5:] | split(";")[0]), data: (split(";base64,")[1:] | join(";base64,"))}}
  else null end;
def ms: if type == "number" then . / 1000 | when else when end;
# A tree of entries, given in an order in which parents come first, as
# {nodes: [{id, parent, list}], last}: entries of one id are a node, and only nodes of which
# an entry is said are kept. An unknown parent is the entry before.
def grow(id; parent; said):
  reduce .[] as $v ({n: 0, by: {}, last: null};
    .n += 1 | .n as $n | ($v | id | if . == null then "n\($n)" else tostring end) as $id
    | ($v | parent) as $p
    | (if $p == null then null elif ($p | type) == "string" and .by[$p] != null and $p != $id then $p else .last end) as $p
    | .by[$id] |= (if . == null then {id: $id, parent: $p, n: $n, list: [$v]} else .list += [$v] end)
    | .last = $id)
  | .last as $last | [.by[]] | sort_by(.n) as $all
  | (reduce $all[] as $e ({};
      .[$e.id] = (if any($e.list[]; said) then {id: $e.id, said: true} else {id: (if $e.parent == null then null else .[$e.parent].id end)} end))) as $up
  | {nodes: [$all[] | select($up[.id].said) | .parent as $p | .parent = (if $p == null then null else $up[$p].id end)],
     last: (if $last == null then null else $up[$last].id end)};
# The sessions of such a tree, a branch each, with what one puts out for {sid, v: entry}.
def tree_sessions($current; $sid; $about; $shown; one):
  .nodes as $nodes | (reduce ($nodes | to_entries[]) as $e ({}; .[$e.value.id] = ($e.value + {message: {create_time: $e.key}}))) as $map
  | late($map) as $late
  | (reduce $nodes[] as $n ({}; if $n.parent == null then . else .[$n.parent] = true end)) as $parents
  | [$nodes[] | .id | select($parents[.] == null)] as $leaves
  | (if $shown != null and $map[$shown] != null then $shown else $leaves[-1] end) as $shown
  | def said($id): .[] | $map[.].list[] | {sid: $id, v: .} | one;
    def branch_session: .at[-1] as $at | branch_id($sid; $at) as $id
      | session($id; $about + (if $at == null then {} else {parent_session_id: branch_id($sid; .at[-2]),
          parent_seq: ([.path[:$at] | said($id) | select(.kind == "message") | .id] | unique | length)} end)),
        (.path | said($id));
    if $nodes == [] then session($sid; $about)
    elif $current then
      ($shown | branch($map; $late) | branch_session),
      (if ($leaves | length) > 1 then aside("other branch") else empty end)
    else branches($map; $late; $leaves; $shown) | (range(.over) | too_many_branches), (.branches[] | branch_session) end;
# an entry's parent where null means the entry before
def before: if . == null then "\u0000" else . end;

# Cursor: the prompt in what was sent, and the messages of its agents (chats, window).
def cursor_query: if contains("<user_query>") and contains("</user_query>") then
    split("<user_query>")[1:] | join("<user_query>") | split("</user_query>")[:-1] | join("</user_query>") | ltrimstr("\n") | rtrimstr("\n")
  else . end;
def cursor_parts: if type == "string" then [{type: "text", text: .}] else [.[]? | objects] end;
def cursor_block($user):
  if .type == "text" then {type, text: (.text // "" | if $user then cursor_query else . end)}
  elif .type == "reasoning" then {type: "thinking", thinking: (.text // "")} + ({signature} | filled)
  elif .type == "redacted-reasoning" then {type: "redacted_thinking", data: (.data // "")}
  elif .type == "tool-call" then call_block(.toolCallId; .toolName; (.args // .input // {} | arguments); {})
  elif .type == "image" and (.image | type) == "string" then .image | data_image // empty
  else empty end;
def cursor_message($sid; $id):
  . as $m
  | if type != "object" then skip("message that is no JSON")
    elif .role == "tool" then
      .content | cursor_parts | to_entries[] | .key as $k | .value | select(.type == "tool-result")
      | result_message($sid; (if $k == 0 then $id else "\($id)-\($k + 1)" end); .toolCallId;
          ((.result // .output) | if type == "object" and (.value | type) == "string" then .value else . // "" | as_text end); .isError == true; {})
    elif .role | among(["system", "user", "assistant"]) then
      blocks_of([.content | cursor_parts | .[] | cursor_block($m.role == "user")]) as $c
      | (if $c == [] then aside("no content") else message($sid; $id; {role: $m.role, content: $c}; {}) end),
        (.content | cursor_parts | .[] | select(.type | among(["text", "reasoning", "redacted-reasoning", "tool-call", "image"]) | not) | lost(.type // "block"))
    else skip("role \(.role)") end;
