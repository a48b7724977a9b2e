load helper

# Prints several megabytes of questions, calls, results (some of them large) and answers.
list() {
	jq -nc 'range(24000) | . as $i |
		if $i % 4 == 0 then {role: "user", content: "question \($i) größer"}
		elif $i % 4 == 1 then {role: "assistant", content: null, tool_calls: [{id: "c\($i)",
			type: "function", function: {name: "f\($i % 3)", arguments: "{\"n\": \($i)}"}}]}
		elif $i % 4 == 2 then {role: "tool", tool_call_id: "c\($i - 1)",
			content: ("result \($i) " * (if $i % 1000 == 2 then 5000 else 30 end))}
		else {role: "assistant", content: ("word " * ($i % 91 + 1))} end'
}

# With --report, ctx-prune keeps all messages in memory until the end.
same() {
	ctx-prune "$@" --report report <list >expect
	ctx-prune "$@" <list >actual
	cmp expect actual
	[ -s actual ]
}

@test "a long list of messages gives the same output as when it is read completely before pruning" {
	list >list
	[ "$(wc -c <list)" -gt 3000000 ]
	same -b 2000
	same -b 300000
	same -b 2000 --strategy filter
	same -b 2000 --strategy filter,recent --keep-turns 2
	same -b 2000 --strategy truncate --max-chars 60
	same -b 2000 --strategy tools
	same -b 2000 --strategy filter --stub
	same --strategy recent --keep-last 7
	same -b 30000 --no-cut
}

@test "memory depends on the budget, not on the length of the list" {
	! sanitized || skip 'address space is not memory here'
	list >list
	for i in 1 2 3 4 5 6 7 8 9 10; do cat list; done >long
	[ "$(wc -c <long)" -gt 30000000 ]
	(ulimit -v 60000 && ctx-prune -b 2000 <long) >actual
	[ "$(tail -n 1 actual)" = "$(tail -n 1 long)" ]
}

@test "a required message that is too large is reported by its position in the list" {
	{ jq -nc '{role: "system", content: ("word " * 3000)}'; list; } >list
	run -1 ctx-prune -b 1000 <list
	[[ $output == *"the largest is system message 1 with"* ]]
}
