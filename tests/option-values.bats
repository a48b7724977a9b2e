# Every option in the help texts: valid values, ways to write the value, and agreement with the man page.
load helper

# rows: prints "command letter long argument variable" for each option; "-" marks a missing field.
rows() {
	local c
	for c in $(commands); do
		[ "$c" = ctx ] || "$c" --help | sed -nE \
			"s/^ +(-(.), )?--([a-z-]+)( ([][A-Z@:=]+))? +.*\$/&/; t row; b
			:row
			s/^ +(-(.), )?--([a-z-]+)( ([][A-Z@:=]+))? .*\[(CTX_[A-Z_]+)\]\$/$c \2. \3 \5. \6/; t end
			s/^ +(-(.), )?--([a-z-]+)( ([][A-Z@:=]+))? .*/$c \2. \3 \5. -/
			:end
			s/ \. / - /g; s/(.)\. /\1 /g; p"
	done
}

setup_file() {
	export BATS_TEST_DIRNAME
	(isolate >/dev/null && rows) >"$BATS_FILE_TMPDIR/rows"
}

setup() {
	isolate
	ctx-append -q --create -s s -t 'hello there'
	store_state >before.db
	echo '{"role":"user","content":"hi"}' >in
	ctx-window -s s -b 4000 >window
	echo '{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":"z"}]}' >body
}

# with CLASS...: prints the rows whose argument has one of these names.
with() {
	local class
	for class; do
		grep -F " $class " "$BATS_FILE_TMPDIR/rows" | awk -v a="$class" '$4 == a'
	done
}

# set_line COMMAND OPTION: sets "line" to operands with which the command is valid without the option.
set_line() {
	local option=$2
	line=()
	case $1 in
	ctx-append) line=(-s s in) ;;
	ctx-archive) line=(--list) ;;
	ctx-calls | ctx-show | ctx-view | ctx-window) line=(-s s) ;;
	ctx-count | ctx-redact) line=(in) ;;
	ctx-delete) line=(-n -s s) ;;
	ctx-diff) line=(in window) ;;
	ctx-enrich | ctx-prune | ctx-summarize) line=(window) ;;
	ctx-entity | ctx-item) line=(list) ;;
	ctx-grep | ctx-search) line=(hello) ;;
	ctx-import) line=(-f openai in) ;;
	ctx-lint) line=(body) ;;
	ctx-render) line=(-p openai window) ;;
	ctx-turn) line=(--dry-run -s s -p openai --model m) ;;
	esac
	case $1:$option in
	ctx-append:role | ctx-append:type | ctx-append:attach | ctx-append:metadata) line=(-s s -t x) ;;
	ctx-append:rejects) line=(--keep-going -s s in) ;;
	ctx-append:print | ctx-append:provider) line=(-s s) ;;
	ctx-append:request) line=(--raw) ;;
	ctx-append:redact-rules | ctx-show:redact-rules | ctx-view:redact-rules) line+=(--redact) ;;
	ctx-import:redact-rules) line+=(--redact) ;;
	ctx-import:store | ctx-import:tokenizer) line+=(--append) ;;
	ctx-import:format | ctx-render:provider | ctx-render:server) line=(in) ;;
	ctx-item:params) line=(tools -p openai) ;;
	ctx-item:provider) line=(tools) ;;
	ctx-lint:tokenizer | ctx-lint:params) line=(-b 100 body) ;;
	ctx-prune:keep) line=(--strategy truncate window) ;;
	ctx-summarize:exec-format) line=(--exec cat window) ;;
	ctx-summarize:store) line=(-s s -n) ;;
	ctx-prune:store) line=(--undo -s s) ;;
	ctx-summarize:headers) line=(--provider anthropic body) ;;
	esac
}

