/* Inside of ctx-archive: options, what is open, and what the parts of the program do. */
#ifndef CTX_CMD_ARCHIVE_H
#define CTX_CMD_ARCHIVE_H

#include "archive/save.h"
#include "cli.h"

extern struct archive_options {
	struct cli_list session;
	const char *to, *as;
	int64_t jobs, sample;
	bool cleanup, forget, snapshot, restore, verify, all, list, cat, keep_going,
	    remove, dry_run;
} opt;

extern struct ctx_store *store; /* once it is open */
extern struct ctx_places places;
extern int64_t refused; /* sessions or archives that were left alone */

/* A record of what was done, to add to and to close. */
void open_record(const char *action, const char *session_id);
void add_info(const char *uri, const struct ctx_archive_info *info);

/* Left alone, and why; the rest goes on. */
int refuse(const struct ctx_err *why);

/* A progress line, for people who look at a terminal; done wipes it. */
void progress(bool done);

/* Sessions into archives (archive_save.c). */
int archive(struct ctx_err *err);

/* What is done with archives that are there (archive_read.c). */
int restore(int argc, char **argv, struct ctx_err *err);
int verify(int argc, char **argv, struct ctx_err *err);
int list(struct ctx_err *err);
int cat(int argc, char **argv, struct ctx_err *err);
int remove_archives(int argc, char **argv, struct ctx_err *err);

#endif
