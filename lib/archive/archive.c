#include "archive/archive.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"

struct ctx_archive_writer {
	struct ctx_archive_info info;
	struct ctx_sha256 text, file;
	struct ctx_gz_writer *gz;
	ctx_gz_sink *sink;
	void *arg;
};

struct archive_reader {
	struct ctx_archive_info info;
	struct ctx_sha256 text, file;
	struct ctx_gz_reader *gz;
	size_t max_line;
	ctx_gz_source *source;
	void *arg;
};

void
ctx_archive_info_release(struct ctx_archive_info *info)
{
	free(info->session_id);
	info->session_id = NULL;
}

static void
end_digest(struct ctx_sha256 *s, char out[CTX_HASH_HEX + 1])
{
	uint8_t raw[CTX_HASH_RAW];

	ctx_sha256_end(s, raw);
	ctx_hash_hex(raw, sizeof(raw), out);
}

/* ---- writing ---- */

static int
file_out(void *arg, const void *p, size_t n, struct ctx_err *err)
{
	struct ctx_archive_writer *w = arg;

	ctx_sha256_add(&w->file, p, n);
	w->info.file_bytes += (int64_t)n;
	return w->sink(w->arg, p, n, err);
}

struct ctx_archive_writer *
ctx_archive_writer_new(const char *session_id, int threads, ctx_gz_sink *sink, void *arg)
{
	struct ctx_archive_writer *w = ctx_mem_new(sizeof(*w));

	w->info.session_id = ctx_mem_str(session_id);
	w->sink = sink;
	w->arg = arg;
	ctx_sha256_start(&w->text);
	ctx_sha256_start(&w->file);
	w->gz = ctx_gz_writer_new(threads, file_out, w);
	return w;
}

void
ctx_archive_writer_free(struct ctx_archive_writer *w)
{
	if (w == NULL)
		return;
	ctx_gz_writer_free(w->gz);
	ctx_archive_info_release(&w->info);
	free(w);
}

static int
write_archive_text(
    struct ctx_archive_writer *w, const void *p, size_t n, struct ctx_err *err)
{
	ctx_sha256_add(&w->text, p, n);
	w->info.bytes += (int64_t)n;
	return ctx_gz_write(w->gz, p, n, err);
}

int
ctx_archive_put(struct ctx_archive_writer *w, enum ctx_kind kind, struct ctx_span line,
    struct ctx_err *err)
{
	w->info.counts[kind]++;
	w->info.records++;
	if (write_archive_text(w, line.p, line.n, err) < 0)
		return -1;
	return line.p[line.n - 1] == '\n' ? 0 : write_archive_text(w, "\n", 1, err);
}

static void
closing_record(struct ctx_buf *b, const struct ctx_archive_info *info)
{
	ctx_json_print(b,
	    "{'kind':'archive','format':%d,'session_id':%s,'records':%d,'counts':{",
	    (int64_t)CTX_ARCHIVE_FORMAT, info->session_id, info->records);
	for (int kind = 0; kind < CTX_KIND_OTHER; kind++)
		if (info->counts[kind] > 0)
			ctx_json_add_int(
			    b, ctx_kind_name((enum ctx_kind)kind), info->counts[kind]);
	ctx_json_print(b, "},'bytes':%d,'sha256':%s}\n", info->bytes, info->sha256);
}

int
ctx_archive_finish(
    struct ctx_archive_writer *w, struct ctx_archive_info *info, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	end_digest(&w->text, w->info.sha256);
	closing_record(&b, &w->info);
	rc = ctx_gz_write(w->gz, b.p, b.n, err);
	ctx_buf_release(&b);
	if (rc < 0 || ctx_gz_finish(w->gz, err) < 0)
		return -1;
	end_digest(&w->file, w->info.file_sha256);
	*info = w->info;
	w->info.session_id = NULL;
	return 0;
}

/* ---- reading ---- */

