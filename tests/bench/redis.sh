# start_redis DIRECTORY: starts a server on DIRECTORY/redis.sock, which syncs its log before it answers. The
# server ends when the shell ends.
redis=

start_redis() {
	rm -rf "$1/redis"
	mkdir -p "$1/redis"
	redis-server --port 0 --unixsocket "$1/redis.sock" --dir "$1/redis" --save '' \
		--appendonly yes --appendfsync always --daemonize no --loglevel warning \
		>"$1/redis.log" 2>&1 &
	redis=$!
	trap stop_redis EXIT
	tries=0
	until redis-cli -s "$1/redis.sock" ping >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { echo "redis does not start" >&2; return 1; }
		sleep 0.1
	done
}

stop_redis() {
	[ -z "$redis" ] || kill "$redis" 2>/dev/null || true
	redis=
}
