# Chats of Cursor's command line. cursor-chats.sql reads the database store.db.
# ctx-import: tables holds("blobs"; ["id", "data"]) and holds("meta"; ["key", "value"])
# ctx-import: place ~/.cursor/chats/*/*/store.db
. as $in | .record as $r | ($in.info.session // ($r.about.agentId | str | named) // ($in | file_id)) as $sid
| session($sid; {title: ($r.about.name | str | named), created_at: ($r.about.createdAt | ms),
    metadata: ({format: "cursor-chats", model: $r.about.lastUsedModel, mode: $r.about.mode} | filled)}),
  ($r.message as $m
  | if $r.id == null then aside("no messages")
    else $m | cursor_message($sid; $r.id) end)
