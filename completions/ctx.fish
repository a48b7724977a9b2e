# Completion for fish of ctx and its commands. Options come from each command's --help, so
# that there is one list of them; session ids and titles come from ctx-ls.

# __ctx_list COMMAND ARGUMENT ...: on the store that the words so far name, else that of the
# settings
function __ctx_list
    set -l store (commandline -opc | string match -r -- '^(?:--store=|-S)(.+)$')[2]
    set -l words (commandline -opc)
    for name in -S --store
        set -l at (contains -i -- $name $words)
        and set store $words[(math $at + 1)]
    end
    if test -n "$store"
        $argv[1] -S (string replace -r '^~' ~ -- $store) $argv[2..] 2>/dev/null
    else
        $argv 2>/dev/null
    end
end

function __ctx_sessions
    __ctx_list ctx-ls -a --tsv | string replace -r '^([^\t]*)\t.*\t([^\t]*)$' '$1\t$2'
end

function __ctx_users
    __ctx_list ctx-list -a | string replace -rf '.*"user_id":"([^"\\\\]*)".*' '$1' | sort -u
end

# Is this the command, called as ctx-NAME or as ctx NAME?
function __ctx_is
    set -l words (commandline -opc)
    string match -q -- "*ctx-$argv[1]" $words[1]; and return
    string match -qr -- '(^|/)ctx$' $words[1]; and test "$words[2]" = $argv[1]
end

# The values that a help text lists, as in "WHAT: one, two (default) or three".
function __ctx_listed
    set -l text (string replace -r ' \[CTX_[A-Z_]+\]$' '' -- $argv[1] |
        string replace -ra ' \([^)]*\)' '' | string replace -r '^[^:]*: ' '' |
        string replace -r '; repeatable$' '')
    string match -qr '^[a-z0-9_-]+((, or |, |; | or )[a-z0-9_-]+)+$' -- $text
    and string replace -ra ', or |, |; | or ' ' ' -- $text
end

# The values after what is there of a list.
function __ctx_append
    set -l word (commandline -ct | string replace -r -- '^(--[a-z-]+=|-[A-Za-z])' '')
    printf '%s\n' (string replace -r '[^,]*$' '' -- $word)$argv
end

# __ctx_values OPTION ARGUMENT TEXT COMMAND: what complete(1) is told of the option's argument
function __ctx_values
    set -l listed (__ctx_listed $argv[3])
    and begin
        test $argv[2] = LIST
        and printf '%s\n' -x -a "(__ctx_append $listed)"
        or printf '%s\n' -x -a $listed
        return
    end
    switch $argv[1]
        case tokenizer
            printf '%s\n' -x -a 'approx chars4 o200k_base cl100k_base'
        case user
            printf '%s\n' -x -a '(__ctx_users)'
        case role
            printf '%s\n' -x -a 'user assistant system developer tool'
        case format
            printf '%s\n' -x -a (ctx-import --formats 2>/dev/null | string join ' ')
        case type
            printf '%s\n' -x
            test $argv[4] != append
            or printf '%s\n' -a 'query response tool_result error note summary'
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
    set -l verbs
    for line in ($argv[2..] --help 2>/dev/null </dev/null)
        set -l verb (string match -r '^(?:usage:|      ) ctx-[a-z]+ ([a-z]+)(?: |$)' -- $line)
        and set -a verbs $verb[2]
        set -l long (string match -r '^ +(?:-., )?--([a-z][a-z0-9-]*)' -- $line)
        or continue
        set -l text (string replace -r '^ +-.*?  +' '' -- $line)
        set -l spec -l $long[2] -d $text
        set -l short (string match -r '^ +-([^-]),' -- $line)
        and set -a spec -s $short[2]
        set -l argument (string match -r '^ +(?:-., )?--[a-z0-9-]+ ([^ ]+)' -- $line)
        and set -a spec (__ctx_values $long[2] $argument[2] $text $name)
        complete -c ctx-$name $spec
        complete -c ctx -n "__ctx_is $name" $spec
    end
    if set -q verbs[1]
        complete -c ctx-$name -n '__fish_is_nth_token 1' -f -a "$verbs"
        complete -c ctx -n "__ctx_is $name; and __fish_is_nth_token 2" -f -a "$verbs"
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
complete -c ctx -n '__fish_is_nth_token 1' -l version -s V -d 'print the version'
complete -c ctx -n '__fish_is_nth_token 2; and __fish_seen_subcommand_from help' -a "$__ctx_names"
for name in $__ctx_names
    __ctx_options $name ctx-$name
end
complete -c ctx-view -f -k -a '(__ctx_sessions)'
complete -c ctx -n '__ctx_is view' -f -k -a '(__ctx_sessions)'
