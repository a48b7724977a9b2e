"""The four APIs for runs.py: parameters, tools, and answers in the shape of each, and the blocks of a body.

`models` are those that a session changes between; `checked` are the ones whose reasoning must not lose its place.
`answer` returns an answer and the blocks that the next request must have for it. With `how` it is one that is not
complete: refused, cut (by a limit), or empty."""
import json

SCHEMA = {"type": "object", "properties": {}}


class Anthropic:
    models = ["claude-opus-5-5", "claude-opus-5-5", "claude-fable-5-1", "claude-opus-4-8", "claude-haiku-5-5"]
    checked = {"claude-opus-5-5", "claude-fable-5-1", "claude-haiku-5-5"}
    params = {"max_tokens": 50}

    @staticmethod
    def tool(name):
        return {"name": name, "input_schema": SCHEMA}

    @staticmethod
    def blocks(body):
        """The blocks of a body, and of each the signature if it is reasoning."""
        yield json.dumps([body.get("system"), body.get("tools")]), None
        for m in body["messages"]:
            content = m["content"]
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            for b in content:
                yield json.dumps([m["role"], b]), b["signature"] if b["type"] == "thinking" else None

    @staticmethod
    def answer(n, model, signature, text, calls, how=None):
        content = [{"type": "thinking", "thinking": "", "signature": signature}]
        content += [{"type": "text", "text": text}] if text else []
        content += [{"type": "tool_use", "id": i, "name": "f", "input": {"n": 1.50}} for i in calls]
        if how == "empty":
            content = []
        reason = {"refused": "refusal", "cut": "max_tokens", "empty": "end_turn"}.get(how)
        kept = [b for b in content[1:] if how is None or (how == "cut" and b["type"] == "text")]
        return {"id": f"m{n}", "type": "message", "role": "assistant", "model": model, "content": content,
                "stop_reason": reason or ("tool_use" if calls else "end_turn"),
                "usage": {"input_tokens": 1, "output_tokens": 1}}, [json.dumps(["assistant", b]) for b in kept]

    @staticmethod
    def stream(answer, cut):
        """The answer as events; if cut, only a part of them."""
        events = [{"type": "message_start", "message": dict(answer, content=[], stop_reason=None)}]
        for i, b in enumerate(answer["content"]):
            start, delta = dict(b), {}
            if b["type"] == "thinking":
                start["signature"], delta = "", {"type": "signature_delta", "signature": b["signature"]}
            elif b["type"] == "text":
                start["text"], delta = "", {"type": "text_delta", "text": b["text"]}
            else:
                start["input"], delta = {}, {"type": "input_json_delta", "partial_json": json.dumps(b["input"])}
            events += [{"type": "content_block_start", "index": i, "content_block": start},
                       {"type": "content_block_delta", "index": i, "delta": delta},
                       {"type": "content_block_stop", "index": i}]
        if cut:
            del events[-1]
        else:
            events += [{"type": "message_delta", "delta": {"stop_reason": answer["stop_reason"]}, "usage": {"output_tokens": 1}},
                       {"type": "message_stop"}]
        return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


class Responses:
    models = ["gpt-6.2-sol", "gpt-6.2-sol", "gpt-6.2-astra", "gpt-5.6"]
    checked = {"gpt-6.2-sol", "gpt-6.2-astra"}
    params = {"store": False, "include": ["reasoning.encrypted_content"]}

    @staticmethod
    def tool(name):
        return {"type": "function", "name": name, "parameters": SCHEMA}

    @staticmethod
    def blocks(body):
        yield json.dumps([body.get("instructions"), body.get("tools")]), None
        for b in body["input"]:
            yield json.dumps(b), b["encrypted_content"] if b.get("type") == "reasoning" else None

    @staticmethod
    def answer(n, model, signature, text, calls, how=None):
        output = [{"type": "reasoning", "id": f"rs_{n}", "summary": [], "encrypted_content": signature}]
        output += [{"type": "message", "id": f"msg_{n}", "status": "completed", "role": "assistant",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]}] if text else []
        output += [{"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": "f", "arguments": '{"n" : 1.50 }',
                    "status": "incomplete" if how == "cut" else "completed"} for i in calls]
        if how == "empty":
            output = []
        kept = [b for b in output[1:] if how is None or (how == "cut" and b["type"] == "message")]
        answer = {"id": f"resp_{n}", "object": "response", "status": "completed", "model": model, "output": output,
                  "usage": {"input_tokens": 1, "output_tokens": 1}}
        if how in ("refused", "cut"):
            answer["status"] = "incomplete"
            answer["incomplete_details"] = {"reason": "content_filter" if how == "refused" else "max_output_tokens"}
        return answer, [json.dumps(b) for b in kept]

    @staticmethod
    def stream(answer, cut):
        events = [{"type": "response.created", "response": dict(answer, output=[], status="in_progress")}]
        for i, b in enumerate(answer["output"]):
            events.append({"type": "response.output_item.added", "output_index": i, "item": b})
            if b["type"] == "message":
                events.append({"type": "response.output_text.delta", "output_index": i, "content_index": 0,
                               "item_id": b["id"], "delta": b["content"][0]["text"]})
            events.append({"type": "response.output_item.done", "output_index": i, "item": b})
        if not cut:
            events.append({"type": f"response.{answer['status']}", "response": answer})
        return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


