#include "test.h"

#include "base/time.h"
#include "json/json.h"
#include "random.h"
#include "record/record.h"

static struct ctx_record r;
static struct ctx_err err;

static const char *
parse(const char *line)
{
	err = (struct ctx_err)CTX_ERR_INIT;
	return ctx_record_parse(&r, ctx_span_of(line), &err) < 0 ? err.msg : "";
}

static void
kinds(void)
{
	static const char *const names[] = {"message", "session", "request", "entity",
	    "item", "event", "archive", "diagnostic", "deletion"};
	char line[200];

	for (int i = 0; i < 9; i++) {
		snprintf(
		    line, sizeof(line), "{\"kind\":\"%s\",\"message\":{}}", names[i]);
		CHECK_STR(parse(line), "");
		CHECK_INT(r.kind, i);
		CHECK_STR(ctx_kind_name(r.kind), names[i]);
	}
	CHECK_STR(parse("{\"kind\":\"tomorrow\",\"session_id\":5}"), "");
	CHECK_INT(r.kind, CTX_KIND_OTHER);
	CHECK(strstr(parse("{\"kind\":7,\"role\":\"user\"}"), "kind") != NULL);
	CHECK_STR(parse("{}"), "");
	CHECK_INT(r.kind, CTX_KIND_OTHER);
}

static void
bare(void)
{
	const char
	    *line = " {\"role\":\"user\",\"id\":5,\"seq\":\"mine\",\"pinned\":3}\n";

	CHECK_STR(parse(line), "");
	CHECK(r.bare && r.kind == CTX_KIND_MESSAGE && !r.spaced);
	CHECK(r.line.p == line + 1 && ctx_span_eq(r.line, r.message));
	/* what looks like an envelope's is the user's own */
	CHECK(r.id.p == NULL && r.seq == -1 && r.pinned == -1 &&
	      r.created_at == CTX_TIME_NONE);
	CHECK_STR(parse("{\"role\": \"user\"}"), "");
	CHECK(r.spaced);
}

static void
full_envelope(void)
{
	CHECK_STR(
	    parse(
		"{\"message\":{\"role\":\"user\",\"id\":1},\"kind\":\"message\","
		"\"session_id\":\"s\",\"seq\":12,\"id\":\"a\\u0062\",\"created_at\":"
		"\"1970-01-01T00:00:01.5Z\",\"token_count\":0,\"tokenizer\":\"chars4\","
		"\"message_type\":\"tool_result\",\"pinned\":true,\"slot\":\"volatile\","
		"\"source\":{\"type\":\"note\"},\"metadata\":[1],\"new\":{}}"),
	    "");
	CHECK(!r.bare);
	CHECK(ctx_span_is(r.message, "{\"role\":\"user\",\"id\":1}"));
	CHECK(ctx_span_is(r.session_id, "\"s\"") && ctx_span_is(r.id, "\"a\\u0062\""));
	CHECK(ctx_span_is(r.tokenizer, "\"chars4\"") && ctx_span_is(r.metadata, "[1]"));
	CHECK(ctx_span_is(r.source, "{\"type\":\"note\"}"));
	CHECK_INT(r.seq, 12);
	CHECK_INT(r.created_at, 1500);
	CHECK_INT(r.token_count, 0);
	CHECK_INT(r.message_type, CTX_TYPE_TOOL_RESULT);
	CHECK_INT(r.pinned, 1);
	CHECK_INT(r.slot, CTX_SLOT_VOLATILE);
}

static void
null_is_absent(void)
{
	CHECK_STR(
	    parse("{\"kind\":\"message\",\"message\":{},\"session_id\":null,\"seq\":null,"
		  "\"id\":null,\"created_at\":null,\"token_count\":null,\"message_type\":"
		  "null,"
		  "\"pinned\":null,\"slot\":null,\"source\":null,\"metadata\":null}"),
	    "");
	CHECK(r.session_id.p == NULL && r.id.p == NULL && r.source.p == NULL &&
	      r.metadata.p == NULL);
	CHECK(r.seq == -1 && r.token_count == -1 && r.message_type == -1 &&
	      r.pinned == -1 && r.slot == CTX_SLOT_HISTORY &&
	      r.created_at == CTX_TIME_NONE);
}

