/* Searching the store's files leaves the store's locks alone. */
#include "archive/scrub.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "store/derived.h"
#include "store/purge.h"
#include "store_help.h"
#include "test.h"

/* Would another process get the file for itself? SQLite's shared lock is on 510 bytes behind
 * the one at 2^30 + 2 (File Format and locking, sqlite.org). */
static bool
is_locked(const char *path)
{
	struct flock l = {.l_type = F_WRLCK,
	    .l_whence = SEEK_SET,
	    .l_start = (1 << 30) + 2,
	    .l_len = 510};
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(path, O_RDWR);
		_exit(fd < 0 || fcntl(fd, F_GETLK, &l) < 0 ? 2 : l.l_type != F_UNLCK);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void
locks_stay(void)
{
	struct ctx_store *st = store_open();
	struct ctx_scrub s = {.st = st, .needles = ctx_needles_new(), .everywhere = true};
	struct ctx_needle_counts counts;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_session a, b;
	char derived[96];

	snprintf(derived, sizeof(derived), "%s-derived", store_path);
	store_must(ctx_derived_begin(st, &err), &err);
	store_must(ctx_derived_end(st, 0, &err), &err);
	store_must(ctx_store_begin(st, &err), &err);
	store_session(st, &a, "a");
	store_session(st, &b, "b");
	store_say(st, &a, CTX_ROLE_USER, NULL,
	    "a text that is long enough to be searched for, of a", 0);
	store_say(st, &b, CTX_ROLE_USER, NULL,
	    "a text that is long enough to be searched for, of b", 0);
	store_must(ctx_store_session_count(st, &a, 0, &err), &err);
	store_must(ctx_store_session_count(st, &b, 0, &err), &err);
	store_must(ctx_store_commit(st, &err), &err);
	CHECK(is_locked(store_path));
	CHECK(is_locked(derived));
	store_must(ctx_scrub_note(&s, st, &a, &err), &err);
	store_must(ctx_scrub_store(&s, true, false, &counts, &err), &err);
	CHECK(counts.survivors == 0 && counts.shared > 0 && counts.texts == 1);
	CHECK(s.bytes_scanned > 0);
	CHECK(is_locked(store_path));
	CHECK(is_locked(derived));
	/* what searching must not do, and would be found at */
	close(open(store_path, O_RDONLY));
	CHECK(!is_locked(store_path));
	ctx_needles_free(s.needles);
	ctx_session_release(&a);
	ctx_session_release(&b);
	ctx_store_close(st);
	store_remove();
}

int
main(void)
{
	RUN(locks_stay);
	return TEST_END();
}
