#!/bin/bash
# usage: enrich_score.sh
# Helps to choose --min-score of ctx-enrich. There are twelve items and thirty messages; no item is
# relevant to seven of the messages. For each minimum score, prints recall (the share of the relevant items
# that are added) and precision (the share of the added items that are relevant). The set is small and
# was written by hand, so it shows only how recall and precision depend on the score. Needs jq.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
PATH=${CTX_BIN:-$PWD/build}:$PATH
export CTX_STORE=$dir/s.db
i() { jq -nc --arg n "$1" --arg c "$2" '{type:"rule",name:$n,include:"agent",content:$c}'; }
{ i invoices "Invoices above 1000 euros need a second approval. An invoice without an order number goes back to the supplier."
i create-workflow "Creates a new workflow from a description in plain words and validates it before it is saved."
i search-workflows "Finds workflows by name, by tag or by what they do. Returns at most 20."
i style "Answer in short sentences. No tables, no emoji, British spelling."
i network "Core switches are named sw-core-NN. VLAN 10 is for servers, VLAN 20 for phones. Every change of a switch port needs a ticket."
i vacation "Vacation days are requested two weeks ahead; the team lead approves them."
i auth "How to authenticate: use tokens, log in with OAuth and rotate credentials."
i db-schema "Tables and columns of the database, keys and indexes, and how migrations are written."
i errors "Error handling: wrap exceptions, log them with a correlation id, never swallow them."
i files "Reads and writes files on disk, lists directories, checks permissions of a path."
i deploy "Deploying to production: build the image, run the smoke test, then promote the release."
i backup "Backups run nightly; restoring needs the key from the vault and a confirmation."; } | ctx-item define -q
while IFS='|' read -r want q; do
 ctx-append -qs s --create -t "$q"
 for t in 0.1 0.2 0.25 0.3 0.35 0.4 0.5; do
  got=$(ctx-window -s s -n 1 | ctx-enrich --entities 0 --topic none --min-score "$t" --cache-ttl 0ms | jq -r 'select(.source.include_mode=="agent")|.source.name' | tr '\n' ' ')
  echo "$t|$want|$got"
 done
done >"$dir/out" <<'Q'
invoices|who has to approve an invoice over 1000 euros?
invoices|can I pay this invoice without an order number
create-workflow|make a workflow that mails me every morning
create-workflow|please create a new workflow for onboarding
search-workflows|find my workflows about billing
search-workflows|which workflows have the tag finance?
network|which vlan do the phones use?
network|change the port of sw-core-01
vacation|I want to request two vacation days
vacation|who approves my vacation?
auth|How do I authenticate?
auth|rotate the credentials of the service
auth|how do I log in with OAuth
db-schema|add a column to the users table in the database
db-schema|write a migration for the index
errors|What's the error handling?
errors|how should exceptions be logged
files|list the files in that directory
files|check the permissions of /etc/passwd
deploy|deploy the new release to production
deploy|run the smoke test on the image
backup|restore last night's backup
backup|when do backups run
-|hello, how are you today?
-|thanks, that was helpful
-|what is the weather in Berlin?
-|tell me a joke about cats
-|translate good morning into French
-|what time is it in Tokyo
-|continue please
Q
for t in 0.1 0.2 0.25 0.3 0.35 0.4 0.5; do awk -F'|' -v t="$t" '$1==t { n=split($3,g," "); hit=0; for(i=1;i<=n;i++) if (g[i]==$2) hit=1; if($2!="-"){want++; found+=hit}; given+=n; right+=hit } END { printf "%s recall %.2f precision %.2f given %d\n", t, found/want, given? right/given:0, given }' "$dir/out"; done
