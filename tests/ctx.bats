load helper

@test 'ctx NAME runs ctx-NAME with its arguments, input and exit status' {
	ctx new --id 's p' -1 | same - 's p'
	echo '{"role":"user","content":"x"}' | ctx append -s 's p' >out
	ctx show -s 's p' | tail -1 | same out
	status 1 ctx show -s nope 2>err
	grep -q '^ctx-show: ' err
	status 2 ctx show --no-such 2>err
	ctx new --version | same <(ctx-new --version)
}

@test 'ctx help lists every command, and ctx help NAME prints its help' {
	ctx help >out
	for c in $(commands); do
		[ "$c" = ctx ] || grep -qE "^  ${c#ctx-} +$(sed -n 's/^\.Nd //p' "$ROOT/man/$c.1")\$" out ||
			{ echo "$c"; return 1; }
	done
	ctx help window | same <(ctx-window --help)
	ctx --help | grep -q '^usage: '
	ctx --version | grep -qxE 'ctx [0-9.]+'
}

@test 'ctx without a command, with an unknown command or with a path in place of a command is an error' {
	status 2 ctx >out 2>err
	[ -s err ]
	for c in nope '' ../ctx-new /bin/true 'a b'; do
		status 2 ctx "$c" >out 2>err || { echo "$c"; return 1; }
		[ ! -s out ]
		grep -qF "no command '$c'" err
	done
	status 2 ctx help nope 2>err
}

@test 'other ctx-* commands on the PATH are found, and the suite'\''s own take precedence' {
	mkdir bin
	printf '#!/bin/sh\necho mine "$@"\n' | tee bin/ctx-mine >bin/ctx-new
	chmod +x bin/*
	PATH=$PWD/bin:$PATH ctx mine a 'b c' | same - 'mine a b c'
	PATH=$PWD/bin:$PATH ctx new --version | grep -q '^ctx-new '
}

@test 'ctx works through a symbolic link and from another directory' {
	ln -s "$CTX_BIN/ctx" link
	./link new -1 --id s | same - s
	(cd / && "$CTX_BIN/ctx" list -1) | same - s
}
