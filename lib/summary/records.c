/* Records in the JSON that tools return: "reservation JG7FMM: origin MCO, …". A record is
 * an object with a member that names it. However often it is returned, it is printed on
 * one line, with the newest value of each member. */
#include "summary/doc.h"

#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define VALUE_MAX 120
#define RECORD 0.04f /* worth of a member that nothing else mentions */
#define TELLING_MEMBER 0.25f
#define MEMBER_TOKENS 6
#define PERSONAL 0.3f /* share of the facts that counts in addresses and the like */
#define FLAT_MAX 6    /* members of an object that is printed as one item */
#define PART_MIN 3    /* printed members from which such an object has its own line */
#define DEPTH_MAX 12

/* Returns the length of the noun in a key that names a thing ("reservation_id":
 * reservation), or SIZE_MAX if the key does not. */
static size_t
noun_of(struct ctx_span key)
{
	size_t n;

	if (ctx_span_is_any(key, "id|uuid|name|key|number"))
		return 0;
	n = ctx_span_ends_any(key, "_id|_number|_no|_key|Id");
	return n > 0 ? key.n - n : SIZE_MAX;
}

/* True for members about the record itself, not about the thing. */
static bool
is_housekeeping(struct ctx_span key)
{
	return ctx_span_is_any(key,
	    "updated|updated_at|updatedAt|modified_at|modifiedAt|last_modified|timestamp|"
	    "etag|checksum|version");
}

/* True if one of the words of the key is in the list. */
static bool
has_key_word(struct ctx_span key, const char *list)
{
	for (size_t from = 0, i = 0; i <= key.n; i++) {
		if (i < key.n && key.p[i] != '_' && key.p[i] != ' ' && key.p[i] != '-')
			continue;
		if (ctx_span_is_any((struct ctx_span){key.p + from, i - from}, list))
			return true;
		from = i + 1;
	}
	return false;
}

/* True for members that tell what was booked, bought or found, and at what price. */
static bool
is_telling_key(struct ctx_span key)
{
	return has_key_word(key,
	    "name|cabin|status|state|amount|price|prices|total|balance|cost|time|date|brand|"
	    "membership|insurance|passenger|passengers|flight|payment|item|quantity|created|"
	    "title|due|error|reason");
}

/* True for members that identify a person or an account, and are seldom asked for. */
static bool
is_personal_key(struct ctx_span key)
{
	return has_key_word(key,
	    "address|address1|address2|street|zip|postcode|country|province|email|phone|"
	    "seat|seats");
}

/* Appends a key as words: "payment_history" becomes "payment history". If singular is
 * true, a plural s is removed. */
static void
put_record_key(struct ctx_buf *b, struct ctx_span key, bool singular)
{
	size_t from = b->n;

	ctx_doc_add_line(b, key);
	for (size_t i = from; i < b->n; i++)
		if (b->p[i] == '_')
			b->p[i] = ' ';
	/* "user id mia_1" says no more than "user mia_1" */
	if (b->n - from > 3 && memcmp(b->p + b->n - 3, " id", 3) == 0)
		b->n -= 3;
	if (singular && b->n - from > 3 && b->p[b->n - 1] == 's' && b->p[b->n - 2] != 's')
		b->n--;
}

/* True for an id that begins with the kind of the thing, such as gift_card_7480005. */
static bool
names_its_kind(struct ctx_span id)
{
	size_t n = 0;

	while (n < id.n && (ctx_is_lower(id.p[n]) || id.p[n] == '_'))
		n++;
	return n >= 4 && n < id.n && id.p[n - 1] == '_' &&
	       ctx_span_digits(ctx_span_from(id, n)) == id.n - n;
}

/* Appends the noun for a member of parent, without a key that equals the value, as in
 * {"payments": {"p_1": {"id": "p_1"}}}. An id that names its kind needs no noun. */
static void
put_parent_noun(struct ctx_buf *b, struct ctx_span parent, struct ctx_span value)
{
	if (names_its_kind(value))
		return;
	if (ctx_span_ends(parent, value.p) && parent.n > value.n)
		parent.n -= value.n;
	put_record_key(b, ctx_span_trim(parent), true);
}

/* Appends the title of an object, from its first member that names a thing. Returns false
 * if there is none. */
