# The files that "make install" installs.
load helper

setup() {
	isolate
	! sanitized || skip 'built with sanitizers'
}

installed() {
	make -s -C "$ROOT" B="${CTX_BIN#"$ROOT/"}" install DESTDIR="$PWD/root" PREFIX=/usr >log 2>&1 || { cat log; return 1; }
}

@test 'the installation is small and complete, and uninstall removes it' {
	[ -d "$ROOT/.git" ] || [ -f "$ROOT/.git" ] || skip 'not a checkout'
	installed
	# without the commands for PostgreSQL, which are packaged separately
	bytes=$(find root ! -path '*/tokenizers/*' ! -path '*/libexec/*' -type f -printf '%i %s\n' | sort -u | awk '{ n += $2 } END { print n }')
	[ "$bytes" -lt $((15 << 20)) ]
	for c in $(commands); do
		[ -x root/usr/bin/$c ] || { echo $c; return 1; }
		[ -f root/usr/share/man/man1/$c.1 ] || { echo "page of $c"; return 1; }
	done
	# commands work under the short names and from any directory
	PATH=$PWD/root/usr/bin:/usr/bin:/bin
	ctx-append -q --create -s a -t hello
	[ "$(ctx list -1)" = a ]
	[ "$(ctx-view --version)" = "ctx-view $(ctx --version | awk 'NR == 1 { print $2 }')" ]
	cp root/usr/bin/ctx other && ./other --version | grep -q '^ctx '
	ls root/usr/share/doc/ctx/examples/* >/dev/null
	for name in ctx ctx-append ctx-turn; do [ -e root/usr/share/bash-completion/completions/$name ]; done
	make -s -C "$ROOT" B="${CTX_BIN#"$ROOT/"}" uninstall DESTDIR="$PWD/root" PREFIX=/usr
	[ -z "$(find root ! -type d)" ] || { find root ! -type d; return 1; }
}