static long
file_in(void *arg, void *p, size_t n, struct ctx_err *err)
{
	struct archive_reader *r = arg;
	long got = r->source(r->arg, p, n, err);

	if (got > 0) {
		ctx_sha256_add(&r->file, p, (size_t)got);
		r->info.file_bytes += got;
	}
	return got;
}

static int
fail_damaged_archive(struct ctx_err *err, const char *what)
{
	return ctx_err_set(err, CTX_EANSWER, "damaged: %s", what);
}

static int
check_number(struct ctx_span object, const char *key, int64_t want, struct ctx_err *err)
{
	struct ctx_span value = ctx_json_get(object, key);
	int64_t got = 0;

	if (value.p != NULL && !ctx_json_int(value, &got))
		got = -1;
	if (got == want)
		return 0;
	return ctx_err_set(err, CTX_EANSWER,
	    "damaged: \"%s\" in the closing record is %lld, but should be %lld", key,
	    (long long)got, (long long)want);
}

/* Compares the closing record with the records that were read. */
static int
check_closing(struct archive_reader *r, struct ctx_span record, struct ctx_err *err)
{
	struct ctx_span counts = ctx_json_get(record, "counts");
	int64_t format;

	if (!ctx_json_int(ctx_json_get(record, "format"), &format))
		return fail_damaged_archive(err, "the last record has no format number");
	if (format > CTX_ARCHIVE_FORMAT)
		return ctx_err_set(err, CTX_EINPUT,
		    "archive format %lld is newer than this program supports",
		    (long long)format);
	if (check_number(record, "records", r->info.records, err) < 0 ||
	    check_number(record, "bytes", r->info.bytes, err) < 0)
		return -1;
	for (int kind = 0; kind < CTX_KIND_OTHER; kind++)
		if (check_number(counts, ctx_kind_name((enum ctx_kind)kind),
			r->info.counts[kind], err) < 0)
			return -1;
	end_digest(&r->text, r->info.sha256);
	if (!ctx_json_is(ctx_json_get(record, "sha256"), r->info.sha256))
		return fail_damaged_archive(
		    err, "the SHA-256 of the content differs from the recorded one");
	r->info.session_id = ctx_json_strdup(ctx_json_get(record, "session_id"));
	return 0;
}

/* Checks that nothing follows the closing record. Reading to the end also checks the last
 * CRC. */
static int
check_end(struct archive_reader *r, struct ctx_err *err)
{
	struct ctx_span line;
	int rc = ctx_gz_line(r->gz, r->max_line, &line, err);

	if (rc < 0)
		return -1;
	if (rc > 0)
		return fail_damaged_archive(
		    err, "more records follow the closing record");
	end_digest(&r->file, r->info.file_sha256);
	return 0;
}

/* Reads the next record. Returns 1, 0 at the end of a sound archive, -1 on error. */
static int
read_archive_record(
    struct archive_reader *r, struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_span line;
	int rc = ctx_gz_line(r->gz, r->max_line, &line, err);

	if (rc < 0)
		return -1;
	if (rc == 0)
		return fail_damaged_archive(err, "the closing record is missing");
	if (ctx_record_parse(record, line, err) < 0) {
		err->code = CTX_EANSWER;
		return ctx_err_prefix(
		    err, "damaged: record %lld", (long long)r->info.records + 1);
	}
	if (record->kind == CTX_KIND_ARCHIVE) {
		if (check_closing(r, record->line, err) < 0)
			return -1;
		return check_end(r, err);
	}
	r->info.counts[record->kind]++;
	r->info.records++;
	r->info.bytes += (int64_t)line.n + 1;
	/* the buffer still has the newline after the line */
	ctx_sha256_add(&r->text, line.p, line.n + 1);
	return 1;
}

int
ctx_archive_verify(size_t max_line, ctx_gz_source *source, void *arg,
    ctx_archive_check *check, void *check_arg, struct ctx_archive_info *info,
    struct ctx_err *err)
{
	struct archive_reader r = {.max_line = max_line, .source = source, .arg = arg};
	struct ctx_record record;
	int rc;

