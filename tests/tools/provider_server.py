#!/usr/bin/env python3
"""A stand-in for the APIs of four providers on a port of the loopback interface.

usage: provider_server.py DIR [PORT]

Writes its port to DIR/port. Each request takes the first line of DIR/plan, the default is
"text OK", and is appended to DIR/requests as one line of JSON. A line of the plan:

  text TEXT          an answer with this text, streamed
  answer             "Answer to question N", of the last question N in the request
  gzip TEXT          the same as text, with the encoding gzip
  call NAME [N]      N (1) calls of this tool
  status CODE [S]    an error in the provider's shape, with Retry-After S
  date CODE [S]      the same, with the time S seconds from now as a date
  refuse TEXT        the error 400 with this message
  garbled            an event in a stream that is not JSON
  page CODE          an error as a page in HTML
  overloaded         an error in a stream that has begun
  pause TEXT         the same as text; Anthropic pauses its turn after it
  cut TEXT           a stream that breaks off after this text
  stall TEXT         one that stays open after this text; DIR/gone tells that the client left
  break              one that breaks off before any text
  drop               no answer at all

Ends by itself when nobody has asked for 15 minutes.
"""
import email.utils
import fcntl
import gzip
import http.server
import json
import os
import re
import sys
import threading
import time

DIR = sys.argv[1]
IDLE = 900
lock = threading.Lock()


def event(data, name=None):
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n"


def openai(texts, calls):
    def chunk(delta, reason=None):
        return event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "stand-in",
                      "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    yield chunk({"role": "assistant", "content": ""})
    for text in texts:
        yield chunk({"content": text})
    for i, (ident, name, arguments) in enumerate(calls):
        yield chunk({"tool_calls": [{"index": i, "id": ident, "type": "function", "function":
                                     {"name": name, "arguments": json.dumps(arguments)}}]})
    yield chunk({}, "tool_calls" if calls else "stop")
    yield "data: [DONE]\n\n"


