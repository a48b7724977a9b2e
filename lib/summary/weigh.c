/* Weighs what people say: names, dates, amounts and new words against courtesies,
 * agreement, and what was said before. */
#include "summary/doc.h"

#include <string.h>

#define NEW_WORD 1.0f
#define KNOWN_WORD 0.25f   /* a word that was used before in the conversation */
#define KNOWN_IN_TALK 0.1f /* KNOWN_WORD in a talk between two people */
#define CAPITAL 0.25f      /* added for a name */
#define TIME_WORD 2.0f     /* a word that expresses a time, in a talk */
#define TITLE 1.0f         /* added for a "title" in quotation marks */
#define NUMBER 1.5f
#define FULL 4.0f /* the sum from which a sentence has its full worth */
#define MOST 1.4f
#define MOST_OF_TALK 3.0f /* the same in a talk between two people */
#define NOBODY 0.7f       /* factor for a sentence about nobody who talks */
#define LISTENER 0.5f     /* factor for a sentence about the listener */

/* True if the list, in which each word has a space on either side, contains the word in
 * small letters. */
static bool
is_listed(const char *list, const char *word, size_t n)
{
	char key[24];

	if (n > sizeof(key) - 3)
		return false;
	key[0] = key[n + 1] = ' ';
	key[n + 2] = '\0';
	for (size_t i = 0; i < n; i++)
		key[i + 1] = ctx_is_upper(word[i]) ? (char)(word[i] | 0x20) : word[i];
	return strstr(list, key) != NULL;
}

/* Words that talk consists of, whatever it is about. */
static bool
is_common_word(const char *word, size_t n)
{
	static const char common[] =
	    " the and but for you your yours are was were has had have been that this these "
	    "those with from they them what when how why who which just also more much very "
	    "about would could should there here then than into out our its i'm i'll i've "
	    "don't can't won't didn't let's you're that's it's we'll we're he's she's not all "
	    "any some will can get got like know think want need make makes made doing going "
	    "gonna wanna gotta did does done let lets give giving take taking put see look "
	    "looks looking come great awesome amazing cool nice wow good best better thanks "
	    "thank thx appreciate support help helps helping helped really lot lots means mean "
	    "meant word words love loves glad happy sorry hear sounds sound luck keep keeping "
	    "keeps push pushing forward dream dreams believe stay staying positive focused hope "
	    "hopefully hoping totally agree definitely sure yeah yep yes okay plan approach "
	    "idea ideas way ways steps step try trying start started work working works hard "
	    "excited exciting stoked super inspiring inspire inspires motivate motivated "
	    "motivates motivation proud congrats congratulations chat talk soon wait ready "
	    "never worth reach success successful journey joy feel feeling feels thing things "
	    "something anything everything absolutely perfect wonderful fantastic right well "
	    "always too kind pretty now one back still kinda hmm please welcome course "
	    "determined achieve goals goal making passion true point helpful useful advice "
	    "tips suggestions proceed hello hey hi many further assist "
	    "und der die das ich mir mich sie wir ist nicht ein eine danke gut sehr schon ja "
	    "super klingt freut bitte gerne que los las una con por para muy gracias bueno "
	    "genial claro bien favor ";

	return n < 3 || is_listed(common, word, n);
}

/* Words that tell when something happened. */
static bool
is_time_word(const char *word, size_t n)
{
	static const char times[] =
	    " yesterday today tonight tomorrow ago last next week weekend month year years "
	    "since monday tuesday wednesday thursday friday saturday sunday january "
	    "february march april june july august september october november december "
	    "gestern heute morgen letzte letzten nächste woche jahr ayer hoy mañana pasado "
	    "próximo semana mes año ";

	return is_listed(times, word, n);
}

/* Returns the sentence without "[4:04 pm on 20 January, 2023]" before it. */
static struct ctx_span
skip_stamp(struct ctx_span s)
{
	const char *end = memchr(s.p, ']', s.n);

	return ctx_span_trim((struct ctx_span){end + 1, s.n - (size_t)(end + 1 - s.p)});
}

/* Returns 1 for a word of the speaker about themselves, -1 for one about the listener. */
static int
find_person(const char *word, size_t n)
{
	static const char first[] =
	    " i i'm i've i'll i'd my mine me we we're we've our us ",
			  second[] = " you you're you've you'll you'd your yours ";

	return is_listed(first, word, n) ? 1 : is_listed(second, word, n) ? -1 : 0;
}

float
ctx_doc_weigh(struct ctx_doc *d, struct ctx_span s, uint32_t piece)
{
	struct ctx_summary_words words;
	struct ctx_summary_word w;
	float sum = 0, most;
	size_t at;
	int person = ctx_summary_contains(s, ctx_span_of("I"));

	/* When something was said is not what was said; a picture is told by its text. */
	if (s.n > 7 && memcmp(s.p, "[image:", 7) == 0)
		return CTX_DOC_EMPTY;
	if (s.n > 2 && s.p[0] == '[' && ctx_is_digit(s.p[1]) &&
	    memchr(s.p, ']', s.n) != NULL)
		s = skip_stamp(s);
	ctx_summary_words_init(&words, s, &d->scratch);
	while (ctx_summary_words_next(&words, &w)) {
		if (w.number) {
			sum += NUMBER;
			continue;
		}
		person += find_person(s.p + w.offset, w.n);
		if (d->talk && is_time_word(s.p + w.offset, w.n)) {
			sum += TIME_WORD;
			continue;
		}
		if (is_common_word(s.p + w.offset, w.n))
			continue;
		at = ctx_map_get(&d->by_word, w.hash, NULL, NULL);
		sum += at == 0 || d->facts[at - 1].first == piece ? NEW_WORD
		       : d->talk                                  ? KNOWN_IN_TALK
								  : KNOWN_WORD;
		/* a name */
		if (w.offset > 1 && ctx_is_upper(s.p[w.offset]) &&
		    s.p[w.offset - 1] == ' ' && strchr(".!?", s.p[w.offset - 2]) == NULL)
			sum += CAPITAL;
	}
	if (ctx_span_count(s, '"') > 1)
		sum += TITLE;
	sum /= FULL;
	/* what people tell of themselves, rather than praise and advice */
	if (d->chat && person < 0)
		sum *= LISTENER;
	if (d->talk) {
		sum *= person == 0 ? NOBODY : 1;
		sum *= sum < 1 ? sum : 1;
	}
	most = d->talk ? MOST_OF_TALK : MOST;
	return sum < CTX_DOC_EMPTY ? CTX_DOC_EMPTY : sum > most ? most : sum;
}

bool
ctx_doc_concludes(struct ctx_span s)
{
	return ctx_span_begins_any(s,
		   "Therefore|Thus,|Hence|So the |So, the |In conclusion|In summary|"
		   "Overall,|Final answer|The final answer|Daher|Deshalb|Folglich|Insgesamt|"
		   "Por lo tanto|Por tanto|En resumen|因此|所以|综上|总之") > 0 ||
	       ctx_summary_contains(s, ctx_span_of("\\boxed{"));
}

bool
ctx_doc_is_formula(struct ctx_span s)
{
	size_t words = 0, letters = 0;
	bool signs = false, command = false;

	for (size_t i = 0; i <= s.n; i++) {
		unsigned char c = i < s.n ? (unsigned char)s.p[i] : ' ';
		if (c >= 0x80)
			return false;
		if (ctx_is_letter(c)) {
			letters++;
			continue;
		}
		words += letters > 2 && !command;
		letters = 0;
		command = c == '\\';
		signs |= c == '=' || c == '^';
	}
	return signs && words < 3 && !ctx_doc_concludes(s);
}
