/* usage: entity [-v] [-n NAMES] [FILE…]
 * Measures how fast mentions of entities are found. The texts are the strings in lines that
 * are JSON, and all other lines. Without FILE, a text with many mentions is generated.
 * Prints the speed in MB/s of the recognizers, of a gazetteer with NAMES generated names,
 * and of both together. With -v, prints the mentions instead. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "entity/scan.h"
#include "json/json.h"

struct texts {
	struct ctx_span *list;
	size_t n, cap;
	struct ctx_buf bytes;
};

static void
add_strings(struct ctx_span value, struct ctx_buf *out)
{
	if (ctx_json_type(value) == CTX_JSON_STRING) {
		if (value.n > 6) {
			ctx_json_decode(value, out);
			ctx_buf_addc(out, '\n');
		}
		return;
	}
	CTX_JSON_EACH(it, value)
		add_strings(it.value, out);
}

static void
add_file(const char *path, struct texts *t)
{
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	const char *p, *end;

	if (ctx_io_read_file(path, &file, SIZE_MAX / 2, &err) < 0) {
		fprintf(stderr, "entity: %s\n", err.msg);
		exit(4);
	}
	p = file.p;
	end = p + file.n;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct ctx_span line = {p, (size_t)((nl == NULL ? end : nl) - p)}, value;
		size_t before = t->bytes.n;

		if (ctx_json_check(line, &value, NULL, &err) == 0) {
			add_strings(value, &t->bytes);
		} else {
			ctx_buf_addspan(&t->bytes, line);
			ctx_buf_addc(&t->bytes, '\n');
		}
		CTX_MEM_GROW(t->list, t->n, t->cap);
		t->list[t->n++] = (struct ctx_span){NULL, t->bytes.n - before};
		p = nl == NULL ? end : nl + 1;
	}
	ctx_buf_release(&file);
}

/* Lines of logs in which half of the words are mentions. */
static void
add_made_up(struct texts *t)
{
	for (unsigned i = 0; i < 20000; i++) {
		size_t before = t->bytes.n;

		ctx_buf_addf(&t->bytes,
		    "2026-01-%02u 10:%02u %s-dc%u-%04u: GigabitEthernet1/0/%u on "
		    "sw-core-%02u "
		    "learned 00:1a:2b:3c:%02x:%02x in vlan %u, next hop 10.%u.%u.%u via "
		    "2001:db8::%x, see https://netbox.lan/d/%u and /var/log/%u.log\n",
		    i % 28 + 1, i % 60, i % 2 ? "web" : "sw", i * 5 % 97, i * 5, i % 48,
		    i % 100, i & 255, i >> 8 & 255, i % 4000 + 1, i & 255, i >> 3 & 255,
		    i >> 5 & 255, i, i, i);
		CTX_MEM_GROW(t->list, t->n, t->cap);
		t->list[t->n++] = (struct ctx_span){NULL, t->bytes.n - before};
	}
}

static void
build(long n, struct ctx_buf *block)
{
	static const char *const roles[] = {"sw", "rtr", "fw", "core", "Access Switch",
	    "web", "Task", "db", "Rack Row", "edge"};
	struct ctx_gazetteer_builder *b = ctx_gazetteer_builder_new();
	struct ctx_err err = CTX_ERR_INIT;
	char name[64];

	for (long i = 0; i < n; i++) {
		snprintf(name, sizeof(name), i % 3 ? "%s-dc%ld-%04ld" : "%s %ld site%ld",
		    roles[i % 10], i % 97, i);
		ctx_gazetteer_builder_add(b, ctx_span_of(name), (uint64_t)i + 1);
	}
	if (ctx_gazetteer_build(b, block, &err) < 0)
		exit(1);
	ctx_gazetteer_builder_free(b);
}

static void
measure(const char *what, const struct ctx_scan *track, const struct texts *t)
{
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	int64_t start = ctx_time_cpu(), used;
	size_t n = 0, rounds = 0;

	do {
		for (size_t i = 0; i < t->n; i++) {
			ctx_scan_text(track, t->list[i], &m);
			n += m.n;
		}
		rounds++;
		used = ctx_time_cpu() - start;
	} while (used < 1000000);
	printf("%-24s %7.1f MB/s  %zu mentions\n", what,
	    (double)t->bytes.n * (double)rounds / (double)used, n / rounds);
	ctx_mentions_release(&m);
}

static void
print_all(const struct ctx_scan *track, const struct texts *t)
{
	struct ctx_mentions m = CTX_MENTIONS_INIT;

	for (size_t i = 0; i < t->n; i++) {
		ctx_scan_text(track, t->list[i], &m);
		for (size_t k = 0; k < m.n; k++) {
			const struct ctx_mention *x = &m.list[k];
			struct ctx_span name = ctx_mentions_name(&m, k);
			size_t from, to;

			ctx_mention_context(
			    t->list[i], x->offset, x->len, 30, &from, &to);
			printf("%s\t%.*s\t%.*s\t", x->type == NULL ? "name" : x->type,
			    (int)name.n, name.p, (int)x->len, t->list[i].p + x->offset);
			for (size_t c = from; c < to; c++)
				putchar((unsigned char)t->list[i].p[c] < ' '
					    ? ' '
					    : t->list[i].p[c]);
			putchar('\n');
		}
	}
	ctx_mentions_release(&m);
}

static void
measure_names(long names, struct ctx_scan *track, const struct texts *t)
{
	struct ctx_buf block = CTX_BUF_INIT;
	struct ctx_recognisers *builtin = track->builtin;
	struct ctx_gazetteer g;
	struct ctx_err err = CTX_ERR_INIT;
	int64_t start = ctx_time_cpu();
	uint64_t id;
	size_t found = 0;

	build(names, &block);
	printf("built %ld names in %.1f ms, %.1f MB\n", names,
	    (double)(ctx_time_cpu() - start) / 1000, (double)block.n / 1e6);
	start = ctx_time_cpu();
	if (ctx_gazetteer_open(&g, block.p, block.n, &err) < 0)
		exit(1);
	printf("opened in %ld us\n", (long)(ctx_time_cpu() - start));
	start = ctx_time_cpu();
	for (int i = 0; i < 100000; i++)
		found += ctx_gazetteer_find(&g, ctx_span_of("RTR-dc1-0001"), &id, 1);
	printf("found by name in %.2f us (%zu)\n", (double)(ctx_time_cpu() - start) / 1e5,
	    found);
	track->gazetteers = &g;
	track->n_gazetteers = 1;
	track->builtin = NULL;
	measure("names", track, t);
	track->builtin = builtin;
	measure("recognisers and names", track, t);
	ctx_buf_release(&block);
}

int
main(int argc, char **argv)
{
	struct texts t = {NULL, 0, 0, CTX_BUF_INIT};
	struct ctx_scan track = {.builtin = ctx_recognisers_new()};
	bool verbose = false;
	long names = 100000;
	size_t at = 0;
	int opt;

	while ((opt = getopt(argc, argv, "vn:")) != -1) {
		if (opt == 'v')
			verbose = true;
		else if (opt == 'n')
			names = atol(optarg);
		else
			return 2;
	}
	for (int i = optind; i < argc; i++)
		add_file(argv[i], &t);
	if (optind == argc)
		add_made_up(&t);
	for (size_t i = 0; i < t.n; i++) {
		t.list[i].p = t.bytes.p + at;
		at += t.list[i].n;
	}
	if (verbose) {
		print_all(&track, &t);
	} else {
		measure("recognisers", &track, &t);
		measure_names(names, &track, &t);
	}
	free(t.list);
	ctx_buf_release(&t.bytes);
	return 0;
}