class OpenAI:
    models = ["gpt-5.6", "gpt-5.5"]
    checked = set()
    params = {}

    @staticmethod
    def tool(name):
        return {"type": "function", "function": {"name": name, "parameters": SCHEMA}}

    @staticmethod
    def blocks(body):
        yield json.dumps(body.get("tools")), None
        for m in body["messages"]:
            yield json.dumps(m), None

    @staticmethod
    def answer(n, model, signature, text, calls, how=None):
        m = {"role": "assistant", "content": text or None}
        if calls:
            m["tool_calls"] = [{"id": i, "type": "function", "function": {"name": "f", "arguments": '{"n" : 1.50 }'}}
                               for i in calls]
        if how == "empty":
            m = {"role": "assistant", "content": None}
        reason = {"refused": "content_filter", "cut": "length"}.get(how, "tool_calls" if calls else "stop")
        kept = [m] if how is None or (how == "cut" and text) else []
        return {"id": f"c{n}", "object": "chat.completion", "model": model,
                "choices": [{"index": 0, "message": m, "finish_reason": reason}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1}
                }, [json.dumps({k: v for k, v in x.items() if how is None or k != "tool_calls"}) for x in kept]

    @staticmethod
    def stream(answer, cut):
        message, reason = answer["choices"][0]["message"], answer["choices"][0]["finish_reason"]
        deltas = [{"role": "assistant", "content": message["content"]}]
        for i, c in enumerate(message.get("tool_calls") or []):
            deltas.append({"tool_calls": [dict(c, index=i)]})
        chunks = [{"index": 0, "delta": d, "finish_reason": None} for d in deltas]
        chunks += [] if cut else [{"index": 0, "delta": {}, "finish_reason": reason}]
        out = [json.dumps({"id": answer["id"], "object": "chat.completion.chunk", "model": answer["model"], "choices": [c]})
               for c in chunks] + ([] if cut else ["[DONE]"])
        return "".join(f"data: {x}\n\n" for x in out)


class Gemini:
    models = ["gemini-3-pro"]
    checked = set()
    params = {}

    @staticmethod
    def tool(name):
        return {"functionDeclarations": [{"name": name, "parameters": SCHEMA}]}

    @staticmethod
    def blocks(body):
        yield json.dumps([body.get("systemInstruction"), body.get("tools")]), None
        for m in body["contents"]:
            for p in m["parts"]:
                yield json.dumps([m["role"], p]), None

    @staticmethod
    def answer(n, model, signature, text, calls, how=None):
        parts = [{"text": text}] if text else []
        parts += [{"functionCall": {"id": i, "name": "f", "args": {"n": 1.50}}} for i in calls]
        if parts:
            parts[-1 if not calls else len(parts) - len(calls)]["thoughtSignature"] = signature
        if how == "empty":
            parts = []
        reason = {"refused": "SAFETY", "cut": "MAX_TOKENS"}.get(how, "STOP")
        kept = [p for p in parts if how is None or (how == "cut" and "text" in p)]
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}],
                "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1}
                }, [json.dumps(["model", p]) for p in kept]

    @staticmethod
    def stream(answer, cut):
        parts = answer["candidates"][0]["content"]["parts"]
        chunks = [{"candidates": [{"content": {"role": "model", "parts": [p]}}]} for p in parts]
        chunks += [] if cut else [dict(answer, candidates=[dict(answer["candidates"][0], content={"role": "model", "parts": []})])]
        return "".join(f"data: {json.dumps(c)}\n\n" for c in chunks)


SHAPES = {"anthropic": Anthropic, "responses": Responses, "openai": OpenAI, "gemini": Gemini}


def results(calls, text):
    """The results of calls, as messages of a chat."""
    return [{"role": "tool", "tool_call_id": i, "content": text} for i in calls]


def blocks_of_results(calls, text):
    """The same as one message of Anthropic's."""
    return [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": text} for i in calls]}]
