/* Shared by all commands: option tables, settings, input, output, exit status. */
#ifndef CTX_CMD_CLI_H
#define CTX_CMD_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/reader.h"
#include "record/record.h"
#include "record/request.h"
#include "store/store.h"
#include "tokens/tokens.h"

/* ---- options ---- */

enum cli_type {
	CLI_FLAG,   /* bool */
	CLI_STRING, /* const char *, NULL if absent */
	/* int64_t, from 0 to CTX_JSON_INT_MAX; keeps its initial value if absent */
	CLI_INT,
	CLI_COUNT,    /* as CLI_INT, from 1 */
	CLI_DURATION, /* int64_t milliseconds */
	CLI_TIMEOUT,  /* as CLI_DURATION without 0 */
	CLI_LIFETIME, /* as CLI_INT without 0; "none" gives CTX_TIME_NONE */
	CLI_LIST,     /* struct cli_list: can be given several times */
};

struct cli_list {
	const char **v;
	size_t n, cap;
};

void cli_list_add(struct cli_list *list, const char *value); /* borrowed */

/* One row of a command's table. value points to a variable of the row's type that holds
 * the default. With env, the setting comes from the flag, else from that environment
 * variable, else from the member of the configuration file named like the long option
 * with '_' for '-', else it keeps the default. */
#define CLI_PROVIDERS "@providers@"
#define CLI_SERVERS "@servers@"

struct cli_option {
	const char *name; /* long name; NULL ends the table */
	char letter;      /* short name or 0 */
	const char *arg;  /* name of the argument in the help; NULL for a flag */
	const char
	    *help; /* one line; CLI_PROVIDERS and CLI_SERVERS stand for their names */
	enum cli_type type;
	void *value;
	const char *env; /* or NULL */
};

struct cli_command {
	const char *name;     /* "ctx-window" */
	const char *synopsis; /* "[-s SID] [FILE ...]", one line per form */
	const char *about;    /* one sentence */
	struct cli_option *options;
	/* Returns an exit status, or -1 with err set. argv holds the operands. */
	int (*run)(int argc, char **argv, struct ctx_err *err);
	bool stop_at_operand; /* options end at the first operand */
};

/* Runs a command: reads options and settings, calls run, prints the error line, checks
 * and closes the output. All commands have -h/--help, -V/--version and -v/--verbose.
 * Returns the exit status. */
int cli_main(const struct cli_command *command, int argc, char **argv);

/* True if the option with this value was given on the command line. */
bool cli_flagged(const void *value);

/* Checks the options that were given for a form of the command. form names it in the error
 * ("--restore"); takes lists the long names of the options that have a use in it, separated
 * by spaces, besides those of the store and --quiet. CTX_EUSAGE for any other one. */
int cli_check_form(const char *form, const char *takes, struct ctx_err *err);
/* CTX_EUSAGE if the option with this value was given without what it needs ("--create"). */
int cli_check_needs(const void *value, bool met, const char *what, struct ctx_err *err);

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

/* Rows for a command's table. */
#define CLI_STORE_OPTIONS                                                                \
	{"store", 'S', "FILE", "the store", CLI_STRING, &cli_common.store, "CTX_STORE"}, \
	    {"tenant", 0, "ID", "show and create only this tenant's sessions",           \
		CLI_STRING, &cli_common.tenant, "CTX_TENANT"},                           \
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
#define CLI_PROVIDER_OPTION                                         \
	{                                                           \
		"provider", 'p', "NAME", CLI_PROVIDERS, CLI_STRING, \
		    &cli_common.provider, "CTX_PROVIDER"            \
	}
