#!/bin/sh
# OpenStack Swift with its S3 interface on 127.0.0.1:8085, one process a service, data under
# DIR. Usage: s3-swift.sh start DIR | stop DIR. Needs Debian's swift-proxy, swift-account,
# swift-container, swift-object and memcached. Key test:tester, secret testing.
set -e
verb=$1 dir=$2 etc=$2/etc

# service NAME PORT: ring and configuration of a storage service
service() {
	swift-ring-builder "$etc/$1.builder" create 4 1 0
	swift-ring-builder "$etc/$1.builder" add "r1z1-127.0.0.1:$2/d1" 1
	swift-ring-builder "$etc/$1.builder" rebalance || [ $? -eq 1 ]
	cat >"$etc/$1.conf" <<-EOF
		[DEFAULT]
		bind_ip = 127.0.0.1
		bind_port = $2
		devices = $dir/disks
		mount_check = false
		disable_fallocate = true
		workers = 0
		user = $(id -un)
		swift_dir = $etc
		[pipeline:main]
		pipeline = $1-server
		[app:$1-server]
		use = egg:swift#$1
	EOF
}

proxy() {
	filters='catch_errors gatekeeper cache listing_formats bulk s3api tempauth copy slo dlo'
	cat <<-EOF
		[DEFAULT]
		bind_ip = 127.0.0.1
		bind_port = 8085
		workers = 0
		user = $(id -un)
		swift_dir = $etc
		[pipeline:main]
		pipeline = $filters versioned_writes symlink proxy-server
		[app:proxy-server]
		use = egg:swift#proxy
		account_autocreate = true
	EOF
	for f in $filters versioned_writes symlink; do
		case $f in cache) egg=memcache ;; *) egg=$f ;; esac
		printf '[filter:%s]\nuse = egg:swift#%s\n' "$f" "$egg"
		case $f in
		cache) echo 'memcache_servers = 127.0.0.1:11311' ;;
		tempauth) echo 'user_test_tester = testing .admin' ;;
		s3api) printf 'location = us-east-1\nstorage_domain = localhost\nmin_segment_size = 5242880\n' ;;
		versioned_writes) printf 'allow_versioned_writes = true\nallow_object_versioning = true\n' ;;
		esac
	done
}

start() {
	mkdir -p "$etc" "$dir/disks/d1"
	cat >"$etc/swift.conf" <<-EOF
		[swift-hash]
		swift_hash_path_suffix = s
		swift_hash_path_prefix = p
		[storage-policy:0]
		name = one
		default = yes
	EOF
	for s in account:6212 container:6211 object:6210; do
		service "${s%:*}" "${s#*:}" >/dev/null
	done
	proxy >"$etc/proxy.conf"
	export SWIFT_DIR="$etc"
	memcached -u nobody -l 127.0.0.1 -p 11311 -m 16 >/dev/null 2>&1 &
	echo $! >"$dir/pids"
	for s in account container object proxy; do
		"swift-$s-server" "$etc/$s.conf" >"$dir/$s.log" 2>&1 &
		echo $! >>"$dir/pids"
	done
	for _ in $(seq 300); do
		curl -s -o /dev/null http://127.0.0.1:8085/ && exit 0
		sleep .2
	done
	exit 1
}

case $verb in
start) start ;;
stop) while read -r pid; do kill "$pid" || true; done <"$dir/pids" ;;
esac
