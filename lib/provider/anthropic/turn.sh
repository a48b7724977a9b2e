anthropic)
	defaults='{"stream":true,"max_tokens":8192}'
	home=https://api.anthropic.com
	base=${url:-${ANTHROPIC_BASE_URL:-$home}}
	address=${base%/}/v1/messages
	name=ANTHROPIC_API_KEY key=${ANTHROPIC_API_KEY-} header='x-api-key: '
	version='anthropic-version: 2023-06-01'
	paused=pause_turn
	;;
