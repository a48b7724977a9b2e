# Pairs of a question and an answer: {question, answer} or {user_message, assistant_response}, with a
# time and metadata. The input is one pair on each line, a list of pairs, or a session object that
# contains a list of pairs.
def used($names): . as $o | first($names[] | select($o[.] != null and $o[.] != false)) // null;
def question: used(["question", "user_message", "userMessage", "query", "prompt", "user", "input"]);
def answer: used(["answer", "assistant_response", "agent_response", "assistant_message", "response",
  "assistant", "output"]);
def time: used(["timestamp", "created_at", "time"]);
def at: time as $k | if $k == null then null else .[$k] | when end;
# The tools that were used for an answer, as members of its metadata.
def tools:
  (used(["tools_used", "toolsUsed"]) as $k | if $k == null or .[$k] == [] then {} else {tools_used: .[$k]} end)
  + (if .mcp_tools_used == null or .mcp_tools_used == [] then {} else {mcp_tools_used} end);
def lost_but($kept):
  to_entries[] | select(.value != null and (.key | among($kept) | not)) | lost(.key);
def pair($sid; $i):
  question as $qk | answer as $ak
  | (if $qk == null then null else .[$qk] end) as $q | (if $ak == null then null else .[$ak] end) as $a
  | at as $t | tools as $tools
  | (.metadata | if type == "object" then . else {} end) as $meta
  | if ($q | type) != "string" and ($a | type) != "string" then skip("neither question nor answer")
    else
      (if ($q | type) == "string" then
        message($sid; "q\($i)"; {role: "user", content: $q};
          {created_at: $t, metadata: (if $meta == {} then null else $meta end)}) else empty end),
      (if ($a | type) == "string" then
        ((if ($q | type) == "string" then {} else $meta end) + $tools) as $more
        | message($sid; "a\($i)"; {role: "assistant", content: $a};
          {created_at: $t, metadata: (if $more == {} then null else $more end)}) else empty end),
      lost_but([(if ($q | type) == "string" then $qk else null end),
        (if ($a | type) == "string" then $ak, "tools_used", "toolsUsed", "mcp_tools_used" else null end),
        (if $t != null then time else null end),
        (if (.metadata | type) == "object" then "metadata" else null end)])
    end;
def pairs($sid):
  to_entries[] | .key as $i | .value | if type == "object" then pair($sid; $i + 1) else skip("no pair") end;
def times: [.[] | objects | at];
. as $in | .record as $r
| if ($r | type) == "array" then
    own_id as $sid
    | session($sid; {created_at: ($r | times | earliest), metadata: {format: "qa"}}), ($r | pairs($sid))
  elif ($r | type) != "object" then skip("no pair")
  else
    ($r | first(("conversations", "turns", "history", "conversation_history", "conversationHistory",
      "messages", "pairs") | select(. as $k | $r[$k] | type == "array")) // null) as $list
    | if $list != null then
        ($r | used(["session_id", "sessionId", "conversation_id", "id"])) as $id
        | ($r | used(["created_at", "createdAt"])) as $made
        | (if $made == null then null else [$r[$made] | when] | earliest end) as $t
        | ($in.info.session // (if $id == null or $r[$id] == "" then ($in | own_id) else $r[$id] end) | tostring) as $sid
        | session($sid; {title: ($r.title | str), user_id: ($r.user_id | str | named),
            created_at: ([$t] + ($r[$list] | times) | earliest),
            metadata: ({format: "qa"} + ($r.metadata | if type == "object" then . else {} end))}),
          ($r[$list] | pairs($sid)),
          ($r | lost_but([$list, $id,
            (if $t != null then $made else null end),
            (if (.title | type) == "string" then "title" else null end),
            (if (.user_id | type) == "string" then "user_id" else null end),
            (if (.metadata | type) == "object" then "metadata" else null end)]))
      else
        ($in.info.session // ($r.session_id | str | named) // ($r.sessionId | str | named) // $in.state // ($in | file_id)) as $sid
        | (if $in.state == null then {kind: "state", state: $sid} else empty end),
          session($sid; {created_at: ([$r | at] | earliest), metadata: {format: "qa"}}),
          # Several imports may add pairs to a session with a known id, so the ids of such pairs contain
          # a hash.
          (if ($in.info.session // ($r.session_id | str | named) // ($r.sessionId | str | named)) == null then $in.info.n
            else "\($in.info.n)-\($in.info.hash[0:16])" end) as $i
          | ($r | del(.session_id, .sessionId) | pair($sid; $i))
      end
  end
