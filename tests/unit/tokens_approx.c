/* The estimate. Its error over much text is measured by tests/bench/tokens; here: that it
 * is near on texts of several kinds, and what must hold for any text. */
#include "test.h"

#include <stdlib.h>

#include "tokens/tokens.h"

static struct ctx_tokenizer *approx;

/* Texts that are in no corpus of the fit, with their tokens of o200k_base and the error
 * in percent that is let pass. */
/* clang-format off */
static const struct {
	const char *text;
	int tokens, percent;
} known[] = {
    {"The library keeps its books in two rooms. In the first one there are nov"
	"els, poems and plays; the second holds everything else, from cookery to "
	"astronomy. Readers who want to borrow a volume write their names on a ca"
	"rd, and the librarian, who knows most of them, puts the card into a wood"
	"en box. On quiet afternoons she reads the cards herself and wonders why "
	"so many people return books about sailing unread.",
	85, 8},
    {"static int\nread_all(int fd, char **out, size_t *len)\n"
	"{\n\tchar buf[4096];\n\tssize_t n;\n\n\twhile ((n = read(fd, buf, sizeof"
	"(buf))) > 0) {\n\t\tchar *p = realloc(*out, *len + (size_t)n);\n"
	"\t\tif (p == NULL)\n\t\t\treturn -1;\n\t\tmemcpy(p + *len, buf, (size_t)"
	"n);\n\t\t*out = p;\n\t\t*len += (size_t)n;\n"
	"\t}\n\treturn n < 0 ? -1 : 0;\n}\n",
	120, 8},
    {"{\"id\":\"ord_48213\",\"status\":\"shipped\",\"items\":[{\"sku\":\"AB-10"
	"09\",\"name\":\"Desk lamp\",\"quantity\":2,\"price\":34.5},{\"sku\":\"ZK"
	"-77\",\"name\":\"Cable, 3 m\",\"quantity\":1,\"price\":9.99}],\"customer"
	"\":{\"name\":\"Maria Keller\",\"city\":\"Graz\",\"zip\":\"8010\"},\"crea"
	"ted_at\":\"2026-01-02T03:04:05.678Z\",\"paid\":true,\"note\":null}",
	109, 8},
    {"图书馆有两个房间。第一个房间里放着小说、诗歌和戏剧，第二个房间里放着其他所有的书，从烹饪到天文学。想借书的读者把名字写在一张卡片上，管理员认识他"
	"们中的大多数人，她把卡片放进一个木盒子里。",
	78, 15},
    {"Библиотека хранит свои книги в двух комнатах. В первой стоят романы, сти"
	"хи и пьесы, во второй всё остальное, от кулинарии до астрономии. Читател"
	"и, которые хотят взять книгу, пишут своё имя на карточке.",
	60, 15},
};
/* clang-format on */

static void
near(void)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		int64_t n = ctx_tokens_text(approx, known[i].text, strlen(known[i].text));
		int64_t off = llabs(n - known[i].tokens) * 100 / known[i].tokens;
		if (off > known[i].percent)
			printf("# text %zu: %lld, not %d\n", i, (long long)n,
			    known[i].tokens);
		CHECK(off <= known[i].percent);
	}
}

static void
bounds(void)
{
	unsigned char text[64];
	unsigned state = 1;

	CHECK_INT(ctx_tokens_text(approx, "", 0), 0);
	for (int i = 0; i < 20000; i++) {
		size_t n = 1 + (size_t)i % sizeof(text);
		int64_t tokens;
		for (size_t k = 0; k < n; k++) {
			state = state * 1664525 + 1013904223;
			text[k] = (unsigned char)(state >> 24);
		}
		tokens = ctx_tokens_text(approx, (char *)text, n);
		/* Each bad byte becomes a U+FFFD of three. */
		CHECK(tokens >= 1 && tokens <= 3 * (int64_t)n);
	}
}

/* Adding a line never makes a text cheaper. */
static void
grows(void)
{
	char text[4000] = "";
	int64_t before = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		int64_t n;
		strcat(text, known[i].text);
		strcat(text, "\n");
		n = ctx_tokens_text(approx, text, strlen(text));
		CHECK(n > before);
		before = n;
	}
}

int
main(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_tokenizer_open(&approx, "approx", NULL, &err) < 0)
		return 1;
	RUN(near);
	RUN(bounds);
	RUN(grows);
	ctx_tokenizer_close(approx);
	return TEST_END();
}