# refuses STATUS PATTERN COMMAND ARGUMENT...: exit status STATUS, one matching error line, no output.
refuses() {
	local want=$1 pattern=$2 got=0
	shift 2
	"$@" </dev/null >out 2>err || got=$?
	[ $got = "$want" ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -qe "$pattern" err || {
		echo "status $got, not $want with '$pattern': $*"
		cat err
		false
	}
}

# Was the option refused because it cannot be combined with the operands, before its value was checked?
is_other_form() {
	grep -q ' needs \| goes with \|cannot be used with \| to back up PostgreSQL$' err
}

@test 'the test finds the options of all commands in their help texts' {
	[ "$(awk '{print $1}' "$BATS_FILE_TMPDIR/rows" | sort -u | wc -l)" = "$(commands | grep -vc '^ctx$')" ]
	grep -qx 'ctx-window b budget TOKENS CTX_BUDGET' "$BATS_FILE_TMPDIR/rows"
	grep -qx 'ctx-enrich - entities \[TYPE:\]N -' "$BATS_FILE_TMPDIR/rows"
	[ "$(wc -l <"$BATS_FILE_TMPDIR/rows")" -gt 400 ]
	run ! grep -vE '^ctx-[a-z]+ . [a-z-]+ ([][A-Z@:=]+|-) (CTX_[A-Z_]+|-)$' "$BATS_FILE_TMPDIR/rows"
}

@test 'whole numbers: text, empty values, signs, fractions and too large values are refused' {
	local c letter long arg env v n=0 bad=(x '' -1 +1 1.5 1e99 99999999999999999999)
	while read -r c letter long arg env; do
		set_line "$c" "$long"
		v=${bad[n++ % ${#bad[@]}]}
		refuses 2 "^$c: --$long: '$v' " "$c" "--$long=$v" "${line[@]}"
		[ "$letter" = - ] || refuses 2 "^$c: -.*: '5x' " "$c" "-${letter}5x" "${line[@]}"
		[ "$env" = - ] || [ "$c" = ctx-turn ] ||
			refuses 2 "^$c: $env: 'x' " env "$env=x" "$c" "${line[@]}"
	done < <(with N TOKENS K SEQ BYTES PERCENT)
}

@test 'shares, scores and dollars must be numbers in their range' {
	local c letter long arg env v
	while read -r c letter long arg env; do
		set_line "$c" "$long"
		for v in x '' -1 nan; do
			refuses 2 "^$c: --$long" "$c" "--$long" "$v" "${line[@]}"
		done
	done < <(with SHARE SCORE)
	for v in x '' -1 +5 ' 5' 5x nan inf '$5'; do
		refuses 2 '--max-cost: ' ctx-stats --cost --max-cost "$v"
	done
}

@test 'times need a unit, and a time limit of zero is refused' {
	local c letter long arg env v n=0 bad=(x '' -1d 5 1.5d 99999999999w 2026-13-01)
	while read -r c letter long arg env; do
		set_line "$c" "$long"
		v=${bad[n++ % ${#bad[@]}]}
		refuses 2 "--$long: '$v' " "$c" "--$long=$v" "${line[@]}"
	done < <(with TIME)
	for c in 'ctx-enrich --exec-timeout' 'ctx-entity --exec-timeout' 'ctx-summarize --timeout'; do
		refuses 2 "the duration '0' must not be zero" $c 0
		refuses 2 "the duration '0ms' must not be zero" $c 0ms
	done
}

@test 'a value that is not in an option'\''s list is refused with the list' {
	local c letter long arg env v
	while read -r c letter long arg env; do
		case $long in agent | caller | name | model | run | entity | type) continue ;; esac
		[ "$c --$long" != 'ctx-item --server' ] || continue
		case "$c --$long" in ctx-enrich*mode | ctx-window*mode | ctx-turn*tenant | ctx-mcp*tokenizer) continue ;; esac
		set_line "$c" "$long"
		[ "$long" != provider ] || [ "$c" != ctx-turn ] || line=(--dry-run -s s --model m)
		refuses 2 "'nosuch'\|\"nosuch\"" "$c" "--$long" nosuch "${line[@]}" || is_other_form
	done < <(with NAME FORMAT WHEN WHAT MODE ROLE STATUS HOW WHICH KEY LIST PART LANG)
	refuses 2 "'nosuch'" ctx-item list --type nosuch
	refuses 2 'message_type must be' ctx-append -s s -t x --type nosuch
	refuses 2 "'b'" ctx-prune --strategy recent,b window
	store_state | cmp - before.db
}

@test 'a file that cannot be read is reported with its name and the reason' {
	local c letter long arg env
	while read -r c letter long arg env; do
		set_line "$c" "$long"
		case "$c --$long" in
		'ctx-new --store' | 'ctx-import --store') continue ;; # they make it
		'ctx-mcp --store') continue ;;                         # its tools open it
		'ctx-enrich --store') continue ;;                      # see below
		*' --store') refuses 5 "'nosuch/f'" "$c" "--$long" nosuch/f "${line[@]}" ;;
		*--report)
			status 4 "$c" "--$long" nosuch/f "${line[@]}" </dev/null >out 2>err
			grep "'nosuch/f': No such file or directory" err
			;;
		*)
			"$c" "--$long" nosuch/f "${line[@]}" </dev/null >out 2>err && { echo "$c --$long"; return 1; }
			grep -q 'nosuch/f.*: No such file or directory' err || is_other_form || { cat err; return 1; }
			[ "$long" != params ] || refuses 4 ': Is a directory' "$c" "--$long" . "${line[@]}"
			;;
		esac
	done < <(with FILE DIR)
	ctx-enrich -S nosuch.db window 2>err >out
	same err <<<"ctx-enrich: session 's' is not in this store, so nothing of this session is added"
	refuses 4 "'a/b': No such file" ctx-enrich --attach x=a/b window
}

