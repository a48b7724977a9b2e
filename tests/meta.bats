# Properties of every command. An option in --help is a line that begins with white space and '-'; in a
# man page, a .It line with Fl. Completions are tested by running them, in the functions complete_*.
load helper

setup() {
	isolate
	[ -n "$(commands)" ] || skip 'no command is built'
}

# each FUNCTION: calls the function for every command, and fails at the end if one of the calls failed.
each() {
	local c bad=0
	for c in $(commands); do
		"$1" "$c" || { echo "^ $c: $1" >&2; bad=1; }
	done
	[ "$bad" = 0 ]
}

tools() {
	commands | grep -v '^ctx$' || true
}

helps() {
	local opt
	for opt in --help -h; do
		"$1" "$opt" >out 2>err </dev/null || return
		grep -qi '^usage: ' out && [ ! -s err ] || return
	done
	LC_ALL=C "$1" --help </dev/null | diff out -
}
@test '--help prints the usage on stdout and gives exit status 0' {
	each helps
}

says_version() {
	local opt
	for opt in -V --version; do
		"$1" "$opt" </dev/null | grep -qxE "$1 [0-9]+\.[0-9]+\.[0-9]+" || return
	done
}
@test '--version prints the name and the version number' {
	each says_version
}

refuses_unknown() {
	status 2 "$1" --no-such-option >out 2>err </dev/null || return
	[ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q "^$1: .*no-such-option" err
}
@test 'an unknown option gives exit status 2 and one line on stderr' {
	each refuses_unknown
}

# An opened file must not get the descriptor of a closed standard stream.
@test 'with closed standard streams, no other file is read or written in their place' {
	ctx-append -q --create -s s -t hi
	status 4 ctx-append -s s <&- 2>err
	grep -q 'cannot read stdin' err
	status 4 ctx-new - <&- 2>err
	ctx-window -s s >w
	status 4 ctx-render -p openai --request req.json w >&- 2>err
	if [ -e req.json ]; then jq -e .kind req.json; fi
	printf '%s\n' x '{"role":"user","content":"k"}' >in
	status 3 ctx-append -q -s s --keep-going --rejects rejects in 2>&-
	echo x | same rejects
	status 0 ctx-check -q
}

# without_ids FILE: replaces random ids, which differ each time.
without_ids() {
	sed -E 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/ID/g' "$1"
}

# Most commands fail here because operands are missing; the line with the timings is still printed last.
tells_timings() {
	local opt want=0 got
	"$1" </dev/null >out 2>err || want=$?
	for opt in -v --verbose; do
		got=0
		"$1" "$opt" </dev/null >out.v 2>err.v || got=$?
		[ "$got" = "$want" ] && without_ids out | same <(without_ids out.v) || return
		head -n -1 err.v | cmp err - || return
		tail -n 1 err.v | grep -qxE \
			"$1: ([0-9]+\.[0-9]{3} ms [a-z]+( \([0-9]+\))?, )*[0-9]+\.[0-9]{3} ms total" || return
	done
}
@test '--verbose prints timings on stderr and changes nothing else' {
	each tells_timings
	ctx-append -q --create -s s -t hi
	each tells_timings
}

@test '--verbose prints times only for work that was done' {
	echo '{"role":"user","content":"x"}' >in
	ctx-append -v -q --create -s s in in >out 2>err
	[ "$(grep -oE '(settings|open|input|wait|commit|output|total)' err | tr '\n' ' ')" = \
		'settings open input wait commit total ' ]
	grep -q ' ms input (4), ' err   # two lines, two ends
	ctx-window -s s >out
	ctx -v window -s s 2>err >out.v
	without_ids out | same <(without_ids out.v)
	[ "$(grep -oE '[a-z]+' err | tail -n +3 | grep -v ms | tr '\n' ' ')" = \
		'settings open output total ' ]
	ctx-window -s s --help -v 2>err >/dev/null
	[ ! -s err ]
}

full_disk() {
	local opt
	for opt in --help --version; do
		status 4 "$1" "$opt" >/dev/full 2>err </dev/null || return
		grep -q "^$1: " err || return
	done
}
@test 'a full disk is reported' {
	each full_disk
}

closed_stdout() {
	status 4 "$1" --help >&- 2>err </dev/null
}
@test 'a closed stdout is reported' {
	each closed_stdout
}

deaf_reader() {
	local s
	s=$({ "$1" --help 2>/dev/null; echo $? >&3; } 3>&1 >&4 | true) 4>&1
	[ -z "$s" ] || [ "$s" = 0 ] || [ "$s" = 4 ]   # not 141: SIGPIPE kills no command
}
@test 'a command whose output is no longer read ends by itself and not by a signal' {
	each deaf_reader
}

help_options() {
	"$1" --help | sed -nE 's/^[[:space:]]+(-.*)/\1/p' | sed 's/   *.*//' |
		grep -oE -- '--[a-z][a-z0-9-]*' | sort -u
}

man_options() {
	sed -n 's/\\-/-/g; s/Fl Fl /Fl -/g; /^\.It .*Fl/p' "$ROOT/man/$1.1" |
		grep -oE 'Fl -[a-z][a-z0-9-]*' | sed 's/Fl -/--/' | sort -u
}

# Prints the members of config.json: the options of all commands that have a variable.
settings() {
	local c
	for c in $(tools); do
		"$c" --help
	done | sed -nE 's/^ +(-., )?--([a-z-]+) .*\[CTX_[A-Z_]+\]$/\2/p' | tr - _ | sort -u
}

@test 'config.json: an unknown member causes a warning, and a known member never does' {
	local dir=$XDG_CONFIG_HOME/ctx
	mkdir -p "$dir"
	settings >names
	grep -qx budget names
	sed -n 's/, / /g; /^\.Va /s/^\.Va //p' "$ROOT/man/ctx.7" | tr -s ' ' '\n' |
		grep -E '^[a-z_]+$' | sort -u | diff names -
	ctx-append -q --create -s s -t hi
	for name in $(cat names); do # those of others are not looked at
		echo "{\"$name\": null}" >"$dir/config.json"
		ctx-window -s s >/dev/null 2>err || grep -q "config.json: $name: not " err
		! grep unknown err || false
		ctx-render -p openai </dev/null >/dev/null 2>err || true
		! grep unknown err || false
	done
	printf '{"buget": 10, "messages": 1, "idle-note": "1h", "\\u001b[2J": {}}' >"$dir/config.json"
	ctx-window -s s 2>err | grep -q '"hi"'
	same err <<-END
	ctx-window: $dir/config.json: unknown member "buget"
	ctx-window: $dir/config.json: unknown member "idle-note"
	ctx-window: $dir/config.json: unknown member "\u001b[2J"
	END
}

@test 'config.json: valid members take effect, and an invalid value stops the command' {
	local dir=$XDG_CONFIG_HOME/ctx
	mkdir -p "$dir"
	for t in red blue; do ctx-new --tenant $t --id of$t -1 >/dev/null; done
	echo '{"tenant":"red"}' >elsewhere
	ln -s "$PWD/elsewhere" "$dir/config.json"
	[ "$(ctx-list -1)" = ofred ]
	rm elsewhere
	refused() {
		status 2 ctx-list -1 >out 2>err
		[ ! -s out ]
		[ "$(wc -l <err)" = 1 ]
		grep -q "$1" err
	}
	refused "$dir/config.json.*No such file"
	status 2 ctx-count -t auto:x -s s 2>/dev/null
	rm "$dir/config.json"
	[ "$(ctx-list -1 | wc -l)" = 2 ]
	for v in null 1 true '["red"]' '{"a":1}'; do
		echo "{\"tenant\":$v}" >"$dir/config.json"
		refused "$dir/config.json: tenant: not a string"
	done
	printf '%s\n' '{"tenant":"red\u0000x"}' >"$dir/config.json"
	refused "$dir/config.json: tenant: .* NUL"
	echo '{"store":{"a":1}}' >"$dir/config.json"
	CTX_STORE='' refused "$dir/config.json: store: not a string"
	echo '{"busy_timeout":true}' >"$dir/config.json"
	refused "$dir/config.json: busy_timeout: not a time"
	echo '{"busy_timeout":"soon"}' >"$dir/config.json"
	refused "$dir/config.json: busy_timeout: "
	echo '{"stable":1}' >"$dir/config.json"
	status 2 ctx-window -s ofred 2>err
	grep -qF "ctx-window: $dir/config.json: stable: not true or false" err
	: >"$dir/config.json"
	refused "$dir/config.json"
	rm "$dir/config.json"
	mkdir "$dir/config.json"
	refused "$dir/config.json"
	# a dangling link in place of the directory
	rm -r "$dir"
	ln -s nowhere "$dir"
	refused "$dir/config.json.*No such file"
	rm "$dir"
	: >"$dir"
	refused 'config.json.*Not a directory'
	rm "$dir"
	ln -s ctx "$dir"
	refused "$dir/config.json"
	rm -r "$XDG_CONFIG_HOME"
	[ "$(ctx-list -1 | wc -l)" = 2 ]
	for none in /dev/null /nonexistent/home nothere; do
		[ "$(XDG_CONFIG_HOME=$none ctx-list -1 | wc -l)" = 2 ]
		[ "$(env -u XDG_CONFIG_HOME HOME=$none ctx-list -1 | wc -l)" = 2 ]
	done
}

complete_bash() {
	bash --norc -c 'source "$2/completions/ctx.bash"
		f=$(complete -p "$1" | sed -nE "s/.* -F ([^ ]+).*/\1/p")
		COMP_WORDS=("$1" --) COMP_CWORD=1 COMP_LINE="$1 --" COMP_POINT=${#COMP_LINE}
		"$f" "$1" -- "$1"
		printf "%s\n" "${COMPREPLY[@]}"' - "$1" "$ROOT"
}

complete_zsh() {
	timeout 60 zsh -f -c 'compdef() { }
		_arguments() { print -rl -- "$@" }
		for f in _files _describe _message _values _normal; do functions[$f]=:; done
		service=$1 words=("$1" --) CURRENT=2
		source "$2/completions/_ctx"' - "$1" "$ROOT" 2>/dev/null
}

complete_fish() {
	timeout 60 fish --no-config -c 'source $argv[2]/completions/ctx.fish; complete -C "$argv[1] --"' \
		"$1" "$ROOT"
}

# agree SHELL: the options that the completion offers for a command must be those of --help.
agree() {
	local c bad=0
	for c in $(tools); do
		help_options "$c" >want
		"complete_$1" "$c" | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u >got || true
		diff -u --label "$c --help" --label "$1" want got || bad=1
	done
	[ "$bad" = 0 ]
}

# front_SHELL: prints the completions for the first word after "ctx", one on a line.
front_bash() {
	bash --norc -c 'source "$1/completions/ctx.bash"
		f=$(complete -p ctx | sed -nE "s/.* -F ([^ ]+).*/\1/p")
		COMP_WORDS=(ctx "") COMP_CWORD=1 COMP_LINE="ctx " COMP_POINT=4
		"$f" ctx "" ctx
		printf "%s\n" "${COMPREPLY[@]}"' - "$ROOT"
}

front_zsh() {
	timeout 60 zsh -f -c 'compdef() { }
		_describe() { print -rl -- ${(P)2} }
		service=ctx words=(ctx "") CURRENT=2
		source "$1/completions/_ctx"' - "$ROOT" 2>/dev/null
}

front_fish() {
	timeout 60 fish --no-config -c 'source $argv[1]/completions/ctx.fish; complete -C "ctx "' "$ROOT"
}

@test 'completions: ctx offers every command, with its description if the shell shows them' {
	local shell c
	! sanitized || skip 'what is tested is scripts for shells'
	for shell in bash zsh fish; do
		command -v "$shell" >/dev/null || continue
		"front_$shell" | sed 's/[ :\t].*//' | sort >got
		for c in $(tools) help; do
			[ "$c" = ctx ] || grep -qx "${c#ctx-}" got || { echo "$shell: $c"; return 1; }
		done
	done
	! command -v zsh >/dev/null || front_zsh | grep -qx 'window:print the recent window of a session'
	! command -v fish >/dev/null || front_fish | grep -qP '^window\tprint the recent window of a session$'
}

@test 'options: help and man page agree' {
	local c bad=0
	for c in $(tools); do
		help_options "$c" >want
		man_options "$c" >got || true
		diff -u --label "$c --help" --label "man/$c.1" want got || bad=1
	done
	[ "$bad" = 0 ]
}

@test 'options: help and completions agree, bash' {
	! sanitized || skip 'what is tested is scripts for shells'
	agree bash
}

@test 'options: help and completions agree, zsh' {
	! sanitized || skip 'what is tested is scripts for shells'
	command -v zsh >/dev/null || skip 'no zsh'
	agree zsh
}

@test 'options: help and completions agree, fish' {
	! sanitized || skip 'what is tested is scripts for shells'
	command -v fish >/dev/null || skip 'no fish'
	agree fish
}

# words_SHELL WORD ...: prints the completions after these words, sorted, on one line.
words_bash() {
	bash --norc -c 'source "$1/completions/ctx.bash"
		shift
		f=$(complete -p "$1" | sed -nE "s/.* -F ([^ ]+).*/\1/p")
		COMP_WORDS=("$@" "") COMP_CWORD=$#
		"$f" "$1" "" "${!#}"
		printf "%s\n" "${COMPREPLY[@]}"' - "$ROOT" "$@" | sort | xargs
}

words_fish() {
	timeout 60 fish --no-config -c 'source $argv[1]/completions/ctx.fish
		complete -C (string join -- " " $argv[2..])" "' "$ROOT" "$@" | sed 's/\t.*//' | sort | xargs
}

# The zsh version reads the specification of the last word, or of the first operand.
words_zsh() {
	local want=$2
	[ "$1" != ctx ] || want=${3:-}
	timeout 60 zsh -f -c 'compdef() { }
		_arguments() { print -rl -- "$@" }
		service=$2 words=("${@:2}" "") CURRENT=$#
		source "$1/completions/_ctx"' - "$ROOT" "$@" 2>/dev/null |
		case $want in
		-*) sed -nE "s/^\*$want=\[.*\]:[^:]*:(\(|_sequence compadd - )([^)]*)\)?\$/\2/p" ;;
		*) sed -nE 's/^1:action:\((.*)\)$/\1/p' ;;
		esac | xargs -n 1 | sort | xargs
}

