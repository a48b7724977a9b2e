# The meaning of the members of records, as in ctx-record(5).
load helper

setup() {
	isolate
	ctx-new --id s >/dev/null
}

@test 'a null member counts as missing in every kind of record' {
	printf '%s\n' '{"kind":null,"role":"user","content":"one"}' \
		'{"kind":"message","session_id":null,"seq":null,"id":null,"created_at":null,"token_count":null,"tokenizer":null,"message_type":null,"pinned":null,"slot":null,"source":null,"metadata":null,"message":{"role":"user","name":null,"content":"two"}}' \
		'{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"function_call":null,"refusal":null}' \
		'{"role":"tool","tool_call_id":"c","name":null,"content":"three"}' >in
	ctx-append -s s <in >out
	[ "$(jq -c '[.kind,.seq]' out)" = $'["message",1]\n["message",2]\n["message",3]\n["message",4]' ]
	[ "$(ctx-show -s s | jq -r 'select(.kind=="message").message.content')" = $'one\ntwo\nnull\nthree' ]
	[ "$(ctx-render -p openai <in | jq -c '[.messages[].role]')" = '["user","user","assistant","tool"]' ]
	[ "$(ctx-prune -b 1000 <in | wc -l)" = 4 ]
	ctx-prune -b 1000 <in | cmp - in
	[ "$(ctx-count <in | jq -s length)" = 4 ]
	! ctx-count <in | grep -E '"(token_count|tokenizer)".*"\1"' || return 1
	ctx-lint in || [ $? = 1 ]
	for type in null 5 '"function"'; do
		sed "s/\"type\":\"function\"/\"type\":$type/" in | ctx-render -p openai | jq -e '.messages[2].tool_calls[0].type=="function"'
	done

	printf '%s\n' '{"kind":null,"type":"rule","name":"r","content":"x"}' | ctx-item define --agent a | jq -e '.name=="r"'
	printf '%s\n' '{"kind":null,"type":"person","name":"Ann","slug":null,"data":null}' | ctx-entity load | jq -e '.name=="Ann"'
	printf '%s\n' '{"kind":"session","session_id":"n","tenant_id":null,"created_at":null,"last_seq":null,"ttl_ms":null,"hold":null}' | ctx-new - >/dev/null
	echo '{"kind":null,"session_id":"n","last_seq":null}' | ctx-delete
}

@test 'required members of a wrong type are reported, nothing is stored, and the exit status is 3' {
	for line in '{"kind":5,"role":"user","content":"x"}' '{"kind":[],"message":{"role":"user","content":"x"}}' \
		'{"role":null,"content":"x"}' '{"role":5,"content":"x"}' '{"content":"x"}' '{}' \
		'{"kind":null,"message":{"role":"user","content":"x"}}' \
		'{"kind":"message","seq":"3","message":{"role":"user","content":"x"}}' \
		'{"kind":"message","slot":"x","message":{"role":"user","content":"x"}}' \
		'{"kind":"message","slot":5,"message":{"role":"user","content":"x"}}' \
		'{"kind":"message","pinned":"true","message":{"role":"user","content":"x"}}' \
		'{"kind":"message","pinned":1,"message":{"role":"user","content":"x"}}' \
		'{"kind":"message","message_type":5,"message":{"role":"user","content":"x"}}' \
		'{"kind":"message","message_type":"x","message":{"role":"user","content":"x"}}' \
		'{"kind":"message","session_id":5,"message":{"role":"user","content":"x"}}' \
		'{"kind":"message","created_at":5,"message":{"role":"user","content":"x"}}' \
		'{"kind":"message","source":5,"message":{"role":"user","content":"x"}}' \
		'{"kind":"message","message":null}' '{"kind":"message"}' \
		'{"kind":"message","message":{"role":null,"content":"x"}}'; do
		run -3 --separate-stderr ctx-append -s s <<<"$line"
		[ -z "$output" ]
		[[ "$stderr" = *stdin:1:* ]]
		run -3 --separate-stderr ctx-render -p openai <<<"$line"
		[ -z "$output" ] && [ -n "$stderr" ]
	done
	[ "$(ctx-show -s s | wc -l)" = 1 ]
	for line in '{"kind":"session","session_id":"t","status":5}' '{"kind":"session","session_id":"t","status":"x"}' \
		'{"kind":"session","session_id":"t","last_seq":"1"}' '{"kind":"session","session_id":"t","tenant_id":5}' \
		'{"kind":"session","session_id":"t","hold":true}' '{"kind":"session","session_id":"t","ttl_ms":"1d"}'; do
		status 3 ctx-new - <<<"$line" >out
		status 3 ctx-append --create <<<"$line" >out
		[ ! -s out ]
	done
	status 3 ctx-item define --agent a <<<'{"kind":5,"type":"rule","name":"r","content":"x"}'
	status 3 ctx-entity load <<<'{"kind":5,"type":"person","name":"Ann"}'
}

@test 'ctx-item define and ctx-entity load ignore records of other kinds' {
	ctx-item define --agent a <<<'{"kind":"future","type":"rule","name":"r","content":"x"}' >out
	ctx-entity load <<<'{"kind":"future","type":"person","name":"Ann"}' >>out
	[ ! -s out ]
	[ -z "$(ctx-item list --agent a; ctx-entity list)" ]
}

@test 'a session record sets the members that ctx-record(5) lists, but cannot set a hold or a status' {
	record='{"kind":"session","session_id":"t","status":"deleted","user_id":"u","caller_id":"c","account_id":"a","agent":"g","title":"T","topic":"o","created_at":"2020-01-01T00:00:00.000Z","updated_at":"2020-01-01T00:00:00.000Z","last_message_at":"2020-01-01T00:00:00.000Z","last_seq":7,"ttl_ms":1000,"expires_at":"2021-01-01T00:00:00.000Z","message_count":7,"tool_call_count":7,"token_count":7,"hidden_count":7,"preferences":{"p":1},"metadata":{"m":1},"parent_session_id":"p","parent_seq":3,"archive":{"uri":"/x","sha256":"0","bytes":1,"messages":1},"hold":"case 7"}'
	printf '%s\n' "$record" '{"kind":"message","session_id":"t","message":{"role":"user","content":"x"}}' |
		ctx-append --create >/dev/null
	ctx-new - <<<"${record/\"t\"/\"n\"}" >/dev/null
	for sid in t n; do
		ctx-show -s $sid | jq -c 'select(.kind=="session")' >is
		jq -e '.status=="active" and .hold==null and .archive==null and .hidden_count==0 and .tool_call_count==0 and
			.message_count==.last_seq and .updated_at>"2025"' is
		jq -c '[.user_id,.caller_id,.account_id,.agent,.title,.topic,.created_at,.ttl_ms,.preferences,.metadata,.parent_session_id,.parent_seq]' is |
			same - '["u","c","a","g","T","o","2020-01-01T00:00:00.000Z",1000,{"p":1},{"m":1},"p",3]'
		ctx-delete -s $sid >/dev/null
	done
}
