/* What all commands share: the option table, settings, input, output, exit. */
#ifndef CTX_CMD_CLI_H
#define CTX_CMD_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/reader.h"
#include "record/record.h"
#include "store/store.h"
#include "tokens/tokens.h"

/* ---- options ---- */

enum cli_type {
	CLI_FLAG,   /* bool */
	CLI_STRING, /* const char *, NULL when absent */
	CLI_INT, /* int64_t, from 0 to CTX_JSON_INT_MAX; the initial value when absent */
	CLI_DURATION, /* int64_t milliseconds */
	CLI_LIFETIME, /* the same, but not 0; "none" is CTX_TIME_NONE */
	CLI_LIST,     /* struct cli_list: may be given several times */
};

struct cli_list {
	const char **v;
	size_t n, cap;
};

/* One row of a command's table. value points to a variable of the row's type, which
 * holds the default. With env, the setting comes from the flag, else from that
 * environment variable, else from the configuration file's member of the option's long
 * name with '_' for '-', else it stays the default. */
struct cli_option {
	const char *name; /* long name; NULL ends the table */
	char letter;      /* short name or 0 */
	const char *arg;  /* what to call the argument in the help; NULL for a flag */
	const char *help; /* one line */
	enum cli_type type;
	void *value;
	const char *env; /* or NULL */
};

struct cli_command {
	const char *name;     /* "ctx-window" */
	const char *synopsis; /* "[-s SID] [FILE ...]", a line per form */
	const char *about;    /* one sentence */
	struct cli_option *options;
	/* Returns an exit status, or -1 with err set. argv holds the operands. */
	int (*run)(int argc, char **argv, struct ctx_err *err);
	bool stop_at_operand; /* what follows the first operand is not ours */
};

/* The whole life of a command: options, settings, run, error line, output checked and
 * closed. -h/--help, -V/--version and -v/--verbose are understood by all. */
int cli_main(const struct cli_command *command, int argc, char **argv);

/* Was the option that sets value given on the command line? */
bool cli_flagged(const void *value);

/* ---- shared settings ---- */

extern struct cli_common {
	const char *store;        /* CTX_STORE */
	const char *tenant;       /* CTX_TENANT */
	int64_t busy_timeout;     /* CTX_BUSY_TIMEOUT, ms */
	const char *sync;         /* CTX_SYNC: full, normal, off */
	const char *tokenizer;    /* CTX_TOKENIZER */
	const char *provider;     /* CTX_PROVIDER */
	int64_t budget;           /* CTX_BUDGET, tokens; -1 none */
	bool redact;              /* CTX_REDACT */
	const char *redact_rules; /* CTX_REDACT_RULES */
	bool quiet;
	bool verbose; /* see timings below */
} cli_common;

/* Rows to put into a command's table. */
#define CLI_STORE_OPTIONS                                                                \
	{"store", 'S', "FILE", "the store", CLI_STRING, &cli_common.store, "CTX_STORE"}, \
	    {"tenant", 0, "ID", "see and make only this tenant's sessions", CLI_STRING,  \
		&cli_common.tenant, "CTX_TENANT"},                                       \
	    {"busy-timeout", 0, "TIME", "how long to wait for other writers",            \
		CLI_DURATION, &cli_common.busy_timeout, "CTX_BUSY_TIMEOUT"},             \
	{                                                                                \
		"sync", 0, "MODE", "full (durable when acknowledged), normal or off",    \
		    CLI_STRING, &cli_common.sync, "CTX_SYNC"                             \
	}
#define CLI_TOKENIZER_OPTION                                                  \
	{                                                                     \
		"tokenizer", 0, "NAME", "how tokens are counted", CLI_STRING, \
		    &cli_common.tokenizer, "CTX_TOKENIZER"                    \
	}
#define CLI_PROVIDER_OPTION                                                        \
	{                                                                          \
		"provider", 'p', "NAME", "openai, anthropic, gemini or responses", \
		    CLI_STRING, &cli_common.provider, "CTX_PROVIDER"               \
	}
