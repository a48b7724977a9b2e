# Completion for bash of ctx and its commands. Session ids come from ctx-list.

_ctx_options() {
	case $1 in
	new)
		printf '%s\n' --user --id --title --topic --agent --caller --account --ttl \
		    --metadata --preferences --set-preferences --share --hold --fork \
		    --ids --store --tenant --busy-timeout --sync --help --version ;;
	append)
		printf '%s\n' --session --text --raw --role --id --type --metadata --pin \
		    --create --user --ttl --if-seq --atomic --keep-going --rejects \
		    --max-record --request --provider --echo --quiet --tokenizer \
		    --store --tenant --busy-timeout --sync --help --version ;;
	window)
		printf '%s\n' --session --messages --turns --budget --reserve --stable \
		    --low-water --since --until --system --default-system --mode \
		    --missing-ok --provider --tokenizer --store --tenant \
		    --busy-timeout --sync --help --version ;;
	prune)
		printf '%s\n' --strategy --budget --protect --keep-last --keep-turns \
		    --drop-prefix --stub --tools-keep --clear-at-least --max-chars \
		    --results-only --keep --params --no-cut --tokenizer --help \
		    --version ;;
	render)
		printf '%s\n' --provider --params --request --thinking --budget --tokenizer \
		    --help --version ;;
	list)
		printf '%s\n' --user --caller --agent --status --all --idle --older --newer \
		    --expired --min-tokens --ids --store --tenant --busy-timeout \
		    --sync --help --version ;;
	show)
		printf '%s\n' --session --store --tenant --busy-timeout --sync --help --version ;;
	lint)
		printf '%s\n' --provider --budget --tokenizer --format --repair --help --version ;;
	esac
}

# Prints what may follow the option $2 of the command $1, one a line; fails when the option
# takes no argument.
_ctx_values() {
	case $2 in
	-s | --session | --fork) ctx-list -1a 2>/dev/null || : ;;
	-p | --provider)
		printf '%s\n' openai anthropic gemini
		[[ $1 != render ]] || printf '%s\n' text markdown
		[[ $1 != lint ]] || echo responses
		;;
	--status) printf '%s\n' active archived deleted ;;
	--tokenizer) printf '%s\n' approx chars4 ;;
	--sync) printf '%s\n' full normal off ;;
	--strategy)
		printf '%s\n' recent score filter system important comprehensive tools truncate
		;;
	--format) printf '%s\n' ndjson text github ;;
	--keep) printf '%s\n' head head-tail ;;
	--protect) printf '%s\n' role=system role=user role=assistant tool= ;;
	--thinking) printf '%s\n' auto keep strip ;;
	--role) printf '%s\n' user assistant system developer tool ;;
	--type) printf '%s\n' query response tool_result error note summary ;;
	-S | --store | --system | --rejects | --request | --params) compgen -f -- "$3" || : ;;
	--account | --agent | -b | --budget | --busy-timeout | --caller | \
	    --clear-at-least | --default-system | --hold | --id | --idle | --if-seq | \
	    --keep-last | --keep-turns | --low-water | --max-chars | --max-record | -n | \
	    --messages | --metadata | --min-tokens | --mode | --newer | --older | \
	    --preferences | --reserve | --set-preferences | --share | --since | --tenant | \
	    -t | --text | --title | --tools-keep | --topic | --ttl | --turns | --until | -u \
	    | --user) : ;;
	*) return 1 ;;
	esac
}

# Offers those lines of standard input that begin with the word. Not compgen -W: it would
# expand them, and a session id may be any text.
_ctx_offer() {
	local line
	while IFS= read -r line; do
		[[ -z $line || $line != "$1"* ]] || COMPREPLY+=("$line")
	done
}

_ctx() {
	local command=${1##*/} word=${COMP_WORDS[COMP_CWORD]} values
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	if [[ $command == ctx ]]; then
		if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $before == help ]]; }; then
			_ctx_offer "$word" < <(printf '%s\n' new append window prune render list show lint \
			    help --help --version)
			return
		fi
		command=${COMP_WORDS[1]}
	fi
	command=${command#ctx-}
	if [[ $word == = ]]; then   # --name=value comes as three words
		word=
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if values=$(_ctx_values "$command" "$before" "$word"); then
		_ctx_offer "$word" <<<"$values"
	elif [[ $word == -* ]]; then
		_ctx_offer "$word" < <(_ctx_options "$command")
	elif [[ $command == append || $command == prune || $command == render || $command == lint ]]; then
		_ctx_offer "$word" < <(compgen -f -- "$word")
	fi
}

complete -o filenames -F _ctx ctx \
    ctx-new ctx-append ctx-window ctx-prune ctx-render ctx-list ctx-show ctx-lint