@test 'completions: the offered values and actions are those in the help text' {
	local shell line got c
	! sanitized || skip 'what is tested is scripts for shells'
	for shell in bash zsh fish; do
		command -v "$shell" >/dev/null || continue
		while read -r line; do
			got=$("words_$shell" ${line%%: *})
			[ "$got" = "${line#*: }" ] || { echo "$shell: $line, not $got"; return 1; }
		done <<-END
		ctx-window --provider: anthropic gemini interactions openai responses
		ctx-render --provider: anthropic gemini interactions markdown openai prompt responses text
		ctx-show --format: anthropic atif claude-code codex gemini gemini-cli goose html interactions markdown ndjson openai opencode otlp pi responses sharegpt
		ctx-diff --format: html ndjson text
		ctx-lint --format: github junit ndjson sarif text
		ctx-import --format: aider amp anthropic antigravity atif auto chatgpt claude-ai claude-code cline codex copilot cursor cursor-chats cursor-ide gemini gemini-cli goose interactions kimi librechat llm open-webui openai openai-agents opencode pi qa qwen responses sharegpt swe-agent vscode-chat zed
		ctx-stats --by: day model session tokenizer tool user
		ctx-list --status: active archived deleted
		ctx-append --sync: full normal off
		ctx-append --tokenizer: approx chars4 cl100k_base o200k_base
		ctx-append --print: record text
		ctx-append --type: error note query response summary tool_result
		ctx-prune --strategy: comprehensive filter important recent score system tools truncate
		ctx-prune --keep: head head-tail
		ctx-prune --provider: anthropic gemini interactions openai responses
		ctx-summarize --provider: anthropic responses
		ctx-render --thinking: auto keep strip
		ctx-summarize --exec-format: ndjson text
		ctx-summarize --language: de en es zh
		ctx-enrich --history: none relevant
		ctx-item --type: mode prompt reference rule server tool
		ctx item --type: mode prompt reference rule server tool
		END
		for c in ctx-entity 'ctx entity'; do
			got=$("words_$shell" $c)
			[ "$got" = 'alias find list load merge relate resolve show track' ] ||
				{ echo "$shell: $got"; return 1; }
		done
	done
	[ "$(words_bash ctx-render -p)" = 'anthropic gemini interactions markdown openai prompt responses text' ]
	[ "$(words_bash ctx-show -f)" = "$(words_bash ctx-show --format)" ]
	[ "$(words_bash ctx-import -f)" = "$(words_bash ctx-import --format)" ]
	# sessions and users of the store that the option -S names
	ctx-append -S other.db -q --create -s there -u ann -t hi
	for shell in bash fish; do
		command -v "$shell" >/dev/null || continue
		[ "$("words_$shell" ctx-show -S other.db -s)" = there ] || { echo "$shell: -s"; return 1; }
		[ "$("words_$shell" ctx-list --store other.db -u)" = ann ] || { echo "$shell: -u"; return 1; }
	done
}

