// usage: count.js FILE ROUNDS
// Counts the tokens of a text with tiktoken. Prints the CPU time of each round in seconds, and finally
// the number of tokens.
'use strict';
const encoding = require('tiktoken').get_encoding('o200k_base');
const text = require('fs').readFileSync(process.argv[2], 'utf8');
let n = 0;
for (let i = +process.argv[3]; i > 0; i--) {
	const start = process.cpuUsage();
	n = encoding.encode_ordinary(text).length;
	const used = process.cpuUsage(start);
	console.log(((used.user + used.system) / 1e6).toFixed(6));
}
console.log(n);