@test 'text that becomes part of a record must be UTF-8' {
	local c
	for c in 'ctx-append -s s -t x --id' 'ctx-append -s s -t x --role tool --call-id' \
		'ctx-delete -s s --hold' 'ctx-new --hold' 'ctx-enrich window --topic' \
		'ctx-enrich window --instructions' 'ctx-enrich window --mode' 'ctx-window -s s --mode' \
		'ctx-window -s s --default-system' 'ctx-window -s s -b 100 --run' \
		'ctx-entity track -s s x --action' 'ctx-entity list --type' 'ctx-summarize window --require'; do
		refuses 2 'not valid UTF-8' $c $'a\xff'
	done
	store_state | cmp - before.db
}

@test 'an empty argument is refused by options that need a value, and an empty command turns off a configured command' {
	local c
	for c in 'ctx-append -s s -t a --question' 'ctx-append -s s -t a --id' \
		'ctx-append -s s -t a --role tool --call-id' 'ctx-delete -s s --hold' 'ctx-new --hold' \
		'ctx-new --id' 'ctx-new -u' 'ctx-entity resolve -s s --resolve-exec' 'ctx-turn --url' \
		'ctx-turn --params' 'ctx-turn --system' 'ctx-enrich window --attach' 'ctx-archive --to'; do
		refuses 2 '' $c ''
	done
	# an empty command turns off the configured one
	CTX_SUMMARIZER=false ctx-summarize --exec '' window 2>err >out
	run ! grep failed err
	CTX_RESOLVE_EXEC=false ctx-enrich --resolve-exec '' window 2>err >out
	[ ! -s err ]
}

@test 'numbers that make no sense for an option are refused, such as a limit of 0' {
	refuses 2 "--sample: '0' is less than 1" ctx-archive --verify --sample 0
	refuses 2 "--max-record: '0' is less than 1" ctx-append -s s --max-record 0 in
	refuses 2 "CTX_MAX_RECORD: '0' is less than 1" env CTX_MAX_RECORD=0 ctx-import -f openai in
	refuses 2 "--max-tokens: '0' is less than 1" ctx-summarize --max-tokens 0 window
	refuses 2 "--max-steps: at least 1" ctx-turn -s s -p openai --model m --tool-exec x --max-steps 0
	refuses 2 "':3' is not \[TYPE:\]N" ctx-enrich --entities :3 window
	ctx-enrich --history relevant --history-tokens 0 window >out
	status 1 ctx-lint -b 0 body | jq -e '.rule == "all-budget"'
	refuses 1 'no message fits into the budget of 0' ctx-prune -b 0 in
}

