# Completion for fish of ctx and its commands. Session ids come from ctx-list.

function __ctx_sessions
    ctx-list -1a 2>/dev/null
end

# Is this the command, called as ctx-NAME or as ctx NAME?
function __ctx_is
    set -l words (commandline -opc)
    string match -q -- "*ctx-$argv[1]" $words[1]; and return
    string match -qr -- '(^|/)ctx$' $words[1]; and test "$words[2]" = $argv[1]
end

# One option of a command: its name, then what complete(1) takes
function __ctx_option
    complete -c ctx-$argv[1] $argv[2..]
    complete -c ctx -n "__ctx_is $argv[1]" $argv[2..]
end

complete -c ctx -f
complete -c ctx -n '__fish_is_nth_token 1' -a 'new append window prune render list show lint help'
complete -c ctx -n '__fish_is_nth_token 1' -l help -s h -d 'this text'
complete -c ctx -n '__fish_is_nth_token 1' -l version -s V -d 'name and version'
complete -c ctx -n '__fish_is_nth_token 2; and __fish_seen_subcommand_from help' -a 'new append window prune render list show lint'
complete -c ctx-new -f
complete -c ctx-window -f
complete -c ctx-list -f
complete -c ctx-show -f
complete -c ctx -n '__ctx_is append' -F
complete -c ctx -n '__ctx_is lint' -F
complete -c ctx -n '__ctx_is prune' -F
complete -c ctx -n '__ctx_is render' -F

__ctx_option new -l user -s u -x -d 'whose session it is'
__ctx_option new -l id -x -d 'its id (default: a new UUIDv7)'
__ctx_option new -l title -x -d 'its title'
__ctx_option new -l topic -x -d 'what it is about'
__ctx_option new -l agent -x -d 'the agent that it belongs to'
__ctx_option new -l caller -x -d 'who called'
__ctx_option new -l account -x -d 'on whose account'
__ctx_option new -l ttl -x -d 'expires so long after its last message'
__ctx_option new -l metadata -x -d 'an object of your own'
__ctx_option new -l preferences -x -d 'preferences of this session'
__ctx_option new -l set-preferences -x -d 'only store them for the user, for sessions to come'
__ctx_option new -l share -x -d 'let another user see it (repeatable)'
__ctx_option new -l hold -x -d 'refuse every deletion'
__ctx_option new -l fork -x -a '(__ctx_sessions)' -d 'begin with a copy of a session, up to message SEQ'
__ctx_option new -l ids -s 1 -d 'print only the id'
__ctx_option new -l store -s S -r -F -d 'the store'
__ctx_option new -l tenant -x -d 'see and make only this tenant\'s sessions'
__ctx_option new -l busy-timeout -x -d 'how long to wait for other writers'
__ctx_option new -l sync -x -a 'full normal off' -d 'full (durable when acknowledged), normal or off'
__ctx_option new -l help -s h -d 'this text'
__ctx_option new -l version -s V -d 'name and version'

