/* Extracts the data of images and documents from parts in any format. */
#include <string.h>
#include <strings.h>

#include "json/json.h"
#include "render/internal.h"

/* Parses data:MIME;base64,DATA (RFC 2397). Parameters of the media type are ignored. */
static void
take_url(struct render_media *m, struct ctx_span url)
{
	const char *comma, *semi;
	size_t head;

	if (url.n < 5 || strncmp(url.p, "data:", 5) != 0) {
		if (url.n > 0) {
			m->kind = MEDIA_URL;
			m->data = url;
		}
		return;
	}
	comma = memchr(url.p, ',', url.n);
	if (comma == NULL)
		return;
	head = (size_t)(comma - url.p);
	if (head < 12 || head + 1 == url.n || memcmp(comma - 7, ";base64", 7) != 0)
		return;
	semi = memchr(url.p, ';', head);
	m->kind = MEDIA_BASE64;
	m->mime = (struct ctx_span){url.p + 5, (size_t)(semi - url.p) - 5};
	m->data = (struct ctx_span){comma + 1, url.n - head - 1};
}

static void
take_source(struct render_media *m, struct ctx_span source)
{
	enum { TYPE, MIME, DATA, URL, N };
	static const char *const keys[N] = {"type", "media_type", "data", "url"};
	struct ctx_span v[N];

	ctx_json_get_all(source, keys, v, N);
	if (ctx_json_is(v[TYPE], "base64")) {
		m->mime = ctx_json_text(v[MIME], &m->tmp[0]);
		m->data = ctx_json_text(v[DATA], &m->tmp[1]);
		if (m->data.n > 0)
			m->kind = MEDIA_BASE64;
	} else if (ctx_json_is(v[TYPE], "url")) {
		m->data = ctx_json_text(v[URL], &m->tmp[1]);
		if (m->data.n > 0)
			m->kind = MEDIA_URL;
	}
}

static void
correct_type(struct render_media *m)
{
	const char *type = m->kind == MEDIA_BASE64 ? ctx_image_type(m->data) : NULL;

	if (type == NULL && ctx_span_is(m->mime, "image/jpg"))
		type = "image/jpeg";
	if (type == NULL && m->kind == MEDIA_BASE64 && m->mime.n == 0)
		m->kind = MEDIA_NONE;
	if (type == NULL || ctx_span_is(m->mime, type))
		return;
	m->mime = ctx_span_of(type);
	m->corrected = true;
}

/* Reads MCP's formats: {"type":"image"|"audio","data":…,"mimeType":…} and the blob of a
 * resource. */
static void
take_mcp(struct render_media *m, struct ctx_span object, const char *data)
{
	m->mime = ctx_json_text(ctx_json_get(object, "mimeType"), &m->tmp[0]);
	m->data = ctx_json_text(ctx_json_get(object, data), &m->tmp[1]);
	if (m->data.n > 0)
		m->kind = MEDIA_BASE64;
}

/* Reads OpenAI's files: a data URL with the bytes, another URL, or the id of an
 * upload. */
static void
take_file(struct render_media *m, struct ctx_span file)
{
	static const char *const keys[] = {
	    "file_data", "filename", "file_url", "file_id"};
	struct ctx_span v[4];

	ctx_json_get_all(file, keys, v, 4);
	take_url(m, ctx_json_text(v[0], &m->tmp[1]));
	if (m->kind == MEDIA_URL) /* plain base64, or a reference */
		m->kind = MEDIA_NONE;
	if (m->kind == MEDIA_NONE && ctx_json_is_text(v[2]))
		take_url(m, ctx_json_text(v[2], &m->tmp[1]));
	m->name = ctx_json_text(v[1], &m->tmp[2]);
	if (m->kind == MEDIA_NONE && ctx_json_is_text(v[3]) && v[3].n > 2)
		m->upload = v[3];
}

