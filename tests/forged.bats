# Contents that try to pass for structure: headings, roles, fences, HTML, controls.
load helper

@test 'no content passes for structure in text, prompt, Markdown and HTML' {
	for seed in $(seq "${FORGED_ROUNDS:-3}"); do
		forged-contents make "$seed" 40 >in
		for format in text prompt markdown; do
			tail -n +2 in | ctx-render -p $format >out
			forged-contents check $format 40 <out || { echo "seed $seed"; return 1; }
		done
		export CTX_STORE=$PWD/ctx$seed.db
		head -n 1 in | ctx-new - >/dev/null
		tail -n +2 in | ctx-append -q -s s
		for format in markdown html; do
			ctx-show -s s -f $format >out
			forged-contents check $format 40 <out || { echo "seed $seed"; return 1; }
		done
		ctx-window -s s -n 10 | ctx-render -p prompt >/dev/null
		ctx-window -s s -n 10 >window
		n=$(grep -c '"kind":"message"' window)
		for format in text markdown; do
			ctx-render -p $format <window | forged-contents check $format "$n" || { echo "seed $seed"; return 1; }
		done
	done
}
