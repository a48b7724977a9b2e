# Question and answer pairs: {question, answer} or {user_message, assistant_response} with
# a time and metadata; one a line, a list, or a session object that holds a list of them.
def question: .question // .user_message // .userMessage // .query // .prompt // .user // .input;
def answer: .answer // .assistant_response // .agent_response // .assistant_message // .response // .assistant // .output;
def pair($sid; $i):
  (question) as $q | (answer) as $a
  | (.timestamp // .created_at // .time | when) as $t
  | (.metadata | if type == "object" and . != {} then . else null end) as $meta
  | (.tools_used // .toolsUsed | if . == null or . == [] then null else . end) as $tools
  | if ($q | type) != "string" and ($a | type) != "string" then skip("neither question nor answer")
    else
      (if ($q | type) == "string" then
        message($sid; "q\($i)"; {role: "user", content: $q}; {created_at: $t, metadata: $meta}) else empty end),
      (if ($a | type) == "string" then
        message($sid; "a\($i)"; {role: "assistant", content: $a};
          {created_at: $t, metadata: (if $tools != null then {tools_used: $tools} else null end)}) else empty end)
    end;
. as $in | .record as $r
| if ($r | type) == "array" then
    own_id as $sid | session($sid; {metadata: {format: "qa"}}),
    ($r | to_entries[] | .key as $i | .value | if type == "object" then pair($sid; $i + 1) else skip("no pair") end)
  elif ($r | type) != "object" then skip("no pair")
  else
    ($r | .turns // .history // .conversation_history // .conversationHistory // .messages // .pairs) as $list
    | if ($list | type) == "array" then
        ($in.info.session // $r.session_id // $r.sessionId // $r.conversation_id // $r.id // ($in | own_id) | tostring) as $sid
        | session($sid; {title: ($r.title | str), user_id: ($r.user_id | str | named),
            created_at: ($r.created_at // $r.createdAt | when),
            metadata: {format: "qa"}}),
          ($list | to_entries[] | .key as $i | .value | if type == "object" then pair($sid; $i + 1) else skip("no pair") end)
      else
        ($in.info.session // ($r.session_id | str) // ($r.sessionId | str) // $in.state // ($in | file_id)) as $sid
        | (if $in.state == null then {kind: "state", state: $sid} else empty end),
          session($sid; {metadata: {format: "qa"}}), ($r | pair($sid; $in.info.n))
      end
  end