__ctx_option append -l session -s s -x -a '(__ctx_sessions)' -d 'append to this session (else each record names its own)'
__ctx_option append -l text -s t -x -d 'one message with this text'
__ctx_option append -l raw -d 'one message: the whole input is its text'
__ctx_option append -l role -x -a 'user assistant system developer tool' -d 'role of a message made by -t or --raw (default user)'
__ctx_option append -l id -x -d 'record id of a message made by -t or --raw'
__ctx_option append -l type -x -a 'query response tool_result error note summary' -d 'its message_type'
__ctx_option append -l metadata -x -d 'its metadata, an object'
__ctx_option append -l pin -d 'pin the messages: windows always hold them'
__ctx_option append -l create -d 'make the session when it is missing'
__ctx_option append -l user -s u -x -d 'user of a session made by --create'
__ctx_option append -l ttl -x -d 'time to live of a session made by --create'
__ctx_option append -l if-seq -x -d 'only if the session\'s last message is N (implies --atomic)'
__ctx_option append -l atomic -d 'all of the input or nothing'
__ctx_option append -l keep-going -d 'leave bad lines out and go on'
__ctx_option append -l rejects -r -F -d 'with --keep-going: put bad lines there, unchanged'
__ctx_option append -l max-record -x -d 'longest record that is accepted (default 64 MiB)'
__ctx_option append -l request -r -F -d 'the input is the provider\'s answer to this request'
__ctx_option append -l provider -s p -x -a 'openai anthropic gemini' -d 'openai, anthropic or gemini'
__ctx_option append -l echo -d 'show the answer\'s text on stderr as it comes'
__ctx_option append -l quiet -s q -d 'print no records'
__ctx_option append -l tokenizer -x -a 'approx chars4' -d 'how tokens are counted'
__ctx_option append -l store -s S -r -F -d 'the store'
__ctx_option append -l tenant -x -d 'see and make only this tenant\'s sessions'
__ctx_option append -l busy-timeout -x -d 'how long to wait for other writers'
__ctx_option append -l sync -x -a 'full normal off' -d 'full (durable when acknowledged), normal or off'
__ctx_option append -l help -s h -d 'this text'
__ctx_option append -l version -s V -d 'name and version'

__ctx_option window -l session -s s -x -a '(__ctx_sessions)' -d 'the session (repeatable); else those of the records read'
__ctx_option window -l messages -s n -x -d 'the last N messages (default 20 without another limit)'
__ctx_option window -l turns -x -d 'the last N turns'
__ctx_option window -l budget -s b -x -d 'the most that a whole request may cost'
__ctx_option window -l reserve -x -d 'of the budget, kept free for additions and answer (default 1/8)'
__ctx_option window -l stable -d 'cut history in large steps: consecutive requests begin alike'
__ctx_option window -l low-water -x -d 'with --stable: of the budget, what a cut leaves (default 75)'
__ctx_option window -l since -x -d 'no older messages than this'
__ctx_option window -l until -x -d 'as if this message were the last'
__ctx_option window -l system -r -F -d 'put a system message with this text first'
__ctx_option window -l default-system -x -d 'the same, for a session that has no system message'
__ctx_option window -l mode -x -d 'a name for the request record'
__ctx_option window -l missing-ok -d 'an unknown session is an empty one'
__ctx_option window -l provider -s p -x -a 'openai anthropic gemini' -d 'openai, anthropic or gemini'
__ctx_option window -l tokenizer -x -a 'approx chars4' -d 'how tokens are counted'
__ctx_option window -l store -s S -r -F -d 'the store'
__ctx_option window -l tenant -x -d 'see and make only this tenant\'s sessions'
__ctx_option window -l busy-timeout -x -d 'how long to wait for other writers'
__ctx_option window -l sync -x -a 'full normal off' -d 'full (durable when acknowledged), normal or off'
__ctx_option window -l help -s h -d 'this text'
__ctx_option window -l version -s V -d 'name and version'

__ctx_option prune -l strategy -x -a 'recent score filter system important comprehensive tools truncate' -d 'recent (default), score, filter, system, important, comprehensive, tools, truncate'
__ctx_option prune -l budget -s b -x -d 'the most that a whole request may cost'
__ctx_option prune -l protect -x -a 'role=system role=user role=assistant tool=' -d 'role=NAME or tool=NAME: never dropped or changed; repeatable'
__ctx_option prune -l keep-last -x -d 'never drop the newest N groups'
__ctx_option prune -l keep-turns -x -d 'never drop the newest N turns'
__ctx_option prune -l drop-prefix -d 'prefix additions may be dropped too'
__ctx_option prune -l stub -d 'filter: clear tool results, keep the pairs'
__ctx_option prune -l tools-keep -x -d 'tools: leave the newest K results (default 3)'
__ctx_option prune -l clear-at-least -x -d 'tools: only if clearing frees so many'
__ctx_option prune -l max-chars -x -d 'truncate: characters that a text may have (default 5000)'
__ctx_option prune -l results-only -d 'truncate: only tool results'
__ctx_option prune -l keep -x -a 'head head-tail' -d 'truncate: head (default) or head-tail'
__ctx_option prune -l params -r -F -d 'count what ctx-render will add from this file (tools, system)'
__ctx_option prune -l no-cut -d 'never shorten tool results'
__ctx_option prune -l tokenizer -x -a 'approx chars4' -d 'how tokens are counted'
__ctx_option prune -l help -s h -d 'this text'
__ctx_option prune -l version -s V -d 'name and version'

