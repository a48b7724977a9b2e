// Collects texts for fitting and measuring the estimate 'approx'. Prints a line {"kind", "set": "fit" |
// "test", "text"} for each text. A text is a message, or a text that a message might contain.
//
//	node corpus.mjs TRANSCRIPTS PACKAGES > corpus.ndjson
//
// TRANSCRIPTS is a directory of chat data: Claude Code sessions (*.jsonl), OpenAI chats
// (*.jsonl with "messages"), ShareGPT and LoCoMo (*.json). PACKAGES is a root into which
// Debian packages were unpacked: manpages-{cs,de,el,es,fr,it,ja,pl,pt-br,ru,uk,vi,zh},
// debian-handbook, debian-reference-{fr,de,ja,zh-cn}, fortunes, fortunes-{ru,zh},
// iso-codes. The code is installed on the machine: Python, Perl, C headers, JavaScript.
//
// A file belongs completely to one of the two sets. For Chinese, the two sets contain different packages.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import {createHash} from 'node:crypto';

const [transcripts, packages] = process.argv.slice(2);
const LEAST = 100;   // bytes; in a shorter text, an error of one token is a large relative error

const half = (key) => createHash('sha256').update(key).digest()[0] & 1 ? 'fit' : 'test';
const written = new Set();
function put(kind, set, text) {
	text = text.trim();
	if (written.has(text)) return;
	written.add(text);
	if (Buffer.byteLength(text) >= LEAST)
		process.stdout.write(JSON.stringify({kind, set, text}) + '\n');
}
function* files(dir, want) {
	if (!fs.existsSync(dir)) return;
	for (const e of fs.readdirSync(dir, {withFileTypes: true})) {
		const p = path.join(dir, e.name);
		if (e.isDirectory()) yield* files(p, want);
		else if (e.isFile() && want.test(p)) yield p;
	}
}
const read = (p) => {
	const b = fs.readFileSync(p);
	return (p.endsWith('.gz') ? zlib.gunzipSync(b) : b).toString();
};
// Splits a text into pieces of about the given size, between paragraphs or lines.
function* cut(text, size) {
	let s = '';
	for (const part of text.split(/(?<=\n\n)/)) {
		for (const line of part.length > size ? part.split(/(?<=\n)/) : [part]) {
			if (s.length + line.length > size && s) {
				yield s;
				s = '';
			}
			s += line;
		}
	}
	yield s;
}
// True for one of i calls.
const every = (n, i) => n % i === 0;

/* ---- transcripts ---- */

const han = /\p{Script=Han}/gu;
const isJson = (s) => { try { return typeof JSON.parse(s) === 'object'; } catch { return false; } };
function message(file, role, text) {
	const set = half(file + text.slice(0, 40));
	const wide = (text.match(/[^\x00-\x7f]/g) || []).length;
	if (isJson(text)) put('json', set, text);
	else if (role === 'tool') put('tool output', set, text);
	else if (wide * 10 < text.length) put('english', set, text);
}
for (const p of files(transcripts, /\.jsonl$/)) {
	for (const line of read(p).split('\n')) {
		let r;
		try { r = JSON.parse(line); } catch { continue; }
		put('json', half(line), line.slice(0, 3000));
		for (const m of r.messages || []) {
			if (typeof m.content === 'string') message(p, m.role, m.content);
			for (const c of m.tool_calls || []) put('json', half(p + c.id), c.function.arguments);
		}
		const content = r.message?.content;
		if (typeof content === 'string') message(p, r.message.role, content);
		for (const b of Array.isArray(content) ? content : []) {
			if (b.type === 'text') message(p, 'assistant', b.text);
			if (b.type === 'tool_use') put('json', half(p + b.id), JSON.stringify(b.input));
			if (b.type === 'tool_result')
				for (const t of typeof b.content === 'string' ? [b.content] : (b.content || []).map((x) => x.text || ''))
					message(p, 'tool', t);
		}
	}
}
for (const p of files(transcripts, /\.json$/)) {
	let n = 0;
	const seen = new Set();
	JSON.parse(read(p), (k, v) => {
		if ((k === 'value' || k === 'text') && typeof v === 'string' && !seen.has(v)) {
			seen.add(v);
			message(p + n++, 'user', v);
		}
		return v;
	});
	let i = 0;
	for (const s of cut(JSON.stringify(JSON.parse(read(p)), null, 1).slice(0, 2e5), 2500))
		put('json', half(p + i++), s);
}