# typed LINE: prints the completions for the last word of the line, sorted, on one line.
typed() {
	bash --norc -c 'source "$1/completions/ctx.bash"
		rest=$2
		while [[ $rest =~ ^([:=]|[^\ :=]+|\ +)(.*)$ ]]; do # as readline splits it
			[[ ${BASH_REMATCH[1]} == " "* ]] || COMP_WORDS+=("${BASH_REMATCH[1]}")
			[[ ${BASH_REMATCH[1]} != " "* || -n ${BASH_REMATCH[2]} ]] || COMP_WORDS+=("")
			rest=${BASH_REMATCH[2]}
		done
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_ctx "${COMP_WORDS[0]}" "" ""
		printf "%s\n" "${COMPREPLY[@]}"' - "$ROOT" "$1" | sort | xargs
}

@test 'completions: lists of values, --option=VALUE, -oVALUE and ids with colons are completed' {
	! sanitized || skip 'what is tested is scripts for shells'
	local line got
	for id in a:b:1 a:b:2 alpha; do ctx-append -S other.db -q --create -s $id -u ann -t hi; done
	while read -r line; do
		got=$(typed "${line%% -> *}")
		[ "$got" = "${line#* -> }" ] || { echo "$line, not $got"; return 1; }
	done <<-'END'
	ctx-prune --strategy recent,s -> recent,score recent,system
	ctx-prune --strategy=recent,to -> recent,tools
	ctx prune --strategy score,to -> score,tools
	ctx-show -fmark -> -fmarkdown
	ctx-show --format=mark -> markdown
	ctx-show -S other.db -s al -> alpha
	ctx-show -Sother.db -sal -> -salpha
	ctx-show --store=other.db --session=al -> alpha
	ctx-show -S other.db -s a:b -> b:1 b:2
	ctx-show -S other.db -s a:b: -> 1 2
	ctx-view -S other.db a:b:2 -> 2
	ctx-list -S other.db -ua -> -uann
	END
	command -v fish >/dev/null || return 0
	for line in '--strategy recent,s' '--strategy=recent,s'; do
		fish --no-config -c 'source $argv[1]/completions/ctx.fish
			complete -C "ctx-prune $argv[2]"' "$ROOT" "$line" | sed 's/\t.*//; s/.*=//' | xargs |
			same - 'recent,score recent,system'
	done
}

