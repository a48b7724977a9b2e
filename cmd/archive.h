/* Inside of ctx-archive: options, what is open, and what the parts of the program do. */
#ifndef CTX_CMD_ARCHIVE_H
#define CTX_CMD_ARCHIVE_H

#include "archive/save.h"
#include "cli.h"

extern struct archive_options {
	struct cli_list session;
	const char *to, *as;
	int64_t jobs, sample;
	bool cleanup, forget, snapshot, restore, verify, all, list, cat, keep_going, raw,
	    relocate, adopt, remove, dry_run;
} opt;

extern struct ctx_store *store; /* once it is open */
extern struct ctx_places places;
extern int64_t refused; /* sessions or archives that were left alone */
extern int64_t unsound; /* archives that are damaged or missing */

/* A record of what was done, to add to and to close. */
void open_record(const char *action, const char *session_id);
void add_info(const char *uri, const struct ctx_archive_info *info);

/* Left alone, and why; the rest goes on. */
int refuse(const struct ctx_err *why);

/* A progress line, for people who look at a terminal; done wipes it. */
void progress(bool done);

/* Sessions into archives (archive_save.c). */
int archive(struct ctx_err *err);

/* An earlier run was cut off in the place: record what it wrote without a record
 * (archive_orphans.c). */
int record_orphans(const char *place, struct ctx_err *err);

/* Called for an archive; the session is the one that told of it, or NULL. */
typedef int source_fn(struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err);
/* Called before the archive of a session is opened: 1 when it need not be, 0, -1. */
typedef int kept_fn(const struct ctx_session *s, const char *uri, struct ctx_err *err);

/* fn for all archives that are named, by operands, else by sessions (archive_named.c); kept
 * may be NULL. What cannot be had is refused, and the others go on. */
int with_named(int argc, char **argv, source_fn *fn, kept_fn *kept, struct ctx_err *err);
int with_archive_of(
    const struct ctx_session *s, source_fn *fn, kept_fn *kept, struct ctx_err *err);

/* Whose an archive is, by its session's record, or by its name where that cannot be read:
 * 1 when no tenant is set, or it is the tenant's; 0; -1 (archive_tenant.c). */
int is_own(struct ctx_source *source, const char *address, struct ctx_err *err);
/* CTX_EANSWER when it is not. */
int check_own(struct ctx_source *source, const char *address, struct ctx_err *err);
/* By its name in a place alone: long ones are cut, and tell of nothing. */
bool may_be_own(const char *name);
bool is_cut_name(const char *name);

/* All that is in DEST, and the tenant's by name (archive_place.c). */
struct archive_found {
	char *name;
	int64_t size, modified;
};
typedef int found_fn(struct ctx_source *source, const char *address,
    const struct archive_found *found, struct ctx_err *err);
int each_found(found_fn *fn, struct ctx_err *err);
int list_place(struct ctx_err *err);
/* Is it the archive of a session that -s names, or is none named? Returns 1, 0 or -1. */
int is_asked_for(
    struct ctx_source *source, const struct archive_found *found, struct ctx_err *err);
int relocate(int argc, char **argv, struct ctx_err *err);
int adopt(int argc, char **argv, struct ctx_err *err);

/* Sessions out of archives (archive_restore.c). */
int restore(int argc, char **argv, struct ctx_err *err);

/* What is done with archives that stay where they are, or go (archive_read.c). */
int verify(int argc, char **argv, struct ctx_err *err);
int list(struct ctx_err *err);
int cat(int argc, char **argv, struct ctx_err *err);
int remove_archives(int argc, char **argv, struct ctx_err *err);

#endif