/* ---- code and what tools print ---- */

const code = [['/usr/lib/python3.11', /\.py$/, 60], ['/usr/share/perl', /\.p[ml]$/, 40],
	['/usr/include', /\.h$/, 40], ['/usr/lib/node_modules/npm', /\.js$/, 30],
	['/usr/share/bash-completion', /./, 20], ['/usr/lib/node_modules/npm', /package\.json$/, 40]];
for (const [dir, want, keep] of code) {
	let n = 0, k = 0;
	for (const p of files(dir, want)) {
		if (fs.statSync(p).size > 100000 || !every(k++, 3) || n > keep * 4) continue;
		n++;
		let i = 0;
		const text = read(p), kind = want.source.includes('json') ? 'json' : 'code';
		for (const s of cut(text, 400 + 61 * n % 3000)) {
			if (i++ > 8) break;
			put(kind, half(p), s);
			if (i === 3) put('tool output', half(p), s.split('\n').map((l, j) => `${String(j + 1).padStart(6)}\t${l}`).join('\n'));
			if (i === 4) put('tool output', half(p), s.split('\n').map((l, j) => `${p}:${j + 11}:${l}`).join('\n'));
		}
	}
}
for (const dir of ['/usr/share', '/usr/lib', '/etc', '/usr/include', '/usr/lib/python3.11']) {
	for (const sub of [dir, ...files(dir, /\.(py|h|conf|so)$/)].slice(0, 60).map((p) => path.dirname(p))) {
		const names = fs.existsSync(sub) ? fs.readdirSync(sub).slice(0, 60) : [];
		put('tool output', half(sub), names.map((n) => path.join(sub, n)).join('\n'));
		put('tool output', half(sub), names.map((n, i) => `-rw-r--r-- 1 root root ${String(i * 7919 % 99991).padStart(6)} Jan ${1 + i % 30} 12:${10 + i % 50} ${n}`).join('\n'));
		put('hex and base64', half(sub), names.slice(0, 20).map((n) => `${createHash('sha256').update(n).digest('hex')}  ${n}`).join('\n'));
		put('hex and base64', half(sub), createHash('sha512').update(sub).digest('base64') + createHash('sha512').update(sub + 1).digest('base64'));
	}
}

/* ---- languages ---- */

