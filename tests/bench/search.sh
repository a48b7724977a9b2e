#!/bin/sh
# Full text: what taking in messages costs, against a trigger per row, and how long a
# search takes as a whole process. usage: search.sh [MESSAGES [TRIGGER_MESSAGES]]
# Defaults 1000000 and 100000. Prints medians; ratios in one run count, seconds do not.
set -eu
n=${1:-1000000} few=${2:-100000}
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${CTX_BIN:-$root/build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export CTX_STORE="$dir/ctx.db" CTX_SYNC=off
now() { date +%s.%N; }
since() { echo "$(now) $1" | awk '{ printf "%.3f", $1 - $2 }'; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

${CC:-cc} -O2 -o "$dir/corpus" "$root/tests/bench/corpus.c"

# ---- taking in, against a trigger: the same texts, the same tokenizer ----
"$dir/corpus" 1 "$few" 500 | "$bin/ctx-append" --create -q >/dev/null
tokenizer="porter unicode61 remove_diacritics 2 categories ''L* N* Co M*''"
sqlite3 "$CTX_STORE" "SELECT CASE WHEN id % 1000 = 0 THEN 'COMMIT;BEGIN;' ELSE '' END ||
	'INSERT INTO m(body) VALUES(' || quote(body) || ');' FROM message" >"$dir/rows.sql"
{ echo 'PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; CREATE TABLE m(id INTEGER PRIMARY KEY, body TEXT);'
	echo 'BEGIN;'; cat "$dir/rows.sql"; echo 'COMMIT;'; } >"$dir/plain.sql"
{ echo 'PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; CREATE TABLE m(id INTEGER PRIMARY KEY, body TEXT);'
	echo "CREATE VIRTUAL TABLE f USING fts5(text, content='', tokenize='$tokenizer');
	CREATE TRIGGER t AFTER INSERT ON m BEGIN INSERT INTO f(rowid, text)
	VALUES (new.id, json_extract(new.body, '\$.content')); END;"
	echo 'BEGIN;'; cat "$dir/rows.sql"; echo 'COMMIT;'; } >"$dir/trigger.sql"
for _ in 1 2 3; do
	rm -f "$dir"/p.db* "$dir"/t.db* "$CTX_STORE"-derived*
	t=$(now); sqlite3 "$dir/p.db" <"$dir/plain.sql" >/dev/null; since "$t" >>"$dir/plain"; echo >>"$dir/plain"
	t=$(now); sqlite3 "$dir/t.db" <"$dir/trigger.sql" >/dev/null; since "$t" >>"$dir/trigger"; echo >>"$dir/trigger"
	t=$(now); "$bin/ctx-search" -n 1 xyzzy >/dev/null || :; since "$t" >>"$dir/catchup"; echo >>"$dir/catchup"
done
echo "$few $(median <"$dir/plain") $(median <"$dir/trigger") $(median <"$dir/catchup")" | awk '{
	printf "taking in %d messages: catch-up %.2f s (%.0f/s), trigger %.2f s (%.0f/s): %.1f times\n",
		$1, $4, $1 / $4, $3 - $2, $1 / ($3 - $2), ($3 - $2) / $4 }'

# ---- searching ----
rm -f "$CTX_STORE"*
"$dir/corpus" 2 "$n" 5000 | "$bin/ctx-append" --create -q >/dev/null
echo '{"role":"user","content":"a quokka in the deployment"}' | "$bin/ctx-append" --create -s rare >/dev/null
t=$(now); "$bin/ctx-search" -n 1 quokka >/dev/null
echo "index of $n messages: $(since "$t") s, $(stat -c %s "$CTX_STORE-derived") bytes beside $(stat -c %s "$CTX_STORE")"
for q in quokka 'replica kernel security' 'latency errors database'; do
	for _ in 1 2 3 4 5 6 7 8 9; do
		t=$(now); "$bin/ctx-search" $q >/dev/null || :; since "$t"; echo
	done | median | xargs printf 'search for %s: %s s\n' "'$q'"
done