@test 'completions: session ids are offered with their titles' {
	! sanitized || skip 'what is tested is scripts for shells'
	ctx-new --id old --title 'An old one' >/dev/null
	CTX_NOW=2026-01-03T00:00:00Z ctx-append -q --create -s new -t 'What is new?'
	for words in 'ctx-show -s' 'ctx view'; do
		COMP_TYPE=63 bash --norc -c 'source "$1/completions/ctx.bash"
			COMP_WORDS=($2 "") COMP_CWORD=2
			_ctx "${COMP_WORDS[0]}" "" "${COMP_WORDS[1]}"
			printf "%s\n" "${COMPREPLY[@]}"' - "$ROOT" "$words" 2>err |
			same - 'new  What is new?
old  An old one'
		[ "$(words_bash $words)" = 'new old' ]
		command -v fish >/dev/null || continue
		fish --no-config -c 'source $argv[1]/completions/ctx.fish
			complete -C "$argv[2] "' "$ROOT" "$words" | sort |
			same <(printf 'new\tWhat is new?\nold\tAn old one\n')
	done
	command -v zsh >/dev/null || return 0
	zsh -f -c 'compdef() { }
		_arguments() { }
		compadd() { print -rl -- $ids $shown }
		service=ctx-view words=(ctx-view "") CURRENT=2
		source "$1/completions/_ctx"
		_ctx_sessions' - "$ROOT" | paste -sd , | same - 'new,old,new  What is new?,old  An old one'
}