#define CLI_BUDGET_OPTION                                                             \
	{                                                                             \
		"budget", 'b', "TOKENS", "most tokens of the whole request", CLI_INT, \
		    &cli_common.budget, "CTX_BUDGET"                                  \
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

/* The current time in ms: CTX_NOW (RFC 3339) if set, for tests, else the system's clock. */
int64_t cli_now(void);

/* Appends the user's model table (models.ndjson beside config.json) after checking it;
 * nothing if there is none. */
int cli_models_read(struct ctx_buf *text, struct ctx_err *err);

/* Parses "90d" (that long ago) or an RFC 3339 time. */
int cli_parse_when(const char *s, int64_t *ms, struct ctx_err *err);

/* ---- output ---- */

/* Buffered standard output: add to cli_out.buf, then flush. After a failed flush (reader
 * gone, disk full) further output is dropped and the command ends with status 4. */
extern struct cli_output {
	struct ctx_buf buf;
	bool failed;
	bool gone; /* the reader has gone; no error is printed for that */
	/* Called before the first byte is written, and after the output is closed; NULL:
	 * none. */
	void (*open)(void), (*close)(void);
} cli_out;

int cli_flush(struct ctx_err *err);
/* Flushes when more than 64 KiB are buffered. */
int cli_flush_some(struct ctx_err *err);

/* True if an error concerns one session of a list, so that the command can continue with
 * the others: the session does not exist, was refused, or moved. */
bool cli_refused(const struct ctx_err *err);

const char *cli_program(void); /* the name of the command */

/* Print "ctx-name: …" on stderr; cli_note does nothing with --quiet. */
void cli_error(const struct ctx_err *err);
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- progress ---- */

/* Counts progress of long work in items named what ("sessions"). Work that takes longer
 * than a second (CTX_PROGRESS) has a line on stderr that shows the count, the rate and, if
 * the total is known, the time left, if stderr is a terminal and --quiet was not given. */
void cli_progress(int64_t more, const char *what);
/* False where no line is going to be shown. */
bool cli_progress_wanted(void);
/* How much of the work is done, from 0 to 1, where items do not tell; < 0: not known. */
void cli_progress_part(double part);
/* The same by the files that are read: operand at of argc is, by the descriptor fd. */
void cli_progress_files(int argc, char **argv, int at, int fd);
/* Counts a line of such input. */
void cli_progress_line(void);
/* The callback of the store: items, and how much of the work is done. */
void cli_progress_store(int64_t more, const char *what, double part);
/* For commands whose --quiet is only about records: it leaves the line. */
void cli_progress_with_quiet(void);
/* Restarts the count, of total items; total < 0: not known. */
void cli_progress_begin(int64_t total, const char *what);
/* Clears the progress line and resets the count. */
void cli_progress_end(void);
/* Clears the line before something else is printed; the next count shows it again. */
void cli_progress_wipe(void);

/* ---- timings ---- */

/* Phases that --verbose reports besides the store's own times. Phases do not overlap. */
enum cli_phase {
	CLI_PHASE_SETTINGS,
	CLI_PHASE_OPEN,  /* the store */
	CLI_PHASE_INPUT, /* waiting included */
	CLI_PHASE_OUTPUT,
	CLI_PHASE_N,
};

/* Measure a phase: pass the result of cli_phase_begin to cli_phase_end. Without --verbose
 * no clock is read. */
int64_t cli_phase_begin(void);
void cli_phase_end(enum cli_phase phase, int64_t begun);

/* Returns where a store is to record how long its operations take, for ctx_store_open; NULL
 * without --verbose. */
struct ctx_store_times *cli_store_times(void);

/* Starts measuring; called when --verbose was read. */
void cli_timings_start(void);
/* Prints the line "ctx-window: 0.402 ms settings, …, 2.113 ms total" on stderr. */
void cli_timings_print(void);

/* ---- input ---- */

/* The operands as input files; standard input if there are none, and for "-". */
struct cli_input {
	/* it only names what to work on: its lines are not what progress counts */
	bool is_list;
	int argc;
	char **argv;
	int next;
	struct ctx_reader *reader;
	size_t max_record;
	/* descriptor for lines that are too long (ctx_reader_spill), or -1 */
	int spill_fd;
	ctx_reader_before_fn *before_spill;
	void *before_arg;
	const char *spill_name;
	int *fds; /* owned, or NULL: operand i is read from fds[i] unless that is -1 */
};
void cli_input_open(struct cli_input *in, int argc, char **argv);
/* Reads the next line of the input files. Returns 1, 0 at the end, -1 on error.
 * in->reader knows the position. */
int cli_input_next(struct cli_input *in, struct ctx_span *line, struct ctx_err *err);
void cli_input_close(struct cli_input *in);
/* If the first line failed because it is plain text or a JSON list, adds to err a hint
 * about how to pass such input. */
void cli_input_hint(const struct cli_input *in, struct ctx_err *err);
/* Adds the hint and prefixes the message with the position ("stdin:17: "). Returns -1. */
int cli_input_blame(const struct cli_input *in, struct ctx_err *err);

/* Stores each line of input in as few transactions as the input's pauses allow: fn is
 * called inside a transaction, which is committed when the input pauses, and its output
 * is printed after that. fn may refuse a line with CTX_EINPUT or CTX_EANSWER before it
 * changes anything: the lines before it are stored, and the message names it. Returns 0
 * or -1. */
typedef int cli_line_fn(
    void *arg, struct ctx_store *st, struct ctx_span line, struct ctx_err *err);
int cli_input_store(struct ctx_store *st, struct cli_input *in, cli_line_fn *fn,
    void *arg, struct ctx_err *err);

/* Several tenants can use the same session id. While the next functions call fn for a
 * session whose record names a tenant, the store st that they are given (NULL: none) shows
 * only that tenant's sessions. Records of another tenant than --tenant are refused. */

/* Copies standard input, and every input that is not a regular file, to temporary
 * files; in then reads those, so that a slow writer does not block later work. */
int cli_input_spool(struct cli_input *in, struct ctx_err *err);
/* Opens an empty file without a name, which the caller closes. Returns the descriptor or
 * -1. */
int cli_spool_new(struct ctx_err *err);

/* Calls fn for each window in the input, or for one list of messages (ctx_stream). Output
 * that fn has buffered but not flushed is dropped when a later line is invalid. */
struct ctx_stream;
typedef int cli_stream_fn(void *arg, struct ctx_stream *in, struct ctx_err *err);
int cli_windows(struct ctx_store *st, int argc, char **argv, cli_stream_fn *fn, void *arg,
    struct ctx_err *err);

/* As cli_windows for lists of any length: trim is called at intervals to forget messages
 * that are no longer needed. */
int cli_windows_trimmed(struct ctx_store *st, int argc, char **argv, cli_stream_fn *fn,
    cli_stream_fn *trim, void *arg, struct ctx_err *err);

/* Call before reading standard input: if it is a terminal, prints a note once, because a
 * command that waits for typed input seems to hang. */
void cli_note_terminal(void);

/* Waits until standard input has data or ends. The writer of the first record has created
 * the store; before that the store may not exist. */
void cli_input_wait(void);

/* True if no further window follows the current one, as far as is known without waiting. */
bool cli_windows_ended(void *unused);

/* A session of a list. */
struct cli_listed {
	const char *session_id;
	const char *tenant; /* "": no tenant; NULL: not stated */
	/* Sequence number of the last message when the list was made, so that the caller can
	 * check that the list is still correct; -1: not stated. */
	int64_t last_seq;
};

/* Calls fn with each session that the list names or, if it is empty or contains "-", with
 * each session named on standard input (repetitions in a row count once): objects with a
 * session_id, of any kind or none, or bare ids, one per line. CTX_EINPUT for an object
 * without one, unless it follows such a record and is of a kind that belongs to a
 * session. arg is passed to fn. */
typedef int cli_listed_fn(
    void *arg, const struct cli_listed *listed, struct ctx_err *err);
int cli_sessions(struct ctx_store *st, const struct cli_list *given, cli_listed_fn *fn,
    void *arg, struct ctx_err *err);

/* As cli_sessions, for an fn that leaves a transaction open. end_group is called before
 * waiting for input, after at most CLI_GROUP sessions, and at the end, also after an
 * error; it ends the transaction and prints its records. */
#define CLI_GROUP 1000
typedef int cli_group_fn(void *arg, struct ctx_err *err);
int cli_sessions_in_groups(struct ctx_store *st, const struct cli_list *given,
    cli_listed_fn *fn, cli_group_fn *end_group, void *arg, struct ctx_err *err);

/* Calls fn with each session that matches the filter, a page at a time; fn may change the
 * session. */
typedef int cli_session_fn(void *arg, const struct ctx_session *s, struct ctx_err *err);
int cli_each_session(struct ctx_store *st, struct ctx_session_filter *f,
    cli_session_fn *fn, void *arg, struct ctx_err *err);

/* ---- archived sessions ---- */

/* Runs ctx-archive, the only command that knows object storage, with arguments up to a
 * NULL and its output discarded. Returns 0; CTX_EANSWER or CTX_EIO when it failed, after
 * it printed the reason. */
int cli_run_archive(const char *const arguments[], struct ctx_err *err);

/* Runs ctx-archive as cli_run_archive does, but calls fn with each record that it
 * prints. An error of fn stops it. */
typedef int cli_record_fn(
    void *arg, const struct ctx_record *record, struct ctx_err *err);
int cli_read_archive(
    const char *const arguments[], cli_record_fn *fn, void *arg, struct ctx_err *err);

/* Downloads an archive from object storage into a file without a name, which the caller
 * closes. Returns 1, 0 if it does not exist, -1 on error. */
int cli_fetch_archive(const char *address, int *fd, struct ctx_err *err);

/* Restores the session if it is archived; does nothing if it does not exist. */
int cli_archived_resume(
    struct ctx_store *st, const char *session_id, struct ctx_err *err);

/* Opens a session whose messages are only in its archive (ctx_archive_cleaned): the
 * archive, verified, becomes a temporary store that disappears when it is closed. *s
 * becomes the session in it, with its previous status. */
int cli_archived_open(struct ctx_store **out, struct ctx_session *s, struct ctx_err *err);

/* If err is CTX_EMOVED, clears it, sets *s to the session as it is now (archived or
 * restored again) and returns true; the caller then continues reading there. */
bool cli_session_moved(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);

/* Opens a private temporary store that disappears when it is closed. */
int cli_scratch_open(struct ctx_store **out, struct ctx_err *err);

/* Reads the JSON object in a parameter file into text; params is absent when path is
 * NULL. */
int cli_read_params(
    const char *path, struct ctx_buf *text, struct ctx_span *params, struct ctx_err *err);

/* ---- secrets ---- */

/* Opens the redaction engine with the user's rules: redact.rules beside config.json, then
 * those of --redact-rules. It is freed at exit. */
struct ctx_redact;
int cli_redact_open(struct ctx_redact **out, struct ctx_err *err);

/* With --redact: reads the rules now, so that invalid rules are reported before anything
 * is done. */
int cli_redact_start(struct ctx_err *err);
/* With --redact: replaces *json by the value without its secrets, borrowed until the next
 * call; unchanged if there are none or it is not JSON. */
int cli_redact_json(struct ctx_span *json, struct ctx_err *err);

/* ---- jobs for several processes ---- */

/* Starts n worker processes; call before opening anything that must not be shared. Each
 * calls work for every job (a line) it is given; what work appends to result (a line) is
 * passed to done. */
struct cli_jobs;
typedef void cli_work_fn(void *arg, struct ctx_span job, struct ctx_buf *result);
/* Called in the order in which jobs end; returns -1 to stop. result is absent if the
 * worker died. */
typedef int cli_done_fn(
    void *arg, void *tag, struct ctx_span result, struct ctx_err *err);
int cli_jobs_start(struct cli_jobs **out, int n, cli_work_fn *work, cli_done_fn *done,
    void *arg, struct ctx_err *err);
/* Gives a job to a worker, waiting for a free one. tag is passed to done. */
int cli_jobs_put(
    struct cli_jobs *jobs, struct ctx_span job, void *tag, struct ctx_err *err);
/* Waits until all jobs are done. */
int cli_jobs_wait(struct cli_jobs *jobs, struct ctx_err *err);
/* Ends the workers. Unfinished jobs are lost; their tags are passed to done with an
 * absent result. */
void cli_jobs_end(struct cli_jobs *jobs);

/* ---- what most commands open ---- */

/* Appends the path of a file in the user's data. */
int cli_data_path(struct ctx_buf *path, const char *name, struct ctx_err *err);
/* Appends the path of the store, whether it exists or not. */
int cli_store_path(struct ctx_buf *path, struct ctx_err *err);
/* Returns 1 if a file exists at the store's path, or a store on the server; 0 if not, -1 on
 * error. */
int cli_store_exists(struct ctx_err *err);
/* Opens the store named by -S, CTX_STORE, the configuration or the default path. how: any
 * of these flags, named like the members of struct ctx_store_options. */
enum { CLI_CREATE = 1, CLI_BULK = 2, CLI_SNAPSHOT = 4, CLI_EXACT = 8, CLI_IF_ANY = 16 };
/* Without CLI_CREATE and CLI_EXACT, shortened ids in --session are completed: CTX_EANSWER
 * when several sessions match. CLI_EXACT is for ids of sessions that may not be in the
 * store. With CLI_IF_ANY *out is NULL if there is no store. */
int cli_store_open(struct ctx_store **out, int how, struct ctx_err *err);
/* The sessions that this run has processed, so that a session named twice is processed
 * once. */
bool cli_sessions_has(const struct ctx_session *s);
void cli_sessions_add(const struct ctx_session *s);
/* Replaces each id in --session that no session has by the only session id that starts or
 * ends with it; at least four characters are needed. */
int cli_complete_sessions(struct ctx_store *st, struct ctx_err *err);
/* The value of CTX_SESSION, for commands that need one session; NULL if it is unset or
 * empty. */
const char *cli_session_default(void);
/* Adds CTX_SESSION to an empty list if standard input is a terminal or /dev/null, which
 * hold no sessions. A pipe or a file may be an empty list: it adds nothing then. Call before
 * the store is opened. */
void cli_sessions_default(struct cli_list *list);
/* Restricts the store to the tenant that a record named ("": sessions without a tenant);
 * NULL restores that of --tenant. st may be NULL. CTX_EINPUT if --tenant names another
 * tenant. */
int cli_see_tenant(struct ctx_store *st, const char *tenant, struct ctx_err *err);
/* Validates an id for a new object, or the id of --tenant: CTX_EUSAGE if it is invalid.
 * Existing objects are found by any id. */
int cli_check_id(const char *id, const char *what, struct ctx_err *err);
int cli_check_tenant(struct ctx_err *err);
/* Opens the tokenizer of --tokenizer; auto:MODEL chooses the model's tokenizer. */
int cli_tokenizer_open(struct ctx_tokenizer **out, struct ctx_err *err);
/* The functions below make it count in the tokens of the model that a request goes to, by the
 * factor of the model (cli_tokenizer.c). They do nothing if --tokenizer was given on the
 * command line, or if the setting names a factor, a model or a file.
 *
 * cli_tokenizer_model: model is a JSON string; absent or not known: no factor. */
int cli_tokenizer_model(
    struct ctx_tokenizer *t, struct ctx_span model, struct ctx_err *err);
/* By a tokenizer that a record names, if it differs in the factor only. NULL: no change. */
void cli_tokenizer_follow(struct ctx_tokenizer *t, const char *recorded);
/* By the "model" of the parameters (may be absent) or, without one, as the window's request
 * record was counted. */
int cli_tokenizer_request(struct ctx_tokenizer *t, struct ctx_span params,
    const struct ctx_request *q, struct ctx_err *err);
/* Notes in the record which tokenizer counted its tokens. */
void cli_tokenizer_note(const struct ctx_tokenizer *t, struct ctx_request *q);
/* By the "model" of the parameters (may be absent) or, without one, that of the session's last
 * request. A session that does not exist is not an error. */
int cli_tokenizer_session(struct ctx_tokenizer *t, struct ctx_span params,
    struct ctx_store *st, const char *session_id, struct ctx_err *err);
/* Parses a share above 0 and up to 1 of the option name. *out is unchanged when s is
 * NULL. */
int cli_parse_share(const char *name, const char *s, double *out, struct ctx_err *err);
/* Warns of an agent (NULL: none) without definitions, because its name may be misspelt. */
int cli_warn_agent(
    struct ctx_store *st, const char *tenant, const char *agent, struct ctx_err *err);
/* Finds the session. CTX_EANSWER if it does not exist. */
int cli_session_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);
/* Sets the error for a deleted session. Returns -1. */
int cli_deleted(const char *session_id, struct ctx_err *err);

