#include "test.h"

#include "summary/summary.h"

/* "kind:text" of each fact, joined by '|'. */
static const char *
facts(const char *text)
{
	static const char *const names[CTX_FACT_KINDS] = {
	    "number", "path", "identifier", "url", "name", "error", "decision"};
	static struct ctx_buf out;
	struct ctx_facts f = CTX_FACTS_INIT;

	ctx_buf_reset(&out);
	ctx_summary_facts(ctx_span_of(text), &f);
	for (size_t i = 0; i < f.n; i++) {
		ctx_buf_addf(&out, "%s%s:", i > 0 ? "|" : "", names[f.v[i].kind]);
		ctx_buf_add(&out, text + f.v[i].offset, f.v[i].n);
	}
	ctx_buf_addc(&out, '\0');
	ctx_facts_release(&f);
	return out.p;
}

static void
numbers(void)
{
	CHECK_STR(facts("it took 1,234.5 ms on 2024-05-15 at 12:30, 45% of $99"),
	    "number:1,234.5|number:2024-05-15|number:12:30|number:45%|number:$99");
	CHECK_STR(facts("共有25个文件，占10％"), "number:25|number:10");
	CHECK_STR(facts("कुल ४२ फ़ाइलें"), "number:४२");
	CHECK_STR(facts("١٢٣ ملف"), "number:١٢٣");
	CHECK_STR(facts("-5 and 10ms, the 3rd"), "number:-5|number:10ms|number:3rd");
	CHECK_STR(facts("152→  end"), "");
}

static void
paths_and_urls(void)
{
	CHECK_STR(facts("look at /usr/lib/x.so, ./run and ~/notes"),
	    "path:/usr/lib/x.so|path:./run|path:~/notes");
	CHECK_STR(facts("in src/main.c:12 and README.md."),
	    "path:src/main.c|number:12|path:README.md");
	CHECK_STR(facts("open C:\\temp\\a.txt now"), "path:C:\\temp\\a.txt");
	CHECK_STR(facts("see (https://example.com/a?b=c#d), or http://x.org."),
	    "url:https://example.com/a?b=c#d|url:http://x.org");
	CHECK_STR(facts("and/or he/she"), "");
	/* markup, and calls of methods */
	CHECK_STR(facts("<div>a</div> <br/></p></my-tag>"), "");
	CHECK_STR(
	    facts("in </usr/lib> and </etc/x.conf>"), "path:/usr/lib|path:/etc/x.conf");
	CHECK_STR(facts("xs\n  .map(f)\n  .filter(g) of .gitignore"), "path:.gitignore");
}

static void
identifiers(void)
{
	CHECK_STR(facts("call get_user with userId and A1B2C3 or --dry-run"),
	    "identifier:get_user|identifier:userId|identifier:A1B2C3|identifier:--dry-"
	    "run");
	CHECK_STR(facts("mail me@example.org about std::string, then `make` and run()"),
	    "identifier:me@example.org|identifier:std::string|identifier:make|identifier:"
	    "run");
	CHECK_STR(facts("set HTTP to MAX_LEN"), "identifier:HTTP|identifier:MAX_LEN");
	CHECK_STR(facts("PLEASE DO NOT shout"), "");
	CHECK_STR(facts("{\"user_id\":\"ab_1\",\"n\":3}"),
	    "identifier:user_id|identifier:ab_1|number:3");
}

static void
names(void)
{
	CHECK_STR(facts("Yesterday we met Ada Lovelace in Paris."),
	    "name:Ada Lovelace|name:Paris");
	CHECK_STR(facts("Then came Élodie. Later we left."), "name:Élodie");
	CHECK_STR(facts("мы были в Москве"), "name:Москве");
}

static void
sentences(void)
{
	CHECK_STR(facts("All fine here. The build failed with 3 problems. Next."),
	    "error:The build failed with 3 problems.|number:3");
	CHECK_STR(facts("We decided to use tabs."), "decision:We decided to use tabs.");
	CHECK_STR(facts("我们决定明天上线。好的。"), "decision:我们决定明天上线。");
	CHECK_STR(facts("接続に失敗しました。"), "error:接続に失敗しました。");
	CHECK_STR(facts("Never push to main."), "decision:Never push to main.");
	CHECK_STR(facts("It was never so. It must have been nice."), "");
	CHECK_STR(facts("KeyError: x"), "error:KeyError: x|identifier:KeyError");
	CHECK_STR(facts("हमने फैसला किया।"), "decision:हमने फैसला किया।");
}

static void
share_kept(void)
{
	struct ctx_fact_share s;

	s = ctx_summary_facts_kept(
	    ctx_span_of("port 8080, host a.example.org, 8080 again, 17"),
	    ctx_span_of("host a.example.org on port 80801"));
	CHECK_INT(s.facts, 3);
	CHECK_INT(s.kept, 1);
	s = ctx_summary_facts_kept(ctx_span_of("共有25个"), ctx_span_of("有25个文件"));
	CHECK_INT(s.facts, 1);
	CHECK_INT(s.kept, 1);
	s = ctx_summary_facts_kept(
	    ctx_span_of("see /a/b and /a/bc"), ctx_span_of("x /a/bc"));
	CHECK_INT(s.facts, 2);
	CHECK_INT(s.kept, 1);
	s = ctx_summary_facts_kept(ctx_span_of(""), ctx_span_of("1"));
	CHECK_INT(s.facts, 0);
	CHECK_INT(s.kept, 0);
}

static void
every_text_keeps_its_own(void)
{
	static const char text[] =
	    "We met Ada Lovelace at 10:30. The job failed: /var/log/x.log says "
	    "ENOENT for user_id=42!\nWe decided on v2.1 (see https://x.org/a).";
	struct ctx_fact_share s = ctx_summary_facts_kept(
	    ctx_span_of(text), ctx_span_of(text));

	CHECK(s.facts >= 9);
	CHECK_INT(s.kept, s.facts);
}

int
main(void)
{
	RUN(numbers);
	RUN(paths_and_urls);
	RUN(identifiers);
	RUN(names);
	RUN(sentences);
	RUN(share_kept);
	RUN(every_text_keeps_its_own);
	return TEST_END();
}
