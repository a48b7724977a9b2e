#include "archive/aws.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void
ctx_aws_wipe(char **s)
{
	if (*s != NULL)
		explicit_bzero(*s, strlen(*s));
	free(*s);
	*s = NULL;
}

void
ctx_aws_release(struct ctx_aws *aws)
{
	ctx_aws_wipe(&aws->access_key);
	ctx_aws_wipe(&aws->secret_key);
	ctx_aws_wipe(&aws->session_token);
	ctx_aws_wipe(&aws->region);
	ctx_aws_wipe(&aws->endpoint);
	ctx_aws_wipe(&aws->ca_bundle);
	ctx_aws_wipe(&aws->addressing);
}

/* Parses a line "[ name ]", which a comment may follow. */
static bool
section_name(struct ctx_span line, struct ctx_span *name)
{
	const char *end;

	if (line.n == 0 || line.p[0] != '[')
		return false;
	end = memchr(line.p, ']', line.n);
	*name = end == NULL ? CTX_SPAN_NONE
			    : ctx_span_trim((struct ctx_span){
				  line.p + 1, (size_t)(end - line.p - 1)});
	return true;
}

static bool
key_and_value(struct ctx_span line, struct ctx_span *key, struct ctx_span *value)
{
	const char *eq = memchr(line.p, '=', line.n), *end;

	if (eq == NULL || line.p[0] == '#' || line.p[0] == ';')
		return false;
	*key = ctx_span_trim((struct ctx_span){line.p, (size_t)(eq - line.p)});
	*value = (struct ctx_span){eq + 1, line.n - (size_t)(eq - line.p) - 1};
	/* a comment starts after white space only: '#' may be part of a secret */
	for (end = value->p; end < value->p + value->n; end++)
		if ((*end == '#' || *end == ';') && end > value->p &&
		    (end[-1] == ' ' || end[-1] == '\t'))
			break;
	*value = ctx_span_trim((struct ctx_span){value->p, (size_t)(end - value->p)});
	return true;
}

static bool
is_aws_word(struct ctx_span s, const char *word)
{
	return s.p != NULL && s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

/* Finds the value of key in [section] or, if parent is not NULL, of key indented under
 * "parent ="; the first one wins. Returns an absent span if there is none. Borrowed from
 * text. */
static struct ctx_span
find_ini_value(
    struct ctx_span text, const char *section, const char *parent, const char *key)
{
	struct ctx_span line, name, k, v;
	bool inside = false, below = false;

	while (ctx_span_split(&text, '\n', &line)) {
		bool indented = line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t');

		line = ctx_span_trim(line);
		if (!indented && section_name(line, &name)) {
			inside = ctx_span_is(name, section);
			below = false;
			continue;
		}
		if (!inside || line.n == 0 || !key_and_value(line, &k, &v))
			continue;
		if (!indented)
			below = parent != NULL && is_aws_word(k, parent) && v.n == 0;
		if (is_aws_word(k, key) && v.n > 0 &&
		    (parent == NULL ? !indented : indented && below))
			return v;
	}
	return CTX_SPAN_NONE;
}

static bool
has_section(struct ctx_span text, const char *section)
{
	struct ctx_span line, name;

	while (ctx_span_split(&text, '\n', &line))
		if (section_name(ctx_span_trim(line), &name) &&
		    ctx_span_is(name, section))
			return true;
	return false;
}

static void
fill_aws_setting(char **to, struct ctx_span value)
{
	if (*to == NULL)
		*to = ctx_span_dup(value);
}

static void
fill_endpoint(struct ctx_aws *aws, struct ctx_span text, const char *section)
{
	struct ctx_span services = find_ini_value(text, section, NULL, "services");
	struct ctx_buf name = CTX_BUF_INIT;

	if (services.p != NULL) {
		ctx_buf_adds(&name, "services ");
		ctx_buf_addspan(&name, services);
		fill_aws_setting(
		    &aws->endpoint, find_ini_value(text, name.p, "s3", "endpoint_url"));
		ctx_buf_release(&name);
	}
	fill_aws_setting(
	    &aws->endpoint, find_ini_value(text, section, "s3", "endpoint_url"));
	fill_aws_setting(
	    &aws->endpoint, find_ini_value(text, section, NULL, "endpoint_url"));
}

bool
ctx_aws_parse(
    struct ctx_aws *aws, struct ctx_span text, const char *profile, bool config_file)
{
	struct ctx_buf section = CTX_BUF_INIT;
	struct ctx_span access, secret;
	bool found;

	if (config_file && strcmp(profile, "default") != 0)
		ctx_buf_adds(&section, "profile ");
	ctx_buf_adds(&section, profile);
	if (config_file && strcmp(profile, "default") == 0 &&
	    !has_section(text, "default") && has_section(text, "profile default")) {
		ctx_buf_reset(&section);
		ctx_buf_adds(&section, "profile default");
	}
	found = has_section(text, section.p);
	access = find_ini_value(text, section.p, NULL, "aws_access_key_id");
	secret = find_ini_value(text, section.p, NULL, "aws_secret_access_key");
	if (aws->access_key == NULL && aws->secret_key == NULL && access.p != NULL &&
	    secret.p != NULL) {
		ctx_aws_wipe(&aws->session_token);
		fill_aws_setting(&aws->access_key, access);
		fill_aws_setting(&aws->secret_key, secret);
		fill_aws_setting(&aws->session_token,
		    find_ini_value(text, section.p, NULL, "aws_session_token"));
	}
	fill_aws_setting(&aws->region, find_ini_value(text, section.p, NULL, "region"));
	fill_aws_setting(
	    &aws->ca_bundle, find_ini_value(text, section.p, NULL, "ca_bundle"));
	fill_aws_setting(
	    &aws->addressing, find_ini_value(text, section.p, "s3", "addressing_style"));
	fill_endpoint(aws, text, section.p);
	ctx_buf_release(&section);
	return found;
}

static bool
bucket_ok(struct ctx_span b)
{
	if (b.n < 3 || b.n > 255)
		return false;
	for (size_t i = 0; i < b.n; i++) {
		char c = b.p[i];
		bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9');

		if (!alnum && (i == 0 || (c != '-' && c != '_' && c != '.')))
			return false;
	}
	return true;
}

int
ctx_aws_uri(const char *uri, char **bucket, char **key, struct ctx_err *err)
{
	struct ctx_span b;
	const char *slash;

	*bucket = *key = NULL;
	if (strncmp(uri, "s3://", 5) != 0)
		return ctx_err_set(err, CTX_EUSAGE, "'%s' is not an s3:// address", uri);
	slash = strchr(uri + 5, '/');
	b = ctx_span_of(uri + 5);
	if (slash != NULL)
		b.n = (size_t)(slash - b.p);
	if (!bucket_ok(b))
		return ctx_err_set(
		    err, CTX_EUSAGE, "'%.*s' is not a valid bucket name", (int)b.n, b.p);
	*bucket = ctx_span_dup(b);
	*key = ctx_span_dup(ctx_span_of(slash == NULL ? "" : slash + 1));
	return 0;
}

bool
ctx_aws_bucket_is_label(const char *bucket)
{
	size_t n = strlen(bucket);

	return n >= 3 && n <= 63 && bucket[0] != '-' && bucket[n - 1] != '-' &&
	       strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}
