// trim.js FILE TOKENS: prints the messages that LangChain's trimMessages keeps, with an estimate of tokens
const {trimMessages, coerceMessageLikeToMessage} = require("@langchain/core/messages");
const fs = require("fs");

async function main() {
	const lines = fs.readFileSync(process.argv[2], "utf8").split("\n").filter((l) => l);
	const messages = lines.map((l) => {
		const m = JSON.parse(l);
		const calls = m.tool_calls?.map((c) => ({id: c.id, name: c.function.name,
			args: JSON.parse(c.function.arguments)}));
		return coerceMessageLikeToMessage({...m, content: m.content ?? "", tool_calls: calls});
	});
	const estimate = (list) => list.reduce((n, m) => n + Math.ceil(String(m.content).length / 4) + 3, 0);
	const kept = await trimMessages(messages, {maxTokens: Number(process.argv[3]), strategy: "last",
		tokenCounter: estimate, startOn: "human", includeSystem: true});
	for (const m of kept)
		console.log(JSON.stringify(m));
}
main();