static void
wrong_members(void)
{
	static const struct {
		const char *member, *why;
	} bad[] = {{"\"seq\":0", "seq must be a positive whole number"},
	    {"\"seq\":1.5", "seq must be a positive whole number"},
	    {"\"seq\":\"1\"", "seq must be a positive whole number"},
	    {"\"seq\":9223372036854775808", "seq must be a positive whole number"},
	    {"\"token_count\":-1", "token_count must be a whole number"},
	    {"\"id\":5", "id must be a string"},
	    {"\"session_id\":{}", "session_id must be a string"},
	    {"\"created_at\":\"yesterday\"",
		"created_at: 'yesterday' is not an RFC 3339 time"},
	    {"\"created_at\":1", "created_at must be a string"},
	    {"\"slot\":\"middle\"", "slot must be prefix, summary or volatile"},
	    {"\"pinned\":1", "pinned must be true or false"},
	    {"\"source\":\"x\"", "source must be an object"},
	    {"\"tokenizer\":[]", "tokenizer must be a string"},
	    {"\"message_type\":\"x\"", "message_type must be query, response, "
				       "tool_result, error, note or summary"},
	    {"\"message\":[]", "message must be an object"}};
	char line[300];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(line, sizeof(line), "{\"kind\":\"message\",\"message\":{},%s}",
		    bad[i].member);
		CHECK_STR(parse(line), bad[i].why);
		CHECK_INT(err.code, CTX_EINPUT);
	}
	CHECK_STR(parse("{\"kind\":\"message\"}"), "message must be an object");
	CHECK_STR(parse("[]"), "not a JSON object");
	CHECK_STR(parse("{"), "incomplete value at byte 2");
}

/* Whatever is printed parses to what was given; the message comes out byte for byte. */
static void
round_trip(void)
{
	static const char *const messages[] = {
	    "{\"role\":\"user\",\"content\":\"\\u00e9\"}",
	    "{ \"a\" : 1e400, \"a\":1.0 , \"b\":12345678901234567890123 }", "{}"};
	static const char *const ids[] = {NULL, "plain", "q\"b\\\xc3\xa9", "\x7f"};
	struct ctx_buf b = CTX_BUF_INIT, tmp = CTX_BUF_INIT;

	for (int i = 0; i < 5000 && !test_bad; i++) {
		struct ctx_envelope e = {.session_id = ids[random_below(4)],
		    .seq = random_below(2) ? -1 : 1 + (int64_t)random_below(1000),
		    .id = ctx_span_of(ids[random_below(4)]),
		    .created_at = random_below(2) ? CTX_TIME_NONE
						  : (int64_t)random_next(),
		    .token_count = (int64_t)random_below(100) - 1,
		    .tokenizer = random_below(2) ? NULL : "approx",
		    .message_type = (int)random_below(7) - 1,
		    .pinned = random_below(2),
		    .slot = ctx_slot_name((enum ctx_slot)random_below(4)),
		    .source = ctx_span_of(random_below(2) ? NULL : "{\"type\":\"note\"}"),
		    .metadata = ctx_span_of(random_below(2) ? NULL : "\"m\""),
		    .message = ctx_span_of(messages[random_below(3)])};

		ctx_buf_reset(&b);
		ctx_envelope_print(&b, &e);
		CHECK(b.p[b.n - 1] == '\n' && strchr(b.p, '\n') == b.p + b.n - 1);
		CHECK_STR(parse(b.p), "");
		CHECK(r.seq == e.seq && r.created_at == e.created_at &&
		      r.token_count == e.token_count && r.message_type == e.message_type);
		CHECK(ctx_span_eq(r.message, e.message) &&
		      ctx_span_eq(r.source, e.source) &&
		      ctx_span_eq(r.metadata, e.metadata));
		CHECK((r.pinned == 1) == e.pinned);
		CHECK(ctx_slot_name(r.slot) == e.slot);
		if (e.id.p != NULL || e.session_id == NULL || e.seq < 1) {
			CHECK(ctx_span_eq(ctx_json_text(r.id, &tmp), e.id));
		} else {
			char made[32];
			snprintf(made, sizeof(made), "%s/%d", e.session_id, (int)e.seq);
			CHECK(ctx_span_is(ctx_json_text(r.id, &tmp), made));
		}
		CHECK(ctx_span_eq(
		    ctx_json_text(r.session_id, &tmp), ctx_span_of(e.session_id)));
	}
	ctx_buf_release(&b);
	ctx_buf_release(&tmp);
}

int
main(void)
{
	RUN(kinds);
	RUN(bare);
	RUN(full_envelope);
	RUN(null_is_absent);
	RUN(wrong_members);
	RUN(round_trip);
	return TEST_END();
}
