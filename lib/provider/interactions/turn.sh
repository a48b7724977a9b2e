interactions)
	defaults='{"stream":true,"store":false}'
	home=https://generativelanguage.googleapis.com
	base=${url:-${GOOGLE_GEMINI_BASE_URL:-$home}}
	address=${base%/}/v1beta/interactions
	name=GEMINI_API_KEY key=${GEMINI_API_KEY:-${GOOGLE_API_KEY-}} header='x-goog-api-key: '
	version='api-revision: 2026-05-20'
	paused=requires_continuation
	;;
