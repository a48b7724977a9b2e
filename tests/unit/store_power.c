/* Power cuts at any moment, torn pages included: what was acknowledged is there, nothing is
 * there by half. CTX_TEST_RUNS: how many cuts; CTX_TEST_SEED: which. */
#include "store/purge.h"
#include "store/check.h"

#include "store_help.h"

#include "power.h"
#include "test.h"

#define SESSIONS 3

/* What must be there. A session that was erased begins anew, with other texts. */
struct talk {
	int64_t count; /* acknowledged */
	int epoch;
};
static struct talk talks[SESSIONS];
/* What may be there instead, of the session in the middle of a transaction. */
static struct {
	int session; /* -1: none */
	struct talk after;
} pending;

static long checks, findings, lost;
static bool may_lose; /* synchronous is not full */

static void
text_of(struct ctx_buf *b, int session, int epoch, int64_t seq)
{
	uint64_t x = (uint64_t)seq * 2654435761u + (uint64_t)(session * 7 + epoch * 31);
	int n = (int)(x % 97 == 0 ? 9000 : x % 400);

	ctx_buf_reset(b);
	ctx_buf_addf(b, "%d/%d/%lld %0*llu", session, epoch, (long long)seq, n,
	    (unsigned long long)x);
}

static int
open_store(struct ctx_store **st, enum ctx_sync sync)
{
	struct ctx_store_options o = {
	    .path = store_path, .busy_ms = 0, .sync = sync, .create = true};
	struct ctx_err err = CTX_ERR_INIT;

	o.bulk = random_below(2) == 0;
	return ctx_store_open(st, &o, &err);
}

/* ---- what is done to the store ---- */

static int
find_or_make(
    struct ctx_store *st, int session, struct ctx_session *s, struct ctx_err *err)
{
	char id[8];
	int rc;

	snprintf(id, sizeof(id), "s%d", session);
	ctx_session_init(s);
	rc = ctx_store_session_find(st, id, s, err);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	s->session_id = ctx_mem_str(id);
	s->created_at = s->updated_at = 0;
	return ctx_store_session_create(st, s, err);
}

static int
append_one(struct ctx_store *st, struct ctx_session *s, int session, int epoch,
    struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, json = CTX_BUF_INIT;
	struct ctx_stored m = {
	    .token_count = 1, .tokenizer = "approx", .starts_turn = true};
	int rc;

	text_of(&text, session, epoch, s->last_seq + 1);
	ctx_json_put_open(&json, '{');
	ctx_json_add_str(&json, "role", "user");
	ctx_json_add_str(&json, "content", text.p);
	ctx_json_put_close(&json, '}');
	m.message = ctx_buf_span(&json);
	rc = ctx_store_append(st, s, &m, err);
	ctx_buf_release(&text);
	ctx_buf_release(&json);
	return rc;
}

static int
append(struct ctx_store *st, int session, struct ctx_err *err)
{
	static const uint32_t sizes[] = {2, 2, 2, 30, 400};
	uint32_t n = 1 + random_below(sizes[random_below(5)]);
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_begin(st, err);

	pending.after = talks[session];
	pending.after.count += n;
	if (rc == 0)
		rc = find_or_make(st, session, &s, err);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		rc = append_one(st, &s, session, talks[session].epoch, err);
	if (rc == 0)
		rc = ctx_store_session_count(st, &s, 0, err);
	if (rc == 0)
		rc = ctx_store_commit(st, err);
	ctx_store_rollback(st);
	ctx_session_release(&s);
	return rc;
}

static int
erase(struct ctx_store *st, int session, struct ctx_err *err)
{
	struct ctx_removed removed = {0};
	struct ctx_session s = CTX_SESSION_INIT;
	int64_t bytes;
	int rc = ctx_store_secure(st, err);

	pending.after = (struct talk){0, talks[session].epoch + 1};
	if (rc == 0)
		rc = ctx_store_begin(st, err);
	if (rc == 0)
		rc = find_or_make(st, session, &s, err);
	if (rc == 0)
		rc = ctx_store_erase(st, &s.no, 1, &removed, err);
	if (rc == 0)
		rc = ctx_store_forget(st, &s.no, 1, err);
	if (rc == 0)
		rc = ctx_store_commit(st, err);
	ctx_store_rollback(st);
	ctx_session_release(&s);
	if (rc == 0) { /* that far it is acknowledged */
		talks[session] = pending.after;
		rc = ctx_store_reclaim(st, &bytes, err);
	}
	return rc;
}

