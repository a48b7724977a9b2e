#include "recall/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "words/words.h"

/* Sorted. English words that say nothing about a subject. */
static const char *const stop_words[] = {"a", "about", "across", "after", "again", "all",
    "along", "also", "although", "am", "among", "an", "and", "another", "any", "are",
    "around", "as", "at", "be", "because", "been", "before", "being", "between", "both",
    "but", "by", "can", "could", "d", "did", "didn", "do", "does", "doesn", "doing",
    "don", "during", "each", "either", "else", "even", "ever", "every", "for", "from",
    "get", "got", "had", "has", "have", "having", "he", "her", "here", "hers", "him",
    "his", "how", "however", "i", "if", "in", "into", "is", "isn", "it", "its", "just",
    "ll", "m", "many", "me", "might", "more", "most", "much", "my", "no", "nor", "not",
    "now", "of", "on", "only", "or", "other", "our", "out", "over", "own", "per", "quite",
    "re", "s", "she", "should", "since", "so", "some", "still", "such", "t", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "though", "through", "to", "too", "under", "unless", "until", "up", "upon", "us",
    "ve", "very", "via", "was", "we", "were", "what", "when", "where", "whether", "which",
    "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "would",
    "yet", "you", "your"};

static const char *const months[] = {"january", "february", "march", "april", "may",
    "june", "july", "august", "september", "october", "november", "december"};

static const char *const time_words[] = {"ago", "april", "august", "autumn", "birthday",
    "christmas", "date", "day", "days", "december", "earlier", "evening", "fall",
    "february", "friday", "january", "july", "june", "last", "march", "may", "monday",
    "month", "months", "morning", "next", "night", "november", "october", "recently",
    "saturday", "september", "since", "soon", "spring", "summer", "sunday", "thursday",
    "today", "tomorrow", "tonight", "tuesday", "wednesday", "week", "weekend", "weeks",
    "winter", "year", "years", "yesterday"};

static const char *const first_person[] = {
    "i", "me", "mine", "my", "myself", "our", "us", "we"};
static const char *const standing[] = {
    "always", "ensure", "instead", "never", "prefer", "preference", "rather"};
/* Words that say what to do with the result. */
static const char *const request_words[] = {"briefly", "compare", "comprehensive",
    "conversation", "conversations", "describe", "detailed", "details", "discussed",
    "explain", "give", "help", "item", "items", "list", "mention", "mentioned", "order",
    "overview", "please", "provide", "recap", "remember", "remind", "show", "sort",
    "summarise", "summarize", "summary", "tell", "throughout", "walk"};
static const char *const summary_words[] = {
    "overview", "recap", "summarise", "summarize", "summary"};
static const char *const saying[] = {"advise", "advised", "describe", "described",
    "explain", "explained", "gave", "give", "listed", "mention", "mentioned", "propose",
    "proposed", "provide", "provided", "recommend", "recommended", "said", "say",
    "suggest", "suggested", "tell", "told", "wrote"};
/* First words of a turn that only reacts to the turn before. */
static const char *const reaction[] = {"absolutely", "agreed", "ah", "aha", "alright",
    "aw", "awesome", "aww", "congrats", "congratulations", "cool", "definitely",
    "exactly", "fine", "glad", "good", "got", "great", "ha", "haha", "hm", "hmm",
    "interesting", "nice", "no", "oh", "ok", "okay", "perfect", "right", "sounds", "sure",
    "thank", "thanks", "that", "totally", "true", "whoa", "woah", "wow", "yeah", "yep",
    "yes", "yup"};
/* Words that begin a request if "you" follows. */
static const char *const modal[] = {"can", "could", "do", "will", "would"};
/* Words of messages that only agree, thank or greet. */
static const char *const polite[] = {"ahead", "alright", "awesome", "bitte", "bye",
    "continue", "cool", "correct", "danke", "exactly", "fine", "genau", "go", "good",
    "goodbye", "gracias", "great", "hello", "hey", "hi", "ja", "merci", "nice", "ok",
    "okay", "oui", "perfect", "please", "proceed", "right", "sounds", "sure", "thank",
    "thanks", "understood", "vale", "weiter", "wonderful", "yeah", "yep", "yes"};
static const char *const second_person[] = {"you", "your", "yours", "yourself"};