#define CLI_BUDGET_OPTION                                                          \
	{                                                                          \
		"budget", 'b', "TOKENS", "the most that a whole request may cost", \
		    CLI_INT, &cli_common.budget, "CTX_BUDGET"                      \
	}
#define CLI_REDACT_RULES_OPTION                                                   \
	{                                                                         \
		"redact-rules", 0, "FILE", "more formats of secrets", CLI_STRING, \
		    &cli_common.redact_rules, "CTX_REDACT_RULES"                  \
	}
#define CLI_REDACT_OPTIONS                                                   \
	{"redact", 0, NULL, "replace secrets, as ctx-redact does", CLI_FLAG, \
	    &cli_common.redact, "CTX_REDACT"},                               \
	    CLI_REDACT_RULES_OPTION
#define CLI_QUIET_OPTION                                                               \
	{                                                                              \
		"quiet", 'q', NULL, "no notes on stderr", CLI_FLAG, &cli_common.quiet, \
		    NULL                                                               \
	}
#define CLI_END                                           \
	{                                                 \
		NULL, 0, NULL, NULL, CLI_FLAG, NULL, NULL \
	}

/* The clock of this run: CTX_NOW (RFC 3339, for tests) or the system's. ms. */
int64_t cli_now(void);

/* Appends the user's table of models (models.ndjson beside config.json), checked; nothing if
 * there is none. */
int cli_models_read(struct ctx_buf *text, struct ctx_err *err);

/* "90d" ago, or an RFC 3339 time. */
int cli_parse_when(const char *s, int64_t *ms, struct ctx_err *err);

/* ---- output ---- */

/* Standard output, buffered: add to cli_out.buf, then flush. After a failed flush
 * (reader gone, disk full) the rest is dropped and the command ends with status 4. */
extern struct cli_output {
	struct ctx_buf buf;
	bool failed;
	bool gone; /* its reader has gone: nothing is said of that */
} cli_out;

int cli_flush(struct ctx_err *err);
/* Flush when more than 64 KiB wait. */
int cli_flush_some(struct ctx_err *err);

/* Does an error concern one session of a list, so that the others can be gone on with: the
 * answer was no, or it is elsewhere now? */
bool cli_refused(const struct ctx_err *err);

/* "ctx-name: …" on stderr; note is silent with --quiet. */
void cli_error(const struct ctx_err *err);
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- progress ---- */

/* Count more of what long work is done with ("sessions"): a line on stderr tells how many
 * they are, a few times a second, if stderr is a terminal and --quiet was not given. */
void cli_progress(int64_t more, const char *what);
/* Wipe the line, and count from 0 again. */
void cli_progress_end(void);

/* ---- timings ---- */

/* What --verbose tells of, apart from the store's own times. Phases do not overlap. */
enum cli_phase {
	CLI_PHASE_SETTINGS,
	CLI_PHASE_OPEN,  /* the store */
	CLI_PHASE_INPUT, /* waiting included */
	CLI_PHASE_OUTPUT,
	CLI_PHASE_N,
};

/* Around a phase: what begin returned goes to end. Without --verbose no clock is read. */
int64_t cli_phase_begin(void);
void cli_phase_end(enum cli_phase phase, int64_t begun);

/* The times to give to a store that is opened; NULL without --verbose. */
struct ctx_store_times *cli_store_times(void);

/* From now on, times are taken (--verbose was read). */
void cli_timings_start(void);
/* The line on stderr: "ctx-window: 0.402 ms settings, …, 2.113 ms total". */
void cli_timings_print(void);

/* ---- input ---- */

