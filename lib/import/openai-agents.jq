# Sessions of the OpenAI Agents SDK, which consist of items of the Responses API. openai-agents.sql
# reads the items from the SQLite database.
# ctx-import: tables holds("agent_sessions"; ["session_id"]) and holds("agent_messages"; ["message_data"])
def time: if type == "string" and .[10:11] == " " then .[:10] + "T" + .[11:] else . end | when;
. as $in | .record as $r
| if ($r | type) != "object" or ($r.item | type) != "object" then skip("no item")
  elif $in.info.current and $r.branch != null then aside("other branch")
  else
    (($in.info.session // $r.session) + (if $r.branch == null then "" else "~\($r.branch)" end)) as $sid
    | ($r.item | item_message) as $m
    | (if $m.piece then (if $in.state.sid == $sid then $in.state.join else null end) // $r.id else null end) as $join
    | session($sid; {created_at: ($r.created_at | time), parent_session_id: (if $r.branch == null then null else $in.info.session // $r.session end), metadata: {format: "openai-agents"}}),
      (if ($m.message.role | type) != "string" then skip("item without a role")
       else message($sid; "i\($r.id)"; $m.message; {created_at: ($r.at | time), join: (if $join == null then null else "\($join)" end)}) end),
      {kind: "state", state: {sid: $sid, join: $join}}
  end
