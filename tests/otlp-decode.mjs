// Decodes requests of OTLP/JSON on standard input, one a line, by the protocol's protobuf
// definitions, and prints what is wrong, and each name of an attribute that the semantic
// conventions do not have. usage: otlp-decode.mjs DIR, which has node_modules.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const require = createRequire(process.argv[2] + '/');
const root = require('./node_modules/@opentelemetry/otlp-transformer/build/src/generated/root.js');
const names = new Set(Object.values(require('@opentelemetry/semantic-conventions/incubating')));
const { ExportTraceServiceRequest: Request } = root.opentelemetry.proto.collector.trace.v1;

// ids are hexadecimal in JSON, but bytes in the definitions
function decodeIds(value) {
	for (const [key, v] of Object.entries(value)) {
		if (/^(traceId|spanId|parentSpanId)$/.test(key))
			value[key] = Buffer.from(v, 'hex').toString('base64');
		else if (typeof v === 'object' && v !== null)
			decodeIds(v);
	}
}

function members(value, path, out) {
	for (const [key, v] of Object.entries(value)) {
		const at = path + '.' + (Array.isArray(value) ? '' : key);
		out.add(at);
		if (typeof v === 'object' && v !== null)
			members(v, at, out);
	}
	return out;
}

for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
	const given = JSON.parse(line);
	decodeIds(given);
	const wrong = Request.verify(Request.fromObject(given));
	if (wrong)
		console.log(wrong);
	const taken = members(Request.toObject(Request.decode(Request.encode(Request.fromObject(given)).finish()),
		{ longs: String, bytes: String }), '', new Set());
	for (const at of members(given, '', new Set()))
		if (!taken.has(at))
			console.log('not in the protocol: ' + at);
	for (const span of given.resourceSpans.flatMap((r) => r.scopeSpans).flatMap((s) => s.spans))
		for (const { key } of span.attributes)
			if (!names.has(key))
				console.log('not in the conventions: ' + key);
}