#define REQUEST_WEIGHT 0.3
/* maximum distance in words from "you" to what the assistant did */
#define SAYING_REACH 3

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define IS_IN(list, word) ctx_words_listed(list, COUNT(list), word)

bool
ctx_recall_stop_word(struct ctx_span folded)
{
	return IS_IN(stop_words, folded);
}

unsigned
ctx_recall_word_kinds(struct ctx_span folded)
{
	static const struct {
		const char *const *list;
		size_t n;
		enum recall_kind kind;
	} rows[] = {{stop_words, COUNT(stop_words), RECALL_STOP},
	    {time_words, COUNT(time_words), RECALL_TIME},
	    {first_person, COUNT(first_person), RECALL_FIRST_PERSON},
	    {standing, COUNT(standing), RECALL_STANDING},
	    {request_words, COUNT(request_words), RECALL_REQUEST},
	    {summary_words, COUNT(summary_words), RECALL_SUMMARY},
	    {saying, COUNT(saying), RECALL_SAYING},
	    {reaction, COUNT(reaction), RECALL_REACTION}};
	unsigned kinds = 0;

	for (size_t i = 0; i < COUNT(rows); i++)
		if (ctx_words_listed(rows[i].list, rows[i].n, folded))
			kinds |= rows[i].kind;
	return kinds;
}

/* ---- four-character sequences ---- */

static int
compare_grams(const void *a, const void *b)
{
	return CTX_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* folded: the significant words, with a space on either side. */
static void
find_grams(struct recall_query *q, const struct ctx_buf *folded)
{
	size_t n = 0;

	for (size_t i = 0; i + 4 <= folded->n && n < RECALL_GRAMS_MAX; i++)
		q->grams[n++] = ctx_recall_gram(folded->p + i);
	qsort(q->grams, n, sizeof(*q->grams), compare_grams);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || q->grams[i] != q->grams[i - 1])
			q->grams[q->n_grams++] = q->grams[i];
}

/* ---- dates ---- */

static int
small_number(struct ctx_span word)
{
	int v = 0;

	for (size_t i = 0; i < word.n; i++) {
		if (i > 3)
			return 0;
		if (!ctx_is_digit(word.p[i])) /* for example "3rd" or "21st" */
			return i > 0 && word.n - i == 2 && word.p[i] >= 'a' ? v : 0;
		v = v * 10 + (word.p[i] - '0');
	}
	return v;
}

static void
read_date(struct recall_query *q, struct ctx_span word)
{
	int v = small_number(word);

	/* "may" is more often a verb than a month, unless a day or a year is named too */
	for (int i = 0; i < 12; i++)
		if (ctx_span_is(word, months[i]))
			q->month = i + 1;
	if (v >= 1900 && v <= 2199)
		q->year = v;
	else if (v >= 1 && v <= 31)
		q->day = v;
}

bool
ctx_recall_asks(struct ctx_span text)
{
	struct ctx_buf word = CTX_BUF_INIT;
	struct ctx_words w;
	bool asks = false;

	ctx_words_init(&w, text);
	while (!asks && ctx_words_next(&w)) {
		struct ctx_span folded;
		ctx_buf_reset(&word);
		ctx_words_fold(w.raw, &word);
		folded = ctx_buf_span(&word);
		asks = !w.emoji && folded.n > 0 && !ctx_recall_stop_word(folded) &&
		       !IS_IN(polite, folded);
	}
	ctx_buf_release(&word);
	return asks;
}

static void
add_term(struct recall_query *q, struct ctx_span word, bool proper, bool request)
{
	struct recall_term *t = &q->terms[q->n];

	if (q->n == RECALL_TERMS_MAX || word.n == 0 || word.n >= sizeof(t->text))
		return;
	memset(t, 0, sizeof(*t));
	memcpy(t->text, word.p, word.n);
	t->n = ctx_words_stem(t->text, word.n);
	t->proper = proper;
	t->weight = request ? REQUEST_WEIGHT : 1;
	for (size_t i = 0; i < q->n; i++)
		if (q->terms[i].n == t->n &&
		    memcmp(q->terms[i].text, t->text, t->n) == 0) {
			q->terms[i].proper |= proper;
			return;
		}
	q->n++;
}

