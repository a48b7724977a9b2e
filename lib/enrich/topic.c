/* Derives the current topic of a conversation from the entities and words of its last
 * turns. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/map.h"
#include "base/mem.h"
#include "enrich/internal.h"
#include "record/message.h"
#include "words/stems.h"
#include "words/words.h"

#define SUBJECTS 6 /* maximum number of subjects of a topic */
/* bytes of a message that are read, because pasted text is not a topic */
#define TEXT_MAX ((size_t)4000)
#define MESSAGES_MAX 200 /* number of messages by which the rarity of words is measured */
#define DECAY 0.8        /* the weight of a turn, relative to the turn after it */
/* Messages about other subjects that are assumed in addition to the conversation's.
 * Without them, the subject of a short conversation would count as its most common
 * word. */
#define OTHERS 100

double
ctx_enrich_recency(size_t age)
{
	return pow(DECAY, (double)age);
}

double
ctx_enrich_salience(double recent, int64_t n, int64_t with)
{
	return recent * ctx_words_rarity((double)n + OTHERS,
			    with < n + OTHERS ? (double)with : (double)n + OTHERS);
}

bool
ctx_enrich_starts_turn(const struct ctx_enrich *e, size_t i)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	bool starts = e->messages[i].slot == CTX_SLOT_HISTORY &&
		      ctx_message_parse(&m, e->messages[i].message, &ignored) == 0 &&
		      ctx_message_starts_turn(&m);

	ctx_message_release(&m);
	return starts;
}

/* ---- words ---- */

struct term {
	uint64_t stem;
	struct ctx_span word; /* as last written */
	/* numbers of messages that contain the word: the user's last ones; the last
	 * ones */
	size_t asked, with;
	size_t last; /* message in which the word was counted last */
	double recent;
};

struct terms {
	struct term *list;
	size_t n, cap;
	struct ctx_map by_stem; /* index in list, plus one */
	bool complete;          /* no terms are added any more */
	size_t message;         /* number of the current message */
	double recency;         /* weight of the current message, if it is the user's */
};

static void
count_word(struct terms *t, struct ctx_span word)
{
	struct ctx_stems stems = CTX_STEMS_INIT;
	struct term *term;
	size_t at = 0;

	ctx_stems_add(&stems, word, false);
	if (word.n >= 3 && stems.n == 1)
		at = ctx_map_get(&t->by_stem, stems.list[0], NULL, NULL);
	if (word.n >= 3 && stems.n == 1 && at == 0 && !t->complete) {
		CTX_MEM_GROW(t->list, t->n, t->cap);
		t->list[t->n] = (struct term){
		    .stem = stems.list[0], .word = word, .last = SIZE_MAX};
		at = ++t->n;
		*ctx_map_at(&t->by_stem, stems.list[0], NULL, NULL) = at;
	}
	ctx_stems_release(&stems);
	if (at == 0 || t->list[at - 1].last == t->message)
		return;
	term = &t->list[at - 1];
	term->last = t->message;
	if (t->complete) {
		term->with++;
	} else {
		term->asked++;
		term->recent += t->recency;
	}
}

static bool
is_topic_word_char(unsigned char c)
{
	return isalnum(c) || c >= 0x80 || c == '-' || c == '_' || c == '.' || c == '/' ||
	       c == ':';
}

/* Counts words, but not identifiers, which are counted as entities. */
static void
count_words(struct terms *t, struct ctx_span text)
{
	size_t i = 0;

	if (text.n > TEXT_MAX)
		text.n = TEXT_MAX;
	while (i < text.n) {
		size_t from = i, letters = 0, end;
		while (i < text.n && is_topic_word_char((unsigned char)text.p[i]))
			i++;
		end = i;
		while (end > from && ispunct((unsigned char)text.p[end - 1]))
			end--;
		for (size_t k = from; k < end; k++)
			letters += isalpha((unsigned char)text.p[k]) ||
				   (unsigned char)text.p[k] >= 0x80;
		if (end > from && letters == end - from)
			count_word(t, (struct ctx_span){text.p + from, end - from});
		i += i == from;
	}
}

/* Collects the words of the user's last messages, then counts for each the last messages
 * that contain it. Returns the number of these messages. The terms borrow from
 * texts[ENRICH_RECENT_TURNS]. */