has_page() {
	local page=$ROOT/man/$1.1 s
	if [ "$1" = ctx ]; then
		[ -f "$ROOT/man/ctx.1" ] || [ -f "$ROOT/man/ctx.7" ]
		return
	fi
	[ -f "$page" ] || { echo "no man/$1.1"; return 1; }
	for s in NAME SYNOPSIS DESCRIPTION ENVIRONMENT FILES 'EXIT STATUS' EXAMPLES; do
		grep -qx "\.Sh $s" "$page" || { echo "man/$1.1 lacks $s"; return 1; }
	done
	[ "$(sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/p' "$page" | grep -c '^\$ ')" -ge 2 ] ||
		{ echo "man/$1.1 has fewer than two examples"; return 1; }
}
@test 'every command has a man page with all sections and two examples' {
	each has_page
}

@test 'man pages pass mandoc'\''s checks' {
	command -v mandoc >/dev/null || skip 'no mandoc'
	compgen -G "$ROOT/man/*.[157]" >/dev/null || skip 'no page'
	mandoc -Tlint -Wwarning "$ROOT"/man/*.[157]
	# mandoc does not print a quotation mark at the start of a macro argument
	run ! grep -nE '^\.Li .* "' "$ROOT"/man/*.[157]
	# .Dq quotes the rest of the line, so a second .Dq would add another quotation mark
	! for page in "$ROOT"/man/*.[157]; do mandoc -Tutf8 "$page"; done | grep '””'
}

@test 'ctx-store(5) describes the existing tables' {
	sed -n '/^\.Ss Schema$/,/^\.Sh EXAMPLES/s/^\.It Va //p' "$ROOT/man/ctx-store.5" | tr -s ', ' '\n' |
		sort >got
	sed -nE 's/^CREATE (VIRTUAL )?TABLE ([a-z_]+).*/\2/p' "$ROOT"/lib/store/*schema*.sql | grep -vx ctx_store | sort -u >want
	diff -u want got
}

