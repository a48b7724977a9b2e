#!/bin/bash
# Entities in the store. usage: entity_store.sh [MESSAGES [NAMES]]
# Tracking: MB of transcript per second, with NAMES loaded names. Enrichment:
# ms of a ctx-enrich (nothing cached), caught up, on a session of MESSAGES messages and on one
# of 1000. Finding: ms that ctx-entity find takes more than ctx-entity --version.
set -eu
bin=${CTX_BIN:-build} messages=${1:-1000000} names=${2:-100000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export CTX_STORE="$dir/ctx.db" CTX_SYNC=off LC_ALL=C

names() {
	awk -v n="$names" 'BEGIN { for (i = 0; i < n; i++) {
		type = i % 3 ? "device" : "workflow"
		name = i % 3 ? sprintf("sw-dc%d-%05d", i % 97, i) : sprintf("Task %d flow%d", i, i % 97)
		printf "{\"type\":\"%s\",\"name\":\"%s\",\"id\":%d}\n", type, name, i } }'
}
transcript() {
	awk -v n="$1" -v names="$names" 'BEGIN { srand(7); for (i = 0; i < n; i++) {
		k = int(rand() * names); d = int(rand() * 250)
		text = sprintf("On the device sw-dc%d-%05d the port GigabitEthernet1/0/%d went down at noon " \
		    "and came back after a minute. The neighbour 10.%d.%d.%d saw nothing of it, and what the " \
		    "log says about vlan %d does not explain why. I looked at the counters of the interface, " \
		    "which show no errors since the last change, and at the release notes, which mention a " \
		    "fault in this version that was mended in the next one. Before we plan an upgrade, please " \
		    "have a look at the power supply and at the cable, and tell me what you think of it. ",
		    k % 97, k, d % 48, d % 7, d % 31, d, d % 60)
		printf "{\"role\":\"%s\",\"content\":\"%s\"}\n", i % 2 ? "assistant" : "user", text } }'
}
ms() {
	date +%s%3N
}
# ms of one run, the best of five
best() {
	least=
	for _ in 1 2 3 4 5; do
		start=$(ms)
		"$@" >/dev/null
		took=$(($(ms) - start))
		[ -n "$least" ] && [ "$least" -le "$took" ] || least=$took
	done
	echo "$least"
}
enrich() {
	"$bin/ctx-window" -s "$1" | "$bin/ctx-enrich" --cache-ttl 0ms
}

names | "$bin/ctx-entity" load -q
start=$(ms)
"$bin/ctx-entity" find "sw-dc1-00001" >/dev/null
echo "names file made in $(($(ms) - start)) ms"
echo "find $(best "$bin/ctx-entity" find "sw-dc1-00001") ms, empty process $(best "$bin/ctx-entity" --version) ms"
for n in 1000 "$messages"; do
	transcript "$n" >"$dir/in"
	[ "$((n % 2))" = 1 ] || echo '{"role":"user","content":"Which port of sw-dc2-00002 was it?"}' >>"$dir/in"
	"$bin/ctx-append" -q --create -s "s$n" "$dir/in"
	bytes=$(wc -c <"$dir/in")
	start=$(ms)
	used=$({ TIMEFORMAT='%U %S'; time "$bin/ctx-entity" track -q -s "s$n" >/dev/null; } 2>&1)
	took=$(($(ms) - start))
	awk -v n="$n" -v mb="$((bytes / 1000))" -v took="$took" -v used="$used" 'BEGIN {
		split(used, u, " "); cpu = (u[1] + u[2]) * 1000
		printf "track %d messages, %.1f MB: %d ms, %.1f MB/s; of processor time %.1f MB/s\n", n,
		    mb / 1000, took, mb / took, mb / cpu }'
done
for n in 1000 "$messages"; do
	echo "enrich a session of $n: $(best enrich "s$n") ms"
done
