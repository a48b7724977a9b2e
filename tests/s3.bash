# For tests against S3 servers: "load s3". A server (s3rver, from npm) runs behind a proxy that simulates errors,
# with and without TLS; see s3-server.js.

# start_s3 NAME sets S3_HOME, S3_PLAIN, S3_PROXY, S3_TLS, and have_server=1. Call start_s3 in setup_file and
# stop_s3 in teardown_file.
start_s3() {
	local modules
	modules=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/build/s3   # s3-server.js looks beside
	export S3_HOME=$modules/$1 have_server=0
	unset AWS_SESSION_TOKEN AWS_REGION AWS_CA_BUNDLE AWS_ENDPOINT_URL
	unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
	rm -rf "$S3_HOME"
	mkdir -p "$S3_HOME/data"
	command -v node >/dev/null && command -v npm >/dev/null || return 0
	[ -d "$modules/node_modules/@20minutes/s3rver" ] ||
		(cd "$modules" && npm install --silent --no-audit --no-fund --no-save \
			--ignore-scripts @20minutes/s3rver@5.0.0) >/dev/null 2>&1 || return 0
	make_certificates
	mkfifo "$S3_HOME/alive"
	# 3 is the test runner's: a server that held it open would keep the run from ending
	node --openssl-legacy-provider --no-deprecation "$BATS_TEST_DIRNAME/s3-server.js" \
		"$S3_HOME" <"$S3_HOME/alive" >"$S3_HOME/out" 2>&1 3>&- &
	exec 9>"$S3_HOME/alive"
	echo $! >"$S3_HOME/pid"
	for _ in $(seq 300); do
		[ -s "$S3_HOME/ports" ] && break
		sleep .1
	done
	[ -s "$S3_HOME/ports" ] || { cat "$S3_HOME/out"; return 1; }
	read -r S3_PLAIN S3_PROXY S3_TLS <"$S3_HOME/ports"
	export S3_PLAIN S3_PROXY S3_TLS have_server=1
}

stop_s3() {
	exec 9>&-
	[ ! -f "$S3_HOME/pid" ] || kill "$(cat "$S3_HOME/pid")" 2>/dev/null || true
}

# Creates a certificate authority, its certificate for 127.0.0.1, and a second authority.
make_certificates() {
	command -v openssl >/dev/null || return 0
	(
		cd "$S3_HOME"
		for ca in ca other; do
			openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
				-days 2 -subj "/CN=$ca" -keyout $ca-key.pem -out $ca.pem
		done
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
			-subj /CN=127.0.0.1 -keyout key.pem -out request.pem
		echo subjectAltName=IP:127.0.0.1 >san
		openssl x509 -req -in request.pem -CA ca.pem -CAkey ca-key.pem -CAcreateserial \
			-days 2 -extfile san -out cert.pem
	) >/dev/null 2>&1
}

misbehave() { echo "$1 $2" >"$S3_HOME/mode"; }
requests() { grep -c "^$1 " "$S3_HOME/log"; }
