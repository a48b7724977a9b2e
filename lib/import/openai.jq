# OpenAI Chat Completions: request bodies, lists of messages, or one message on each line.
bodies
