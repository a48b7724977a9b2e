/* Private to ctx-archive: its state, and the functions that its files share. */
#ifndef CTX_CMD_ARCHIVE_H
#define CTX_CMD_ARCHIVE_H

#include "archive/save.h"
#include "cli.h"

struct archiving;
struct save_group;

/* Called for each archive that is read. uri is the archive's address. s is the archived
 * session; NULL if the archive was not found through a session in the store. */
typedef int source_fn(struct archiving *arc, struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err);
/* Called before the archive of a session is opened. Returns 1 to skip the archive, 0 to
 * open it, -1 on error. */
typedef int kept_fn(struct archiving *arc, const struct ctx_session *s, const char *uri,
    struct ctx_err *err);

/* An archive in DEST: its name, size in bytes, and time of modification in ms since the
 * epoch. */
struct archive_found {
	char *name;
	int64_t size, modified;
};

/* The state of one run of the program. */
struct archiving {
	struct {
		struct cli_list session;
		const char *to, *as, *rewrite, *match;
		int64_t jobs, sample;
		bool cleanup, forget, snapshot, restore, verify, all, list, cat,
		    keep_going, raw, relocate, adopt, remove, dry_run;
	} opt;
	struct ctx_store *store; /* NULL until it is opened */
	struct ctx_places places;
	/* number of sessions or archives that were refused and skipped */
	int64_t refused;
	int64_t unsound; /* number of damaged or missing archives */

	/* for archiving (archive_save.c): */
	struct ctx_mark *marks;
	int64_t archived;
	struct ctx_buf place; /* the destination DEST; empty until DEST is known */
	/* true: an earlier run with the same destination was interrupted, so it may have
	 * left unrecorded archives */
	bool was_cut_off;
	/* true: this run wrote an archive but could not record the archive in the
	 * store */
	bool is_incomplete;
	/* sessions that will be archived together when the group is full; may be NULL */
	struct save_group *group;
	struct cli_jobs *jobs;

	/* for reading and restoring: */
	int64_t sound;
	struct {
		/* database row ids of the sessions that were chosen for --sample */
		int64_t *v;
		size_t n, cap, seen;
		uint64_t random;
	} chosen;
	/* true: use the archives found in DEST, not those recorded in the store */
	bool in_place;
	struct archive_found *found;
	size_t n_found, found_cap;
	/* true: the archives in DEST have been listed in the member "found" */
	bool is_listed;
	/* If not NULL, look only for archives of this session. If NULL, look for the
	 * archives of the sessions of -s or, without -s, for all archives */
	const struct cli_listed *missing;
	/* has_found[i]: an archive of the i-th session of -s was found */
	bool *has_found;
	source_fn *place_fn; /* function to call for each archive in DEST */
	int64_t relocated;
	struct ctx_unarchive *unarchive;
	/* file descriptor that holds the lock of the store into which archives are
	 * restored; -1: no lock is held */
	int restore_lock;
	/* number of archives in DEST that belong to the requested sessions */
	int64_t asked_for;
};

/* open_record and open_session_record begin the record of an action on a session.
 * add_info adds members that describe an archive (info may be NULL). The caller ends the
 * record. */
void open_record(struct archiving *arc, const char *action, const char *session_id);
void open_session_record(
    struct archiving *arc, const char *action, const struct ctx_session *s);
void add_info(const char *uri, const struct ctx_archive_info *info);

/* Reports that a session or archive is refused and skipped; *why is the reason. The run
 * continues. */
int refuse(struct archiving *arc, const struct ctx_err *why);

/* If stderr is a terminal, shows a progress line or, with done = true, removes the
 * line. */
void progress(bool done);

/* Archives sessions (archive_save.c). */
int archive(struct archiving *arc, struct ctx_err *err);

/* Finds archives that an interrupted run wrote to a destination but did not record in the
 * store. Records those that belong to the store's sessions (archive_orphans.c). place:
 * the destination. */
int record_orphans(struct archiving *arc, const char *place, struct ctx_err *err);

/* with_named calls fn for each archive that an operand names, and then for the archive of
 * each session named by -s. If neither operands nor -s are given, the sessions are read
 * from stdin. with_archive_of calls fn for the archive of session s (archive_named.c).
 * The callback kept() (may be NULL) can skip an archive. If fn fails with CTX_EANSWER or
 * CTX_EINPUT, the error is reported, and the next archive follows. */
int with_named(struct archiving *arc, int argc, char **argv, source_fn *fn, kept_fn *kept,
    struct ctx_err *err);
int with_archive_of(struct archiving *arc, const struct ctx_session *s, source_fn *fn,
    kept_fn *kept, struct ctx_err *err);

/* Returns 1 if --tenant is not given or the archive belongs to the tenant of --tenant, 0
 * if the archive belongs to another tenant, -1 on error. The tenant is read from the
 * session record in the archive or, if this record cannot be read, from the archive's
 * name (archive_tenant.c). */
int is_own(struct ctx_source *source, const char *address, struct ctx_err *err);
/* Checks that the archive may be used: fails with CTX_EANSWER if the archive belongs to a
 * tenant other than that of --tenant (see is_own). Returns 0 if it may be used, -1 on
 * error. */
int check_own(struct ctx_source *source, const char *address, struct ctx_err *err);
/* may_be_own returns false if an archive's name shows that the archive belongs to a
 * tenant other than that of --tenant. is_cut_name returns true if the name was shortened;
 * such a name does not show the tenant. */
bool may_be_own(const char *name);
bool is_cut_name(const char *name);

/* Sets arc->in_place to true if archives are looked for in DEST:
 * - if --to is on the command line;
 * - with -s and without operands, if CTX_ARCHIVE sets DEST and there is no store;
 * - with --verify, without -s and without operands, if CTX_ARCHIVE sets DEST and stdin is
 * a terminal or /dev/null. */
int use_place(struct archiving *arc, int argc, struct ctx_err *err);

/* Prints the archives in DEST or, with --tenant, only the archives of this tenant. The
 * tenant is read from the archive's name or, if the name was shortened, from the archive
 * itself (archive_place.c). */
int list_place(struct archiving *arc, struct ctx_err *err);
void release_found(struct archiving *arc);
/* Calls fn for the archives in DEST of the sessions of -s, and reports each of these
 * sessions that has no archive there. Without -s, calls fn for all archives in DEST;
 * fails with CTX_EANSWER if there are none, except with --cat. */
int with_place(struct archiving *arc, source_fn *fn, struct ctx_err *err);
/* Like with_place, but calls fn only for the archives of the session *missing. Returns 1
 * if there was such an archive, 0 if not, -1 on error. */
int with_missing(struct archiving *arc, const struct cli_listed *missing, source_fn *fn,
    struct ctx_err *err);
int relocate(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int adopt(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

/* Restores sessions from archives (archive_restore.c). */
int restore(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

/* verify, list and cat print or check archives without restoring them; remove_archives
 * removes archives (archive_read.c). */
int verify(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int list(struct archiving *arc, struct ctx_err *err);
int cat(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int remove_archives(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

/* Redacts messages in archives (archive_rewrite.c). */
int rewrite_archives(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

#endif
