#include "test.h"

#include <stdlib.h>

#include "archive/archive.h"

static int
to_buf(void *arg, const void *p, size_t n, struct ctx_err *err)
{
	(void)err;
	ctx_buf_add(arg, p, n);
	return 0;
}

static long
from_span(void *arg, void *p, size_t n, struct ctx_err *err)
{
	struct ctx_span *s = arg;
	size_t take = n < s->n ? n : s->n;

	(void)err;
	if (take > 0)
		memcpy(p, s->p, take);
	s->p += take;
	s->n -= take;
	return (long)take;
}

static const char *const records[] = {
    "{\"kind\":\"session\",\"session_id\":\"s\"}",
    "{\"kind\":\"message\",\"session_id\":\"s\",\"seq\":1,\"message\":{\"role\":\"user\","
    "\"content\":\"caf\\u00e9 1e400\"}}",
    "{\"kind\":\"message\",\"session_id\":\"s\",\"seq\":2,\"message\":{\"role\":"
    "\"assistant\","
    "\"content\":\"x\"}}",
    "{\"kind\":\"event\",\"session_id\":\"s\",\"event\":\"prune\"}",
    "{\"kind\":\"future\",\"n\":12345678901234567890123}",
};
static const enum ctx_kind kinds[] = {
    CTX_KIND_SESSION, CTX_KIND_MESSAGE, CTX_KIND_MESSAGE, CTX_KIND_EVENT, CTX_KIND_OTHER};

#define N (sizeof(records) / sizeof(records[0]))

static void
write_archive(struct ctx_buf *out, struct ctx_archive_info *info, int threads)
{
	struct ctx_archive_writer *w = ctx_archive_writer_new("s", threads, to_buf, out);
	struct ctx_err err = CTX_ERR_INIT;

	for (size_t i = 0; i < N; i++)
		CHECK(ctx_archive_put(w, kinds[i], ctx_span_of(records[i]), &err) == 0);
	CHECK(ctx_archive_finish(w, info, &err) == 0);
	ctx_archive_writer_free(w);
}

static int
verify(struct ctx_span file, struct ctx_archive_info *info, struct ctx_err *err)
{
	*err = (struct ctx_err)CTX_ERR_INIT;
	return ctx_archive_verify(1 << 20, from_span, &file, NULL, NULL, info, err);
}

static int
compare_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	size_t *i = arg;

	(void)err;
	CHECK(*i < N && ctx_span_is(record->line, records[*i]));
	++*i;
	return 0;
}

static void
round_trip(void)
{
	struct ctx_archive_info wrote, read;
	struct ctx_buf file = CTX_BUF_INIT, again = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span source;
	size_t i = 0;

	write_archive(&file, &wrote, 0);
	CHECK_INT(wrote.records, N);
	CHECK_INT(wrote.counts[CTX_KIND_MESSAGE], 2);
	CHECK_INT(wrote.file_bytes, file.n);
	source = ctx_buf_span(&file);
	CHECK(ctx_archive_verify(
		  1 << 20, from_span, &source, compare_record, &i, &read, &err) == 0);
	CHECK_INT(err.code, CTX_OK);
	CHECK_INT(i, N);
	CHECK_STR(read.sha256, wrote.sha256);
	CHECK_STR(read.file_sha256, wrote.file_sha256);
	CHECK_STR(read.session_id, "s");
	CHECK(memcmp(read.counts, wrote.counts, sizeof(read.counts)) == 0);
	ctx_archive_info_release(&read);
	ctx_archive_info_release(&wrote);
	write_archive(&again, &wrote, 2);
	CHECK(ctx_span_eq(ctx_buf_span(&file), ctx_buf_span(&again)));
	ctx_archive_info_release(&wrote);
	ctx_buf_release(&file);
	ctx_buf_release(&again);
}

static void
damage_is_noticed(void)
{
	struct ctx_archive_info info, wrote;
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_err err;

	write_archive(&file, &wrote, 0);
	for (size_t n = 0; n < file.n; n++) {
		CHECK(verify((struct ctx_span){file.p, n}, &info, &err) == -1);
		CHECK_INT(err.code, CTX_EANSWER);
	}
	for (size_t bit = 0; bit < file.n * 8; bit++) {
		file.p[bit / 8] ^= (char)(1 << (bit % 8));
		if (verify(ctx_buf_span(&file), &info, &err) == 0) {
			/* bits that mean nothing: the digest of the file sees them */
			CHECK_STR(info.sha256, wrote.sha256);
			CHECK(strcmp(info.file_sha256, wrote.file_sha256) != 0);
			ctx_archive_info_release(&info);
		} else {
			CHECK_INT(err.code, CTX_EANSWER);
		}
		file.p[bit / 8] ^= (char)(1 << (bit % 8));
	}
	CHECK(verify(ctx_buf_span(&file), &info, &err) == 0);
	ctx_archive_info_release(&info);
	ctx_archive_info_release(&wrote);
	ctx_buf_release(&file);
}

