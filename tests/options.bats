# An option that has no effect with the other options is an error.
load helper

# Prints invalid command lines without "ctx-"; '|' separates arguments that contain spaces.
refused() {
	cat <<-'E'
		append -s s --role assistant in
		append -s s --echo in
		append -s s --print record in
		append -s s -u ann in
		append -s s --agent a -t x
		append -s s --ttl 1d -t x
		append -s s --keep-going -t x
		append -s s -t x --echo
		append -s s -p openai --keep-going
		append -s s --result c --pin --echo -t x
		append -s s --result c -u ann -t x
		append --batch --request in --atomic
		append --batch --request in --pin --type note
		append -s s --redact-rules params in
		archive -s s --to d --as x
		archive -s s --to d --all
		archive -s s --to d --sample 3
		archive -s s --to d --keep-going
		archive -s s --to d --raw
		archive -s s --to d --snapshot --forget
		archive --list -s s
		archive --list --jobs 2
		archive --list -n
		archive --verify -s s --all
		archive --verify -s s --sample 2
		archive --verify --all --sample 2
		archive --verify -n -s s
		archive --verify --jobs 2 -s s
		archive --cat -n -s s
		archive --cat --all
		archive --cat --jobs 2 -s s
		archive --restore --jobs 2 -s s
		archive --restore --all -s s
		archive --remove -s s x.ndjson.gz
		archive --remove --to d x.ndjson.gz
		archive --relocate -s s a b
		archive --relocate --jobs 2 a b
		archive --adopt -s s x
		archive --adopt --keep-going x
		check --catch-up -s s
		check --catch-up --no-archives
		check --rebuild -s s
		check --backup b.db -s s
		check --backup b.db --no-archives
		count -t x --total
		count --raw --calibrate in
		delete -s s --to d
		delete -s s --receipt
		delete --restore -s s --to d
		delete -s s -u ann
		enrich --history-tokens 9 in
		enrich --history none --history-tokens 9 in
		enrich --resolve-ttl 1h in
		enrich --exec-timeout 1s in
		entity list --sessions
		entity list -s s --rebuild
		entity list --remove
		entity load --type host
		entity load -s s
		entity find --seq 1 x
		entity find -s s --sessions x
		entity show -s s --replace x
		entity relate -s s a b c
		entity alias --target-type t a b
		entity merge --remove a b
		entity resolve -s s --max 3 --resolve-exec cat
		entity track -s s --seq 1
		entity track -s s --action created -n 1 x
		entity track -s s --action created --rebuild x
		item define --type rule
		item define -s s
		item list --remove
		item list -s s --agent a
		item show -s s x
		item add --agent a -s s x
		item add -s s -p openai x
		item tools --type tool
		item tools --remove
		item tools -s s --agent a
		import --formats -f qa
		import --formats --import-dir .
		import --formats --current
		import -f openai --tenant t in
		import -f openai -S x.db in
		import -f openai --append --sync in
		lint --tokenizer approx in
		list -a --status archived
		list --hold
		list --deleted 1d --status active
		ls --deleted 1d --status archived
		new --set-preferences {} -u ann --title T
		new --set-preferences {} -u ann -1
		new --fork s -
		new --update --id s --fork s
		prune --undo -s s -b 100
		prune --undo -s s --strategy recent
		prune --apply -s s --keep-turns 1 --no-cut
		prune --apply -s s --keep-turns 1 --drop-prefix
		prune --apply -s s --keep-turns 1 -p openai
		prune --apply -s s --keep-turns 1 --report r
		prune -s s in
		prune --stub in
		prune --strategy filter --tools-keep 1 in
		prune --strategy tools --max-chars 50 in
		prune --strategy filter --results-only in
		prune --keep head in
		prune --strategy recent --clear-at-least 9 in
		prune --hide -s s 1 -b 100
		prune --hide -s s 1 --strategy recent
		prune --hide -s s 1 --keep-last 2
		render -p text -b 100 in
		render -p markdown --thinking strip in
		render -p text --cache off in
		render -p text --headers h in
		search --fts --any x
		show --request r --tools
		show -s s --redact-rules params
		view -s s --redact-rules params
		show --request r --last
		show -s s --tools --context
		stats --cache -s s
		stats --cache -u ann
		stats --cache -b 100
		stats --items -b 100
		stats --timings -b 100
		stats --by day -b 100
		stats --by day --threshold 0.5
		stats --warn 50 --threshold 0.5
		stats --plot -s s --threshold 0.5
		stats -s s -u ann
		stats --threshold 0.5
		stats -b 100
		summarize --undo -s s -b 100
		summarize --undo -s s --keep-last 3
		summarize -s s --exec-format text
		summarize -s s --timeout 3s
		summarize -n in
		window -s s --reserve 10
		window -s s --low-water 40
		window -s s -b 100 -n 3 --low-water 40
		window -s s --run r
		window -s s -b 100 --stable --rolling
		window -s s --fresh
		render -p text --params params in
		render -p markdown --params params in
		render -p prompt --params params in
	E
}

@test 'a command with options that cannot be combined is refused and changes nothing' {
	local line
	ctx-append -q --create -s s -t hello
	echo '{"role":"user","content":"hi"}' >in
	echo '{"model":"m"}' >params
	store_state >before.db
	while read -r line; do
		# shellcheck disable=SC2086
		set -- $line
		if "ctx-$1" "${@:2}" </dev/null >out 2>err; then status=0; else status=$?; fi
		[ $status = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] || {
			echo "status $status: ctx-$line"
			cat err
			false
		}
	done < <(refused)
	ctx-show -s s | jq -c .kind | same - $'"session"\n"message"'
}

@test 'settings of the environment and the configuration do not count as given options' {
	ctx-append -q --create -s s -t hello
	export CTX_TTL=30d CTX_PROVIDER=openai CTX_BUDGET=4000 CTX_RESERVE=100 CTX_THRESHOLD=0.5
	export CTX_ARCHIVE=d CTX_RESOLVE_TTL=1h CTX_EXEC_TIMEOUT=1s CTX_STRATEGY=truncate CTX_PARAMS=params CTX_WARN=50
	echo '{"model":"m"}' >params
	ctx-append -q -s s -t more
	ctx-window -s s -n 3 >w
	ctx-prune w >/dev/null
	for form in text markdown prompt; do
		ctx-render -p $form w >/dev/null
	done
	ctx-stats --cache
	ctx-stats --by day >/dev/null
	ctx-delete -s s >/dev/null
	ctx-archive --list
}
