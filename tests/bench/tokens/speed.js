// Rows P12 and P13: exact counts against npm tiktoken and gpt-tokenizer, which are found
// in the current directory.
//
//	node speed.js SPEED CTX_COUNT TABLES FILE ...
//
// SPEED is the program built from speed.c. Of each FILE: median MB/s of processor time
// over interleaved rounds in running processes (P12). Then: whole processes that count the first 2 KB of
// the first FILE, against an empty one (true) and node with tiktoken (P13).
'use strict';
const fs = require('fs'), {spawnSync} = require('child_process');
const here = require('module').createRequire(process.cwd() + '/');
const {get_encoding} = here('tiktoken');
const peer = here('gpt-tokenizer/encoding/o200k_base');

const [speed, count, tables, ...files] = process.argv.slice(2);
const median = (a) => a.sort((x, y) => x - y)[a.length >> 1];
const time = (f) => { const t = process.hrtime.bigint(); f(); return Number(process.hrtime.bigint() - t) / 1e9; };
// Processor time, which other work on the machine disturbs less.
const busy = (f) => { const t = process.cpuUsage(); f(); const d = process.cpuUsage(t); return (d.user + d.system) / 1e6; };
const encoding = get_encoding('o200k_base');

console.log('text                         MB/s  tiktoken  gpt-tokenizer     x tiktoken');
for (const file of files) {
	const text = fs.readFileSync(file, 'utf8'), mb = Buffer.byteLength(text) / 1e6;
	const own = [], theirs = [], other = [];
	for (let round = 0; round < 5; round++) {
		const out = spawnSync(speed, ['o200k_base', tables, file, '9']).stdout.toString().trim().split('\n');
		const n = +out.pop();
		own.push(median(out.map(Number)));
		theirs.push(busy(() => { if (encoding.encode_ordinary(text).length !== n) throw new Error(`${file}: counts differ`); }));
		other.push(busy(() => peer.countTokens(text, {disallowedSpecial: new Set()})));
	}
	const [a, b, c] = [own, theirs, other].map(median);
	console.log(`${file.split('/').pop().padEnd(24)} ${(mb / a).toFixed(1).padStart(8)} ${(mb / b).toFixed(2).padStart(9)} ${(mb / c).toFixed(2).padStart(14)} ${(b / a).toFixed(1).padStart(14)}`);
}

const small = fs.readFileSync(files[0]).subarray(0, 2048);
const script = "const {get_encoding}=require('tiktoken');console.log(get_encoding('o200k_base').encode_ordinary(require('fs').readFileSync(0,'utf8')).length)";
const runs = {
	'empty process': ['/bin/true', []],
	'ctx-count, chars4': [count, ['--raw', '--tokenizer', 'chars4']],
	'ctx-count, o200k_base': [count, ['--raw', '--tokenizer', 'o200k_base']],
	'node, tiktoken': ['node', ['-e', script]],
};
const times = {};
for (let i = 0; i < 200; i++)
	for (const [name, [program, args]] of Object.entries(runs))
		if (name !== 'node, tiktoken' || i % 40 === 0)
			(times[name] ??= []).push(time(() => spawnSync(program, args, {input: small, env: {...process.env, CTX_TOKENIZER_DIR: tables}})));
for (const [name, list] of Object.entries(times))
	console.log(`${name.padEnd(24)} ${(median(list) * 1e3).toFixed(2).padStart(8)} ms`);