/* The operands as input files, standard input when there are none ("-" too). */
struct cli_input {
	int argc;
	char **argv;
	int next;
	struct ctx_reader *reader;
	size_t max_record;
	int spill_fd; /* -1, or where too long lines go: see ctx_reader_spill */
	ctx_reader_before_fn *before_spill;
	void *before_arg;
	const char *spill_name;
	int *fds; /* owned, or NULL: operand i is read from fds[i], unless that is -1 */
};
void cli_input_open(struct cli_input *in, int argc, char **argv);
/* The next line of any file: 1, 0 at the end, -1. in->reader tells where it stands. */
int cli_input_next(struct cli_input *in, struct ctx_span *line, struct ctx_err *err);
void cli_input_close(struct cli_input *in);
/* To the error of a first line that is text, or a list: how these are given. */
void cli_input_hint(const struct cli_input *in, struct ctx_err *err);
/* The hint, and "stdin:17: " before the message. Returns -1. */
int cli_input_blame(const struct cli_input *in, struct ctx_err *err);

/* Store what each line says, in as few transactions as the lines come in: fn is called in
 * one, which ends when the input pauses, and its output goes out behind that. fn refuses a
 * line with CTX_EINPUT or CTX_EANSWER before it changes anything: the lines before it
 * stand, and the message names it. arg is passed to fn. 0, -1. */
typedef int cli_line_fn(
    void *arg, struct ctx_store *st, struct ctx_span line, struct ctx_err *err);
int cli_input_store(struct ctx_store *st, struct cli_input *in, cli_line_fn *fn,
    void *arg, struct ctx_err *err);

/* Sessions of several tenants may have one id: in the next functions, while fn is called
 * for a session that a whole session record has told of, the store that cli_store_open
 * opened shows its tenant's sessions alone. A record of another tenant than --tenant is
 * refused. */

/* Read standard input and whatever else is no regular file to its end, into spools that in
 * is then read from: nobody's slowness holds what follows. */
int cli_input_spool(struct cli_input *in, struct ctx_err *err);
/* An empty file without a name; -1. The caller closes it. */
int cli_spool_new(struct ctx_err *err);

/* Call fn for each window in the input, or for one list of messages (ctx_stream). What
 * fn buffers and does not flush is dropped when a later line is bad. arg is passed to fn. */
struct ctx_stream;
typedef int cli_stream_fn(void *arg, struct ctx_stream *in, struct ctx_err *err);
int cli_windows(int argc, char **argv, cli_stream_fn *fn, void *arg, struct ctx_err *err);

/* The same for lists of any length: trim is called now and then to forget what is not
 * needed of the list so far. */
int cli_windows_trimmed(int argc, char **argv, cli_stream_fn *fn, cli_stream_fn *trim,
    void *arg, struct ctx_err *err);

/* Standard input is about to be read: when it is a terminal, say so once, since a command
 * that waits for what is typed seems to hang. */
void cli_note_terminal(void);

/* Wait until standard input has something, or ends. What made the first record has made
 * the store too; before it, the store may not be there yet. */
void cli_input_wait(void);

/* Will no other window follow the one at hand, as far as is known without waiting? */
bool cli_windows_ended(void *unused);

/* A session of a list. */
struct cli_listed {
	const char *session_id;
	const char *tenant; /* "": of none; NULL: the list does not say */
	int64_t
	    last_seq; /* of the last message when the list was made; -1: it does not say.
			     * Who acts on a list makes sure that it still holds. */
};

/* Call fn with each session that the list names or, when it is empty or names "-", that
 * standard input names (several in a row count once): objects with a session_id, of any
 * kind or none, or bare ids, one a line. CTX_EINPUT for one that has none, unless it stands
 * behind such a record and is of a kind that goes with a session. arg is passed to fn. */
typedef int cli_listed_fn(
    void *arg, const struct cli_listed *listed, struct ctx_err *err);
int cli_sessions(
    const struct cli_list *given, cli_listed_fn *fn, void *arg, struct ctx_err *err);

/* The same for an fn that leaves a transaction open: end_group is called before the input is
 * waited for, after at most CLI_GROUP sessions, and at the end, also after an error. It ends
 * the transaction and prints its records. */
