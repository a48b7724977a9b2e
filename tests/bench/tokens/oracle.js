// Compares token ids with the reference tokenizer, the npm package tiktoken@1.0.22, which is installed in
// the current directory or in NODE_PATH:
//
//	node oracle.js IDS DIR [-n STRINGS] [-s SEED] [FILE ...]
//	node oracle.js --fixture > tests/unit/tokens_ids.ndjson
//
// IDS is the program built from ids.c, and DIR is the directory of tables. The compared texts are every
// code point in five contexts, STRINGS random strings (default 20000), and each FILE as a whole and line by
// line; strings in JSON are decoded. Exits with status 1 if any ids differ.
'use strict';
const fs = require('fs'), {spawnSync} = require('child_process');
const {createRequire} = require('module');
const {get_encoding} = createRequire(process.cwd() + '/')('tiktoken');

let seed = 1, strings = 20000;
const files = [], [ids, dir, ...rest] = process.argv.slice(2);
while (rest.length > 0) {
	const arg = rest.shift();
	if (arg === '-n') strings = +rest.shift();
	else if (arg === '-s') seed = +rest.shift();
	else files.push(arg);
}

// A random number generator, so that the same seed gives the same strings on all machines.
let state = seed >>> 0;
const random = (n) => {
	state = (state + 0x6d2b79f5) >>> 0;
	let t = Math.imul(state ^ state >>> 15, state | 1);
	t ^= t + Math.imul(t ^ t >>> 7, t | 61);
	return ((t ^ t >>> 14) >>> 0) % n;
};
const pick = (a) => a[random(a.length)];

const odd = [...' \t\n\r\v\f\u0085\u00a0\u1680\u2003\u2028\u202f\u3000\ufeff\u200b\u180e\0',
	..."'''aAbBzZsStTdDmM09/\\.,;:!?_-+*=<>|(){}[]\"#$%&@^~`",
	...'\u017f\u212a\u2019éÉßǅǈʰˇªºあア漢字한국어العيा्กำ\u0300\u0301\u20dd\u093e²½Ⅷ٣१',
	...'😀👍🏽👩‍💻🇩🇪𝒜𝟘𐐀𐐨\ud800\udfff\u{e0100}\u{10ffff}\u{2ffff}', "'s", "'LL", "'ve", "'Re",
	"'\u017f", '\r\n', '\n\n', '  ', '    ', '<|endoftext|>', '<|im_start|>', '\\u00e9', 'http://',
	'function', ' the', 'The', 'HTTPServer', 'camelCase', '12345', '3.14159', '====', '----'];
const ranges = [[0, 0x7f], [0x20, 0x7e], [0x80, 0x24f], [0x250, 0x7ff], [0x900, 0xdff],
	[0x2000, 0x2bff], [0x3000, 0x30ff], [0x4e00, 0x9fff], [0xac00, 0xd7a3], [0xd800, 0xffff],
	[0x10000, 0x1ffff], [0, 0x10ffff]];
const any = ([a, b]) => String.fromCodePoint(a + random(b - a + 1));
const makers = [
	(n) => { let s = ''; while (n-- > 0) s += pick(odd); return s; },
	(n) => { let s = '', r = pick(ranges); while (n-- > 0) s += any(r); return s; },
	(n) => { let s = ''; while (n-- > 0) s += any(pick(ranges)); return s; },
	(n) => { let s = ''; while (n-- > 0) s += random(3) ? any(pick(ranges)) : pick(odd); return s; },
	(n) => { let s = '', c = pick(odd), d = pick(odd); while (n-- > 0) s += random(9) ? c : d; return s; },
	(n, words) => { let s = ''; while (n-- > 0) s += pick(words); return s; },
];