const roff = (text) => text.replace(/^\.\\".*\n/gm, '').replace(/\\f[BIRP]|\\-|\\&/g, (m) => m === '\\-' ? '-' : '')
	.replace(/^\.[A-Z]+ ?/gm, '');
const html = (text) => text.replace(/^[\s\S]*?<body/, '<body').replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
	.replace(/<[^>]+>/g, '').replace(/&#(\d+);/g, (m, d) => String.fromCodePoint(+d)).replace(/&lt;/g, '<')
	.replace(/&gt;/g, '>').replace(/&amp;/g, '&').replace(/\n\s*\n+/g, '\n\n');
// The minimum share of characters outside ASCII, by script. Texts below this share are parts of a
// translation that are still in English.
function language(kind, set, text, share) {
	const wide = (text.match(/[^\x00-\x7f]/g) || []).length;
	if (wide >= share * text.length) put(kind, set, text);
}
const languages = {english: ['en-US', null, 0], chinese: ['zh-CN', 'zh_CN', .4], 'chinese, traditional': ['zh-TW', 'zh_TW', .4],
	japanese: ['ja-JP', 'ja', .4], korean: ['ko-KR', 'ko', .4], russian: ['ru-RU', 'ru', .4], ukrainian: [null, 'uk', .4],
	greek: ['el-GR', 'el', .4], arabic: ['ar-MA', 'ar', .4], persian: ['fa-IR', 'fa', .4], german: ['de-DE', 'de', .005],
	french: ['fr-FR', 'fr', .01], spanish: ['es-ES', 'es', .01], italian: ['it-IT', 'it', .002], polish: ['pl-PL', 'pl', .02],
	portuguese: ['pt-BR', 'pt_BR', .01], vietnamese: ['vi-VN', 'vi', .1], turkish: ['tr-TR', 'tr', .03],
	czech: ['cs-CZ', 'cs', .05]};
for (const [kind, [book, man, share]] of Object.entries(languages)) {
	let n = 0;
	if (book)
		for (const p of files(`${packages}/usr/share/doc/debian-handbook/html/${book}`, /\.html$/))
			for (const s of cut(html(read(p)), 300 + 97 * (n % 25)))
				if (n++ < 900) language(kind, man ? 'fit' : half(p), s, share);
	n = 0;
	if (man)
		for (const p of files(`${packages}/usr/share/man/${man}`, /\.gz$/))
			for (const s of cut(roff(read(p)), 300 + 97 * (n % 25)))
				if (every(n++, 4) && n < 4000) language(kind, kind === 'chinese' ? 'test' : half(p), s, share);
}
const fortunes = {english: /fortunes\/(?!chinese|tang|song|ru|art)[a-z-]+$/, chinese: /fortunes\/chinese$/,
	'chinese, classical': /fortunes\/(tang|song)\d+$/, russian: /fortunes\/ru\/[a-z-]+$/};
for (const [kind, want] of Object.entries(fortunes)) {
	let n = 0;
	for (const p of files(`${packages}/usr/share/games/fortunes`, want)) {
		if (fs.readFileSync(p).includes(0)) continue;
		for (const s of read(p).replace(/\x1b\[[0-9;]*m/g, '').split('\n%\n'))
			if (n++ < 3000) put(kind, half(s), s);
	}
}
// For some scripts, only lists of names are available: the .mo files of iso-codes.
const names = {hindi: 'hi', bengali: 'bn', tamil: 'ta', thai: 'th', georgian: 'ka', amharic: 'am', hebrew: 'he', arabic: 'ar',
	korean: 'ko', armenian: 'hy', khmer: 'km', telugu: 'te', gujarati: 'gu', punjabi: 'pa', kannada: 'kn', malayalam: 'ml',
	sinhala: 'si', burmese: 'my', persian: 'fa', tibetan: 'bo'};
for (const [kind, code] of Object.entries(names)) {
	for (const p of files(`${packages}/usr/share/locale/${code}/LC_MESSAGES`, /\.mo$/)) {
		const b = fs.readFileSync(p), n = b.readUInt32LE(8), at = b.readUInt32LE(16), list = [];
		for (let i = 1; i < n; i++) {
			const len = b.readUInt32LE(at + 8 * i), off = b.readUInt32LE(at + 8 * i + 4);
			const s = b.subarray(off, off + len).toString();
			if (/^[^\x00-\x7f]/.test(s)) list.push(s);
		}
		for (let i = 0; i < list.length && i < 2400; i += 24)
			put(kind, half(code + i), list.slice(i, i + 24).join(i % 48 ? ', ' : ' '));
	}
}
// Chat with emoji: sentences with emoji between them.
const emoji = [...'😀😂🤣😊😍🙏👍🎉🔥💯✅❌⚠️🚀📌💡🤔😅🥳❤️✨👀🙌😭😢😡🍕🐶🌍⏰📝🔧🐛', '👍🏽', '👩‍💻', '🇩🇪', '🇯🇵', '👨‍👩‍👧', '❤️'];
let e = 0;
for (const p of files(`${packages}/usr/share/games/fortunes`, /fortunes\/(wisdom|people|food|love)$/))
	for (const s of read(p).split('\n%\n'))
		if (e++ < 800)
			put('emoji chat', half(s), s.replace(/[.!?,]+\s/g, (m, i) => `${m}${emoji[(i * 31 + e) % emoji.length]}${i % 3 ? '' : emoji[(i * 7 + e) % emoji.length]} `));