@test 'pages of commands that open a store describe its exit statuses' {
	local c
	for c in $(commands); do
		"$c" --help | grep -q -- --store || continue
		[ "$c" != ctx-mcp ] || continue   # tells its client, and goes on
		for s in 0 2 4 5 75; do
			sed -n '/^.Sh EXIT STATUS/,/^.Sh EXAMPLES/p' "$ROOT/man/$c.1" | grep -qx "\.It $s" || { echo "$c: $s"; return 1; }
		done
	done
}

# A command that reads from a terminal prints once that it is waiting for input.
@test 'a note is printed when a command reads from a terminal' {
	local c
	ctx-append -q --create -s s -t hi
	for c in append window show delete prune render enrich summarize count lint import; do
		script -qec "ctx-$c" /dev/null </dev/null 2>&1 | tr -d '\r' | head -n 1 |
			same - "ctx-$c: reading from the terminal (--help shows the usage)"
	done
	ctx-window </dev/null 2>err
	[ ! -s err ]
}

@test 'the manual page ctx(7) names exactly the commands that have --quiet' {
	for c in $(commands); do
		if "$c" --help | grep -q -- --quiet; then echo "$c"; fi
	done | same <(sed -n '/^\.Ss Quiet/,/^The other commands/s/^\.Xr \([a-z-]*\) .*/\1/p' \
		"$BATS_TEST_DIRNAME/../man/ctx.7" | sort)
}