static bool
put_record_title(struct ctx_buf *b, struct ctx_span object, struct ctx_span parent)
{
	struct ctx_buf key = CTX_BUF_INIT, value = CTX_BUF_INIT;
	struct ctx_span k;
	size_t noun;
	bool done = false;

	CTX_JSON_EACH_WHILE(!done && it.object, it, object) {
		k = ctx_json_text(it.key, &key);
		noun = noun_of(k);
		if (noun == SIZE_MAX || (ctx_json_type(it.value) != CTX_JSON_STRING &&
					    ctx_json_type(it.value) != CTX_JSON_NUMBER))
			continue;
		ctx_buf_reset(&value);
		ctx_doc_add_value(&value, it.value, 60);
		if (value.n == 0)
			continue;
		if (noun > 0)
			put_record_key(b, (struct ctx_span){k.p, noun}, false);
		else
			put_parent_noun(b, parent, ctx_buf_span(&value));
		ctx_buf_adds(b, b->n > 0 ? " " : "");
		ctx_buf_addspan(b, ctx_buf_span(&value));
		done = true;
	}
	ctx_buf_release(&key);
	ctx_buf_release(&value);
	return done;
}

static void add_record_members(struct ctx_doc *d, uint32_t group, struct ctx_span path,
    struct ctx_span json, int depth);

static bool
is_container_value(struct ctx_span v)
{
	return ctx_json_type(v) == CTX_JSON_ARRAY || ctx_json_type(v) == CTX_JSON_OBJECT;
}

static bool
holds_containers(struct ctx_span v)
{
	CTX_JSON_EACH(it, v)
		if (is_container_value(it.value))
			return true;
	return false;
}

/* Adds an item about the member at path. Returns its index. */
static uint32_t
put_member(struct ctx_doc *d, uint32_t group, struct ctx_span path, struct ctx_span text,
    uint64_t key)
{
	bool personal = is_personal_key(path);
	bool telling = is_telling_key(path) && !personal &&
		       !ctx_span_ends(text, " available");
	uint32_t item = ctx_doc_item(
	    d, group, text, key, telling ? TELLING_MEMBER : RECORD);

	d->items[item].share = personal ? PERSONAL : 1;
	return item;
}

/* Members that name the two ends of a way: "origin": "MCO", "destination": "CLT". */
static const char *const ways[][2] = {
    {"origin", "destination"}, {"from", "to"}, {"source", "target"}, {"start", "end"}};

/* If the member begins a way, appends "MCO → CLT" and returns true. *end is true for a
 * member that ends a way. */
static bool
put_way(struct ctx_buf *b, struct ctx_span object, struct ctx_span key, bool *end)
{
	struct ctx_buf far = CTX_BUF_INIT;
	size_t from = b->n;

	*end = false;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct ctx_span a = ctx_json_get(object, ways[i][0]),
				z = ctx_json_get(object, ways[i][1]);
		bool first = ctx_span_is(key, ways[i][0]);
		if ((!first && !ctx_span_is(key, ways[i][1])) ||
		    ctx_json_type(a) != CTX_JSON_STRING ||
		    ctx_json_type(z) != CTX_JSON_STRING)
			continue;
		ctx_doc_add_value(b, a, 60);
		ctx_doc_add_value(&far, z, 60);
		if (first && b->n > from && far.n > 0) {
			ctx_buf_adds(b, " → ");
			ctx_buf_addspan(b, ctx_buf_span(&far));
			ctx_buf_release(&far);
			return true;
		}
		*end = !first && b->n > from && far.n > 0;
		b->n = from;
		ctx_buf_reset(&far);
	}
	ctx_buf_release(&far);
	return false;
}

/* True for a value that tells what it is without its key: a date with the key "date", or
 * words that are joined by underscores, such as round_trip. */
static bool
is_plain_value(struct ctx_span key, struct ctx_span value)
{
	bool joined = false;

	if (ctx_span_is(key, "brand"))
		return true;
	if (ctx_span_is(key, "date"))
		return value.n == 10 && value.p[4] == '-' && value.p[7] == '-';
	for (size_t i = 0; i < value.n; i++) {
		if (!ctx_is_lower(value.p[i]) && value.p[i] != '_')
			return false;
		joined |= value.p[i] == '_' && i > 0 && i + 1 < value.n;
	}
	return joined;
}

