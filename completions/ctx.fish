# Completion for fish of ctx and its commands. Options come from each command's --help, so
# that there is one list of them; session ids come from ctx-list.

function __ctx_sessions
    ctx-list -1a 2>/dev/null
end

# Is this the command, called as ctx-NAME or as ctx NAME?
function __ctx_is
    set -l words (commandline -opc)
    string match -q -- "*ctx-$argv[1]" $words[1]; and return
    string match -qr -- '(^|/)ctx$' $words[1]; and test "$words[2]" = $argv[1]
end

# __ctx_values OPTION ARGUMENT: what complete(1) is told of the option's argument
function __ctx_values
    switch $argv[1]
        case provider
            printf '%s\n' -x -a 'openai anthropic gemini responses text markdown prompt'
        case status
            printf '%s\n' -x -a 'active archived deleted'
        case tokenizer
            printf '%s\n' -x -a 'approx chars4 o200k_base cl100k_base'
        case sync
            printf '%s\n' -x -a 'full normal off'
        case strategy
            printf '%s\n' -x -a 'recent score filter system important comprehensive tools truncate'
        case keep
            printf '%s\n' -x -a 'head head-tail'
        case thinking
            printf '%s\n' -x -a 'auto keep strip'
        case exec-format
            printf '%s\n' -x -a 'ndjson text'
        case role
            printf '%s\n' -x -a 'user assistant system developer tool'
        case type
            printf '%s\n' -x -a 'query response tool_result error note summary'
        case '*'
            switch $argv[2]
                case 'SID*'
                    printf '%s\n' -x -a '(__ctx_sessions)'
                case FILE DIR DEST
                    printf '%s\n' -r -F
                case '*'
                    printf '%s\n' -x
            end
    end
end

# A line of help is "  -s, --session SID   what it does".
function __ctx_options
    set -l name $argv[1]
    for line in ($argv[2..] --help 2>/dev/null </dev/null)
        set -l long (string match -r '^ +(?:-., )?--([a-z][a-z0-9-]*)' -- $line)
        or continue
        set -l spec -l $long[2] -d (string replace -r '^ +-.*?  +' '' -- $line)
        set -l short (string match -r '^ +-([^-]),' -- $line)
        and set -a spec -s $short[2]
        set -l argument (string match -r '^ +(?:-., )?--[a-z0-9-]+ ([^ ]+)' -- $line)
        and set -a spec (__ctx_values $long[2] $argument[2])
        complete -c ctx-$name $spec
        complete -c ctx -n "__ctx_is $name" $spec
    end
end

set -l __ctx_commands (ctx help 2>/dev/null </dev/null |
    string replace -rf '^  ([a-z]+)(?: +(.*))?$' '$1\t$2')
set -l __ctx_names (string replace -r '\t.*' '' -- $__ctx_commands)
complete -c ctx -f
complete -c ctx -n '__fish_is_nth_token 1' -a help -d 'how to use a command'
for line in $__ctx_commands
    set -l parts (string split \t -- $line)
    complete -c ctx -n '__fish_is_nth_token 1' -a $parts[1] -d $parts[2]
end
complete -c ctx -n '__fish_is_nth_token 1' -l verbose -s v -d 'print on stderr what took how long'
complete -c ctx -n '__fish_is_nth_token 1' -l help -s h -d 'this text'
complete -c ctx -n '__fish_is_nth_token 1' -l version -s V -d 'name and version'
complete -c ctx -n '__fish_is_nth_token 2; and __fish_seen_subcommand_from help' -a "$__ctx_names"
for name in $__ctx_names
    __ctx_options $name ctx-$name
end