const decoder = new TextDecoder();
function* texts(words) {
	for (let cp = 0; cp < 0x110000; cp += 64) {
		let s = '';
		for (let c = cp; c < cp + 64; c++) {
			if (c >= 0xd800 && c < 0xe000) continue;
			const x = String.fromCodePoint(c);
			s += `a${x}b ${x}${x}A${x}1${x}.${x}\n`;
		}
		yield s;
	}
	for (let i = 0; i < strings; i++)
		yield pick(makers)(1 + random(random(4) ? 12 : 60), words);
	for (const file of files) {
		const text = fs.readFileSync(file, 'utf8');
		yield text;
		yield* text.split('\n');
		for (const line of text.split('\n')) {
			const leaves = [];
			try { JSON.parse(line, (k, v) => { if (typeof v === 'string') leaves.push(v); return v; }); }
			catch { continue; }
			yield* leaves;
		}
		try {
			const leaves = [];
			JSON.parse(text, (k, v) => { if (typeof v === 'string') leaves.push(v); return v; });
			yield* leaves;
		} catch {}
	}
}

function compare(name, encoding, batch) {
	const parts = [];
	for (const s of batch) {
		const bytes = Buffer.from(s), head = Buffer.alloc(4);
		head.writeUInt32LE(bytes.length);
		parts.push(head, bytes);
	}
	const run = spawnSync(ids, [name, dir], {input: Buffer.concat(parts), maxBuffer: 1 << 30});
	if (run.status !== 0)
		throw new Error(`${ids}: ${run.stderr}`);
	const out = new Uint32Array(run.stdout.buffer, run.stdout.byteOffset, run.stdout.length / 4);
	let at = 0, bad = 0;
	for (const s of batch) {
		const want = encoding.encode_ordinary(s), got = out.subarray(at + 1, at + 1 + out[at]);
		at += 1 + out[at];
		if (want.length === got.length && want.every((v, i) => v === got[i]))
			continue;
		if (bad++ < 5)
			console.log(`# ${name} ${JSON.stringify(s).slice(0, 300)}\n# want ${want}\n# got  ${got}`);
	}
	return bad;
}

if (ids === '--fixture') {
	const both = ['cl100k_base', 'o200k_base'].map((name) => get_encoding(name)), words = [];
	for (let i = 0; i < 20000; i++)
		words.push(decoder.decode(both[1].decode_single_token_bytes(i * 7)));
	const list = ['', ' ', '\n', '<|endoftext|>', "Don't DON'T we'll WE'LL it\u017f'\u017f", 'HTTPServer camelCase \u01c5x',
		'1234567 \u0661\u0662\u0663\u0664 \u00bd', '  \n \n\n  x \t', 'a\u0300\u0301B \u0300\u0301 \u20dd', '\u4e2d\u6587\u5206\u8bcd\u6d4b\u8bd5\u3002',
		'def f(x):\n    return {"a": [1, 2.5e10, null]} // ok\n', '=' .repeat(300), 'x'.repeat(300), ' '.repeat(300) + 'y', '\u00e9'.repeat(200)];
	while (list.length < 400)
		list.push(Buffer.from(pick(makers)(1 + random(20), words)).toString());
	for (const text of list)
		console.log(JSON.stringify({text, cl100k_base: [...both[0].encode_ordinary(text)], o200k_base: [...both[1].encode_ordinary(text)]}));
	process.exit(0);
}

let failed = 0;
for (const name of ['cl100k_base', 'o200k_base']) {
	const encoding = get_encoding(name), words = [];
	for (let i = 0; i < 20000; i++)
		words.push(decoder.decode(encoding.decode_single_token_bytes(i * 5)));
	let batch = [], size = 0, count = 0, bytes = 0, bad = 0;
	state = seed >>> 0;
	for (const s of texts(words)) {
		batch.push(s);
		size += s.length;
		count++;
		bytes += Buffer.byteLength(s);
		if (size > 8 << 20) {
			bad += compare(name, encoding, batch);
			batch = [];
			size = 0;
		}
	}
	bad += compare(name, encoding, batch);
	console.log(`${name}: ${count} texts, ${bytes} bytes, ${bad} mismatches`);
	failed += bad;
}
process.exit(failed > 0 ? 1 : 0);
