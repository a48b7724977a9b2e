/* goose: one object with the conversation, read by goose session import FILE. */
#include "carry/internal.h"
#include "json/json.h"

static void
put_goose_block(struct ctx_buf *out, const struct carry_block *b)
{
	if (b->kind == CARRY_CALL) {
		ctx_json_print(out,
		    "{'type':'toolRequest','id':%j,'toolCall':{'status':'success',"
		    "'value':{'name':%j,'arguments':%j}}}",
		    b->id, b->name, b->input);
	} else if (b->kind == CARRY_RESULT) {
		ctx_json_print(
		    out, "{'type':'toolResponse','id':%j,'toolResult':{", b->id);
		ctx_json_print(out,
		    b->error
			? "'status':'error','error':"
			: "'status':'success','value':{'content':[{'type':'text','text':");
		ctx_carry_put_result(out, b);
		ctx_json_print(out, b->error ? "}}" : "}],'isError':false}}}");
	} else if (b->kind == CARRY_IMAGE && b->data.p != NULL) {
		ctx_json_print(
		    out, "{'type':'image','data':%j,'mimeType':%j}", b->data, b->mime);
	} else {
		ctx_json_print(out, "{'type':'text','text':");
		ctx_carry_put_words(out, b);
		ctx_json_print(out, "}");
	}
}

static void
print_goose(struct carry *c, struct ctx_buf *out)
{
	ctx_json_print(out,
	    "{'id':%s,'working_dir':%t,'name':%t,'created_at':%m,'updated_at':%m,"
	    "'extension_data':{},'conversation':[",
	    ctx_carry_id(c, "ctx_", 0).text, ctx_buf_span(&c->directory),
	    ctx_buf_span(&c->title), c->turns[0].at, c->turns[c->n - 1].at);
	for (size_t i = 0; i < c->n; i++) {
		ctx_json_print(out, "{'id':%s,'role':%s,'created':%d,'content':[",
		    ctx_carry_id(c, "msg_", i).text,
		    c->turns[i].assistant ? "assistant" : "user", c->turns[i].at / 1000);
		CARRY_EACH(b, c->turns[i].content)
			put_goose_block(out, &b);
		ctx_json_print(
		    out, "],'metadata':{'userVisible':true,'agentVisible':true}}");
	}
	ctx_json_print(out, "],'message_count':%d}\n", (int64_t)c->n);
}

const struct carry_format ctx_carry_goose = {
    "goose", print_goose, NULL, {NULL, NULL, "goose session import FILE"}, false};