static void
add_member(struct ctx_doc *d, uint32_t group, struct ctx_span path, struct ctx_span value)
{
	struct ctx_buf line = CTX_BUF_INIT, put = CTX_BUF_INIT;

	ctx_doc_add_value(&put, value, VALUE_MAX);
	if (put.n > 0 && !ctx_span_is(ctx_buf_span(&put), "null")) {
		if (!is_plain_value(path, ctx_buf_span(&put)))
			ctx_buf_addspan(&line, path);
		ctx_buf_adds(&line, line.n > 0 ? " " : "");
		ctx_buf_addspan(&line, ctx_buf_span(&put));
		put_member(d, group, path, ctx_buf_span(&line),
		    ctx_summary_hash(19, path.p, path.n));
	}
	ctx_buf_release(&line);
	ctx_buf_release(&put);
}

static bool
is_flat(struct ctx_span object)
{
	size_t n = 0;

	CTX_JSON_EACH_WHILE(it.object, it, object) {
		if (is_container_value(it.value))
			return false;
		n++;
	}
	return n > 0 && n <= FLAT_MAX;
}

/* True for a value whose key adds nothing: the parts of a name or of an address. */
static bool
explains_itself(struct ctx_span key)
{
	return ctx_span_ends(key, "name") || is_personal_key(key) ||
	       ctx_span_is(key, "city");
}

/* Appends the members of a flat object that title does not contain, those with their keys
 * in brackets. Returns true if they contain a name. *n is the number of members in
 * brackets. */
static bool
put_flat_members(
    struct ctx_buf *b, struct ctx_span object, struct ctx_span title, size_t *n)
{
	struct ctx_buf key = CTX_BUF_INIT, one = CTX_BUF_INIT, rest = CTX_BUF_INIT;
	struct ctx_span k;
	bool named = false, way, end;

	CTX_JSON_EACH(it, object) {
		k = ctx_json_text(it.key, &key);
		ctx_buf_reset(&one);
		way = put_way(&one, object, k, &end);
		if (!way && !end)
			ctx_doc_add_value(&one, it.value, 60);
		if (one.n == 0 || is_housekeeping(k) ||
		    ctx_span_is(ctx_buf_span(&one), "null") ||
		    ctx_summary_contains(title, ctx_buf_span(&one)) ||
		    (title.n > one.n && ctx_span_ends(k, "source")))
			continue;
		if (title.n == 0 && explains_itself(k) && !ctx_span_is(k, "dob")) {
			ctx_buf_adds(b, " ");
			ctx_buf_addspan(b, ctx_buf_span(&one));
			named |= ctx_span_ends(k, "name");
			continue;
		}
		ctx_buf_adds(&rest, (*n)++ > 0 ? ", " : "");
		if (!way && !is_plain_value(k, ctx_buf_span(&one))) {
			put_record_key(&rest, k, false);
			ctx_buf_addc(&rest, ' ');
		}
		ctx_buf_addspan(&rest, ctx_buf_span(&one));
	}
	if (rest.n > 0) {
		ctx_buf_adds(b, " (");
		ctx_buf_addspan(b, ctx_buf_span(&rest));
		ctx_buf_addc(b, ')');
	}
	ctx_buf_release(&key);
	ctx_buf_release(&one);
	ctx_buf_release(&rest);
	return named;
}

/* Prints a small object on the same line as the object that contains it, such as "flight
 * HAT1 (origin MSP, price 100)" or "passenger Mia Li". */
static void
add_flat(struct ctx_doc *d, uint32_t group, struct ctx_span path, struct ctx_span title,
    struct ctx_span object, uint64_t place)
{
	struct ctx_buf line = CTX_BUF_INIT;
	struct ctx_doc_item *it;
	bool named = title.n > 0;
	size_t members = 0;
	uint32_t item;

	if (title.n > 0)
		ctx_buf_addspan(&line, title);
	else
		put_record_key(&line, path, true);
	named |= put_flat_members(&line, object, title, &members);
	item = put_member(d, group, path, ctx_buf_span(&line),
	    ctx_summary_hash(31 + place, path.p, path.n));
	it = &d->items[item];
	it->whole = named;
	it->part = title.n > 0 && members >= PART_MIN;
	/* A flight or a passenger should not be left out because its text is long. */
	if (named && it->tokens > MEMBER_TOKENS)
		it->base *= (float)it->tokens / (float)MEMBER_TOKENS;
	else if (it->tokens > MEMBER_TOKENS * 2)
		it->base *= 2;
	ctx_buf_release(&line);
}

