# start_redis: a server on $WORK/redis.sock that appends to its log before it answers, and
# that ends with the shell.
start_redis() {
	mkdir -p "$WORK/redis"
	rm -rf "$WORK/redis"/*
	redis-server --port 0 --unixsocket "$WORK/redis.sock" --dir "$WORK/redis" --save '' \
		--appendonly yes --appendfsync always --daemonize no --loglevel warning \
		>"$WORK/redis.log" 2>&1 &
	redis=$!
	trap 'kill "$redis" 2>/dev/null' EXIT
	tries=0
	until redis-cli -s "$WORK/redis.sock" ping >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { echo "redis does not start" >&2; return 1; }
		sleep 0.1
	done
}
