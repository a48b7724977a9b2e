/* Removed words in the index: gone from its pages (store/fulltext_erase.h), or marked as deleted. */
#include "store/fulltext_erase.h"

#include "store/derived.h"
#include "store/rows.h"

#define CUT "fulltext-cut"

int
ctx_fulltext_set_cut(struct ctx_db *db, bool is_cut, struct ctx_err *err)
{
	return ctx_stmt_exec(db,
	    is_cut ? "INSERT OR REPLACE INTO mark (kind, session_no, seq) "
		     "VALUES ('" CUT "', 0, 1)"
		   : "DELETE FROM mark WHERE kind = '" CUT "' AND session_no = 0",
	    err);
}

/* Words that FTS5 has marked as deleted stay in the index until its pages are merged. */
int
ctx_fulltext_scrub(struct ctx_store *st, bool again, struct ctx_err *err)
{
	struct ctx_session none = {.no = 0};
	struct ctx_db *db = ctx_store_derived(st, err);
	int64_t is_cut;
	int rc;

	if (db == NULL || ctx_derived_mark(st, CUT, &none, &is_cut, err) < 0)
		return -1;
	if (is_cut > 0 && !again)
		return 0;
	if (ctx_stmt_exec(db, "PRAGMA secure_delete = ON", err) < 0 ||
	    ctx_db_begin(db, err) < 0)
		return -1;
	rc = ctx_stmt_exec(
	    db, "INSERT INTO fulltext (fulltext) VALUES ('optimize')", err);
	if (rc == 0)
		rc = ctx_fulltext_set_cut(db, true, err);
	if (rc == 0)
		rc = ctx_db_commit(db, err);
	ctx_db_rollback(db);
	/* the log holds pages as they were; who is reading may keep it for now */
	if (rc == 0)
		ctx_db_checkpoint(db);
	return rc;
}
