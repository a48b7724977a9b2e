/* Private to ctx-archive: its state, and the functions that its files share. */
#ifndef CTX_CMD_ARCHIVE_H
#define CTX_CMD_ARCHIVE_H

#include "archive/save.h"
#include "cli.h"

struct archiving;
struct save_group;

/* Called for each archive; s is the session that the archive was found through, or
 * NULL. */
typedef int source_fn(struct archiving *arc, struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err);
/* Called before the archive of a session is opened. Returns 1 to skip opening it, 0 to
 * go on, -1 on error. */
typedef int kept_fn(struct archiving *arc, const struct ctx_session *s, const char *uri,
    struct ctx_err *err);

/* An archive of DEST. */
struct archive_found {
	char *name;
	int64_t size, modified;
};

/* The state of one run. */
struct archiving {
	struct {
		struct cli_list session;
		const char *to, *as, *rewrite, *match;
		int64_t jobs, sample;
		bool cleanup, forget, snapshot, restore, verify, all, list, cat,
		    keep_going, raw, relocate, adopt, remove, dry_run;
	} opt;
	struct ctx_store *store; /* once it is open */
	struct ctx_places places;
	int64_t refused; /* skipped sessions or archives */
	int64_t unsound; /* damaged or missing archives */

	/* archiving (archive_save.c) */
	struct ctx_mark *marks;
	int64_t archived;
	struct ctx_buf place; /* the destination, once known */
	bool was_cut_off;     /* an earlier run with this destination was interrupted */
	/* this run wrote an archive and failed to record it in the store */
	bool is_incomplete;
	struct save_group *group; /* the group being filled, or NULL */
	struct cli_jobs *jobs;

	/* reading and restoring */
	int64_t sound;
	struct {
		int64_t *v; /* numbers of sessions */
		size_t n, cap, seen;
		uint64_t random;
	} chosen;
	bool in_place; /* the archives in DEST are meant */
	struct archive_found *found;
	size_t n_found, found_cap;
	bool is_listed; /* found holds the names of DEST */
	/* the session that is looked for there; NULL: those of -s, or all */
	const struct cli_listed *missing;
	bool *has_found;     /* for each of -s: an archive */
	source_fn *place_fn; /* what is done with each archive */
	int64_t relocated;
	struct ctx_unarchive *unarchive;
	int restore_lock;  /* of the store that is restored into, or -1 */
	int64_t asked_for; /* archives of DEST */
};

/* Starts printing the record of an action; the caller adds members and closes it. */
void open_record(struct archiving *arc, const char *action, const char *session_id);
void open_session_record(
    struct archiving *arc, const char *action, const struct ctx_session *s);
void add_info(const char *uri, const struct ctx_archive_info *info);

/* Reports a session or archive that is skipped, with the reason; the run continues. */
int refuse(struct archiving *arc, const struct ctx_err *why);

/* Shows a progress line on a terminal; done clears it. */
void progress(bool done);

/* Archives sessions (archive_save.c). */
int archive(struct archiving *arc, struct ctx_err *err);

/* Records archives that an interrupted run wrote to the place without recording them
 * (archive_orphans.c). */
int record_orphans(struct archiving *arc, const char *place, struct ctx_err *err);

/* Calls fn for each archive that an operand names or, without operands, for the archives of
 * the sessions that -s or standard input names (archive_named.c); kept may be NULL.
 * Archives that cannot be read are reported, and the others are processed. */
int with_named(struct archiving *arc, int argc, char **argv, source_fn *fn, kept_fn *kept,
    struct ctx_err *err);
int with_archive_of(struct archiving *arc, const struct ctx_session *s, source_fn *fn,
    kept_fn *kept, struct ctx_err *err);

/* Returns 1 if no tenant is set or the archive belongs to the tenant, 0 if not, -1 on
 * error. The tenant is in the session record, or in the name if that cannot be read
 * (archive_tenant.c). */
int is_own(struct ctx_source *source, const char *address, struct ctx_err *err);
/* CTX_EANSWER if the archive belongs to another tenant. */
int check_own(struct ctx_source *source, const char *address, struct ctx_err *err);
/* Tells from the name alone whether the archive may belong to the tenant. True for
 * long names, because they are cut. */
bool may_be_own(const char *name);
bool is_cut_name(const char *name);

/* Decides whether archives are read from DEST: --to names it or, where the store says
 * nothing, CTX_ARCHIVE. */
int use_place(struct archiving *arc, int argc, struct ctx_err *err);

/* Lists the archives in DEST that may belong to the tenant by their names
 * (archive_place.c). */
int list_place(struct archiving *arc, struct ctx_err *err);
void release_found(struct archiving *arc);
/* Calls fn for the archives in DEST of the sessions that are looked for, or for all if none
 * is named. Reports sessions without one; CTX_EANSWER if there is no archive at all. */
int with_place(struct archiving *arc, source_fn *fn, struct ctx_err *err);
/* Does the same for one session, whatever is named. Returns 1, or 0 if there is none. */
int with_missing(struct archiving *arc, const struct cli_listed *missing, source_fn *fn,
    struct ctx_err *err);
int relocate(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int adopt(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

/* Restores sessions from archives (archive_restore.c). */
int restore(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

/* Reads archives in place, or removes them (archive_read.c). */
int verify(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int list(struct archiving *arc, struct ctx_err *err);
int cat(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int remove_archives(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

/* Redacts messages in archives (archive_rewrite.c). */
int rewrite_archives(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

#endif
