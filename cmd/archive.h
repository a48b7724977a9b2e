/* Inside of ctx-archive: its state, and what the parts of the program do. */
#ifndef CTX_CMD_ARCHIVE_H
#define CTX_CMD_ARCHIVE_H

#include "archive/save.h"
#include "cli.h"

struct archiving;
struct save_group;

/* Called for an archive; the session is the one that told of it, or NULL. */
typedef int source_fn(struct archiving *arc, struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err);
/* Called before the archive of a session is opened: 1 when it need not be, 0, -1. */
typedef int kept_fn(struct archiving *arc, const struct ctx_session *s, const char *uri,
    struct ctx_err *err);

/* An archive of DEST. */
struct archive_found {
	char *name;
	int64_t size, modified;
};

/* What one run of the program works with. */
struct archiving {
	struct {
		struct cli_list session;
		const char *to, *as;
		int64_t jobs, sample;
		bool cleanup, forget, snapshot, restore, verify, all, list, cat,
		    keep_going, raw, relocate, adopt, remove, dry_run;
	} opt;
	struct ctx_store *store; /* once it is open */
	struct ctx_places places;
	int64_t refused; /* skipped sessions or archives */
	int64_t unsound; /* archives that are damaged or missing */

	/* archiving (archive_save.c) */
	struct ctx_mark *marks;
	int64_t archived;
	struct ctx_buf place;     /* that is written to, once it is */
	bool was_cut_off;         /* an earlier run was, in that place */
	bool is_incomplete;       /* this run leaves a file that is not recorded */
	struct save_group *group; /* that is being filled; or NULL */
	struct cli_jobs *jobs;

	/* reading and restoring */
	int64_t sound;
	struct {
		int64_t *v; /* numbers of sessions */
		size_t n, cap, seen;
		uint64_t random;
	} chosen;
	struct archive_found *found;
	size_t n_found, found_cap;
	int64_t relocated;
	struct ctx_unarchive *unarchive;
	int64_t asked_for; /* archives of DEST */
};

/* A record of what was done, to add to and to close. */
void open_record(struct archiving *arc, const char *action, const char *session_id);
void add_info(const char *uri, const struct ctx_archive_info *info);

/* Left alone, and why; the rest goes on. */
int refuse(struct archiving *arc, const struct ctx_err *why);

/* A progress line, for people who look at a terminal; done wipes it. */
void progress(bool done);

/* Sessions into archives (archive_save.c). */
int archive(struct archiving *arc, struct ctx_err *err);

/* An earlier run was cut off in the place: record what it wrote without a record
 * (archive_orphans.c). */
int record_orphans(struct archiving *arc, const char *place, struct ctx_err *err);

/* fn for all archives that are named, by operands, else by sessions (archive_named.c); kept
 * may be NULL. What cannot be had is refused, and the others go on. */
int with_named(struct archiving *arc, int argc, char **argv, source_fn *fn, kept_fn *kept,
    struct ctx_err *err);
int with_archive_of(struct archiving *arc, const struct ctx_session *s, source_fn *fn,
    kept_fn *kept, struct ctx_err *err);

/* Whose an archive is, by its session's record, or by its name where that cannot be read:
 * 1 when no tenant is set, or it is the tenant's; 0; -1 (archive_tenant.c). */
int is_own(struct ctx_source *source, const char *address, struct ctx_err *err);
/* CTX_EANSWER when it is not. */
int check_own(struct ctx_source *source, const char *address, struct ctx_err *err);
/* By its name in a place alone: long ones are cut, and tell of nothing. */
bool may_be_own(const char *name);
bool is_cut_name(const char *name);

/* All that is in DEST, and the tenant's by name (archive_place.c). */
typedef int found_fn(struct archiving *arc, struct ctx_source *source,
    const char *address, const struct archive_found *found, struct ctx_err *err);
int each_found(struct archiving *arc, found_fn *fn, struct ctx_err *err);
int list_place(struct archiving *arc, struct ctx_err *err);
/* Is it the archive of a session that -s names, or is none named? Returns 1, 0 or -1. */
int is_asked_for(struct archiving *arc, struct ctx_source *source,
    const struct archive_found *found, struct ctx_err *err);
int relocate(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int adopt(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

/* Sessions out of archives (archive_restore.c). */
int restore(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

/* What is done with archives that stay where they are, or go (archive_read.c). */
int verify(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int list(struct archiving *arc, struct ctx_err *err);
int cat(struct archiving *arc, int argc, char **argv, struct ctx_err *err);
int remove_archives(struct archiving *arc, int argc, char **argv, struct ctx_err *err);

#endif