static void
take_other(struct render_media *m, struct ctx_span block)
{
	enum { TYPE, SOURCE, TITLE, FILE_, AUDIO, N };
	static const char *const keys[N] = {
	    "type", "source", "title", "file", "input_audio"};
	static const char *const audio[] = {"data", "format"};
	struct ctx_span v[N], f[2];

	ctx_json_get_all(block, keys, v, N);
	if (ctx_json_is(v[TYPE], "document")) {
		take_source(m, v[SOURCE]);
		m->name = ctx_json_text(v[TITLE], &m->tmp[2]);
	} else if (ctx_json_is(v[TYPE], "audio")) {
		take_mcp(m, block, "data");
	} else if (ctx_json_is(v[TYPE], "resource")) {
		take_mcp(m, ctx_json_get(block, "resource"), "blob");
	} else if (ctx_json_is(v[TYPE], "file")) {
		take_file(m, v[FILE_]);
	} else if (ctx_json_is(v[TYPE], "input_file")) {
		take_file(m, block);
	} else if (ctx_json_is(v[TYPE], "input_audio")) {
		ctx_json_get_all(v[AUDIO], audio, f, 2);
		m->data = ctx_json_text(f[0], &m->tmp[1]);
		ctx_buf_reset(&m->tmp[0]);
		ctx_buf_adds(&m->tmp[0], "audio/");
		ctx_json_decode(f[1], &m->tmp[0]);
		m->mime = ctx_buf_span(&m->tmp[0]);
		if (m->data.n > 0 && m->mime.n > 6)
			m->kind = MEDIA_BASE64;
	}
}

void
ctx_render_media_of(struct render_media *m, const struct ctx_part *p)
{
	struct ctx_span url;

	memset(m, 0, sizeof(*m));
	m->image = p->type == CTX_PART_IMAGE;
	if (!m->image) {
		take_other(m, p->raw);
	} else if (p->openai) {
		url = ctx_json_type(p->body) == CTX_JSON_STRING
			  ? p->body
			  : ctx_json_get(p->body, "url");
		take_url(m, ctx_json_text(url, &m->tmp[1]));
	} else {
		take_source(m, p->body);
		if (p->body.p == NULL)
			take_mcp(m, p->raw, "data");
	}
	if (!m->image && m->kind == MEDIA_BASE64)
		m->image = m->mime.n > 6 && strncasecmp(m->mime.p, "image/", 6) == 0;
	if (m->image)
		correct_type(m);
	else if (m->kind == MEDIA_BASE64 && m->mime.n == 0)
		m->kind = MEDIA_NONE;
}

bool
ctx_render_image_raw(const struct ctx_part *p, enum ctx_provider provider)
{
	const char *block = ctx_provider_facts(provider)->image_block;
	struct render_media m;
	bool raw;

	if (p->openai != (strcmp(block, "image_url") == 0) ||
	    ctx_json_type(p->body) != CTX_JSON_OBJECT ||
	    !ctx_json_has_type(p->raw, block))
		return false;
	ctx_render_media_of(&m, p);
	raw = !m.corrected &&
	      (m.kind != MEDIA_BASE64 || ctx_provider_takes_image(provider, m.mime));
	ctx_render_media_release(&m);
	return raw;
}

bool
ctx_render_media_sent(const struct ctx_part *p, enum ctx_provider provider)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(provider);
	struct render_media m;
	bool sent;

	ctx_render_media_of(&m, p);
	sent = m.kind == MEDIA_URL && m.image;
	if (m.upload.p != NULL)
		sent = facts->uploads;
	if (m.kind != MEDIA_NONE && !m.image)
		sent = facts->takes_file == NULL ||
		       facts->takes_file(m.mime, m.kind == MEDIA_URL, m.name.n > 0);
	else if (m.kind == MEDIA_BASE64)
		sent = ctx_provider_takes_image(provider, m.mime);
	ctx_render_media_release(&m);
	return sent;
}

void
ctx_render_put_data_url(struct ctx_buf *b, const struct render_media *m)
{
	ctx_buf_addc(b, '"');
	if (m->kind == MEDIA_BASE64) {
		ctx_buf_adds(b, "data:");
		ctx_json_escape(b, m->mime);
		ctx_buf_adds(b, ";base64,");
	}
	ctx_json_escape(b, m->data);
	ctx_buf_addc(b, '"');
}

const char *
ctx_render_audio_format(struct ctx_span mime)
{
	static const struct {
		const char *mime, *format;
	} known[] = {{"audio/wav", "wav"}, {"audio/x-wav", "wav"}, {"audio/mpeg", "mp3"},
	    {"audio/mp3", "mp3"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (ctx_span_is(mime, known[i].mime))
			return known[i].format;
	return NULL;
}

void
ctx_render_media_release(struct render_media *m)
{
	for (size_t i = 0; i < 3; i++)
		ctx_buf_release(&m->tmp[i]);
}
