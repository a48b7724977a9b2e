openai)
	defaults='{"stream":true,"stream_options":{"include_usage":true}}'
	home=https://api.openai.com
	base=${url:-${OPENAI_BASE_URL:-$home/v1}}
	address=${base%/}/chat/completions
	name=OPENAI_API_KEY key=${OPENAI_API_KEY-} header='Authorization: Bearer '
	;;
