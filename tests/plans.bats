# Query plans of SQLite: no statement reads a whole table, except the statements in fixtures/scans.
load helper

setup() {
	isolate
	! sanitized || skip 'built with sanitizers, which come before any other library'
	PATH=$CTX_BIN/dynamic:$PATH
	for c in $(commands); do
		eval "$c() { LD_PRELOAD=$CTX_BIN/tools/plans.so PLANS_LOG=$BATS_TEST_TMPDIR/plans command $c \"\$@\"; }"
	done
}

# Fills every table of a store.
fill() {
	ctx-item define <<-'END' >/dev/null
		{"kind":"item","agent":"shop","type":"rule","name":"tone","content":"Be brief."}
		{"kind":"item","agent":"shop","type":"prompt","name":"role","content":"You sell shoes."}
	END
	ctx-entity load <<-'END' >/dev/null
		{"kind":"entity","type":"site","name":"amsterdam-2","aliases":["ams2"]}
		{"kind":"entity","type":"device","name":"core-router-7","parent":{"type":"site","name":"amsterdam-2"}}
	END
	for s in a b c d; do
		ctx-new --id $s -u u -1 --agent shop --ttl 1d >/dev/null
		for i in 1 2 3 4; do
			printf '{"role":"user","content":"Is core-router-7 in ams2 down, question %s?"}\n' $i
			printf '{"role":"assistant","content":"No, 10.0.0.%s answers."}\n' $i
		done | ctx-append -s $s -q
	done
	ctx-new --id a --update --share w >/dev/null
	ctx-item add -s a tone >/dev/null
	ctx-append -q -s a -t 'And now?'
	ctx-window -s a | ctx-enrich | ctx-render -p openai --request request >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"Yes."}}]}' | ctx-append -s a --request request >/dev/null
}

use() {
	ctx-list -u u; ctx-list --idle 1m -a; ctx-list --expired; ctx-list --agent shop
	ctx-window -s a -n 3; ctx-window -s a -b 500; ctx-show -s a; ctx-show -s a --context
	ctx-show --request "$(jq -r .request_id request)"
	ctx-append -s b --if-seq 8 -t x -q; ctx-new --fork a@4 --id e; ctx-new --id f -u w
	ctx-prune -s b --apply -b 60; ctx-prune -s b --undo; ctx-summarize -s c --keep-last 2
	ctx-summarize -s c --undo; ctx-search router; ctx-search -s a -u u --role user router
	ctx-search --context 2 down; ctx-entity track -s a; ctx-entity list; ctx-entity list -s a
	ctx-entity find ams2; ctx-entity find --sessions ams2; ctx-entity show -s a core-router-7
	ctx-entity relate core-router-7 near amsterdam-2; ctx-entity alias core-router-7 r7
	ctx-item list --agent shop; ctx-item list -s a; ctx-item remove -s a tone
	ctx-list -u u | ctx-archive --to place --snapshot
	ctx-archive --to place --cleanup -s c -s d; ctx-archive --verify --all; ctx-archive --list
	ctx-archive --restore -s c; ctx-show -s d
	ctx-delete -s b --hold x; ctx-delete -s b --release; ctx-delete -s b; ctx-delete -s b --restore
	ctx-stats -s a; for by in session day model tool tokenizer; do ctx-stats -s a --by $by; done
	ctx-stats -u u --by user; ctx-list --deleted 1d; ctx-delete --redact a 2
	ctx-entity merge core-router-7 amsterdam-2; mv place moved; ctx-archive --relocate place moved
	ctx-append -q -s a --pin -t 'Do not restart core-router-7'; ctx-window -s a -n 2
	ctx-prune --hide -s a 3; ctx-window -s a -b 500 --tokenizer chars4
	ctx-delete -q --redact --match 'question 3' a 5
	ctx-new -u u --set-preferences '{"lang":"en"}'; ctx-new --id g -u u --preferences '{}'
	ctx-entity track -s a --action modified core-router-7; ctx-entity alias --remove core-router-7 r7
	ctx-entity relate --remove core-router-7 near amsterdam-2
	ctx-entity load <<<'{"kind":"entity","type":"site","pattern":"(rack-[0-9]+)"}'
	ctx-item define --remove <<<'{"kind":"item","agent":"shop","type":"rule","name":"tone"}'
	ctx-item tools -p openai -s a; ctx-list --entity core-router-7; ctx-search -s a -s c router
	ctx-archive --to place --cleanup -s g -s e; ctx-search -s e router
	ctx-archive --restore -s e; ctx-archive --to place --cleanup --forget -s e
	ctx-summarize -s a --keep-last 2; ctx-summarize -s a --keep-last 1; ctx-check --catch-up
	ctx-delete --purge -s b -s d; ctx-delete -u w --purge
	ctx-delete --tenant t -u w --purge || true
	CTX_TENANT=t ctx-search router || true
} >/dev/null

# Prints each table scan as "step<TAB>SQL", except the known ones.
scans() {
	sort -u "$BATS_TEST_TMPDIR/plans" | awk -F '\t' '
		FILENAME != "-" { if ($0 != "" && $0 !~ /^#/) known[n++] = $0; next }
		$2 !~ /^SCAN / || $2 ~ /^SCAN (CONSTANT ROW|newest$|most$|s$)/ ||
		    $2 ~ /VIRTUAL TABLE/ { next }
		{
			for (i = 0; i < n; i++)
				if (index($3, known[i]) == 1)
					next
			print $2 ": " $3
		}' "$BATS_TEST_DIRNAME/fixtures/scans" -
}

@test 'no frequent statement reads a whole table' {
	fill
	use
	[ "$(sort -u "$BATS_TEST_TMPDIR/plans" | wc -l)" -gt 150 ]
	scans | same /dev/null
}