/* Returns the speakers that the query names. Any word of a name suffices: "Caroline" for
 * "Caroline Smith". Without names, "I" is the user and "you" the assistant, because the
 * user is asking. */
static unsigned
speakers_named(struct ctx_span folded, const struct ctx_span speakers[], size_t n)
{
	struct ctx_buf name = CTX_BUF_INIT;
	struct ctx_words w;
	unsigned named = 0;

	for (size_t i = 0; i < n && i < 32; i++) {
		if (ctx_span_is(speakers[i], "user") && IS_IN(first_person, folded))
			named |= 1U << i;
		if (ctx_span_is(speakers[i], "assistant") && IS_IN(second_person, folded))
			named |= 1U << i;
		ctx_words_init(&w, speakers[i]);
		while (ctx_words_next(&w)) {
			ctx_buf_reset(&name);
			ctx_words_fold(w.raw, &name);
			if (ctx_span_eq(ctx_buf_span(&name), folded))
				named |= 1U << i;
		}
	}
	ctx_buf_release(&name);
	return named;
}

/* How the query speaks of the user and the assistant. */
struct address {
	bool modal;    /* the last word can begin a request, such as "could you list" */
	bool said;     /* the query asks about something that the assistant said */
	int since_you; /* number of words since "you", unless it is part of a request */
};

/* Returns the speakers that the query names with its next word. The "you" of a request
 * does not name the assistant: "could you list" asks for something new, "did you list"
 * asks for something that was said. */
static unsigned
find_named(struct address *a, struct ctx_span folded, unsigned kinds,
    const struct ctx_span speakers[], size_t n_speakers)
{
	bool you = ctx_span_is(folded, "you");
	unsigned named = you && a->modal ? 0
					 : speakers_named(folded, speakers, n_speakers);

	a->since_you = you && !a->modal ? 0 : a->since_you + 1;
	a->said |= a->since_you <= SAYING_REACH && kinds & RECALL_SAYING;
	a->modal = IS_IN(modal, folded);
	return named;
}

/* A question about something that the assistant said is not about the user, even if the
 * question contains "I" or "my". */
static unsigned
remove_user(unsigned named, const struct ctx_span speakers[], size_t n)
{
	for (size_t i = 0; i < n && i < 32; i++)
		if (ctx_span_is(speakers[i], "user"))
			named &= ~(1U << i);
	return named;
}

void
ctx_recall_read_query(struct recall_query *q, struct ctx_span text,
    const struct ctx_span speakers[], size_t n_speakers, unsigned *named)
{
	struct ctx_buf word = CTX_BUF_INIT, counting = CTX_BUF_INIT;
	struct ctx_words w;
	struct address address = {.since_you = SAYING_REACH};
	bool first = true, how = false;

	memset(q, 0, sizeof(*q));
	*named = 0;
	ctx_buf_addc(&counting, ' ');
	ctx_words_init(&w, text);
	for (; ctx_words_next(&w); first = false) {
		struct ctx_span folded;
		unsigned speaker, kinds;
		if (w.emoji) /* an emoji shows the mood, not the subject */
			continue;
		ctx_buf_reset(&word);
		ctx_words_fold(w.raw, &word);
		folded = ctx_buf_span(&word);
		if (folded.n == 0)
			continue;
		q->when |= ctx_span_is(folded, "when") ||
			   (how && ctx_span_is(folded, "long"));
		how = ctx_span_is(folded, "how");
		kinds = ctx_recall_word_kinds(folded);
		q->summary |= (kinds & RECALL_SUMMARY) != 0;
		read_date(q, folded);
		speaker = find_named(&address, folded, kinds, speakers, n_speakers);
		*named |= speaker;
		if (speaker != 0 || kinds & RECALL_STOP)
			continue;
		add_term(q, folded, w.upper && !first, kinds & RECALL_REQUEST);
		if (kinds & RECALL_REQUEST)
			continue;
		ctx_buf_addspan(&counting, folded);
		ctx_buf_addc(&counting, ' ');
	}
	find_grams(q, &counting);
	if (address.said)
		*named = remove_user(*named, speakers, n_speakers);
	if (q->month == 0) /* a small number without a month is not a date */
		q->day = 0;
	if (q->month == 5 && q->day == 0 && q->year == 0)
		q->month = 0;
	ctx_buf_release(&word);
	ctx_buf_release(&counting);
}
