# Permissions: the owner of a store, a group that shares it, and users who may only read it.
load helper

# Numeric user ids, which need not exist in /etc/passwd.
A=31001 B=31002 C=31003 TEAM=31100

setup() {
	isolate
	[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || skip 'needs root and setpriv'
	there=$(mktemp -d)
	chmod 755 "$there"
	export CTX_STORE=$there/store/ctx.db HOME=$there
	cp "$CTX_BIN"/ctx-* "$there"
	# users without access to the build directory run these copies
	chmod 755 "$there"/ctx-*
	PATH=$there:$PATH
	unset CTX_BIN XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME
	cd "$there"
}

teardown() {
	[ -z "${there-}" ] || { umount "$there/store" 2>/dev/null || true; rm -r "$there"; }
}

# as UID GROUP COMMAND…: runs the command as this user with this additional group.
as() {
	local uid=$1 group=$2
	shift 2
	setpriv --reuid="$uid" --regid="$uid" --groups="$group" --inh-caps=-all -- "$@"
}

# Runs, through the command prefix in the arguments, commands that create every file beside a store.
work() {
	"$@" ctx-append --create -s s -q -t 'a message of Ann'
	"$@" ctx-entity load -q <<<'{"type":"person","name":"Ann"}'
	"$@" ctx-entity track -s s >/dev/null
	"$@" ctx-search message >/dev/null
	"$@" ctx-summarize -s s -q 2>/dev/null || true
	# each user archives to a directory of its own
	"$@" sh -c 'ctx-archive -s s --to "$0/place-$(id -u)" --snapshot' "$there/place" >/dev/null
	"$@" ctx-check --catch-up -q
}

@test 'commands run as root leave a store that its owner can still use' {
	install -d -o $A -g $A -m 700 store
	install -d -m 1777 place
	as $A $A ctx-new --id s >/dev/null
	work env
	[ "$(stat -c '%u %g %a' store/* | sort -u)" = "$A $A 600" ]
	work as $A $A
	# files as older versions left them after a run as root
	chown 0:0 store/ctx.db-{lock,archive-lock,names,derived*}
	as $A $A ctx-append -s s -q -t 'not locked out'
	as $A $A ctx-search out | jq -e '.message.content=="not locked out"'
	rm -f store/ctx.db-derived* store/*-lock
	work env
	work as $A $A
	# a link in place of a file beside the store is not followed, and its target keeps its owner
	rm store/ctx.db-lock
	echo secret >root-only
	chmod 600 root-only
	ln -s ../root-only store/ctx.db-lock
	ctx-append -s s -q -t x || true
	rm store/ctx.db-lock
	mv root-only store/ctx.db-lock
	ctx-append -s s -q -t x
	[ "$(stat -c %u store/ctx.db-lock)" = 0 ]
}

@test 'a backup made by root is accessible to the owner of the store and to nobody else' {
	install -d -o $A -g $A -m 700 store
	as $A $A ctx-append --create -q -s s -t 'a message of Ann'
	ctx-check -q --backup store/copy.db
	[ "$(stat -c '%u %g %a' store/copy.db)" = "$A $A 600" ]
	as $A $A ctx-show --store store/copy.db -s s | grep -q 'message of Ann'
	# a backup that replaces an older one, and a backup of a store that a group shares
	chgrp $TEAM store/ctx.db
	chmod 640 store/ctx.db
	ctx-check -q --backup store/copy.db
	[ "$(stat -c '%u %g %a' store/copy.db)" = "$A $TEAM 640" ]
}

@test 'an archive directory that the owner cannot enter does not prevent a purge' {
	install -d -o $A -g $A -m 700 store place
	as $A $A ctx-append --create -q -s s -t 'a message of Ann'
	as $A $A ctx-append --create -q -s t -t 'another message of Ann'
	as $A $A ctx-archive -q -s s --to "$PWD/place" --cleanup >/dev/null
	chown 0:0 place
	run -4 as $A $A ctx-delete -q -s s -s t --purge --receipt
	grep -q '"sessions":2.*"archives_missing":1' <<<"$output"
	[ -z "$(ctx-list -a1)$(ctx-list -1 --status deleted)" ]
	[ -n "$(find place -type f)" ]
}

@test 'a store and its directory that root creates for a user belong to that user' {
	install -d -o $A -g $A -m 755 home
	CTX_STORE=$there/home/share/ctx/ctx.db
	ctx-new --id s >/dev/null
	[ "$(find home/share -printf '%U %G %m\n' | sort -u)" = "$A $A 600"$'\n'"$A $A 700" ]
	as $A $A ctx-append -q -s s -t x
}

@test 'archives that root writes belong to the owner of the archive directory' {
	install -d -o $A -g $A -m 700 store home
	as $A $A ctx-append --create -q -s s -t 'a message of Ann'
	as $A $A ctx-append --create -q -s old -t 'an old message'
	# an existing archive directory, one that root creates, and one that everybody may write to
	as $A $A mkdir home/place
	install -d -m 1777 everyone
	for place in home/place home/new/place; do
		ctx-archive -q -s s --snapshot --to "$there/$place"
		[ "$(find "$place" -mindepth 1 -printf '%U %G %m\n' | sort -u)" = "$A $A 600"$'\n'"$A $A 700" ]
		as $A $A ctx-archive -q -s s --snapshot --to "$there/$place"
	done
	[ "$(stat -c %u home/new)" = $A ]
	ctx-archive -q -s old --cleanup --to "$there/home/place"
	as $A $A ctx-show -s old | grep -q 'an old message'
	ctx-archive -q -s s --snapshot --to "$there/everyone/place"
	[ "$(stat -c '%u %a' everyone/place)" = '0 700' ]
	# a link in the archive directory is not followed, and its target keeps its owner
	rm -r home/place/2026
	ln -s "$there/everyone" home/place/2026
	status 4 ctx-archive -q -s s --snapshot --to "$there/home/place" 2>err
	[ "$(stat -c %u everyone)" = 0 ]
}

@test 'the members of a group can share an archive directory' {
	install -d -o $A -g $TEAM -m 2770 store place
	as $A $TEAM ctx-append --create -q -s s -t 'a message of Ann'
	as $A $TEAM ctx-append --create -q -s s2 -t 'a message of Bob'
	as $A $TEAM sh -c 'chmod 660 "$CTX_STORE"*'
	as $A $TEAM ctx-archive -q -s s --cleanup --to "$there/place"
	as $B $TEAM ctx-archive -q -s s2 --cleanup --to "$there/place"
	[ "$(find place -type f -printf '%G %m\n' | sort -u)" = "$TEAM 660" ]
	[ "$(find place -mindepth 1 -type d -printf '%G %m\n' | sort -u)" = "$TEAM 2770" ]
	as $B $TEAM ctx-show -s s | grep -q 'of Ann'
	as $A $TEAM ctx-show -s s2 | grep -q 'of Bob'
	as $A $TEAM ctx-delete -q --purge -s s2
	[ "$(find place -type f | wc -l)" = 1 ]
	# other users cannot read archives, whatever the mode of the directory
	chmod 2775 place
	ctx-archive -q -s s --restore
	as $A $TEAM ctx-archive -q -s s --snapshot --to "$there/place"
	[ "$(find place -type f -printf '%G %m\n' | sort -u)" = "$TEAM 660" ]
	install -d -o $A -g $TEAM -m 755 own
	as $A $TEAM ctx-archive -q -s s --snapshot --to "$there/own"
	[ "$(find own -type f -printf '%m\n')" = 600 ]
}

@test 'two users can share a store through a group' {
	# the modes that ctx(7) recommends
	install -d -o $A -g $TEAM -m 2770 store
	install -d -m 1777 place
	as $A $TEAM ctx-new --id s >/dev/null
	as $A $TEAM sh -c 'chmod 660 "$CTX_STORE"*'
	for round in 1 2; do
		work as $A $TEAM
		work as $B $TEAM
		[ "$(stat -c '%g %a' store/* | sort -u)" = "$TEAM 660" ]
		rm -f store/ctx.db-derived* store/ctx.db-names* store/*-lock
		work as $B $TEAM
		work as $A $TEAM
		work env
	done
	[ "$(stat -c '%g %a' store/* | sort -u)" = "$TEAM 660" ]
	# a user outside the group
	status 5 as $C $C ctx-list 2>err
	grep -q "$CTX_STORE.*ermission denied" err
}

# Runs the commands that read a store.
reads() {
	local c
	for c in 'ctx-window -s s' 'ctx-show -s s' 'ctx-show -s s -f markdown' 'ctx-list' 'ctx-list --idle 1d' \
		'ctx-list --entity Ann' 'ctx-search message' 'ctx-stats' 'ctx-stats -s s' 'ctx-stats --items' 'ctx-check -q' \
		'ctx-entity list' 'ctx-entity list -s s' 'ctx-entity find Ann' 'ctx-item list --agent a' 'ctx-item list -s s' \
		'ctx-archive --list' "ctx-archive --list --to $there/place/place-$A" 'ctx-window -s archived' 'ctx-show -s archived'; do
		"$@" $c >out 2>err || { echo "$c: $? $(cat err)"; return 1; }
		[ ! -s err ] || { echo "$c: $(cat err)"; return 1; }
	done
	[ "$("$@" ctx-search message | jq -r .session_id)" = s ]
}

archived() {
	install -d -o $A -g $A -m 755 store
	install -d -m 1777 place
	work as $A $A
	as $A $A ctx-append --create -s archived -q -t old
	as $A $A ctx-item define -q <<<'{"agent":"a","type":"rule","name":"r","content":"x"}'
	as $A $A ctx-archive -s archived --to "$there/place" --cleanup -q >/dev/null
	as $A $A ctx-search zzz || true
	as $A $A ctx-check --catch-up -q
	chmod -R a+rX store place
}

@test 'a user with only read permission can read everything, also without -wal and -shm files' {
	archived
	export TMPDIR=/tmp
	reads as $B $B
	rm -f store/*-shm
	reads as $B $B
	for f in store/ctx.db store/ctx.db-derived; do
		sqlite3 "$f" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
		rm -f "$f"-wal "$f"-shm "$f"-lock
	done
	before=$(ls store)
	reads as $B $B
	[ "$(ls store)" = "$before" ]
}

@test 'a store on a read-only file system can be read' {
	unshare -m true 2>/dev/null || skip 'needs mount namespaces'
	archived
	export TMPDIR=/tmp
	export -f reads
	export there A
	unshare -m bash -c 'mount --bind -o ro store store && reads env' || { unshare -m mount --bind -o ro store store || skip 'may not mount'; false; }
	rm -f store/*-shm
	unshare -m bash -c 'mount --bind -o ro store store && reads env'
}

@test 'a user with only read permission can search without an index, and is told if newer messages were not searched' {
	install -d -o $A -g $A -m 755 store
	install -d -m 1777 place
	work as $A $A
	chmod -R a+rX store
	rm -rf store/ctx.db-derived* store/ctx.db-names*
	before=$(ls store)
	for c in 'ctx-search message' 'ctx-grep message' 'ctx-entity list -s s' 'ctx-entity find --sessions Ann' \
		'ctx-list --entity Ann' 'ctx-show -s s' 'ctx-stats' 'ctx-check -q' 'ctx-enrich --history relevant in'; do
		as $B $B ctx-window -s s >in
		as $B $B $c >out 2>err
		[ -s out ] || [ "$c" = 'ctx-check -q' ]
		[ ! -s err ] || { echo "$c: $(cat err)"; false; }
	done
	# commands that must write derived data are refused
	for c in 'ctx-check --catch-up' 'ctx-check --rebuild' 'ctx-entity track -s s'; do
		run -4 as $B $B $c
		[[ "$output" = *"ctx.db-derived': Permission denied" ]]
	done
	[ "$(ls store)" = "$before" ]
	as $A $A ctx-search message >/dev/null
	as $A $A ctx-append -q -s s -t 'newer than the index'
	chmod a+r store/*
	run -1 --separate-stderr as $B $B ctx-search newer
	[[ "$stderr" = *'newest messages were not searched'*'Permission denied' ]]
	as $B $B ctx-search message >/dev/null 2>&1
}

@test 'users who get read permission later can read the store, and the owner'\''s next command corrects the modes of its other files' {
	install -d -o $A -g $A -m 755 store
	install -d -m 1777 place
	work as $A $A
	[ "$(stat -c %a store/* | sort -u)" = 600 ]
	chmod 644 store/ctx.db
	# the index has not been opened since the mode of the store changed
	for c in 'ctx-search message' 'ctx-grep message' 'ctx-entity list -s s' 'ctx-list --entity Ann' 'ctx-stats' 'ctx-window -s s'; do
		as $A $A ctx-append -q -s s -t 'a later message'
		as $B $B $c >out 2>err || { echo "$c: $(cat err)"; false; }
		[ -s out ] && [ ! -s err ] || { echo "$c: $(cat err)"; false; }
	done
	as $B $B ctx-search later | jq -es 'length == 6'
	# data that could not be read is reported
	for c in 'ctx-check -q' 'ctx-stats --cache' 'ctx-check --catch-up'; do
		status=0
		as $B $B $c >out 2>&1 || status=$?
		[ $status != 0 ] && grep -q "cannot read '$CTX_STORE-derived': Permission denied" out || { echo "$c: $status $(cat out)"; false; }
	done
	work as $A $A
	[ "$(stat -c %a store/ctx.db* | sort -u)" = 644 ] || { ls -l store; false; }
	as $B $B ctx-check -q
	# the same after the store is private again
	chmod 600 store/ctx.db
	work as $A $A
	[ "$(stat -c %a store/ctx.db* | sort -u)" = 600 ] || { ls -l store; false; }
	# a user who may write the store but not the index cannot purge, because the index contains the texts
	chmod 666 store/*
	chmod 600 store/ctx.db-derived
	run -5 as $B $B ctx-delete -q -s s --purge --receipt
	[[ "$output" = *"ctx.db-derived': Permission denied"* ]]
}

@test 'a dry run only reads the store, and prints what the real run would do' {
	install -d -o $A -g $A -m 755 store
	install -d -m 1777 place
	for i in {1..9}; do
		ctx-append --create -q -s s -u u -t "message $i of a talk about tea and scones"
	done
	for s in d h a f; do
		ctx-append --create -q -s $s -u u -t "the session $s"
	done
	ctx-delete -q -s d
	ctx-delete -q -s h --hold why
	ctx-archive -q -s a --cleanup --to "$there/place"
	ctx-archive -q -s f --to "$there/other"
	cp -r other moved
	ctx-prune -s s --hide 3 >/dev/null
	ctx-new -u u --set-preferences '{"a":1}'
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	chmod -R a+rX store place other moved
	mkdir good
	cp -r store place other good/
	dry() { # COMMAND…: the run says the same
		rm -rf store place other
		cp -r good/* .
		local want=0 got=0
		as $B $B "$@" -n >out 2>err || got=$?
		[ "$(ls store)" = "$(ls good/store)" ]
		flock store/ctx.db-lock "$@" -n --busy-timeout 0s >/dev/null 2>&1 || [ $? = "$got" ]
		grep -q '"dry_run":true\|"kind":"\(event\|summary\)"' out
		"$@" >real 2>err2 || want=$?
		[ "$got" = "$want" ] || { echo "$*: $got, not $want: $(cat err)"; return 1; }
		diff <(sed 's/,"dry_run":true//' out | sort) <(sort real)
	}
	dry ctx-delete -s s
	dry ctx-delete -s s -s s
	dry ctx-delete -u u
	dry ctx-delete -s s --hold x
	dry ctx-delete -s h --release
	dry ctx-delete -s d --restore
	dry ctx-delete -s s --purge
	dry ctx-delete -u u --purge
	dry ctx-archive --restore -s a
	dry ctx-archive --restore -s f
	dry ctx-archive --restore place/2026/01/a.ndjson.gz
	dry ctx-archive --restore --as new place/2026/01/a.ndjson.gz
	dry ctx-archive --restore --to place
	dry ctx-archive --relocate other moved
	dry ctx-archive --adopt place/2026/01/a.ndjson.gz
	dry ctx-prune -s s --apply -b 60
	dry ctx-prune -s s --hide 4
	dry ctx-prune -s s --undo
	dry ctx-summarize -s s
	ctx-summarize -q -s s >/dev/null
	cp -r store good/
	dry ctx-summarize -s s --undo
	# the dry run prints file sizes
	as $B $B ctx-archive -n -s s --cleanup --to place | jq -e '.action == "archived" and .dry_run'
	# a dry run of a refused command is refused
	rm -rf store && cp -r good/store .
	ctx-append -q -s f --resume -t 'a newer message'
	chmod a+r store/*
	run -1 as $B $B ctx-archive -n --restore other/2026/01/f.ndjson.gz
	[[ "$output" = *'has newer messages'* ]]
}

@test 'a missing permission is reported with the file and the reason' {
	archived
	chmod 600 store/ctx.db
	run -5 as $B $B ctx-list
	[[ "$output" = *"$CTX_STORE': Permission denied" ]]
	chmod 644 store/ctx.db
	run -4 as $B $B ctx-append -s s -t x
	[[ "$output" = *"$CTX_STORE"*": Permission denied" ]]
	chmod 700 store
	run -5 as $B $B ctx-list
	[[ "$output" = *"$CTX_STORE': Permission denied" ]]
	chmod 755 store
	as $A $A ctx-append -s s -q -t x
	chmod 600 store/ctx.db-wal
	run -5 as $B $B ctx-list
	[[ "$output" = *"ctx.db-wal': Permission denied" ]]
	chmod 644 store/ctx.db-wal
	# a directory in which the owner may not write
	chmod 555 store
	rm -f store/ctx.db-lock
	run -4 as $A $A ctx-append -s s -t x
	[[ "$output" = *"store/ctx.db"*": Permission denied" ]]
}
