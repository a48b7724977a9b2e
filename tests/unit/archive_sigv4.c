/* Amazon's published vectors: the SigV4 test suite (service "service") and the worked
 * examples of the S3 API Reference. */
#include "test.h"

#include <stdlib.h>

#include "archive/sigv4.h"
#include "base/hash.h"

static const struct ctx_sigv4_key suite = {
    "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service"};
static const struct ctx_sigv4_key s3 = {"AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3"};

static void
check(const struct ctx_sigv4_request *r, const struct ctx_sigv4_key *key,
    const char *scope, const char *names, const char *signature)
{
	struct ctx_buf got = CTX_BUF_INIT, want = CTX_BUF_INIT;

	ctx_sigv4_sign(&got, r, key);
	ctx_buf_addf(&want,
	    "AWS4-HMAC-SHA256 Credential=%s/%s/aws4_request, SignedHeaders=%s, "
	    "Signature=%s",
	    key->access, scope, names, signature);
	CHECK_STR(got.p, want.p);
	ctx_buf_release(&got);
	ctx_buf_release(&want);
}

/* A request of the suite: path is plain text, pairs end with a NULL name. */
static void
check_suite(const char *method, const char *path, const struct ctx_sigv4_pair *query,
    const struct ctx_sigv4_pair *more, const char *body, const char *names,
    const char *signature)
{
	struct ctx_sigv4_pair headers[8] = {
	    {"x-amz-date", "20150830T123600Z"}, {"host", "example.amazonaws.com"}};
	struct ctx_buf p = CTX_BUF_INIT, q = CTX_BUF_INIT;
	char sha[CTX_HASH_HEX + 1];
	size_t nq = 0, nh = 2;

	ctx_hash_sha256(body, strlen(body), sha);
	ctx_sigv4_encode(&p, ctx_span_of(path), true);
	while (query != NULL && query[nq].name != NULL)
		nq++;
	ctx_sigv4_query(&q, query, nq);
	for (; more != NULL && more->name != NULL; more++)
		headers[nh++] = *more;
	struct ctx_sigv4_request r = {
	    method, p.p, q.n > 0 ? q.p : "", headers, nh, sha, "20150830T123600Z"};
	check(&r, &suite, "20150830/us-east-1/service", names, signature);
	ctx_buf_release(&p);
	ctx_buf_release(&q);
}

#define PAIRS(...) ((const struct ctx_sigv4_pair[]){__VA_ARGS__, {NULL, NULL}})

static void
suite_paths_and_queries(void)
{
	const char *hd = "host;x-amz-date";

	check_suite("GET", "/", NULL, NULL, "", hd,
	    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
	check_suite("POST", "/", NULL, NULL, "", hd,
	    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
	check_suite("GET",
	    "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", NULL,
	    NULL, "", hd,
	    "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f");
	check_suite("GET", "/example space/", NULL, NULL, "", hd,
	    "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741");
	check_suite("GET", "/", PAIRS({"Param2", "value2"}, {"Param1", "value1"}), NULL,
	    "", hd, "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
	check_suite("GET", "/", PAIRS({"Param1", "value2"}, {"Param1", "value1"}), NULL,
	    "", hd, "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694");
	check_suite("GET", "/", PAIRS({"\xe1\x88\xb4", "bar"}), NULL, "", hd,
	    "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04");
}

static void
suite_headers(void)
{
	check_suite("GET", "/", NULL,
	    PAIRS({"my-header1", " value1"}, {"my-header2", " \"a   b   c\""}), "",
	    "host;my-header1;my-header2;x-amz-date",
	    "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
	check_suite("POST", "/", NULL,
	    PAIRS({"content-type", "application/x-www-form-urlencoded"}), "Param1=value1",
	    "content-type;host;x-amz-date",
	    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
	check_suite("GET", "/", NULL,
	    PAIRS({"x-amz-security-token",
		"6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"}),
	    "", "host;x-amz-date;x-amz-security-token",
	    "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8");
}

static void
check_s3(const char *method, const char *path, const struct ctx_sigv4_pair *query,
    size_t nq, const struct ctx_sigv4_pair *more, size_t nm, const char *body,
    const char *names, const char *signature)
{
	struct ctx_sigv4_pair headers[8];
	struct ctx_buf p = CTX_BUF_INIT, q = CTX_BUF_INIT;
	char sha[CTX_HASH_HEX + 1];

	ctx_hash_sha256(body, strlen(body), sha);
	ctx_sigv4_encode(&p, ctx_span_of(path), true);
	ctx_sigv4_query(&q, query, nq);
	headers[0] = (struct ctx_sigv4_pair){"host", "examplebucket.s3.amazonaws.com"};
	headers[1] = (struct ctx_sigv4_pair){"x-amz-date", "20130524T000000Z"};
	headers[2] = (struct ctx_sigv4_pair){"x-amz-content-sha256", sha};
	for (size_t i = 0; i < nm; i++)
		headers[3 + i] = more[i];
	struct ctx_sigv4_request r = {
	    method, p.p, q.n > 0 ? q.p : "", headers, 3 + nm, sha, "20130524T000000Z"};
	check(&r, &s3, "20130524/us-east-1/s3", names, signature);
	ctx_buf_release(&p);
	ctx_buf_release(&q);
}

static void
s3_examples(void)
{
	const char *plain = "host;x-amz-content-sha256;x-amz-date";

	check_s3("GET", "/test.txt", NULL, 0, PAIRS({"range", "bytes=0-9"}), 1, "",
	    "host;range;x-amz-content-sha256;x-amz-date",
	    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
	check_s3("PUT", "/test$file.text", NULL, 0,
	    PAIRS({"date", "Fri, 24 May 2013 00:00:00 GMT"},
		{"x-amz-storage-class", "REDUCED_REDUNDANCY"}),
	    2, "Welcome to Amazon S3.",
	    "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
	    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
	check_s3("GET", "/", PAIRS({"lifecycle", ""}), 1, NULL, 0, "", plain,
	    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
	check_s3("GET", "/", PAIRS({"prefix", "J"}, {"max-keys", "2"}), 2, NULL, 0, "",
	    plain, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

static void
times_and_encoding(void)
{
	char t[CTX_SIGV4_TIME + 1];
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_sigv4_time(1440938160999, t);
	CHECK_STR(t, "20150830T123600Z");
	ctx_sigv4_time(1709164800000, t);
	CHECK_STR(t, "20240229T000000Z");
	ctx_sigv4_encode(&b, ctx_span_of("a/b+c%25 \xc3\xa9*'()"), true);
	CHECK_STR(b.p, "a/b%2Bc%2525%20%C3%A9%2A%27%28%29");
	ctx_buf_reset(&b);
	ctx_sigv4_encode(&b, ctx_span_of("a/b"), false);
	CHECK_STR(b.p, "a%2Fb");
	ctx_buf_reset(&b);
	/* bytewise order of the encoded pairs */
	ctx_sigv4_query(
	    &b, PAIRS({"x", "a.b"}, {"x", "a/b"}, {"a", "9"}, {"a", "10"}, {"B", ""}), 5);
	CHECK_STR(b.p, "B=&a=10&a=9&x=a%2Fb&x=a.b");
	ctx_buf_release(&b);
}

int
main(void)
{
	RUN(suite_paths_and_queries);
	RUN(suite_headers);
	RUN(s3_examples);
	RUN(times_and_encoding);
	return TEST_END();
}
