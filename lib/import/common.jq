# Functions for all formats. The input of a format's program is {record, state, info: {format,
# source, hash, session, own, own_file, n, current}}. ctx-import(1) describes the input and the output.

# Converts seconds since the epoch, or a time as text, into a time in the form of RFC 3339; returns null
# for any other value. Only the years 1000 to 9999 are accepted: RFC 3339 has no form for other years,
# and libjq 1.6 crashes on numbers that are much larger.
def when:
  if type == "number" and (. < -30610224000 or . >= 253402300800) then null
  elif type == "number" then
    ((. * 1000 | floor) as $ms
    | ($ms / 1000 | floor | todate | .[:-1]) + "." +
      ($ms - ($ms / 1000 | floor) * 1000 + 1000 | tostring | .[1:]) + "Z")
  elif type == "string" and .[4:5] == "-" and .[7:8] == "-" and .[13:14] == ":" then
    if endswith("Z") or .[-6:-5] == "+" or .[-6:-5] == "-" then . else . + "Z" end
  else null end;

# Converts a time in the form that "when" returns into seconds since the epoch; returns null if it is
# not a valid time.
def instant: try (
  (if endswith("Z") then [.[19:-1], "+", 0, 0]
   else [.[19:-6], .[-6:-5], (.[-5:-3] | tonumber), (.[-2:] | tonumber)] end) as [$fraction, $sign, $h, $m]
  | (.[0:10] + "T" + .[11:19] + "Z") as $utc
  | ($utc | fromdate) as $s
  | if ($s | todate) != $utc or $h > 23 or $m > 59 then null
    else $s + ("0" + $fraction | tonumber) + (if $sign == "+" then -60 else 60 end) * (60 * $h + $m) end
  ) catch null;
# Returns the earliest of several times in the form that "when" returns; null if none is valid.
def earliest: map(select(. != null and instant != null)) | if . == [] then null else min_by(instant) end;

# index([$x]) would leak memory in libjq 1.6.
def among($list): . as $x | any($list[]; . == $x);
def str: if type == "string" then . else null end;
def named: if . == "" then null else . end;
def filled: with_entries(select(.value != null));
def session($id; $more):
  {kind: "session", session_id: $id} + ($more | .parent_session_id |= named | filled);
def message($sid; $id; $message; $more):
  {kind: "message", session_id: $sid, id: ($id | named)} + ($more | filled) + {message: $message};
# Reports that are not messages. skip: a value that should be a message cannot be imported. aside: a
# value is known not to be a message. lost: a member of an imported value is not imported.
def skip($reason): {kind: "skip", reason: $reason};
def aside($reason): skip($reason) + {known: true};
def lost($field): {kind: "lost", field: $field};

# The generated id of a session without an id. own_id: this value contains the whole conversation.
# file_id: the file contains the conversation, and this value only a part of it.
def own_id: .info.session // .info.own;
def file_id: .info.session // .info.own_file;

# Returns a text unchanged. For any other value, the result stands for the JSON of the input, byte for
# byte; tojson would round numbers.
def as_text: if type == "string" then . else {"$text": .} end;
def lines:
  if all(.[]; type == "string") then join("\n")
  elif length == 1 then .[0] | as_text else {"$lines": .} end;

# Converts OpenAI's old form of calls (function_call, and results with the role "function") into tool
# calls. $id: the id for a call; $open: the call that waits for a result. Returns {value, open} with
# the converted message and the call that waits now, or {why, open} if a result has no call.
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

# Messages that need no conversion: plain_messages reads a list of messages, and bodies reads a
# request body, a list of messages, or one message on each line.
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

# Items of the Responses API: item_message converts an item into {message, piece}. piece is true if
# the item is a part of an answer, which is joined with the neighboring parts.
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
    # {"$json": TEXT} stands for the JSON value in TEXT, byte for byte.
    if (try (fromjson | type) catch null) == "object" then {"$json": .} else {input: .} end
  elif . == null then {}
  else {input: .} end;
# Returns arguments as text if they contain white space that the message would not keep; otherwise null.
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

# Trees of messages. $map contains the nodes by id. A node has the id of its parent, and may have a
# list of children.
# Returns the ids of the nodes from the root to a leaf. If the parents form a cycle, the path ends
# after as many nodes as $map contains.
def path($map; $leaf):
  def up: if . == null or $map[.] == null then empty else ., ($map[.].parent | up) end;
  [limit($map | length; $leaf | up)] | reverse;
# Returns the ids of the nodes that have an older sibling, sorted by id.
def late($map):
  def older: ([.[] | $map[.k].message.create_time? | numbers] | length) as $n
    | if $n == length then min_by($map[.k].message.create_time) else .[0] end;
  [[$map | to_entries[] | {k: .key, p: (.value.parent | if type == "string" and $map[.] != null then . else "" end)}]
    | group_by(.p)[] | select(length > 1)
    | map(.k) as $kids | .[0].p as $p
    | (first($map[$p].children? | arrays | .[] | strings | select($map[.] != null and $map[.].parent == $p)) // older.k) as $first
    | $kids[] | select(. != $first)] | sort;
# For a leaf, returns {path, at}: the path from the root to the leaf, and the positions in the path at
# which branches begin.
def branch($map; $late):
  path($map; .) as $path
  | {$path, at: [range(0; $path | length) | . as $i | select($late | bsearch($path[$i]) >= 0)]};
# Returns {branches, over}: the branches that end at the leaves, and the number of branches that were
# left out. Each branch repeats the messages that it shares with others, so the total length of all
# branches is limited. The branch of the leaf $current is never left out.
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

# Sessions of agents.
# The usage of an answer. $input does not include the input that was read from or written to a cache
# ($read, $write).
def usage($input; $read; $write; $output; $more):
  {input_tokens: $input, cache_read_input_tokens: $read, cache_creation_input_tokens: $write,
   output_tokens: $output} + $more | with_entries(select(.value | type == "number"))
  | if . == {} then null else . end;
def about($members): $members | filled | if . == {} then null else . end;
# Returns the blocks of a list without empty text blocks. If only one text block is left, returns its
# text.
def blocks_of($list): [$list | .[] | objects | select(.type != "text" or (.text // "") != "")] | one_text;
def result_message($sid; $id; $call; $content; $failed; $more):
  message($sid; $id; {role: "user", content: [{type: "tool_result", tool_use_id: $call, content: $content}
    + (if $failed then {is_error: true} else {} end)]}; $more);
# Returns an image block for a data: URL of an image; null for any other URL.
def data_image:
  if type == "string" and startswith("data:image/") and contains(";base64,") then
    {type: "image", source: {type: "base64", media_type: (.[5:] | split(";")[0]), data: (split(";base64,")[1:] | join(";base64,"))}}
  else null end;
def ms: if type == "number" then . / 1000 | when else when end;
# Builds a tree from a list of entries, in which parents come before their children. Returns
# {nodes: [{id, parent, list}], last}. Entries with the same id become one node. A node without an
# entry for which "said" is true is removed, and its children become children of its parent. If the
# parent of an entry is unknown, the preceding entry is its parent. last: the node of the last entry.
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
# Prints a session for each branch of a tree that "grow" returned. For each entry, the session
# contains the output of "one", whose input is {sid: id of the session, v: entry}.
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
# For formats in which an entry without a parent follows the preceding entry: replaces null by an id
# that no entry has, which "grow" treats as an unknown parent.
def before: if . == null then "\u0000" else . end;

# Cursor: cursor_query extracts the user's text from a prompt that Cursor sent, and cursor_message
# converts a message of an agent of Cursor's command line or editor.
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