/* A sound gzip file of this text: what does verification say? */
static const char *
verdict(const char *text, struct ctx_err *err)
{
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_gz_writer *w = ctx_gz_writer_new(0, to_buf, &file);
	struct ctx_archive_info info;
	int rc;

	CHECK(
	    ctx_gz_write(w, text, strlen(text), err) == 0 && ctx_gz_finish(w, err) == 0);
	ctx_gz_writer_free(w);
	rc = verify(ctx_buf_span(&file), &info, err);
	if (rc == 0)
		ctx_archive_info_release(&info);
	ctx_buf_release(&file);
	return rc == 0 ? "sound" : err->msg;
}

#define LINE "{\"kind\":\"event\"}\n"
/* printf '{"kind":"event"}\n' | sha256sum */
#define SHA "6c1db21c8dddc1ae9c69000d8eaf3a8dd138ed200037fa20db2dcb48a2cdda51"
#define END(records, events, bytes, sha)                                             \
	"{\"kind\":\"archive\",\"format\":1,\"records\":" #records                   \
	",\"counts\":{\"event\":" #events "},\"bytes\":" #bytes ",\"sha256\":\"" sha \
	"\"}\n"

static void
wrong_content_is_noticed(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	CHECK_STR(verdict(LINE END(1, 1, 17, SHA), &err), "sound");
	CHECK_STR(verdict(LINE LINE END(1, 1, 17, SHA), &err),
	    "damaged: \"records\" in the closing record is 1, but should be 2");
	CHECK_STR(verdict(LINE END(1, 2, 17, SHA), &err),
	    "damaged: \"event\" in the closing record is 2, but should be 1");
	CHECK_STR(verdict(LINE END(1, 1, 18, SHA), &err),
	    "damaged: \"bytes\" in the closing record is 18, but should be 17");
	CHECK_STR(verdict("{\"kind\":\"evenT\"}\n" END(1, 0, 17, SHA), &err),
	    "damaged: the SHA-256 of the content differs from the recorded one");
	CHECK_STR(verdict(LINE, &err), "damaged: the closing record is missing");
	CHECK_STR(verdict("", &err), "damaged: the closing record is missing");
	CHECK_STR(verdict(LINE END(1, 1, 17, SHA) LINE, &err),
	    "damaged: more records follow the closing record");
	CHECK(strncmp(verdict("{\"kind\":\"event\"\n" END(1, 1, 16, SHA), &err),
		  "damaged: record 1: ", 19) == 0);
	CHECK_INT(err.code, CTX_EANSWER);
	verdict("{\"kind\":\"archive\",\"format\":2}\n", &err);
	CHECK_INT(err.code, CTX_EINPUT);
}

static void
check_name(const char *id, const char *tenant, const char *want)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_archive_name(&b, 1709164800000, ctx_span_of(id), tenant);
	CHECK_STR(b.p, want);
	ctx_buf_release(&b);
}

static void
names(void)
{
	struct ctx_buf a = CTX_BUF_INIT, b = CTX_BUF_INIT;
	char id[129];

	check_name("abc-1_2.x", NULL, "2024/02/abc-1_2.x.ndjson.gz");
	check_name("..", NULL, "2024/02/%2E..ndjson.gz");
	check_name(
	    "../../etc/passwd", NULL, "2024/02/%2E.%2F..%2Fetc%2Fpasswd.ndjson.gz");
	check_name(".hidden", NULL, "2024/02/%2Ehidden.ndjson.gz");
	check_name("a~b%c d", NULL, "2024/02/a%7Eb%25c%20d.ndjson.gz");
	check_name("\xc3\xa9", NULL, "2024/02/%C3%A9.ndjson.gz");
	check_name("a@b", "", "2024/02/a%40b.ndjson.gz");
	check_name("a", "b", "2024/02/a@b.ndjson.gz");
	check_name("a", ".b@c", "2024/02/a@%2Eb%40c.ndjson.gz");
	/* ids as long as they may be, alike but for the last byte, keep names apart and short */
	for (size_t i = 0; i < 128; i++)
		id[i] = i % 2 ? '\xa9' : '\xc3';
	id[128] = '\0';
	ctx_archive_name(&a, 0, ctx_span_of(id), NULL);
	id[127] = '\xaa';
	ctx_archive_name(&b, 0, ctx_span_of(id), NULL);
	CHECK(strcmp(a.p, b.p) != 0);
	ctx_buf_reset(&b);
	id[127] = '\xa9';
	ctx_archive_name(&b, 0, ctx_span_of(id), "t");
	CHECK(strcmp(a.p, b.p) != 0);
	CHECK(a.n <= 8 + 200 + 10 && strncmp(a.p, "1970/01/%C3%A9", 14) == 0);
	CHECK(strchr(a.p, '~') != NULL && strchr(a.p, '~')[-3] == '%');
	ctx_buf_release(&a);
	ctx_buf_release(&b);
}

int
main(void)
{
	RUN(round_trip);
	RUN(damage_is_noticed);
	RUN(wrong_content_is_noticed);
	RUN(names);
	return TEST_END();
}
