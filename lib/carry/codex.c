/* Codex: $CODEX_HOME/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl, read by codex resume ID.
 * Has items of the Responses API, and also events, which the list of sessions needs. */
#include "base/time.h"
#include "carry/internal.h"
#include "json/json.h"

static void
open_line(struct ctx_buf *out, int64_t at, const char *type)
{
	ctx_json_print(out, "{'timestamp':%m,'type':%s,'payload':{", at, type);
}

static void
print_meta(struct carry *c, struct ctx_buf *out)
{
	open_line(out, c->turns[0].at, "session_meta");
	/* no model_provider, because Codex would resume the session only with that one */
	ctx_json_print(out,
	    "'id':%s,'session_id':%s,'timestamp':%m,'cwd':%t,'originator':'ctx',"
	    "'cli_version':'0.139.0','source':'cli'}}\n",
	    c->id.text, c->id.text, c->turns[0].at, ctx_buf_span(&c->directory));
}

static void
put_input(struct ctx_buf *out, const struct carry_block *b)
{
	if (b->kind == CARRY_IMAGE && b->data.p != NULL) {
		ctx_json_print(out, "{'type':'input_image','image_url':");
		ctx_carry_put_data_url(out, b);
	} else {
		ctx_json_print(out, "{'type':'input_text','text':");
		ctx_carry_put_words(out, b);
	}
	ctx_json_print(out, "}");
}

/* Prints the texts of a user turn as one message. */
static void
print_user(const struct carry_turn *t, struct ctx_buf *out)
{
	if (ctx_carry_only_results(t->content))
		return;
	open_line(out, t->at, "response_item");
	ctx_json_print(out, "'type':'message','role':'user','content':[");
	CARRY_EACH(b, t->content)
		if (b.kind != CARRY_RESULT)
			put_input(out, &b);
	ctx_json_print(out, "]}}\n");
	open_line(out, t->at, "event_msg");
	ctx_json_print(out, "'type':'user_message','message':");
	ctx_carry_put_text(out, t->content);
	ctx_json_print(out, "}}\n");
}

static void
print_results(const struct carry_turn *t, struct ctx_buf *out)
{
	CARRY_EACH(b, t->content) {
		if (b.kind != CARRY_RESULT)
			continue;
		open_line(out, t->at, "response_item");
		ctx_json_print(
		    out, "'type':'function_call_output','call_id':%j,'output':", b.id);
		ctx_carry_put_result(out, &b);
		ctx_json_print(out, "}}\n");
	}
}

static void
print_agent(const struct carry_turn *t, struct ctx_buf *out)
{
	CARRY_EACH(b, t->content) {
		if (b.kind != CARRY_TEXT && b.kind != CARRY_CALL)
			continue;
		open_line(out, t->at, "response_item");
		if (b.kind == CARRY_CALL) {
			ctx_json_print(out,
			    "'type':'function_call','name':%j,'arguments':%t,'call_id':%j}}\n",
			    b.name, b.input, b.id);
			continue;
		}
		ctx_json_print(out,
		    "'type':'message','role':'assistant',"
		    "'content':[{'type':'output_text','text':%j}]}}\n",
		    b.text);
		open_line(out, t->at, "event_msg");
		ctx_json_print(out, "'type':'agent_message','message':%j}}\n", b.text);
	}
}

static void
print_codex(struct carry *c, struct ctx_buf *out)
{
	print_meta(c, out);
	if (c->system.n > 0) {
		open_line(out, c->turns[0].at, "response_item");
		ctx_json_print(out,
		    "'type':'message','role':'developer',"
		    "'content':[{'type':'input_text','text':%t}]}}\n",
		    ctx_buf_span(&c->system));
	}
	for (size_t i = 0; i < c->n; i++) {
		if (c->turns[i].assistant) {
			print_agent(&c->turns[i], out);
			continue;
		}
		print_results(&c->turns[i], out);
		print_user(&c->turns[i], out);
	}
}

static void
place_codex(const struct carry *c, struct ctx_buf *out)
{
	char at[CTX_TIME_LEN + 1];

	ctx_time_format(c->turns[0].at, at);
	ctx_buf_addf(out, "sessions/%.4s/%.2s/%.2s/rollout-%.10sT%.2s-%.2s-%.2s-%s.jsonl",
	    at, at + 5, at + 8, at, at + 11, at + 14, at + 17, c->id.text);
}

const struct carry_format ctx_carry_codex = {
    "codex", print_codex, place_codex, {"CODEX_HOME", ".codex", NULL}, true};