def anthropic(texts, calls):
    def put(data):
        return event(data, data["type"])
    yield put({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in",
        "content": [], "stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 1}}})
    index = 0
    if texts:
        yield put({"type": "content_block_start", "index": 0,
                   "content_block": {"type": "text", "text": ""}})
        for text in texts:
            yield put({"type": "content_block_delta", "index": 0,
                       "delta": {"type": "text_delta", "text": text}})
        yield put({"type": "content_block_stop", "index": 0})
        index = 1
    for ident, name, arguments in calls:
        yield put({"type": "content_block_start", "index": index, "content_block":
                   {"type": "tool_use", "id": ident, "name": name, "input": {}}})
        yield put({"type": "content_block_delta", "index": index, "delta":
                   {"type": "input_json_delta", "partial_json": json.dumps(arguments)}})
        yield put({"type": "content_block_stop", "index": index})
        index += 1
    yield put({"type": "message_delta", "usage": {"output_tokens": 2},
               "delta": {"stop_reason": "tool_use" if calls else "end_turn"}})
    yield put({"type": "message_stop"})


def gemini(texts, calls):
    def put(parts, **more):
        return event({"candidates": [{"content": {"role": "model", "parts": parts},
                                      "index": 0, **more}], "responseId": "r1"})
    for text in texts:
        yield put([{"text": text}])
    if calls:
        yield put([{"functionCall": {"id": ident, "name": name, "args": arguments}}
                   for ident, name, arguments in calls])
    yield put([{"text": ""}], finishReason="STOP")


def responses(texts, calls):
    items = []
    whole = {"id": "resp_1", "object": "response", "status": "in_progress", "error": None,
             "model": "stand-in", "output": []}
    yield event({"type": "response.created", "response": whole}, "response.created")
    if texts:
        where = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        for text in texts:
            yield event({"type": "response.output_text.delta", "delta": text, **where},
                        "response.output_text.delta")
        items.append({"id": "msg_1", "type": "message", "status": "completed",
                      "role": "assistant", "content": [
                          {"type": "output_text", "text": "".join(texts), "annotations": []}]})
    for ident, name, arguments in calls:
        items.append({"type": "function_call", "id": "fc_" + ident, "call_id": ident,
                      "name": name, "arguments": json.dumps(arguments),
                      "status": "completed"})
    for i, item in enumerate(items):
        yield event({"type": "response.output_item.done", "output_index": i, "item": item},
                    "response.output_item.done")
    yield event({"type": "response.completed",
                 "response": {**whole, "status": "completed", "output": items}},
                "response.completed")


def interactions(texts, calls):
    def put(kind, **more):
        return event({"event_type": kind, **more}, kind)
    whole = {"id": "v1_1", "object": "interaction", "model": "stand-in"}
    yield put("interaction.created", interaction={**whole, "status": "in_progress"})
    for text in texts:
        yield put("step.delta", index=0, delta={"type": "text", "text": text})
    for i, (ident, name, arguments) in enumerate(calls):
        yield put("step.start", index=i + 1, step={"type": "function_call", "id": ident,
                                                   "name": name, "arguments": {}})
        yield put("step.delta", index=i + 1, delta={"type": "arguments_delta",
                                                    "arguments": json.dumps(arguments)})
        yield put("step.stop", index=i + 1)
    yield put("interaction.completed", interaction={
        **whole, "status": "requires_action" if calls else "completed"})
    yield "event: done\ndata: [DONE]\n\n"


def refusal(shape, code, what):
    if shape is anthropic:
        return {"type": "error", "error": {"type": "overloaded_error", "message": what}}
    if shape in (gemini, interactions):
        return {"error": {"code": code, "message": what, "status": "UNAVAILABLE"}}
    return {"error": {"message": what, "type": "server_error", "code": str(code)}}


def next_step():
    with open(f"{DIR}/plan", "a+", encoding="utf-8") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        f.seek(0)
        first, *rest = f.read().splitlines() or ["text OK"]
        f.truncate(0)
        f.write("".join(line + "\n" for line in rest))
    return first.split(" ", 1)


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def head(self, code, kind, *more):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        for name, value in more:
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()

    def shape(self):
        if "/messages" in self.path:
            return anthropic
        if "GenerateContent" in self.path:
            return gemini
        if "/interactions" in self.path:
            return interactions
        return responses if "/responses" in self.path else openai

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        shape = self.shape()
        with lock:
            what, *rest = next_step()
            with open(f"{DIR}/requests", "a", encoding="utf-8") as f:
                key = next((self.headers[h] for h in (
                    "authorization", "x-api-key", "x-goog-api-key") if self.headers[h]), None)
                print(json.dumps({"path": self.path, "key": key, "body": json.loads(body)}),
                      file=f)
            Handler.count = getattr(Handler, "count", 0) + 1
            number = Handler.count
        rest = rest[0] if rest else ""
        self.close_connection = True
        self.timer_reset()
        if what == "drop":
            return
        if what == "page":
            self.head(int(rest), "text/html")
            self.wfile.write(b"<html><body>Bad gateway</body></html>")
        elif what == "refuse":
            self.head(400, "application/json")
            self.wfile.write(json.dumps(refusal(shape, 400, rest)).encode())
        elif what in ("status", "date"):
            code, *after = rest.split()
            if what == "date":
                after = [email.utils.formatdate(time.time() + int((after or ["0"])[0]),
                                                usegmt=True)]
            self.head(int(code), "application/json",
                      *[("Retry-After", s) for s in after])
            self.wfile.write(json.dumps(refusal(shape, int(code), f"try later {code}")).encode())
        else:
            if what == "answer":
                asked = re.findall(rb"question \d+", body)[-1].decode()
                what, rest = "text", f"Answer to {asked}"
            self.stream(shape, what, rest, number)

    def stream(self, shape, what, rest, number):
        texts, calls = [], []
        if what == "call":
            name, *n = rest.split()
            calls = [(f"c{number}_{i}", name, {"n": i, "zone": "UTC"})
                     for i in range(int(n[0]) if n else 1)]
        elif what in ("text", "cut", "stall", "gzip", "pause"):
            texts = [word + " " for word in rest.split()]
            texts = texts[:-1] + [texts[-1].strip()]
        self.head(200, "text/event-stream",
                  *[("Content-Encoding", "gzip")] * (what == "gzip"))
        pieces = list(shape(texts, calls))
        if what == "overloaded":
            data = refusal(shape, 529, "Overloaded")
            if shape is interactions:
                data = {"event_type": "error", **data}
            if shape is responses:
                data = {"type": "error", **data["error"]}
            pieces = [pieces[0]] * (shape is not gemini) + [event(data, "error")]
        elif what in ("cut", "stall"):
            pieces = pieces[:len(texts) + (1 if shape is openai else 2 if shape is anthropic
                                          else 0 if shape is gemini else 1)]
        elif what == "garbled":
            pieces = pieces[:1] * (shape is not gemini) + ["data: {\"un\n\n"]
        elif what == "pause":
            search = {"type": "server_tool_use", "id": f"srvtoolu_{number}",
                      "name": "web_search", "input": {}}
            pieces = [p.replace('"end_turn"', '"pause_turn"') for p in pieces]
            pieces[-2:-2] = [event(data, data["type"]) for data in (
                {"type": "content_block_start", "index": 1, "content_block": search},
                {"type": "content_block_stop", "index": 1})]
        elif what == "gzip":
            pieces = [gzip.compress("".join(pieces).encode())]
        elif what == "break":
            pieces = pieces[:1] if shape is not gemini else [": nothing\n\n"]
        for piece in pieces:
            self.wfile.write(piece if isinstance(piece, bytes) else piece.encode())
            self.wfile.flush()
        if what == "stall":
            self.connection.recv(1)
            with open(f"{DIR}/gone", "w", encoding="utf-8"):
                pass

    @staticmethod
    def timer_reset():
        timer = getattr(Handler, "timer", None)
        if timer:
            timer.cancel()
        Handler.timer = threading.Timer(IDLE, os._exit, [0])
        Handler.timer.daemon = True
        Handler.timer.start()


server = http.server.ThreadingHTTPServer(
    ("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Handler)
server.daemon_threads = True
Handler.timer_reset()
with open(f"{DIR}/port.new", "w", encoding="utf-8") as port:
    print(server.server_address[1], file=port)
os.rename(f"{DIR}/port.new", f"{DIR}/port")
server.serve_forever()