static size_t
count_terms(const struct ctx_enrich *e, struct terms *t, struct ctx_buf *texts)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	size_t turns = 0, n = 0;

	for (size_t i = e->n_messages; i-- > 0 && turns < ENRICH_RECENT_TURNS;) {
		if (e->messages[i].slot != CTX_SLOT_HISTORY ||
		    ctx_message_parse(&m, e->messages[i].message, &ignored) < 0 ||
		    !ctx_message_starts_turn(&m))
			continue;
		t->message = i;
		t->recency = ctx_enrich_recency(turns);
		ctx_message_text(&m, &texts[turns]);
		count_words(t, ctx_buf_span(&texts[turns++]));
	}
	t->complete = true;
	for (size_t i = 0; i < t->n; i++)
		t->list[i].last = SIZE_MAX;
	for (size_t i = e->n_messages; i-- > 0 && n < MESSAGES_MAX;) {
		if (e->messages[i].slot != CTX_SLOT_HISTORY ||
		    ctx_message_parse(&m, e->messages[i].message, &ignored) < 0)
			continue;
		t->message = i;
		ctx_buf_reset(&text);
		ctx_message_text(&m, &text);
		count_words(t, ctx_buf_span(&text));
		n++;
	}
	ctx_buf_release(&text);
	ctx_message_release(&m);
	return n;
}

/* ---- topic ---- */

static int
by_salience(const void *pa, const void *pb)
{
	const struct enrich_subject *a = pa, *b = pb;

	return a->salience != b->salience ? CTX_ORDER(b->salience, a->salience)
					  : strcmp(a->text, b->text);
}

static bool
in_names(const struct ctx_enrich *e, size_t n, uint64_t stem)
{
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		struct ctx_stems stems = CTX_STEMS_INIT;
		ctx_stems_add(&stems, ctx_span_of(e->subjects[i].text), false);
		for (size_t k = 0; k < stems.n; k++)
			found |= stems.list[k] == stem;
		ctx_stems_release(&stems);
	}
	return found;
}

/* Appends the topic: recurring entities, and words that several of the user's last
 * messages share, the most salient first. A single word is not enough for a topic. */
static void
derive_topic(struct ctx_enrich *e, struct ctx_buf *out)
{
	struct ctx_buf texts[ENRICH_RECENT_TURNS] = {CTX_BUF_INIT};
	struct terms t = {.n = 0};
	size_t entities = e->n_subjects, n = count_terms(e, &t, texts);

	for (size_t i = 0; i < t.n; i++) {
		const struct term *term = &t.list[i];
		if (term->asked < 2 || in_names(e, entities, term->stem))
			continue;
		CTX_MEM_GROW(e->subjects, e->n_subjects, e->cap_subjects);
		e->subjects[e->n_subjects++] = (struct enrich_subject){
		    ctx_span_dup(term->word),
		    ctx_enrich_salience(term->recent, (int64_t)n, (int64_t)term->with)};
	}
	if (e->n_subjects > 1)
		qsort(e->subjects, e->n_subjects, sizeof(*e->subjects), by_salience);
	if (entities > 0 || e->n_subjects > 1)
		for (size_t i = 0; i < e->n_subjects && i < SUBJECTS; i++)
			ctx_buf_addf(out, "%s%s", i > 0 ? ", " : "", e->subjects[i].text);
	for (size_t i = 0; i < ENRICH_RECENT_TURNS; i++)
		ctx_buf_release(&texts[i]);
	ctx_map_release(&t.by_stem);
	free(t.list);
}

void
ctx_enrich_add_topic(struct ctx_enrich *e)
{
	struct enrich_source source = {.type = "topic", .score = -1};
	struct ctx_buf topic = CTX_BUF_INIT, text = CTX_BUF_INIT;
	const char *wish = e->o.topic == NULL ? "auto" : e->o.topic;
	bool derived = strcmp(wish, "derived") == 0;

	if (strcmp(wish, "none") == 0)
		return;
	source.reason = "given";
	if (!derived && strcmp(wish, "auto") != 0) {
		ctx_buf_adds(&topic, wish);
	} else if (e->session != NULL && e->session->topic != NULL) {
		ctx_buf_adds(&topic, e->session->topic);
	} else if (derived) {
		source.reason = "derived";
		derive_topic(e, &topic);
	}
	if (topic.n > 0) {
		ctx_buf_addf(&text, "Current topic: %s", topic.p);
		ctx_enrich_add_text(e, CTX_SLOT_VOLATILE, &source, ctx_buf_span(&text));
	}
	ctx_buf_release(&topic);
	ctx_buf_release(&text);
}