__ctx_option render -l provider -s p -x -a 'openai anthropic gemini text markdown' -d 'openai, anthropic, gemini; text or markdown for people'
__ctx_option render -l params -r -F -d 'a JSON object to merge into the body: model, tools, …'
__ctx_option render -l request -r -F -d 'write the request record there, for ctx-append'
__ctx_option render -l thinking -x -a 'auto keep strip' -d 'keep, strip or auto (default)'
__ctx_option render -l budget -s b -x -d 'the most that a whole request may cost'
__ctx_option render -l tokenizer -x -a 'approx chars4' -d 'how tokens are counted'
__ctx_option render -l help -s h -d 'this text'
__ctx_option render -l version -s V -d 'name and version'

__ctx_option list -l user -s u -x -d 'of this user, or shared with them'
__ctx_option list -l caller -x -d 'of this caller'
__ctx_option list -l agent -x -d 'of this agent'
__ctx_option list -l status -x -a 'active archived deleted' -d 'active (default), archived or deleted; repeatable'
__ctx_option list -l all -s a -d 'whatever their status'
__ctx_option list -l idle -x -d 'without a message for so long'
__ctx_option list -l older -x -d 'created longer ago, or before an RFC 3339 time'
__ctx_option list -l newer -x -d 'created since'
__ctx_option list -l expired -d 'whose time to live is over'
__ctx_option list -l min-tokens -x -d 'with at least so many tokens'
__ctx_option list -l ids -s 1 -d 'print only ids'
__ctx_option list -l store -s S -r -F -d 'the store'
__ctx_option list -l tenant -x -d 'see and make only this tenant\'s sessions'
__ctx_option list -l busy-timeout -x -d 'how long to wait for other writers'
__ctx_option list -l sync -x -a 'full normal off' -d 'full (durable when acknowledged), normal or off'
__ctx_option list -l help -s h -d 'this text'
__ctx_option list -l version -s V -d 'name and version'

__ctx_option show -l session -s s -x -a '(__ctx_sessions)' -d 'the session (repeatable); else those of the records read'
__ctx_option show -l store -s S -r -F -d 'the store'
__ctx_option show -l tenant -x -d 'see and make only this tenant\'s sessions'
__ctx_option show -l busy-timeout -x -d 'how long to wait for other writers'
__ctx_option show -l sync -x -a 'full normal off' -d 'full (durable when acknowledged), normal or off'
__ctx_option show -l help -s h -d 'this text'
__ctx_option show -l version -s V -d 'name and version'

__ctx_option lint -l provider -s p -x -a 'openai anthropic gemini responses' -d 'openai, anthropic, gemini or responses'
__ctx_option lint -l budget -s b -x -d 'the most that a whole request may cost'
__ctx_option lint -l tokenizer -x -a 'approx chars4' -d 'how tokens are counted'
__ctx_option lint -l format -x -a 'ndjson text github' -d 'ndjson, github or text'
__ctx_option lint -l repair -d 'print what was read, repaired; diagnostics go to stderr'
__ctx_option lint -l help -s h -d 'this text'
__ctx_option lint -l version -s V -d 'name and version'