#define CLI_GROUP 1000
typedef int cli_group_fn(void *arg, struct ctx_err *err);
int cli_sessions_in_groups(const struct cli_list *given, cli_listed_fn *fn,
    cli_group_fn *end_group, void *arg, struct ctx_err *err);

/* Call fn with each session that the filter lets pass, a page at a time; it may change
 * them. arg is passed to fn. */
typedef int cli_session_fn(void *arg, const struct ctx_session *s, struct ctx_err *err);
int cli_each_session(struct ctx_store *st, struct ctx_session_filter *f,
    cli_session_fn *fn, void *arg, struct ctx_err *err);

/* ---- archived sessions ---- */

/* Run ctx-archive, which alone knows object storage, with arguments up to a NULL and its
 * output going nowhere: 0; CTX_EANSWER or CTX_EIO when it failed (it has said why). */
int cli_run_archive(const char *const arguments[], struct ctx_err *err);

/* The same, and call fn with each record that it prints; what fn fails with ends it. */
typedef int cli_record_fn(
    void *arg, const struct ctx_record *record, struct ctx_err *err);
int cli_read_archive(
    const char *const arguments[], cli_record_fn *fn, void *arg, struct ctx_err *err);

/* The bytes of an archive in object storage, in a file without a name that the caller
 * closes: 1; 0: there is no such archive; -1. */
int cli_fetch_archive(const char *address, int *fd, struct ctx_err *err);

/* Restore the session if it is archived; one that is not there is left for others to miss. */
int cli_archived_resume(
    struct ctx_store *st, const char *session_id, struct ctx_err *err);

/* A session whose messages are in its archive alone (ctx_archive_cleaned): its archive,
 * verified, as a store of its own that is gone when it is closed. *s becomes the session
 * there, of the status that it had. */
int cli_archived_open(struct ctx_store **out, struct ctx_session *s, struct ctx_err *err);

/* After an error: is it CTX_EMOVED? Then *s is the session as it is now, archived or back
 * again already, and err is clear: reading is to go on from there. */
bool cli_session_moved(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);

/* A store that nobody else sees, and that is gone when it is closed. */
int cli_scratch_open(struct ctx_store **out, struct ctx_err *err);

/* The JSON object in a parameter file: checked, held in text; absent when path is NULL. */
int cli_read_params(
    const char *path, struct ctx_buf *text, struct ctx_span *params, struct ctx_err *err);

/* ---- secrets ---- */

/* The engine with the user's rules: those of redact.rules beside config.json, then those of
 * --redact-rules. It lives as long as the process. */
struct ctx_redact;
int cli_redact_open(struct ctx_redact **out, struct ctx_err *err);

/* With --redact: read the rules now, so that bad ones are told of before anything is done. */
int cli_redact_start(struct ctx_err *err);
/* With --redact: *json becomes the value without its secrets, borrowed until the next call;
 * it stays as it is where there are none, or where it is not JSON. */
int cli_redact_json(struct ctx_span *json, struct ctx_err *err);

/* ---- jobs for several processes ---- */

/* Start n workers, before anything is opened that must not be shared. Each calls work for
 * every job (a line) that it is given; what work adds to the result (a line) goes back.
 * arg is passed to work, in the worker, and to done. */
struct cli_jobs;
typedef void cli_work_fn(void *arg, struct ctx_span job, struct ctx_buf *result);
/* Called in the order in which jobs end; -1 stops. An absent result: the worker died. */
typedef int cli_done_fn(
    void *arg, void *tag, struct ctx_span result, struct ctx_err *err);
int cli_jobs_start(struct cli_jobs **out, int n, cli_work_fn *work, cli_done_fn *done,
    void *arg, struct ctx_err *err);
/* Give a job to a worker, waiting for one that is free. The tag is done's. */
int cli_jobs_put(
    struct cli_jobs *jobs, struct ctx_span job, void *tag, struct ctx_err *err);