/* Adds a value. An object with a title gets a line of its own; otherwise its members are
 * added to the line of the object around it. */
static void
add_record_value(struct ctx_doc *d, uint32_t group, struct ctx_span path,
    struct ctx_span value, uint64_t place, int depth)
{
	struct ctx_buf title = CTX_BUF_INIT;

	if (depth > DEPTH_MAX)
		return;
	if (!is_container_value(value) ||
	    (ctx_json_type(value) == CTX_JSON_ARRAY && !holds_containers(value))) {
		if (group != UINT32_MAX)
			add_member(d, group, path, value);
	} else if (ctx_json_type(value) == CTX_JSON_ARRAY) {
		CTX_JSON_EACH(it, value)
			add_record_value(d, group, path, it.value, place++, depth + 1);
	} else if (put_record_title(&title, value, path),
	    group != UINT32_MAX && is_flat(value)) {
		add_flat(d, group, path, ctx_buf_span(&title), value, place);
	} else if (title.n > 0) {
		if (group != UINT32_MAX)
			ctx_doc_item(d, group, ctx_buf_span(&title),
			    ctx_summary_hash(31 + place, path.p, path.n), RECORD);
		add_record_members(d, ctx_doc_subject(d, ctx_buf_span(&title)),
		    CTX_SPAN_NONE, value, depth + 1);
	} else if (group != UINT32_MAX) {
		add_record_members(d, group, path, value, depth + 1);
	}
	ctx_buf_release(&title);
}

static void
add_record_members(struct ctx_doc *d, uint32_t group, struct ctx_span path,
    struct ctx_span json, int depth)
{
	struct ctx_buf line = CTX_BUF_INIT, tmp = CTX_BUF_INIT, title = CTX_BUF_INIT;
	bool end;

	put_record_title(&title, json, path);
	CTX_JSON_EACH(it, json) {
		if (is_housekeeping(ctx_json_text(it.key, &tmp)))
			continue;
		ctx_buf_reset(&line);
		if (group != UINT32_MAX &&
		    put_way(&line, json, ctx_json_text(it.key, &tmp), &end)) {
			put_member(d, group, path, ctx_buf_span(&line),
			    ctx_summary_hash(37, path.p, path.n));
			continue;
		}
		if (group != UINT32_MAX && end)
			continue;
		ctx_buf_reset(&line);
		ctx_buf_addspan(&line, path);
		ctx_buf_adds(&line, path.n > 0 ? " " : "");
		/* a key with a digit is a name, not a word */
		if (ctx_span_has_digit(ctx_json_text(it.key, &tmp)))
			ctx_doc_add_line(&line, ctx_json_text(it.key, &tmp));
		else
			put_record_key(&line, ctx_json_text(it.key, &tmp), false);
		/* the title already contains the value */
		ctx_buf_reset(&tmp);
		ctx_doc_add_value(&tmp, it.value, 60);
		if (tmp.n > 0 && ctx_span_ends(ctx_buf_span(&title), tmp.p))
			continue;
		add_record_value(d, group, ctx_buf_span(&line), it.value, 0, depth);
	}
	ctx_buf_release(&line);
	ctx_buf_release(&tmp);
	ctx_buf_release(&title);
}

void
ctx_doc_add_records(
    struct ctx_doc *d, struct ctx_span json, struct ctx_span name, struct ctx_span args)
{
	struct ctx_buf title = CTX_BUF_INIT;
	uint32_t group;

	if (ctx_json_type(json) == CTX_JSON_ARRAY) {
		add_record_value(d, UINT32_MAX, CTX_SPAN_NONE, json, 0, 0);
		return;
	}
	/* If the result has no title, an argument such as "user_id" tells what the result
	 * is about. */
	if (!put_record_title(&title, json, CTX_SPAN_NONE) &&
	    !put_record_title(&title, args, CTX_SPAN_NONE))
		ctx_doc_add_line(&title, name);
	group = ctx_doc_subject(d, ctx_buf_span(&title));
	add_record_members(d, group, CTX_SPAN_NONE, json, 0);
	ctx_buf_release(&title);
}
