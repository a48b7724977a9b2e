# ctx-import: text
# ctx-import: whole
# aider's .aider.chat.history.md. A line that the user wrote begins with "#### ", and aider's own
# messages begin with "> ". A line of an answer may begin in the same way. In the files that aider
# writes, the user's lines also end with two spaces, which tells them from lines of answers.
# ctx-import: claims . == null and ($path | endswith(".aider.chat.history.md"))
def user_line($spaced): startswith("#### ") and ($spaced == false or endswith("  "));
def trimmed: sub("\\A\\n+"; "") | sub("\\s+\\z"; "");
. as $in | [.record[] | strings | rtrimstr("\r")] as $lines
| any($lines[]; startswith("#### ") and endswith("  ")) as $spaced
| ($in | file_id) as $own
# Consecutive lines of the same kind are joined.
| [foreach ($lines[], null) as $l ({kind: "none", run: [], out: null};
    (if $l == null then "end"
     elif $l | startswith("# aider chat started at ") then "begin"
     elif $l | user_line($spaced) then "user"
     elif ($l | startswith("> ")) or $l == ">" then "tool"
     elif ($l | test("^\\s*$")) and .kind != "text" then "none"
     else "text" end) as $kind
    | if $kind == .kind and $kind != "begin" then .run += [$l] | .out = null
      else .out = {kind, run} | .kind = $kind | .run = [$l] end;
    .out // empty)] as $runs
| foreach ($runs[] | select(.kind != "none")) as $r ({sid: null, n: 0, out: []};
    .out = []
    | if $r.kind == "begin" then
        ($r.run[0] | ltrimstr("# aider chat started at ") | sub("\\s+$"; "")) as $time
        | .sid = "\($own)-\($time)" | .n = 0 | .open = {created_at: ($time | .[:10] + "T" + .[11:] | when), metadata: {format: "aider"}}
      elif $r.kind == "tool" then .out = [lost("tool-output")]
      else
        ($r.run | if $r.kind == "user" then map(ltrimstr("#### ") | sub("\\s+$"; "")) else . end | join("\n") | trimmed) as $text
        | if $text == "" then .
          else .n += 1 | (.sid // $own) as $sid
            | .out = ((if .n == 1 then [session($sid; .open // {metadata: {format: "aider"}})] else [] end)
              + [message($sid; "m\(.n)"; {role: (if $r.kind == "user" then "user" else "assistant" end), content: $text}; {})])
          end
      end;
    .out[])
