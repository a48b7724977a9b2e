# With ENGINE=postgresql, the store of a test is a schema in a database of the server that tests/run started. TEST_PG is
# the directory of the server.

# Skips a test that is listed in tests/postgresql/skip: file, title of the test (* for all), reason; separated by " | ".
postgresql_skip() {
	local why
	why=$(awk -F ' [|] ' -v file="$(basename "$BATS_TEST_FILENAME")" -v name="$BATS_TEST_DESCRIPTION" \
	    '$1 == file && ($2 == name || $2 == "*") { print $3; exit }' "$ROOT/tests/postgresql/skip")
	[ -z "$why" ] || skip "not on PostgreSQL: $why"
}

postgresql_schema() {
	local file
	file=$(basename "$BATS_TEST_FILENAME" .bats)
	echo "${file//[^a-z0-9]/_}_$BATS_TEST_NUMBER"
}

postgresql_store() {
	export PATH=$ROOT/tests/postgresql/bin:$PATH
	export CTX_STORE="postgresql:///ctx?host=$TEST_PG&user=ctx&options=-csearch_path%3D$(postgresql_schema)"
}

postgresql_dump() {
	# newer versions of pg_dump write lines with a random word, which are removed
	pg_dump -h "$TEST_PG" -U ctx -n "$(postgresql_schema)" "$@" ctx | sed -E '/^\\(un)?restrict /d'
}

postgresql_return() {
	# a dump creates the schema
	{
		echo "DROP SCHEMA $(postgresql_schema) CASCADE;"
		if [ -s "$1" ]; then cat "$1"; else echo "CREATE SCHEMA $(postgresql_schema);"; fi
	} |
		psql -XAtq -v ON_ERROR_STOP=1 -h "$TEST_PG" -U ctx ctx >/dev/null
}
