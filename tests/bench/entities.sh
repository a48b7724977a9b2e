# For rows about entities: . "$BENCH/entities.sh"
NAMES=100000

# names: prints the records of $NAMES devices and workflows
names() {
	awk -v n="$NAMES" 'BEGIN { for (i = 0; i < n; i++) {
		type = i % 3 ? "device" : "workflow"
		name = i % 3 ? sprintf("sw-dc%d-%05d", i % 97, i) : sprintf("Task %d flow%d", i, i % 97)
		printf "{\"type\":\"%s\",\"name\":\"%s\",\"id\":%d}\n", type, name, i } }'
}

# transcript N: prints N messages of 600 bytes; each mentions a device, a port, an address and a VLAN. The
# last message is a user's message.
transcript() {
	awk -v n="$1" -v names="$NAMES" 'BEGIN { srand(7); for (i = 1; i <= n; i++) {
		k = int(rand() * names); d = int(rand() * 250)
		text = sprintf("On the device sw-dc%d-%05d the port GigabitEthernet1/0/%d went down at noon " \
		    "and came back after a minute. The neighbour 10.%d.%d.%d saw nothing of it, and what the " \
		    "log says about vlan %d does not explain why. I looked at the counters of the interface, " \
		    "which show no errors since the last change, and at the release notes, which mention a " \
		    "fault in this version that was mended in the next one. Before we plan an upgrade, please " \
		    "have a look at the power supply and at the cable, and tell me what you think of it. ",
		    k % 97, k, d % 48, d % 7, d % 31, d, d % 60)
		printf "{\"role\":\"%s\",\"content\":\"%s\"}\n", (n - i) % 2 ? "assistant" : "user", text } }'
}

# entity_store DIR: creates DIR/ctx.db with the names, and with the sessions s1000 and s$MESSAGES, whose
# entities are tracked
entity_store() {
	[ ! -d "$1" ] || return 0
	rm -rf "$1.tmp"
	mkdir -p "$1.tmp"
	names | ctx-entity load -S "$1.tmp/ctx.db" -q
	for n in 1000 "$MESSAGES"; do
		transcript "$n" | ctx-append -S "$1.tmp/ctx.db" -q --create -s "s$n"
		ctx-entity track -S "$1.tmp/ctx.db" -q -s "s$n"
	done
	mv "$1.tmp" "$1"
}
