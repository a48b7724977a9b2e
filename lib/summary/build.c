/* Builds the lines of the document from what people said. */
#include "summary/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Worth of sentences. For comparison, a fact that will be needed is worth one to four. */
#define FIRST_REQUEST 1.5f
#define LAST_REQUEST 1.5f
#define REQUEST 0.4f
#define THANKS 0.1f
#define IDENTIFIES_MAX 8  /* words of a sentence that only names a thing */
#define REQUEST_REST 0.5f /* factor from each sentence to the next */
#define REQUEST_FACTS \
	0.2f /* share of the facts that counts in further sentences of a long request */
#define CHAT_REST 0.7f /* REQUEST_REST in a chat */
#define CHAT_SENTENCE \
	240 /* maximum length in bytes of a sentence of a request in a chat */
#define CONCLUSION 0.25f /* of an answer that ends a request */
#define WORKED 1.6f      /* of an answer that ends a request, after tool calls */
#define FINDING 0.6f     /* of a remark after a failure */
#define LAST_CONCLUSION 2.5f
#define LAST_ADVICE 1.0f /* LAST_CONCLUSION in a chat */
#define REMARK 0.12f     /* of an answer that is followed by calls */
#define REMARK_MIN 16    /* bytes; excludes "Certainly!" */
#define DECISION 1.5f
#define LONG 12     /* messages from which sentences are weighed */
#define LATER 0.8f  /* factor from each sentence of an answer to the next */
#define ADVICE 0.7f /* share of the facts that counts in an answer without calls */
#define SPECIFIC 1.5f
#define GENERAL 0.3f
#define NESTED 0.1f /* factor for items of nested lists */
#define LISTED 0.5f /* factor for items of lists in answers after calls */
#define OPTION \
	0.5f /* share of the facts that counts for an item of a list in an answer */
#define REPEATS \
	0.05f /* factor for an item of a list about a record of the section State */
#define FIRST_SENTENCE \
	2.0f /* factor for the first sentence of an answer that ends a request */
#define AFTER_LIST 2.0f  /* the same for the last sentence after its list */
#define CONCLUDES 2.0f   /* factor for "Therefore ..." in an answer without calls */
#define SETTLED 0.8f     /* added for a sentence of an answer that decides something */
#define COURTESY_MAX 160 /* bytes; a longer sentence says something else too */

/* True for notes that programs write in the user's name: markup, or text in brackets. */
static bool
is_note(struct ctx_span text)
{
	text = ctx_span_trim(text);
	/* "[4:04 pm on 20 January]" is when a person said it. */
	return text.n == 0 || text.p[0] == '<' ||
	       (text.p[0] == '[' && (text.n < 2 || !ctx_is_digit(text.p[1]))) ||
	       (text.n > 6 && memcmp(text.p, "Caveat", 6) == 0);
}

/* True for a summary that an agent made when its context was full, and stored as a user
 * message. */
static bool
is_continuation(struct ctx_span text)
{
	size_t n;

	text = ctx_span_trim(text);
	n = ctx_span_begins_any(text,
	    "This session is being continued from|Another language model started to solve|"
	    "Here is a summary of the conversation|<state_snapshot>");
	return n > 0 && n < text.n;
}

static bool
is_users(const struct ctx_doc *d, uint32_t i)
{
	const struct ctx_summary_piece *p = &d->in->v[i];

	return p->kind == CTX_PIECE_TEXT && p->role == CTX_ROLE_USER &&
	       !is_note(ctx_summary_piece_text(d->in, i)) &&
	       !is_continuation(ctx_summary_piece_text(d->in, i));
}

/* Polite phrases of answers: farewells; offers of help; appeals, which ask the user for a
 * confirmation, a value or a choice without being questions. */
enum courtesy { FAREWELL = 1, OFFER = 2, APPEAL = 4 };

/* Returns the kinds of polite phrases in the sentence, ORed. */
static unsigned
find_courtesies(struct ctx_span s)
{
	static const struct {
		enum courtesy kind;
		const char *phrases;
	} rows[] = {{FAREWELL, "feel free to|happy to help|glad to help|more questions|"
			       "further questions|other questions|further assistance|"
			       "further help|anything else|how can I help|I'm glad |"
			       "is there anything|You're welcome|stehe ich gerne|"
			       "weitere Fragen|gerne weiter|no dude en|No dude en|"
			       "más preguntas|puedo ayudarte|puedo ayudarle|还有其他问题|"
			       "随时告诉我"},
	    {OFFER, "can help you|can assist you"},
	    {APPEAL, "let me know|Let me know|I'll need your|I will need your|"
		     "I'll need to know|please confirm|Please confirm|please provide|"
		     "Please provide|Once you confirm|Once you provide|bestätigen Sie|"
		     "por favor, confirme|请确认|请提供"}};
	unsigned kinds = 0;

	for (size_t i = 0; i < 3; i++)
		if (s.n < COURTESY_MAX && ctx_summary_contains_any(s, rows[i].phrases))
			kinds |= rows[i].kind;
	return kinds;
}

