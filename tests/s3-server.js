// An S3 server (s3rver) on loopback and, before it, a proxy that misbehaves on demand, with
// and without TLS. Usage: node --openssl-legacy-provider s3-server.js DIR [PORT]; with PORT,
// before the server there instead of s3rver. Ends when its standard input does.
// DIR/ports: server, proxy and TLS port, written when all listen. DIR/log: what it saw.
// DIR/mode: "MODE N", what the proxy does to the next N requests.
'use strict';
const fs = require('fs'), http = require('http'), https = require('https');
const path = require('path');
const dir = process.argv[2];

process.stdin.on('end', () => process.exit(0)).resume();

function takeMode() {
	let [mode, n] = fs.readFileSync(`${dir}/mode`, 'utf8').trim().split(' ');
	if (!mode || !(+n > 0))
		return 'pass';
	fs.writeFileSync(`${dir}/mode`, `${mode} ${n - 1}`);
	return mode;
}

const lost = new Set();

const error = (code, message) =>
	`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;

function answer(res, status, body, headers) {
	res.writeHead(status, Object.assign({'content-length': Buffer.byteLength(body)}, headers));
	res.end(body);
	return status;
}

// Answers without asking the server; undefined: the mode doesn't concern this request.
function refuse(mode, req, res) {
	const conditional = req.headers['if-none-match'] !== undefined;

	switch (mode) {
	case '500': case '502': case '503':
		return answer(res, +mode, error('SlowDown', 'later'));
	case '429':
		return answer(res, 429, error('TooMany', 'later'), {'retry-after': '0'});
	case '403':
		return answer(res, 403, error('AccessDenied', 'no'));
	case '404':
		return answer(res, 404, error('NoSuchKey', 'none'));
	case 'echo':
		return answer(res, 403, error('AccessDenied', JSON.stringify(req.headers)));
	case 'garbage':
		return answer(res, 403, '<Error><Code>\u001b[31m\n\u0000</Code><Message>&#27;&bogus;');
	case 'drop':
		req.socket.destroy();
		return 0;
	case 'stall':
		return 0;
	case 'no-conditions':
		return conditional ? answer(res, 501, error('NotImplemented', 'If-None-Match')) : undefined;
	case 'exists':
		return conditional ? answer(res, 412, error('PreconditionFailed', 'exists')) : undefined;
	case 'late-error':
		return req.method === 'POST' && /uploadId/.test(req.url)
		    ? answer(res, 200, ' ' + error('InternalError', 'sorry')) : undefined;
	case 'lose-last':   // s3rver would say 500 to the second attempt
		if (lost.has(req.url))
			return answer(res, 404, error('NoSuchUpload', 'gone'));
		if (req.method === 'POST' && /uploadId/.test(req.url))
			lost.add(req.url);
		return undefined;
	case 'no-parts':
		return /partNumber/.test(req.url) ? answer(res, 403, error('AccessDenied', 'no')) : undefined;
	case 'whole':
		return req.method === 'GET' ? answer(res, 200, 'x'.repeat(9 << 20)) : undefined;
	}
}

function forward(port, mode, req, body, res) {
	const up = http.request({port, host: '127.0.0.1', method: req.method, path: req.url,
		headers: req.headers}, (r) => {
		const chunks = [];
		r.on('data', (c) => chunks.push(c)).on('end', () => {
			const all = Buffer.concat(chunks), headers = Object.assign({}, r.headers);
			log(req, r.statusCode);
			if (mode === 'lose' || (mode === 'lose-last' && lost.has(req.url)))
				return req.socket.destroy();
			if (mode === 'other-version' && /bytes=[1-9]/.test(req.headers.range))
				headers.etag = '"other"';
			if (mode === 'exists' && req.method === 'HEAD')
				headers['content-length'] = String(+headers['content-length'] + 1);
			res.writeHead(r.statusCode, headers);
			if (mode === 'cut') {
				res.write(all.subarray(0, all.length >> 1));
				return setTimeout(() => req.socket.destroy(), 20);
			}
			res.end(all);
		});
	});
	up.on('error', () => req.socket.destroy());
	up.end(body);
}

function log(req, status) {
	const h = req.headers, has = (n) => (h[n] === undefined ? '' : ` ${n}`);
	fs.appendFileSync(`${dir}/log`, `${req.method} ${req.url} ${status}${has('content-md5')}` +
		`${has('x-amz-content-sha256')}${has('x-amz-security-token')}${has('if-none-match')}\n`);
}

const proxy = (port) => (req, res) => {
	const chunks = [], mode = takeMode();
	const early = mode === 'drop' || mode === 'stall' ? refuse(mode, req, res) : undefined;

	if (early !== undefined)
		return log(req, mode);
	req.on('data', (c) => chunks.push(c)).on('end', () => {
		const status = refuse(mode, req, res);
		if (status !== undefined)
			return log(req, status);
		const body = Buffer.concat(chunks);
		if (mode === 'corrupt' && body.length > 0)
			body[0] ^= 1;
		forward(port, mode, req, body, res);
	});
};

const listen = (server) => new Promise((done) =>
	server.listen(0, '127.0.0.1', () => done(server.address().port)));

async function startS3rver() {
	const S3rver = require(path.join(dir, '..', 'node_modules', '@20minutes', 's3rver'));
	const s3 = new S3rver({address: '127.0.0.1', port: 0, silent: true, directory: `${dir}/data`,
		configureBuckets: []});

	return (await s3.run()).port;
}

(async () => {
	const port = +process.argv[3] || await startS3rver();
	const ports = [port, await listen(http.createServer(proxy(port)))];

	fs.writeFileSync(`${dir}/mode`, 'pass 0');
	fs.writeFileSync(`${dir}/log`, '');
	if (fs.existsSync(`${dir}/cert.pem`))
		ports.push(await listen(https.createServer({cert: fs.readFileSync(`${dir}/cert.pem`),
			key: fs.readFileSync(`${dir}/key.pem`)}, proxy(port))));
	fs.writeFileSync(`${dir}/ports.new`, ports.join(' ') + '\n');
	fs.renameSync(`${dir}/ports.new`, `${dir}/ports`);
})();
