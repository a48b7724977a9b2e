# Part of ctx-turn: reads the options into variables, which already contain the defaults.

usage() {
	cat <<END
usage: ctx-turn -s SID [-p PROVIDER] [--model NAME] [OPTION ...] [QUESTION | -]

Asks a model, prints the text of its answer, and stores question and answer.

  -s, --session SID     the session (default: CTX_SESSION)
  -p, --provider NAME   @PROVIDERS@ [CTX_PROVIDER]
      --model NAME      model to ask (default: the model of the parameters)
      --params FILE     parameters of the request, as for ctx-render [CTX_PARAMS]
      --url URL         base URL of the provider's API, instead of its variable
  -b, --budget TOKENS   maximum tokens of a request (default: by the model, or 32000) [CTX_BUDGET]
      --system FILE     file with the text of the system message
      --create          create the session if it does not exist
      --resume          restore the session first if it is archived
      --refused         also send refused answers
      --tool-exec CMD   run CMD NAME for each tool call, with the arguments on stdin
      --parallel        run the calls of one answer in parallel
      --max-steps N     maximum requests of a turn (default 20)
      --retries N       maximum retries of a request (default 6; 2 if refused)
      --retry-wait N    seconds before the first retry, doubled each time (default 1)
      --dry-run         print the request body, send and store nothing
  -q, --quiet           print no notes on stderr
  -S, --store FILE      path of the store, or address of a PostgreSQL database [CTX_STORE]
      --tenant ID       show and create only this tenant's sessions [CTX_TENANT]
  -v, --verbose         print timings on stderr at the end
  -h, --help            print this help
  -V, --version         print the version

Manual: ctx-turn(1)
END
}

# Ends with an error if option $1 has no argument ($2).
argument() {
	[ $# -ge 2 ] || die 2 "option '$1' needs an argument"
}

# Ends with an error if the argument $2 of option $1 is not a number.
number() {
	argument "$@"
	case $2 in '' | *[!0-9]*) die 2 "$1: '$2' is not a number" ;; esac
	[ ${#2} -le 15 ] || die 2 "$1: '$2' is too large"
}

# Ends with an error if the argument $2 of option $1 is empty, for example because the user's variable is
# not set.
given() {
	argument "$@"
	[ -n "$2" ] || die 2 "$1: the argument is empty"
}

# Prints the option whose name is most similar to $1, if at most a third of the letters differ.
nearest_option() {
	usage | sed -n 's/^ .*--\([a-z-]*\) .*/\1/p' | awk -v word="${1#--}" '
	function edits(a, b,    i, k, n, m, row, last, least) {
		n = length(a); m = length(b)
		for (k = 0; k <= m; k++) last[k] = k
		for (i = 1; i <= n; i++) {
			row[0] = i
			for (k = 1; k <= m; k++) {
				least = last[k - 1] + (substr(a, i, 1) != substr(b, k, 1))
				if (last[k] + 1 < least) least = last[k] + 1
				if (row[k - 1] + 1 < least) least = row[k - 1] + 1
				row[k] = least
			}
			for (k = 0; k <= m; k++) last[k] = row[k]
		}
		return last[m]
	}
	BEGIN { best = int(length(word) / 3) + 1 }
	{
		n = length(word) >= 3 && index($0, word) == 1 ? 1 : edits(word, $0)
		if (n < best) { best = n; name = $0 }
	}
	END { if (name != "") print name }'
}

unknown_option() {
	case $1 in *' '*) die 2 "a question that begins with - needs the operand -- before it" ;; esac
	case $1 in --*) near=$(nearest_option "$1") ;; *) near='' ;; esac
	die 2 "unknown option '$1'${near:+: did you mean --$near?} (--help lists the options)"
}

# The question may come before options.
take_operand() {
	[ -z "$asked" ] || die 2 "unexpected operand '$1' (a question of several words needs quotes)"
	asked=1 question=$1
}

while [ $# -gt 0 ]; do
	case $1 in
	--create=* | --resume=* | --refused=* | --parallel=* | --dry-run=* | --quiet=* | --verbose=* | --help=* | --version=*)
		die 2 "option ${1%%=*} does not allow an argument" ;;
	--*=*) option=${1%%=*} value=${1#*=} && shift && set -- "$option" "$value" "$@" ;;
	-[spbS]?*) option=${1%"${1#??}"} value=${1#??} && shift && set -- "$option" "$value" "$@" ;;
	-[qvhV][!-]*) option=${1%"${1#??}"} value=-${1#??} && shift && set -- "$option" "$value" "$@" ;;
	esac
	case $1 in
	-s | --session) argument "$@" && session=$2 && shift ;;
	-p | --provider) argument "$@" && provider=$2 && shift ;;
	--model) given "$@" && model=$2 && shift ;;
	--params) given "$@" && params=$2 && shift ;;
	--url) given "$@" && url=$2 && shift ;;
	-b | --budget) number "$@" && export CTX_BUDGET="$2" && shift ;;
	--system) given "$@" && system=$2 && shift ;;
	--create) create=--create ;;
	--resume) resume=--resume ;;
	--refused) refused=--refused ;;
	--tool-exec) argument "$@" && tool_exec=$2 && shift ;;
	--parallel) parallel=1 ;;
	--max-steps) number "$@" && max_steps=$2 && shift ;;
	--retries) number "$@" && retries=$2 && shift ;;
	--retry-wait) number "$@" && retry_wait=$2 && shift ;;
	--dry-run) dry_run=1 ;;
	-q | --quiet) quiet=1 ;;
	-S | --store) argument "$@" && export CTX_STORE="$2" && settings="$settings -S$(quote "$2")" && shift ;;
	--tenant) argument "$@" && export CTX_TENANT="$2" && settings="$settings --tenant$(quote "$2")" && shift ;;
	-v | --verbose) began=$(date +%s%N) ;;
	-h | --help) usage || die 4 'cannot write stdout'; exit 0 ;;
	-V | --version) echo 'ctx-turn @VERSION@' || die 4 'cannot write stdout'; exit 0 ;;
	--) shift; break ;;
	-?*) unknown_option "$1" ;;
	*) take_operand "$1" ;;
	esac
	shift
done
for operand; do
	take_operand "$operand"
done
[ -n "$tool_exec" ] || [ -z "$parallel" ] || die 2 '--parallel needs --tool-exec'
[ -n "$tool_exec" ] || [ -z "$max_steps" ] || die 2 '--max-steps needs --tool-exec'
max_steps=${max_steps:-20}
[ "$max_steps" -ge 1 ] || die 2 '--max-steps: at least 1'
[ -n "$session" ] || die 2 'no session given: use -s SID or CTX_SESSION'
[ "$session" != - ] || die 2 '-s: one session, not those of standard input'
# Checks that --tool-exec names an existing command if it is a single word. Otherwise, the calls would
# fail, and only the model would learn of the error.
case $tool_exec in
'' | *[!A-Za-z0-9_./-]*) ;;
*/*)
	[ -e "$tool_exec" ] || die 2 "--tool-exec: no such file '$tool_exec'"
	[ -x "$tool_exec" ] || die 2 "--tool-exec: '$tool_exec' is not executable"
	;;
*)
	near=''
	[ ! -e "$tool_exec" ] || near=": did you mean ./$tool_exec?"
	command -v "$tool_exec" >/dev/null || die 2 "--tool-exec: no such command '$tool_exec'$near"
	;;
esac