/* True for thanks and goodbyes, which request nothing. */
static bool
is_thanks(struct ctx_span s)
{
	return s.n < 120 &&
	       ctx_summary_contains_any(s,
		   "Thank|thank you|Thanks|thanks|clears things up|makes sense now|"
		   "That helps|that helps|Danke|danke|Gracias|gracias|谢谢|再见|Goodbye") &&
	       !ctx_summary_asks(s);
}

/* True for "Hi there!", a sentence of at most three words. */
static bool
is_greeting(struct ctx_span s)
{
	return s.n < 32 && ctx_span_count(s, ' ') < 3 &&
	       ctx_span_begins_any(s,
		   "Hi|Hello|Hey|Good morning|Hallo|Guten|Hola|Buenos|你好|您好") > 0 &&
	       !ctx_summary_asks(s);
}

/* True for "Let me read the file": the call that follows says the same. */
static bool
is_announcement(struct ctx_span s)
{
	return ctx_span_begins_any(s,
		   "Let me|Let's|Now |I'll |I will |I'm going to |Next|First,|Good, now|"
		   "Wait|Hmm|Actually,|Lass mich|Ich werde|Ich schaue|Ich prüfe|Ich lese|"
		   "Jetzt |Als Nächstes|Voy a |Ahora |Vamos a|Déjame|让我|我将|我来|现在|"
		   "接下来") > 0;
}

static bool
has_cue(struct ctx_doc *d, struct ctx_span s)
{
	struct ctx_summary_words words;
	struct ctx_summary_word w;
	bool cue = false;

	ctx_summary_words_init(&words, s, &d->scratch);
	while (ctx_summary_words_next(&words, &w))
		cue |= (ctx_summary_cue(&d->cues, s, &w) & CTX_CUE_DECISION) != 0;
	return cue && !ctx_summary_asks(s);
}

/* True for "Always include version numbers": the first word says that it is a rule. */
static bool
is_rule(struct ctx_doc *d, struct ctx_span s)
{
	struct ctx_summary_words words;
	struct ctx_summary_word w;

	ctx_summary_words_init(&words, s, &d->scratch);
	return ctx_summary_words_next(&words, &w) && w.offset < 2 &&
	       ctx_summary_cue(&d->cues, s, &w) == CTX_CUE_DECISION &&
	       !ctx_summary_asks(s);
}

/* Returns a new group for the text that a person says in a talk. The section Requests has
 * the groups of both people, in the order of the conversation. */
static uint32_t
add_line_of_talk(struct ctx_doc *d, uint32_t piece)
{
	/* a number and the person's name */
	struct ctx_span name = ctx_summary_piece_label(d->in, piece), number;

	if (!ctx_span_split(&name, ' ', &number) || name.n == 0)
		name = CTX_SPAN_NONE;
	return ctx_doc_group(d, CTX_DOC_REQUESTS, 0, name, 0);
}

/* In long conversations, a request that only agrees or thanks is worth little. */
static float
weigh_request(struct ctx_doc *d, struct ctx_span s, uint32_t piece)
{
	return d->texts < LONG ? 1 : ctx_doc_weigh(d, s, piece);
}

static bool
has_calls(const struct ctx_summary_input *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == CTX_PIECE_CALL || in->v[i].kind == CTX_PIECE_RESULT)
			return true;
	return false;
}

/* True if the assistant has a name too. */
static bool
is_talk(const struct ctx_summary_input *in)
{
	size_t named = 0, texts = 0;

	for (size_t i = 0; i < in->n; i++) {
		if (in->v[i].kind != CTX_PIECE_TEXT ||
		    in->v[i].role != CTX_ROLE_ASSISTANT)
			continue;
		texts++;
		named += ctx_summary_piece_label(in, i).n >
			 strlen(ctx_role_name(CTX_ROLE_ASSISTANT));
	}
	return texts > 2 && named == texts;
}

/* True for a short answer that says nothing beyond the State lines: it names a thing that
 * tools were called for ("Sure, it's mia_li_3668."), or says that the user does not know
 * it. */
