/* Bytes that come from outside: archives, S3's answers, AWS's files, addresses, names. The
 * first byte chooses; nothing may crash, read past its input, or break what is promised. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "archive/aws.h"
#include "archive/blob.h"
#include "archive/xml.h"
#include "store/restore_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct from {
	const char *p;
	size_t n;
};

static long
source(void *arg, void *p, size_t n, struct ctx_err *err)
{
	struct from *f = arg;
	size_t take = n < f->n ? n : f->n;

	(void)err;
	if (take > 0)
		memcpy(p, f->p, take);
	f->p += take;
	f->n -= take;
	return (long)take;
}

static int
sink(void *arg, const void *p, size_t n, struct ctx_err *err)
{
	(void)err;
	ctx_buf_add(arg, p, n);
	return 0;
}

static int
check(void *checks, const struct ctx_record *record, struct ctx_err *err)
{
	return ctx_restore_checks_add(checks, record, err);
}

static void
verify(const char *p, size_t n)
{
	struct ctx_restore_checks checks;
	struct from f = {p, n};
	struct ctx_archive_info info;
	struct ctx_err err = CTX_ERR_INIT;

	ctx_restore_checks_init(&checks);
	if (ctx_archive_verify(1 << 16, source, &f, check, &checks, &info, &err) == 0) {
		ctx_restore_checks_end(&checks, &err);
		ctx_archive_info_release(&info);
	} else if (err.code == CTX_OK) {
		abort();
	}
	ctx_restore_checks_release(&checks);
}

/* The input as the text of an archive. */
static void
verify_text(const char *p, size_t n)
{
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_gz_writer *w = ctx_gz_writer_new(0, sink, &file);
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_gz_write(w, p, n, &err) < 0 || ctx_gz_finish(w, &err) < 0)
		abort();
	ctx_gz_writer_free(w);
	verify(file.p, file.n);
	ctx_buf_release(&file);
}

static void
xml(const char *p, size_t n)
{
	struct ctx_span doc = {p, n}, inner;

	while (ctx_xml_next(&doc, "K", &inner)) {
		if (inner.p < p || inner.p + inner.n > p + n || doc.p + doc.n != p + n)
			abort();
		free(ctx_xml_text(inner, "V"));
	}
	free(ctx_xml_text((struct ctx_span){p, n}, "K"));
}

static void
name(const char *p, size_t n)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_archive_name(&b, 0, (struct ctx_span){p, n}, NULL);
	if (!ctx_blob_name_ok(b.p) || b.n > 8 + 200 + 10)
		abort();
	ctx_buf_release(&b);
}

static void
uri(const char *s)
{
	struct ctx_err err = CTX_ERR_INIT;
	char *bucket, *key;

	if (ctx_aws_uri(s, &bucket, &key, &err) == 0) {
		free(bucket);
		free(key);
	}
	ctx_blob_name_ok(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx_aws aws = CTX_AWS_INIT;
	char *p;

	if (n < 1)
		return 0;
	/* a copy of its own, so that reading past it is seen */
	p = malloc(n);
	memcpy(p, data + 1, n - 1);
	p[n - 1] = '\0';
	switch (data[0] % 6) {
	case 0:
		verify(p, n - 1);
		break;
	case 1:
		verify_text(p, n - 1);
		break;
	case 2:
		xml(p, n - 1);
		break;
	case 3:
		ctx_aws_parse(&aws, (struct ctx_span){p, n - 1}, "p", true);
		ctx_aws_parse(&aws, (struct ctx_span){p, n - 1}, "default", false);
		ctx_aws_release(&aws);
		break;
	case 4:
		if (n > 1)
			name(p, n - 1);
		break;
	case 5:
		uri(p);
		break;
	}
	free(p);
	return 0;
}
