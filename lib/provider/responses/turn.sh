responses)
	defaults='{"stream":true,"store":false}'
	home=https://api.openai.com
	base=${url:-${OPENAI_BASE_URL:-$home/v1}}
	address=${base%/}/responses
	name=OPENAI_API_KEY key=${OPENAI_API_KEY-} header='Authorization: Bearer '
	;;