static bool
only_identifies(struct ctx_doc *d, struct ctx_span s)
{
	if (ctx_span_count(s, ' ') >= IDENTIFIES_MAX)
		return false;
	if (ctx_summary_contains_any(s,
		"don't remember|don't have|don't know|can't remember|weiß nicht|"
		"weiß ich nicht|no recuerdo|no lo sé|no tengo|不记得|不知道"))
		return !ctx_summary_asks(s);
	return ctx_doc_names(d, s, true, CTX_SAID_CALL);
}

/* Returns the sentence without its last clause, if this consists of common words only:
 * "can you help me with that?" */
static struct ctx_span
drop_empty_clause(struct ctx_doc *d, struct ctx_span s, uint32_t piece)
{
	size_t n = s.n;

	while (n > 1 && !(s.p[n - 2] == ',' && s.p[n - 1] == ' '))
		n--;
	if (n > 1 && ctx_doc_weigh(d, ctx_span_from(s, n), piece) <= CTX_DOC_EMPTY)
		s.n = n - 2;
	return s;
}

static void
add_request_prose(struct ctx_doc *d, uint32_t piece, uint32_t request, bool last)
{
	struct ctx_prose p;
	uint32_t group, item;
	struct ctx_span s;
	struct ctx_span text = ctx_doc_skip_mark(
	    d, ctx_doc_take_date(d, ctx_summary_piece_text(d->in, piece)));
	bool first = true, added = false;
	float base, share = 1;
	int decisions = 0;

	group = d->talk
		    ? add_line_of_talk(d, piece)
		    : ctx_doc_group(d, CTX_DOC_REQUESTS, request, CTX_SPAN_NONE,
			  ctx_summary_hash(1, (const char *)&request, sizeof(request)));
	ctx_prose_init(&p, text);
	if (d->chat && !last)
		p.max = CHAT_SENTENCE;
	while (ctx_prose_next(&p, &s)) {
		if (d->chat && !last && !d->keep_all &&
		    ctx_doc_weigh(d, s, piece) <= CTX_DOC_EMPTY) {
			p.gap = added = true;
			continue;
		}
		if (is_greeting(s))
			continue;
		if (d->chat && !d->talk && !last)
			s = drop_empty_clause(d, s, piece);
		base = only_identifies(d, s) ? THANKS
		       : last                ? LAST_REQUEST
		       : is_thanks(s)        ? THANKS
		       : request == 1        ? FIRST_REQUEST
					     : REQUEST * weigh_request(d, s, piece);
		added = true;
		if (first ? is_rule(d, s) : has_cue(d, s)) {
			uint64_t key = ctx_summary_hash(71 + request, s.p, s.n);
			uint32_t g = ctx_doc_group(
			    d, CTX_DOC_DECISIONS, request, CTX_SPAN_NONE, key);
			ctx_doc_item(
			    d, g, s, key, decisions++ < 2 ? DECISION : DECISION * share);
			p.gap = true;
			continue;
		}
		item = ctx_doc_item(
		    d, group, s, 0, ctx_summary_asks(s) ? base : base * share);
		share *= d->talk ? 1 : d->chat ? CHAT_REST : REQUEST_REST;
		/* the first sentences of a long request say what the user wants */
		d->items[item].share = d->chat || share > REQUEST_FACTS ? 1
									: REQUEST_FACTS;
		d->items[item].gap = p.gap;
		p.gap = first = false;
	}
	/* the request is only code */
	ctx_summary_sentences_init(&p.it, text);
	if (!added && ctx_summary_sentences_next(&p.it, &s))
		ctx_doc_item(d, group, s, 0, REQUEST);
	ctx_prose_release(&p);
}

/* What follows an answer: nothing or the last calls, the user, or calls or further
 * text. */
enum following { ENDS, USER_FOLLOWS, WORK_FOLLOWS };

static enum following
find_following_role(const struct ctx_doc *d, uint32_t i)
{
	bool calls = false;

	for (i++; i < d->in->n; i++) {
		if (is_users(d, i))
			return calls ? WORK_FOLLOWS : USER_FOLLOWS;
		calls |= d->in->v[i].kind == CTX_PIECE_CALL;
		if (d->in->v[i].role == CTX_ROLE_ASSISTANT &&
		    d->in->v[i].kind == CTX_PIECE_TEXT)
			return WORK_FOLLOWS;
	}
	return ENDS;
}

/* True for one or two words, such as the name of a file above its contents. */
static bool
is_label(struct ctx_span s)
{
	return ctx_span_count(s, ' ') < 2 && (unsigned char)s.p[0] < 0x80;
}

/* True for text that shows how something could be said: placeholders, "For example", and
 * parts of quotations. *letter is true inside of a letter. */
