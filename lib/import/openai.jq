# OpenAI Chat Completions: request bodies, lists of messages, or a message a line.
bodies
