# Anthropic Messages: request bodies, lists of messages, or one message on each line.
bodies
