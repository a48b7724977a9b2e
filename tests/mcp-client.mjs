// A client of the official TypeScript SDK that calls a server once with everything it has.
// usage: node mcp-client.mjs v1|legacy|auto|modern COMMAND ARG…
// v1 is version 1 of the SDK; the others are modes of version 2. Prints a line for each
// result: [what, value]. Run where both packages are installed.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Transport2 } from '@modelcontextprotocol/client/stdio';

const [mode, command, ...args] = process.argv.slice(2);
const about = { name: 'test', version: '1' };
const start = { command, args, env: process.env, stderr: 'inherit' };
const pinned = mode === 'modern' ? { pin: '2026-07-28' } : mode;
const client = mode === 'v1' ? new Client1(about) : new Client2(about, { versionNegotiation: { mode: pinned } });
const show = (what, value) => console.log(JSON.stringify([what, value]));
const call = async (name, input) => {
	const result = await client.callTool({ name, arguments: input });
	show(name, result.isError ? result.content[0].text : result.structuredContent);
	return result.structuredContent;
};
const refused = async (promise) => {
	try {
		show('accepted', await promise);
	} catch (e) {
		show('error', e.code);
	}
};

await client.connect(mode === 'v1' ? new Transport1(start) : new Transport2(start));
show('server', client.getServerVersion().name);
show('version', client.getNegotiatedProtocolVersion?.() ?? null);
show('tools', (await client.listTools()).tools.map((t) => t.name));
show('templates', (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate));
const { session_id } = await call('append', { title: 'By SDK', messages: [
	{ role: 'user', content: 'Where does the staging host stand?' },
	{ role: 'assistant', content: 'The staging host atlas stands in rack 14.' }] });
await call('note', { text: 'Staging is switched off on Sundays.' });
await call('search', { query: 'staging rack' });
await call('recall', { question: 'In which rack is the staging host?' });
await call('show', { session_id, from: 2 });
await call('list', { limit: 1 });
await call('entities', { session_id });
await call('entities', { name: 'atlas' });
await call('show', { session_id: 'none' });
const listed = await client.listResources();
show('resources', listed.resources.length);
show('read', (await client.readResource({ uri: listed.resources[0].uri })).contents[0].mimeType);
await refused(client.callTool({ name: 'none', arguments: {} }));
await refused(client.readResource({ uri: 'ctx://session/none' }));
if (mode === 'v1' || mode === 'legacy')
	show('ping', await client.ping());
const many = await Promise.all([...Array(40).keys()].map((i) =>
	client.callTool({ name: 'show', arguments: { session_id, limit: 1 + i } })));
show('together', many.every((r) => r.structuredContent.session.session_id === session_id));
await client.close();
