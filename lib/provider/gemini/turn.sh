gemini)
	defaults='{}'
	home=https://generativelanguage.googleapis.com
	base=${url:-${GOOGLE_GEMINI_BASE_URL:-$home}}
	address="${base%/}/v1beta/models/$model:streamGenerateContent?alt=sse"
	name=GEMINI_API_KEY key=${GEMINI_API_KEY:-${GOOGLE_API_KEY-}} header='x-goog-api-key: '
	paused=CONTINUATION
	;;