/* One change; what was acknowledged is remembered. */
static int
change(struct ctx_store *st)
{
	struct ctx_err err = CTX_ERR_INIT;
	uint32_t what = random_below(40);
	int rc;

	pending.session = (int)random_below(SESSIONS);
	if (what == 0)
		return ctx_store_rewrite(st, &err);
	rc = what < 4 ? erase(st, pending.session, &err)
		      : append(st, pending.session, &err);
	if (rc == 0) {
		talks[pending.session] = pending.after;
		pending.session = -1;
	}
	return rc;
}

/* ---- what is there afterwards ---- */

static int
finding(void *arg, const struct ctx_finding *f, struct ctx_err *err)
{
	(void)arg;
	(void)err;
	findings++;
	if (!may_lose || findings == 0)
		printf("# %s: %s\n", f->check, f->message);
	return 0;
}

struct reading {
	int session, epoch;
	int64_t n;
	bool wrong;
};

static int
read_one(void *arg, const struct ctx_stored *m, struct ctx_err *err)
{
	struct reading *r = arg;
	struct ctx_buf want = CTX_BUF_INIT, got = CTX_BUF_INIT;

	(void)err;
	text_of(&want, r->session, r->epoch, ++r->n);
	ctx_json_decode(ctx_json_get(m->message, "content"), &got);
	if (m->seq != r->n || got.p == NULL || strcmp(got.p, want.p) != 0)
		r->wrong = true;
	ctx_buf_release(&want);
	ctx_buf_release(&got);
	return 0;
}

/* Does the session hold exactly that? */
static bool
holds(struct ctx_store *st, int session, const struct ctx_session *s, struct talk want)
{
	struct reading r = {.session = session, .epoch = want.epoch};
	struct ctx_err err = CTX_ERR_INIT;

	if (s->no == 0)
		return want.count == 0;
	return s->last_seq == want.count &&
	       ctx_store_messages(st, s, 1, CTX_SEQ_MAX, read_one, &r, &err) == 0 &&
	       !r.wrong && r.n == want.count;
}

static void
check_session(struct ctx_store *st, int session)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_session s;
	char id[8];
	int rc;

	snprintf(id, sizeof(id), "s%d", session);
	ctx_session_init(&s);
	rc = ctx_store_session_find(st, id, &s, &err);
	if (rc < 0)
		findings++;
	else if (!holds(st, session, &s, talks[session])) {
		if (pending.session == session && holds(st, session, &s, pending.after))
			talks[session] = pending.after;
		else if (++lost == 1 && !may_lose)
			printf("# session %d: %lld messages, not %lld\n", session,
			    (long long)s.last_seq, (long long)talks[session].count);
	}
	if (s.no != 0)
		ctx_check_session(st, s.no, finding, NULL, &err);
	ctx_session_release(&s);
}

static void
check_store(enum ctx_sync sync)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_store *st;

	checks++;
	if (open_store(&st, sync) < 0 ||
	    ctx_check_integrity(st, finding, NULL, &err) < 0 ||
	    ctx_check_strays(st, finding, NULL, &err) < 0) {
		findings++;
		if (!may_lose)
			printf("# the store does not open\n");
	}
	for (int i = 0; st != NULL && i < SESSIONS; i++)
		check_session(st, i);
	ctx_store_close(st);
	pending.session = -1;
}

/* ---- rounds ---- */

static void
remove_store(void)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	char path[128];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", store_path, ends[i]);
		unlink(path);
	}
	memset(talks, 0, sizeof(talks));
	pending.session = -1;
}