static bool
is_sample(struct ctx_span s, bool heading, bool *letter)
{
	const char *bracket = memchr(s.p, '[', s.n);

	*letter &= !heading;
	if (ctx_span_begins_any(s,
		"Best regards|Sincerely|Warm regards|Kind regards|Best,|"
		"Mit freundlichen|Atentamente") > 0) {
		*letter = false;
		return true;
	}
	*letter |= ctx_span_begins_any(s,
		       "Dear |Subject:|Hi [|Hello [|Betreff:|Sehr geehrte|Asunto:|"
		       "Estimad") > 0;
	return *letter || ctx_span_count(s, '"') % 2 != 0 ||
	       ctx_span_begins_any(
		   s, "For example|For instance|Example|Zum Beispiel|Por ejemplo|例如") >
		   0 ||
	       (bracket != NULL && bracket + 2 < s.p + s.n && ctx_is_upper(bracket[1]));
}

/* Returns the worth of an answer's sentences. An answer after work tells the outcome, and
 * a remark after a failure tells what was wrong. */
static float
worth_of_answer(const struct ctx_doc *d, enum following next)
{
	return d->talk                            ? REQUEST
	       : next == ENDS                     ? LAST_CONCLUSION
	       : next == USER_FOLLOWS && d->tools ? WORKED
	       : next == USER_FOLLOWS             ? CONCLUSION
	       : d->failed                        ? FINDING
						  : REMARK;
}

/* Joins a sentence that ends with a colon to the first item of the list that follows:
 * keeps the sentence, and puts it before this item. Returns the sentence to add, which is
 * empty if it is kept. The sentence before a list of records is dropped. */
static struct ctx_span
join_list_lead(
    struct ctx_buf *lead, const struct ctx_prose *p, struct ctx_span s, bool repeats)
{
	bool held = lead->n > 0 && p->line.item && !repeats;

	if (held) {
		ctx_buf_addc(lead, ' ');
		ctx_buf_addspan(lead, s);
		return ctx_buf_span(lead);
	}
	ctx_buf_reset(lead);
	if (p->entries && !p->line.item && s.p[s.n - 1] == ':') {
		ctx_buf_addspan(lead, s);
		s.n = 0;
	}
	return s;
}

/* True for a sentence of an answer that is left out: a question, an offer, a heading, an
 * announcement of the next call, or a remark that names nothing. */
static bool
says_nothing(
    struct ctx_doc *d, const struct ctx_prose *p, struct ctx_span s, enum following next)
{
	return ctx_summary_asks(s) || (p->line.nested && (next != ENDS || d->chat)) ||
	       s.n < REMARK_MIN || find_courtesies(s) != 0 ||
	       (next != USER_FOLLOWS && is_announcement(s)) ||
	       (p->line.heading && !(d->tools && ctx_span_has_digit(s))) ||
	       (!d->tools && is_label(s)) ||
	       (next == WORK_FOLLOWS && !d->failed && !ctx_doc_names(d, s, false, 0));
}

