/* Opens object storage with the settings of AWS's tools. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/aws.h"
#include "archive/place.h"
#include "archive/s3.h"
#include "base/io.h"
#include "base/mem.h"

#define FILE_MAX ((size_t)1 << 20)

static const char *
get_s3_setting(ctx_place_env *env, const char *name)
{
	const char *v = env(name);

	return v != NULL && v[0] != '\0' ? v : NULL;
}

static char *
copy_first_s3_setting(ctx_place_env *env, const char *first, const char *second)
{
	const char *v = get_s3_setting(env, first);

	return ctx_mem_str(v != NULL ? v : get_s3_setting(env, second));
}

/* Both keys are used, or none of them. */
static void
from_environment(struct ctx_aws *aws, ctx_place_env *env)
{
	const char *key = get_s3_setting(env, "AWS_ACCESS_KEY_ID");
	const char *secret = get_s3_setting(env, "AWS_SECRET_ACCESS_KEY");

	if (key != NULL && secret != NULL) {
		aws->access_key = ctx_mem_str(key);
		aws->secret_key = ctx_mem_str(secret);
		aws->session_token = ctx_mem_str(
		    get_s3_setting(env, "AWS_SESSION_TOKEN"));
	}
	aws->region = copy_first_s3_setting(env, "AWS_REGION", "AWS_DEFAULT_REGION");
	aws->endpoint = copy_first_s3_setting(
	    env, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
	aws->ca_bundle = ctx_mem_str(get_s3_setting(env, "AWS_CA_BUNDLE"));
}

/* Reads settings from a file. A file that does not exist is ignored. */
static int
from_file(struct ctx_aws *aws, ctx_place_env *env, const char *variable, const char *file,
    const char *profile, bool config, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT, text = CTX_BUF_INIT;
	const char *named = get_s3_setting(env, variable),
		   *home = get_s3_setting(env, "HOME");
	int rc = 0;

	if (named != NULL)
		ctx_buf_adds(&path, named);
	else if (home != NULL)
		ctx_buf_addf(&path, "%s/.aws/%s", home, file);
	if (path.n > 0 && access(path.p, F_OK) == 0) {
		rc = named != NULL ? ctx_io_read_file(path.p, &text, FILE_MAX, err)
				   : ctx_io_read_found(path.p, &text, FILE_MAX, err);
		if (rc == 0)
			ctx_aws_parse(aws, ctx_buf_span(&text), profile, config);
		if (text.p != NULL)
			explicit_bzero(text.p, text.cap);
	}
	ctx_buf_release(&path);
	ctx_buf_release(&text);
	return rc;
}

static int
read_settings(struct ctx_aws *aws, ctx_place_env *env, struct ctx_err *err)
{
	const char *profile = get_s3_setting(env, "AWS_PROFILE");

	if (profile == NULL)
		profile = "default";
	from_environment(aws, env);
	if (from_file(aws, env, "AWS_SHARED_CREDENTIALS_FILE", "credentials", profile,
		false, err) < 0 ||
	    from_file(aws, env, "AWS_CONFIG_FILE", "config", profile, true, err) < 0)
		return -1;
	if (aws->access_key == NULL || aws->secret_key == NULL)
		return ctx_err_set(err, CTX_EIO,
		    "no credentials for object storage: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws/credentials");
	return 0;
}

int
ctx_place_open(struct ctx_blobs **blobs, const char *destination, ctx_place_env *env,
    bool create, struct ctx_err *err)
{
	struct ctx_aws aws = CTX_AWS_INIT;
	struct ctx_s3_options o = {0};
	char *bucket = NULL, *prefix = NULL;
	int rc = -1;

	*blobs = NULL;
	if (!ctx_place_is_remote(destination))
		return ctx_place_open_dir(blobs, destination, create, err);
	if (ctx_aws_uri(destination, &bucket, &prefix, err) < 0 ||
	    read_settings(&aws, env, err) < 0)
		goto done;
	o.bucket = bucket;
	o.prefix = prefix;
	o.region = aws.region;
	o.endpoint = aws.endpoint;
	o.addressing = aws.addressing;
	o.access_key = aws.access_key;
	o.secret_key = aws.secret_key;
	o.session_token = aws.session_token;
	o.http.ca_bundle = aws.ca_bundle;
	rc = ctx_blobs_open_s3(blobs, &o, err);
done:
	ctx_aws_release(&aws);
	free(bucket);
	free(prefix);
	return rc;
}
