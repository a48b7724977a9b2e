#include "test.h"

#include <stdlib.h>

#include "base/id.h"

static int
check(const char *id)
{
	struct ctx_err err = CTX_ERR_INIT;

	return ctx_id_check(ctx_span_of(id), "session id", &err) < 0 ? (int)err.code : 0;
}

/* RFC 9562, section 5.7: 48 bits of milliseconds, version 7, variant 10. */
static void
uuid7(void)
{
	char a[CTX_ID_UUID + 1], b[CTX_ID_UUID + 1];
	struct ctx_err err = CTX_ERR_INIT;

	for (int i = 0; i < 1000; i++) {
		CHECK(ctx_id_new(INT64_C(0x017f22e279b0), a, &err) == 0);
		CHECK_INT(strlen(a), CTX_ID_UUID);
		CHECK(strncmp(a, "017f22e2-79b0-7", 15) == 0);
		CHECK(a[18] == '-' && a[23] == '-' && strchr("89ab", a[19]) != NULL);
		CHECK_INT(strspn(a, "0123456789abcdef-"), CTX_ID_UUID);
		CHECK_INT(check(a), 0);
	}
	CHECK(ctx_id_new(INT64_C(0x017f22e279b0), b, &err) == 0 && strcmp(a, b) != 0);
	CHECK(ctx_id_new(INT64_C(0x017f22e279b1), b, &err) == 0 && strcmp(a, b) < 0);
}

static void
given_ids(void)
{
	char longest[CTX_ID_MAX + 2];

	memset(longest, 'x', sizeof(longest));
	longest[CTX_ID_MAX] = '\0';
	CHECK_INT(check(longest), 0);
	longest[CTX_ID_MAX] = 'x';
	longest[CTX_ID_MAX + 1] = '\0';
	CHECK_INT(check(longest), CTX_EINPUT);
	CHECK_INT(check("a b/c:\xc3\xa9"), 0);
	CHECK_INT(check(""), CTX_EINPUT);
	CHECK_INT(check("a\nb"), CTX_EINPUT);
	CHECK_INT(check("\x1b[31m"), CTX_EINPUT);
	CHECK_INT(check("\x7f"), CTX_EINPUT);
	CHECK_INT(check("\xc2\x9b"), CTX_EINPUT); /* CSI as one C1 control */
	CHECK_INT(check("\xff"), CTX_EINPUT);
	CHECK_INT(check("a\xc3"), CTX_EINPUT);
}

int
main(void)
{
	RUN(uuid7);
	RUN(given_ids);
	return TEST_END();
}