static void
add_answer(struct ctx_doc *d, uint32_t piece, enum following next)
{
	struct ctx_prose p;
	uint32_t request = d->requests;
	float base = worth_of_answer(d, next);
	bool asks = next == ENDS, chat = !d->tools && d->texts >= LONG,
	     advice = (next == USER_FOLLOWS || d->chat) && !d->tools && !d->talk;
	struct ctx_span text = ctx_doc_take_date(d, ctx_summary_piece_text(d->in, piece));
	struct ctx_buf question = CTX_BUF_INIT, lead = CTX_BUF_INIT;
	float weight, value;
	unsigned courtesies;
	bool letter = false, first = true, listed = false, repeats;
	const float whole = base;
	uint32_t group = d->talk ? add_line_of_talk(d, piece)
				 : ctx_doc_group(
				       d, CTX_DOC_OUTCOMES, request, CTX_SPAN_NONE, 0);
	struct ctx_span s;
	uint32_t item, conclusion = 0;

	ctx_prose_init(&p, text);
	p.entries = d->tools;
	while (ctx_prose_next(&p, &s)) {
		listed |= p.line.item || p.counted;
		courtesies = find_courtesies(s);
		if (!p.line.item && (ctx_summary_asks(s) || (courtesies & APPEAL) != 0) &&
		    (courtesies & FAREWELL) == 0) {
			ctx_buf_set(&question, s);
		}
		weight = chat ? ctx_doc_weigh(d, s, piece) : 1;
		if (says_nothing(d, &p, s, next) ||
		    (advice && (is_sample(s, p.line.heading, &letter) ||
				   ctx_doc_is_formula(s))) ||
		    (d->chat && !d->keep_all && weight <= CTX_DOC_EMPTY)) {
			p.gap = true;
			continue;
		}
		/* an item of a list that repeats a record which a call looked up */
		repeats = p.line.item && d->tools &&
			  ctx_doc_names(d, s, false, CTX_SAID_NAMED | CTX_SAID_CALL);
		s = join_list_lead(&lead, &p, s, repeats);
		if (s.n == 0)
			continue;
		value = p.line.nested || (p.line.item && advice) ? base * NESTED
			: p.line.item && d->tools                ? base * LISTED
			: !advice && !d->talk && has_cue(d, s)   ? base + SETTLED
								 : base;
		if (first && d->tools && next != WORK_FOLLOWS && !p.counted)
			value *= FIRST_SENTENCE;
		first = false;
		if (advice && d->chat)
			value *= ctx_doc_names(d, s, false, CTX_SAID_USER) ? SPECIFIC
									   : GENERAL;
		item = ctx_doc_item(
		    d, group, s, 0, weight * value * (repeats ? REPEATS : 1));
		ctx_buf_reset(&lead);
		if (advice && ctx_doc_concludes(s))
			d->items[item].base = weight * whole * CONCLUDES;
		if (p.line.item)
			conclusion = 0;
		else if (listed && !p.counted)
			conclusion = item + 1;
		d->items[item].gap = p.gap;
		d->items[item].share = repeats                                   ? REPEATS
				       : p.line.item && d->tools && next != ENDS ? OPTION
				       : advice                                  ? ADVICE
										 : 1;
		p.gap = false;
		base *= p.line.nested || d->talk || (p.line.item && d->tools) ? 1 : LATER;
	}
	if (conclusion > 0 && d->tools && next != WORK_FOLLOWS)
		d->items[conclusion - 1].base = whole * AFTER_LIST;
	if (asks && question.n > 0) {
		group = ctx_doc_group(d, CTX_DOC_OPEN, 0,
		    ctx_span_of(ctx_doc_word(d->language, CTX_WORD_QUESTION)), 0);
		ctx_doc_item(d, group, ctx_buf_span(&question), 0, CTX_DOC_OPEN_WORTH);
	}
	ctx_buf_release(&question);
	ctx_buf_release(&lead);
	ctx_prose_release(&p);
}

void
ctx_doc_build(struct ctx_doc *d)
{
	uint32_t *item_of = ctx_mem_new((d->in->n + 1) * sizeof(*item_of)), last = 0;
	bool *answered = ctx_mem_new((d->in->n + 1) * sizeof(*answered));
	bool asking = false;

	ctx_doc_find_root(d);
	ctx_doc_find_mark(d);
	ctx_doc_find_sought(d);
	d->tools = has_calls(d->in);
	d->chat = !d->tools && d->texts >= LONG;
	d->talk = d->chat && is_talk(d->in);
	for (uint32_t i = 0; i < d->in->n; i++)
		if (is_users(d, i) && !is_thanks(ctx_summary_piece_text(d->in, i)) &&
		    !only_identifies(d, ctx_summary_piece_text(d->in, i)))
			last = i;
	for (uint32_t i = 0; i < d->in->n; i++) {
		const struct ctx_summary_piece *p = &d->in->v[i];
		d->is_last = i >= last;
		if (p->kind == CTX_PIECE_EARLIER ||
		    (p->role == CTX_ROLE_USER &&
			is_continuation(ctx_summary_piece_text(d->in, i)))) {
			ctx_doc_add_earlier(d, ctx_summary_piece_text(d->in, i));
		} else if (p->kind == CTX_PIECE_CALL) {
			ctx_doc_add_call(d, i, item_of);
		} else if (p->kind == CTX_PIECE_RESULT) {
			if (p->call > 0)
				answered[p->call - 1] = true;
			ctx_doc_add_result(d, i, item_of);
		} else if (is_users(d, i)) {
			/* a message with a date begins a new sitting */
			d->requests += !asking ||
				       ctx_summary_piece_text(d->in, i).p[0] == '[';
			d->failed = false;
			add_request_prose(d, i, d->requests, i == last);
			ctx_doc_add_pasted(d, ctx_summary_piece_text(d->in, i), false);
		} else if (p->role == CTX_ROLE_ASSISTANT) {
			add_answer(d, i, find_following_role(d, i));
			ctx_doc_add_pasted(d, ctx_summary_piece_text(d->in, i), true);
		}
		asking = is_users(d, i);
	}
	ctx_doc_add_open(d, item_of, answered, last);
	free(item_of);
	free(answered);
}