static void
one_cut(enum ctx_sync sync)
{
	static const uint32_t spans[] = {10, 60, 400, 3000};
	struct ctx_store *st;
	int rc;

	power.cut_at = 1 + random_below(spans[random_below(4)]);
	rc = open_store(&st, sync);
	while (rc == 0 && !power.off) {
		rc = change(st);
		if (rc == 0 && random_below(8) == 0) {
			ctx_store_close(st);
			rc = open_store(&st, sync);
		}
	}
	ctx_store_close(st);
	power_restore(store_path);
	check_store(sync);
	power_restore(store_path); /* and what the check has written stays */
}

static long
runs(long otherwise)
{
	const char *env = getenv("CTX_TEST_RUNS");

	return env != NULL && atol(env) > 0 ? atol(env) : otherwise;
}

static void
cuts(enum ctx_sync sync, long n)
{
	checks = findings = lost = 0;
	for (long i = 0; i < n; i++) {
		/* a store begins empty, and lives through some cuts */
		if (i % 20 == 0)
			remove_store();
		one_cut(sync);
		if (!may_lose && (findings > 0 || lost > 0)) {
			printf("# at cut %ld\n", i);
			break;
		}
		if (findings > 0 || lost > 0)
			remove_store();
	}
	remove_store();
}

static void
a_power_cut_loses_nothing_that_was_acknowledged(void)
{
	may_lose = false;
	cuts(CTX_SYNC_FULL, runs(150));
	CHECK_INT(lost, 0);
	CHECK_INT(findings, 0);
	CHECK(power.dropped > 0 && power.kept > 0);
	printf("# %ld cuts, %ld sectors lost, %ld there by chance\n", checks,
	    power.dropped, power.kept);
}

/* with the mode that promises less the file must be sound all the same */
static void
a_power_cut_damages_nothing_in_normal_mode(void)
{
	may_lose = true;
	cuts(CTX_SYNC_NORMAL, runs(150));
	CHECK_INT(findings, 0);
}

/* Of a store that was being made: emptying its log must not leave it without one. */
static void
a_store_whose_making_was_cut_off_keeps_its_log(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_store *st;
	long plain = 0, n = 3 * runs(150);
	FILE *f;

	for (long i = 0; i < n; i++) {
		remove_store();
		power.cut_at = 1 + random_below(20); /* until there is a log */
		open_store(&st, CTX_SYNC_FULL);
		ctx_store_close(st);
		power_restore(store_path);
		CHECK_INT(open_store(&st, CTX_SYNC_FULL), 0);
		for (int k = 0; k < 4; k++)
			CHECK_INT(append(st, 0, &err), 0);
		ctx_store_close(st); /* which empties a log of this size */
		power_restore(store_path);
		/* https://sqlite.org/fileformat2.html: 2 is with a write-ahead log */
		f = fopen(store_path, "rb");
		CHECK(f != NULL && fseek(f, 18, SEEK_SET) == 0);
		plain += f == NULL || fgetc(f) != 2;
		fclose(f);
	}
	remove_store();
	CHECK_INT(plain, 0);
}

/* else the test would test nothing */
static void
without_syncing_the_disk_does_lose(void)
{
	may_lose = true;
	cuts(CTX_SYNC_OFF, 60);
	CHECK(lost + findings > 0);
}

int
main(void)
{
	const char *seed = getenv("CTX_TEST_SEED");

	if (seed != NULL)
		random_state = (uint64_t)strtoull(seed, NULL, 10);
	printf("# seed %llu\n", (unsigned long long)random_state);
	if (mkdtemp(store_dir) == NULL)
		return 1;
	snprintf(store_path, sizeof(store_path), "%s/ctx.db", store_dir);
	power_install();
	RUN(a_power_cut_loses_nothing_that_was_acknowledged);
	RUN(a_power_cut_damages_nothing_in_normal_mode);
	RUN(a_store_whose_making_was_cut_off_keeps_its_log);
	RUN(without_syncing_the_disk_does_lose);
	store_remove();
	return TEST_END();
}