	ctx_sha256_start(&r.text);
	ctx_sha256_start(&r.file);
	r.gz = ctx_gz_reader_new(file_in, &r);
	while ((rc = read_archive_record(&r, &record, err)) > 0)
		if (check != NULL && check(check_arg, &record, err) < 0) {
			rc = -1;
			break;
		}
	if (rc == 0)
		*info = r.info;
	else
		ctx_archive_info_release(&r.info);
	ctx_gz_reader_free(r.gz);
	return rc;
}

int
ctx_archive_check_digest(
    const struct ctx_archive_info *info, const char *sha256, struct ctx_err *err)
{
	if (sha256 == NULL || strcmp(info->file_sha256, sha256) == 0)
		return 0;
	return fail_damaged_archive(
	    err, "the file has changed since it was archived (its SHA-256 differs)");
}

/* ---- names ---- */

#define NAME_MAX_ID 200
#define NAME_HASH 32 /* hexadecimal digits, 128 bits */

static void
encode_id(struct ctx_buf *out, struct ctx_span id)
{
	for (size_t i = 0; i < id.n; i++) {
		unsigned char c = (unsigned char)id.p[i];

		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		    (c >= '0' && c <= '9') || c == '-' || c == '_' || (c == '.' && i > 0))
			ctx_buf_addc(out, (char)c);
		else
			ctx_buf_addf(out, "%%%02X", c);
	}
}

void
ctx_archive_name(struct ctx_buf *out, int64_t created_at, struct ctx_span session_id,
    const char *tenant_id)
{
	char time[CTX_TIME_LEN + 1], hex[CTX_HASH_HEX + 1];
	struct ctx_buf id = CTX_BUF_INIT;

	ctx_time_format(created_at, time);
	encode_id(&id, session_id);
	if (tenant_id != NULL && tenant_id[0] != '\0') {
		ctx_buf_addc(&id, '@');
		encode_id(&id, ctx_span_of(tenant_id));
	}
	if (id.n > NAME_MAX_ID) {
		size_t keep = NAME_MAX_ID - NAME_HASH - 1;

		/* do not cut inside a %XX */
		for (size_t back = 1; back <= 2; back++)
			if (id.p[keep - back] == '%') {
				keep -= back;
				break;
			}
		ctx_hash_sha256(id.p, id.n, hex);
		id.n = keep;
		ctx_buf_addf(&id, "~%.*s", NAME_HASH, hex);
	}
	ctx_buf_addf(out, "%.4s/%.2s/", time, time + 5);
	ctx_buf_addspan(out, ctx_buf_span(&id));
	ctx_buf_adds(out, ".ndjson.gz");
	ctx_buf_release(&id);
}

static int
hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static char *
decode_id(const char *p, const char *end)
{
	struct ctx_buf b = CTX_BUF_INIT;

	for (; p < end; p++) {
		int high = *p == '%' && end - p > 2 ? hex_value(p[1]) : -1;
		int low = high >= 0 ? hex_value(p[2]) : -1;
		if (low >= 0) {
			ctx_buf_addc(&b, (char)(high << 4 | low));
			p += 2;
		} else {
			ctx_buf_addc(&b, *p);
		}
	}
	return ctx_buf_detach(&b);
}

int
ctx_archive_name_ids(const char *name, char **session_id, char **tenant_id)
{
	const char *slash = strrchr(name, '/'), *p = slash != NULL ? slash + 1 : name;
	const char *end = strstr(p, ".ndjson.gz"), *at = strchr(p, '@');

	*session_id = *tenant_id = NULL;
	if (end == NULL || end == p || strchr(p, '~') != NULL)
		return 0;
	if (at != NULL && at < end)
		*tenant_id = decode_id(at + 1, end);
	else
		at = end;
	*session_id = decode_id(p, at);
	return 1;
}
