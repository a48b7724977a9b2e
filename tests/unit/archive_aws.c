#include "test.h"

#include <stdlib.h>

#include "archive/aws.h"
#include "archive/xml.h"

static const char credentials[] = "# mine\n"
				  "[default]\n"
				  "aws_access_key_id = AKID1\r\n"
				  "aws_secret_access_key=se/cr+et#1==  ; not part of it\n"
				  "\n"
				  "[ work ]\n"
				  "AWS_ACCESS_KEY_ID=AKID2\n"
				  "aws_secret_access_key = two\n"
				  "aws_session_token = tok=en\n"
				  "[half]\n"
				  "aws_access_key_id = AKID3\n";

static const char config[] = "[default]\n"
			     "region = eu-west-1\n"
			     "s3 =\n"
			     "  addressing_style = path\n"
			     "  endpoint_url = https://in-profile.example\n"
			     "[profile work]\n"
			     "services = local\n"
			     "region = eu-north-1\n"
			     "ca_bundle = /etc/ca.pem\n"
			     "endpoint_url = https://all.example\n"
			     "[services local]\n"
			     "dynamodb =\n"
			     "  endpoint_url = http://no.example\n"
			     "s3 =\n"
			     "  endpoint_url = http://127.0.0.1:9000\n"
			     "[work]\n"
			     "region = wrong\n";

static struct ctx_aws
parse(const char *profile)
{
	struct ctx_aws aws = CTX_AWS_INIT;

	ctx_aws_parse(&aws, ctx_span_of(credentials), profile, false);
	ctx_aws_parse(&aws, ctx_span_of(config), profile, true);
	return aws;
}

static void
profiles(void)
{
	struct ctx_aws aws = parse("default");

	CHECK_STR(aws.access_key, "AKID1");
	CHECK_STR(aws.secret_key, "se/cr+et#1==");
	CHECK(aws.session_token == NULL);
	CHECK_STR(aws.region, "eu-west-1");
	CHECK_STR(aws.addressing, "path");
	CHECK_STR(aws.endpoint, "https://in-profile.example");
	ctx_aws_release(&aws);

	aws = parse("work");
	CHECK_STR(aws.access_key, "AKID2");
	CHECK_STR(aws.session_token, "tok=en");
	CHECK_STR(aws.region, "eu-north-1");
	CHECK_STR(aws.endpoint, "http://127.0.0.1:9000");
	CHECK_STR(aws.ca_bundle, "/etc/ca.pem");
	CHECK(aws.addressing == NULL);
	ctx_aws_release(&aws);

	aws = parse("nobody");
	CHECK(aws.access_key == NULL && aws.region == NULL && aws.endpoint == NULL);
	ctx_aws_release(&aws);
}

/* Half a credential is none, and what the environment gave stays whole. */
static void
credentials_are_whole(void)
{
	struct ctx_aws aws = parse("half");

	CHECK(aws.access_key == NULL && aws.secret_key == NULL);
	ctx_aws_release(&aws);
	aws.access_key = strdup("ENV");
	aws.secret_key = strdup("env");
	CHECK(ctx_aws_parse(&aws, ctx_span_of(credentials), "work", false));
	CHECK(!ctx_aws_parse(&aws, ctx_span_of(credentials), "nobody", false));
	CHECK_STR(aws.access_key, "ENV");
	CHECK_STR(aws.secret_key, "env");
	CHECK(aws.session_token == NULL);
	ctx_aws_release(&aws);
}

static void
odd_files(void)
{
	static const char *const odd[] = {"", "[", "[]", "=", "[default",
	    "[default]\n=x\nregion", "[default]\n region = indented\n",
	    "\xff\xfe[default]", "[default]\nregion=\n"};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct ctx_aws aws = CTX_AWS_INIT;

		ctx_aws_parse(&aws, ctx_span_of(odd[i]), "default", true);
		CHECK(aws.region == NULL);
		ctx_aws_release(&aws);
	}
}

static void
addresses(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	char *bucket, *key;

	CHECK(ctx_aws_uri("s3://bucket/a/b c", &bucket, &key, &err) == 0);
	CHECK_STR(bucket, "bucket");
	CHECK_STR(key, "a/b c");
	free(bucket);
	free(key);
	CHECK(ctx_aws_uri("s3://my.bucket", &bucket, &key, &err) == 0);
	CHECK_STR(key, "");
	free(bucket);
	free(key);
	static const char *const bad[] = {"s3:/x", "http://bucket/x", "s3://", "s3:///x",
	    "s3://a/x", "s3://../x", "s3://a b c/x", "s3://b@host/x", "s3://buck?et/x"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(ctx_aws_uri(bad[i], &bucket, &key, &err) == -1 && bucket == NULL);
	CHECK(ctx_aws_bucket_is_label("my-bucket"));
	CHECK(!ctx_aws_bucket_is_label("my.bucket"));
	CHECK(!ctx_aws_bucket_is_label("My-bucket"));
	CHECK(!ctx_aws_bucket_is_label("bucket-"));
}

static void
xml(void)
{
	struct ctx_span doc = ctx_span_of(
	    "<?xml version=\"1.0\"?><List xmlns=\"x\"><Keys><Key>wrong</Key></Keys>"
	    "<Contents><Key>a&amp;b&#x41;&#66;&bogus;&lt;</Key><Size>1</Size></Contents>"
	    "<ns:Contents ><Key/></ns:Contents><Contents><Key>cut");
	struct ctx_span inner;
	char *s;

	CHECK(ctx_xml_next(&doc, "Contents", &inner));
	s = ctx_xml_text(inner, "Key");
	CHECK_STR(s, "a&bAB&bogus;<");
	free(s);
	CHECK(ctx_xml_text(inner, "ETag") == NULL);
	CHECK(ctx_xml_next(&doc, "Contents", &inner));
	s = ctx_xml_text(inner, "Key");
	CHECK_STR(s, "");
	free(s);
	CHECK(!ctx_xml_next(&doc, "Contents", &inner));
}

int
main(void)
{
	RUN(profiles);
	RUN(credentials_are_whole);
	RUN(odd_files);
	RUN(addresses);
	RUN(xml);
	return TEST_END();
}
