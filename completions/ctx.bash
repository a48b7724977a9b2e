# Completion for bash of ctx and its commands. Options come from each command's --help, so
# that there is one list of them; session ids come from ctx-ls, with their titles where the
# candidates are listed.

# Option lines of the help of the command "$@", without the help texts.
_ctx_options() {
	"$@" --help 2>/dev/null </dev/null | sed -nE 's/^ +(-.*)/\1/p' | sed 's/   *.*//'
}

# What the option $1 of the command takes is called so in its help; nothing for a flag.
_ctx_argument() {
	local option=$1
	shift
	_ctx_options "$@" | sed -nE "s/^(.*, )?$option ([^ ]+)\$/\\2/p; s/^$option, --[^ ]+ ([^ ]+)\$/\\1/p" |
		head -n 1
}

# The values that the help of the option $1 lists, as in "WHAT: one, two (default) or three".
_ctx_listed() {
	local option=$1
	shift
	"$@" --help 2>/dev/null </dev/null | sed -nE "s/^ +(-.*, )?$option( .*)?   *([^ ].*)\$/\3/p; s/^ +$option, .*   *([^ ].*)\$/\1/p" |
		sed -E 's/ \[CTX_[A-Z_]+\]$//; s/ \([^)]*\)//g; s/^[^:]*: //; s/; repeatable$//' |
		grep -xE '[a-z0-9_-]+((, or |, |; | or )[a-z0-9_-]+)+' | sed -E 's/, or |, |; | or /\n/g'
}

# What the command "$@" can be told to do as its first operand, by its help.
_ctx_verbs() {
	"$@" --help 2>/dev/null </dev/null | sed -nE 's/^(usage:|      ) ctx-[a-z]+ ([a-z]+)( .*)?$/\2/p' | uniq
}

# The long name of the option $1 of the command.
_ctx_long() {
	local option=$1 long
	shift
	long=$(_ctx_options "$@" | sed -nE "s/^$option, (--[a-z][a-z0-9-]*).*/\\1/p" | head -n 1)
	printf '%s\n' "${long:-$option}"
}

# _ctx_list COMMAND ARGUMENT ...: on the store that the words so far name, else that of the
# settings.
_ctx_list() {
	local i word store=
	for ((i = 1; i < ${#COMP_WORDS[@]}; i++)); do
		((i != COMP_CWORD)) || continue
		word=${COMP_WORDS[i]}
		case $word in
		-S | --store)
			[[ ${COMP_WORDS[i + 1]-} != = ]] || ((++i))
			store=${COMP_WORDS[i + 1]-}
			;;
		-S?*) store=${word#-S} ;;
		esac
	done
	[[ $store != \~/* ]] || store=$HOME/${store#\~/}
	"$1" ${store:+-S "$store"} "${@:2}" 2>/dev/null || :
}

# Ids of sessions, the one used last first. Bash asks once more where it lists candidates (type
# 63), and does not insert what it gets then: that is when titles follow the ids.
_ctx_sessions() {
	if [[ ${COMP_TYPE-} == 63 ]]; then
		_ctx_list ctx-ls -a --tsv | awk -F '\t' '{ print $1 "  " substr($6, 1, 60) }'
	else
		_ctx_list ctx-ls -a --tsv | cut -f 1
	fi
}

# Prints what may follow the option $1 whose argument is called $2, one a line; $3 is the
# word so far, the rest the command.
_ctx_values() {
	local listed long head
	long=$(_ctx_long "$1" "${@:4}")
	listed=$(_ctx_listed "$1" "${@:4}")
	if [[ -n $listed ]]; then
		head=${3%"${3##*,}"}
		while read -r listed; do printf '%s\n' "$head$listed"; done <<<"$listed"
		return
	fi
	case $long in
	--tokenizer) printf '%s\n' approx chars4 o200k_base cl100k_base ;;
	--format)
		[[ "${*:4}" != *import ]] || ctx-import --formats 2>/dev/null || :
		;;
	--user) _ctx_list ctx-list -a | sed -nE 's/.*"user_id":"([^"\\]*)".*/\1/p' | sort -u ;;
	--protect) printf '%s\n' role=system role=user role=assistant tool= ;;
	--role) printf '%s\n' user assistant system developer tool ;;
	--type)
		[[ "${*:4}" != *append ]] ||
			printf '%s\n' query response tool_result error note summary
		;;
	*)
		case $2 in
		SID*) _ctx_sessions ;;
		FILE | DIR | DEST) compgen -f -- "$3" || : ;;
		esac
		;;
	esac
}

# Offers those lines of standard input that begin with the word, without what precedes the
# last colon ($stem): readline keeps that. $lead goes before each. Not compgen -W: it would expand
# the lines, and a session id may be any text.
_ctx_offer() {
	local line
	while IFS= read -r line; do
		[[ -z $line || $line != "$1"* ]] || COMPREPLY+=("$lead${line#"$stem"}")
	done
}

_ctx() {
	local -a command=("$1")
	local word=${COMP_WORDS[COMP_CWORD]} before argument i=$COMP_CWORD stem='' lead=''
	COMPREPLY=()
	while ((i > 1)) && [[ $word == :* || ${COMP_WORDS[i - 1]} == *: ]]; do # a:b comes as three
		word=${COMP_WORDS[--i]}$word
	done
	[[ $COMP_WORDBREAKS != *:* ]] || stem=${word%"${word##*:}"}
	before=${COMP_WORDS[i - 1]}
	if [[ ${1##*/} == ctx ]]; then
		if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $before == help ]]; }; then
			_ctx_offer "$word" < <("$1" help 2>/dev/null | sed -nE 's/^  ([a-z]+)( .*)?$/\1/p'
				printf '%s\n' help --verbose --help --version)
			return
		fi
		command+=("${COMP_WORDS[1]}")
	fi
	if [[ $word == = ]]; then   # --name=value comes as three words
		word=
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[i - 2]}
	fi
	if [[ $word == -[!-]?* ]]; then   # -lVALUE
		argument=$(_ctx_argument "${word:0:2}" "${command[@]}")
		[[ -z $argument ]] || before=${word:0:2} lead=${word:0:2} word=${word:2}
		[[ -z $stem ]] || lead='' stem=${stem:2}
	elif [[ $before == -?* ]]; then
		argument=$(_ctx_argument "$before" "${command[@]}")
	fi
	if [[ -n $argument ]]; then
		[[ $argument != SID* || ${COMP_TYPE-} != 63 ]] || compopt +o filenames 2>/dev/null
		_ctx_offer "$word" < <(_ctx_values "$before" "$argument" "$word" "${command[@]}")
	elif [[ $word == -* ]]; then
		_ctx_offer "$word" < <(_ctx_options "${command[@]}" | grep -oE -- '--[a-z][a-z0-9-]*')
	elif [[ ${command[*]##*/} == ctx?view ]]; then
		[[ ${COMP_TYPE-} != 63 ]] || compopt +o filenames 2>/dev/null
		_ctx_offer "$word" < <(_ctx_sessions)
	else
		((COMP_CWORD > ${#command[@]})) || _ctx_offer "$word" < <(_ctx_verbs "${command[@]}")
		((${#COMPREPLY[@]})) || _ctx_offer "$word" < <(compgen -f -- "$word")
	fi
}

# shellcheck disable=SC2046 # names of commands
complete -o filenames -F _ctx ctx $(compgen -c ctx- | sort -u)