/* Sets the error that no provider has the name; more goes behind their list. Returns -1. */
int cli_unknown_provider(const char *name, const char *more, struct ctx_err *err);

/* Sets *out to the provider that was named, or -1 if none was. CTX_EUSAGE when it is
 * unknown or, with required, missing. */
int cli_provider(int *out, bool required, struct ctx_err *err);

/* Finds the name most similar to a word: name stays NULL until a name is tried that is
 * similar enough. Names are borrowed. */
struct cli_nearest {
	const char *word, *name;
	size_t edits;
};
void cli_nearest_init(struct cli_nearest *n, const char *word);
void cli_nearest_try(struct cli_nearest *n, const char *name);

/* Finds the action that the first operand names, for commands with several actions. The
 * array ends with a NULL name. Returns NULL with CTX_EUSAGE if no action has that name. */
struct cli_action {
	const char *name;
	/* The command calls it: argv holds the operands after the name, arg is whatever the
	 * command's actions share. */
	int (*fn)(void *arg, int argc, char **argv, struct ctx_err *err);
};
const struct cli_action *cli_action(
    const struct cli_action actions[], int argc, char **argv, struct ctx_err *err);

/* Prints a record of an action on a session: open it, add members, close it. */
void cli_record_open(
    const char *kind, const char *session_id, const char *action, bool dry_run);
int cli_record_close(struct ctx_err *err);
/* As cli_record_close for a record that stays in cli_out.buf until its group is durable. */
void cli_record_end(void);

/* CTX_EUSAGE if there are operands. */
int cli_no_operands(int argc, char **argv, struct ctx_err *err);

#endif