/* Wait until all that was put is done. */
int cli_jobs_wait(struct cli_jobs *jobs, struct ctx_err *err);
/* End the workers; jobs that are not done are lost, their tags given to done with an absent
 * result. */
void cli_jobs_end(struct cli_jobs *jobs);

/* ---- what most commands open ---- */

/* Is there a file where the store should be? 1, 0, -1. */
int cli_store_exists(struct ctx_err *err);
/* The store that -S, CTX_STORE, the configuration or the default path names. how: any of
 * these, which are struct ctx_store_options' members of like names. */
enum { CLI_CREATE = 1, CLI_BULK = 2, CLI_SNAPSHOT = 4, CLI_EXACT = 8 };
/* Without CLI_CREATE and CLI_EXACT, ids of --session are completed: CTX_EANSWER when several
 * sessions begin or end with one. CLI_EXACT is for ids that may be of sessions that the store
 * does not have. */
int cli_store_open(struct ctx_store **out, int how, struct ctx_err *err);
/* Replaces each id of --session that no session has by the only one that begins or ends with
 * it, which takes four characters at least. */
int cli_complete_sessions(struct ctx_store *st, struct ctx_err *err);
/* The value of CTX_SESSION, for forms of commands that need a session; NULL if it is unset or
 * empty. */
const char *cli_session_default(void);
/* From now on it shows the sessions of the tenant alone, that a record has told of ("": of
 * none), or with NULL what it showed at first. CTX_EINPUT: --tenant names another. */
int cli_see_tenant(const char *tenant, struct ctx_err *err);
/* CTX_EUSAGE: an id that is given, or that of --tenant, is none that anything is made with.
 * What is there already is found by any. */
int cli_check_id(const char *id, const char *what, struct ctx_err *err);
int cli_check_tenant(struct ctx_err *err);
/* The tokenizer of --tokenizer; auto:MODEL is the one that serves the model. */
int cli_tokenizer_open(struct ctx_tokenizer **out, struct ctx_err *err);
/* A share above 0 and up to 1, of the option name. *out is left alone when s is NULL. */
int cli_parse_share(const char *name, const char *s, double *out, struct ctx_err *err);
/* Warn of an agent (NULL: none) that nothing is defined for: its name may be a slip. */
int cli_warn_agent(
    struct ctx_store *st, const char *tenant, const char *agent, struct ctx_err *err);
/* The session, or CTX_EANSWER when there is none. */
int cli_session_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);
/* The error of a session that is deleted; -1. */
int cli_deleted(const char *session_id, struct ctx_err *err);

/* The provider that was named: 0 and *out; CTX_EUSAGE when it is unknown or, with
 * required, not given. *out is -1 when it was not given. */
int cli_provider(int *out, bool required, struct ctx_err *err);

/* The name that a word is nearest to, if it is near enough to be meant: NULL until one that was
 * tried is. Names are borrowed. */
struct cli_nearest {
	const char *word, *name;
	size_t edits;
};
void cli_nearest_init(struct cli_nearest *n, const char *word);
void cli_nearest_try(struct cli_nearest *n, const char *name);

/* The action that the first operand names, for commands that have several; the array ends
 * with a NULL name. NULL and CTX_EUSAGE when it is none. */
struct cli_action {
	const char *name;
	/* operands behind the name; arg is the command's */
	int (*fn)(void *arg, int argc, char **argv, struct ctx_err *err);
};
const struct cli_action *cli_action(
    const struct cli_action actions[], int argc, char **argv, struct ctx_err *err);

/* A record of what was done to a session, on standard output: open, members, close. */
void cli_record_open(
    const char *kind, const char *session_id, const char *action, bool dry_run);
int cli_record_close(struct ctx_err *err);
/* The same for a record that waits in cli_out.buf until its group is durable. */
void cli_record_end(void);

/* No operands wanted: CTX_EUSAGE when there are some. */
int cli_no_operands(int argc, char **argv, struct ctx_err *err);

#endif