@test 'options are accepted with =, as -oARGUMENT, after --, and repeated: the last one applies' {
	local c letter long arg env
	! sanitized || skip 'one parser for all'
	while read -r c letter long arg env; do # the last flag and the last other one of each
		set_line "$c" "$long"
		if [ "$arg" = - ]; then
			refuses 2 "^$c: option --$long does not allow an argument" "$c" "--$long=x" "${line[@]}"
		else
			refuses 2 "argument.*'--$long'\|'--$long'.* argument" "$c" "${line[@]}" "--$long"
		fi
	done < <(awk '$3 !~ /^(help|version|verbose)$/ { last[$1 ($4 == "-")] = $0 } END { for (i in last) print last[i] }' \
		"$BATS_FILE_TMPDIR/rows")
	for c in $(commands); do
		[ "$c" = ctx ] && continue
		"$c" -- --version </dev/null >out 2>err || true
		run ! grep -qx "$c [0-9.]*" out
	done
	ctx-window -ss -n9 -n1 | jq -s -e '.[-1].policy.messages == 1' >out
	ctx-window --session=s --messages=1 | jq -s -e '.[-1].policy.messages == 1' >out
	ctx-window -n 1 -s other -s s --missing-ok | jq -r 'select(.kind == "session").session_id' | same - $'other\ns'
	ctx-turn hello -qss --dry-run -p openai --model=m --model n | same <(ctx-turn -q -s s --dry-run -p openai --model n -- hello)
	refuses 2 "unexpected operand 'b'" ctx-turn -s s a b
	refuses 2 'one session' ctx-turn -s - -p openai --model m a
}

@test 'page, help and environment variables agree for every option' {
	local c letter long arg env page
	while read -r c letter long arg env; do
		page=$ROOT/man/$c.1
		[ "$letter" = - ] || sed -n 's/\\-/-/g; s/Fl Fl /Fl -/g; /^\.It .*Fl/p' "$page" |
			grep -qE "Fl $letter( Ns)? ?(Ns )?(, )?,? Fl -$long\b" || { echo "$c: -$letter, --$long"; return 1; }
		[ "$env" = - ] || sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh FILES/p' "$page" | grep -qw "$env" ||
			{ echo "$c: $env"; return 1; }
		[ "$env" = - ] || sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh FILES/p' "$ROOT/man/ctx.7" | grep -qw "$env" ||
			{ echo "ctx(7): $env"; return 1; }
	done <"$BATS_FILE_TMPDIR/rows"
}

@test 'an invalid value of a variable that is not an option stops the command' {
	refuses 2 "CTX_NOW: .*x" env CTX_NOW=x ctx-new
	refuses 2 'CTX_NOW: ' env CTX_NOW=2026-13-01 ctx-list
	refuses 2 "CTX_PROGRESS: 'soon'" env CTX_PROGRESS=soon ctx-list
	CTX_NOW='' CTX_PROGRESS=never ctx-list >out
	CTX_NOW=2026-01-02 CTX_PROGRESS=5s ctx-list >out
}

@test 'an error names what the user set: the variable or the member of the configuration' {
	local c letter long arg env n=0 config=$XDG_CONFIG_HOME/ctx/config.json
	mkdir -p "${config%/*}"
	while read -r c letter long arg env; do
		[ "$c" != ctx-turn ] && [ "$long" != tenant ] || continue # ctx-turn: the commands that it runs say it
		set_line "$c" "$long"
		wrong=nosuch
		case $arg in SHARE | SCORE | N | TOKENS | BYTES | PERCENT) wrong=101x ;; esac
		env "$env=$wrong" "$c" "${line[@]}" </dev/null >out 2>err && continue # not used by this form
		! grep -qe "--$long" err && grep -q "$env\|$wrong" err || { echo "$c $env"; cat err; return 1; }
		jq -n --arg k "${long//-/_}" --arg v $wrong '{($k): $v}' >"$config"
		env -u "$env" "$c" "${line[@]}" </dev/null >out 2>err && { echo "$c: $long in the file"; return 1; }
		! grep -qe "--$long\|$env" err && grep -q "$config: ${long//-/_}\|$wrong" err || { echo "$c $long"; cat err; return 1; }
		rm "$config"
		((++n))
	done < <(awk '$4 != "-" && $5 != "-" && ++n[$3] < 3' "$BATS_FILE_TMPDIR/rows")
	[ "$n" -gt 30 ] || { echo $n; false; }
	# hints name the option that was used, not its variable
	run ctx-summarize --fraction 2 window
	[ "$output" = "$(CTX_FRACTION=1 ctx-summarize --fraction 2 window 2>&1)" ]
	CTX_STABLE=1 refuses 2 '^ctx-window: CTX_STABLE needs a budget$' ctx-window -s s
	CTX_RESERVE=99 refuses 2 '^ctx-window: CTX_RESERVE is larger than the budget$' ctx-window -s s -b 10
}
