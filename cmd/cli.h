/* Shared by all commands: options, settings, input, output, exit status. */
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

/* Types of options. The comment at each type names the C type of the option's
 * variable. */
enum cli_type {
	CLI_FLAG,   /* bool */
	CLI_STRING, /* const char * */
	/* int64_t, from 0 to CTX_JSON_INT_MAX */
	CLI_INT,
	CLI_COUNT,    /* like CLI_INT, but at least 1 */
	CLI_DURATION, /* int64_t, a duration in milliseconds */
	CLI_TIMEOUT,  /* like CLI_DURATION, but more than 0 */
	CLI_LIFETIME, /* like CLI_TIMEOUT, but "none" means CTX_TIME_NONE */
	CLI_LIST,     /* struct cli_list; the option can be repeated */
};

struct cli_list {
	const char **v;
	size_t n, cap;
};

void cli_list_add(struct cli_list *list, const char *value); /* appends value, borrowed */

/* Placeholders in help texts. In place of a placeholder, --help prints the names of the
 * known providers or servers. */
#define CLI_PROVIDERS "@providers@"
#define CLI_SERVERS "@servers@"

/* One entry of a command's option table. The member "value" points to the option's
 * variable, whose C type depends on the member "type". Before parsing, the variable has
 * the default value. If the option is not on the command line, its variable is set from
 * the environment variable that the member "env" names (NULL: none). If this is not set
 * either, the option's variable is set from the configuration file: from the member whose
 * name is the option's name, with '_' in place of '-'. */
struct cli_option {
	const char *name; /* long name; NULL marks the end of the table */
	char letter;      /* short name, or 0 */
	const char *arg;  /* name of the argument, for --help; NULL for a flag */
	/* the help text, one line for --help; may contain CLI_PROVIDERS or CLI_SERVERS */
	const char *help;
	enum cli_type type;
	void *value;
	const char *env; /* may be NULL */
};

struct cli_command {
	const char *name; /* for example "ctx-window" */
	/* operands and options for --help, such as "[-s SID] [FILE ...]"; one line for
	 * each form of the command */
	const char *synopsis;
	const char *about; /* one sentence for --help */
	struct cli_option *options;
	void (*init)(void); /* called before the options are parsed; may be NULL */
	/* Runs the command; argv contains only the operands. Returns an exit status, or
	 * -1 with err set. */
	int (*run)(int argc, char **argv, struct ctx_err *err);
	/* true: arguments after the first operand are not parsed as options */
	bool stop_at_operand;
};

/* Runs a command: parses options and settings, calls command->run, prints the error
 * message, and closes stdout with a check for errors. Every command has -h/--help,
 * -V/--version and -v/--verbose. Returns the exit status. */
int cli_main(const struct cli_command *command, int argc, char **argv);
/* Defines a main() that only calls cli_main. */
#define CLI_MAIN(command)                                \
	int main(int argc, char **argv)                  \
	{                                                \
		return cli_main(&(command), argc, argv); \
	}

/* Returns true if an option is on the command line. value: points to the option's
 * variable. */
bool cli_flagged(const void *value);

/* Fails with CTX_EUSAGE if the command line has an option that cannot be used with this
 * form of the command. form: the name of the form for the error message, such as
 * "--restore". takes: the long names of the allowed options, separated by spaces. The
 * options in CLI_STORE_OPTIONS and --quiet are always allowed. */
int cli_check_form(const char *form, const char *takes, struct ctx_err *err);
/* Fails with CTX_EUSAGE if an option is on the command line but its requirement is not
 * met. value: points to the option's variable; met: true if the requirement is met; what:
 * the requirement for the error message, such as "--create". */
int cli_check_needs(const void *value, bool met, const char *what, struct ctx_err *err);

/* Fails with CTX_EUSAGE if more than one of several options is on the command line.
 * names: long names of these options, separated by spaces; the error message lists the
 * options in this order. */
int cli_check_alone(const char *names, struct ctx_err *err);

/* ---- shared settings ---- */

/* Settings that several commands have. The comment at a member names the environment
 * variable that sets it, if there is one. */
extern struct cli_common {
	const char *store;        /* CTX_STORE */
	const char *tenant;       /* CTX_TENANT */
	int64_t busy_timeout;     /* CTX_BUSY_TIMEOUT, in ms */
	const char *sync;         /* CTX_SYNC: "full", "normal" or "off" */
	const char *tokenizer;    /* CTX_TOKENIZER */
	const char *provider;     /* CTX_PROVIDER */
	int64_t budget;           /* CTX_BUDGET, in tokens; -1: no limit */
	bool redact;              /* CTX_REDACT */
	const char *redact_rules; /* CTX_REDACT_RULES */
	bool quiet;
	bool verbose; /* true: print the times that the steps of the command take */
} cli_common;

/* Entries for a command's option table. */
#define CLI_STORE_OPTIONS                                                                \
	{"store", 'S', "FILE", "path of the store, or address of a PostgreSQL database", \
	    CLI_STRING, &cli_common.store, "CTX_STORE"},                                 \
	    {"tenant", 0, "ID", "show and create only this tenant's sessions",           \
		CLI_STRING, &cli_common.tenant, "CTX_TENANT"},                           \
	    {"busy-timeout", 0, "TIME", "how long to wait while other processes write",  \
		CLI_DURATION, &cli_common.busy_timeout, "CTX_BUSY_TIMEOUT"},             \
	{                                                                                \
		"sync", 0, "MODE", "full (durable when acknowledged), normal or off",    \
		    CLI_STRING, &cli_common.sync, "CTX_SYNC"                             \
	}
#define CLI_TOKENIZER_OPTION                                                         \
	{                                                                            \
		"tokenizer", 0, "NAME", "tokenizer for counting tokens", CLI_STRING, \
		    &cli_common.tokenizer, "CTX_TOKENIZER"                           \
	}
#define CLI_PROVIDER_OPTION                                         \
	{                                                           \
		"provider", 'p', "NAME", CLI_PROVIDERS, CLI_STRING, \
		    &cli_common.provider, "CTX_PROVIDER"            \
	}
#define CLI_BUDGET_OPTION                                                                \
	{                                                                                \
		"budget", 'b', "TOKENS", "maximum tokens of the whole request", CLI_INT, \
		    &cli_common.budget, "CTX_BUDGET"                                     \
	}
#define CLI_REDACT_RULES_OPTION                                                      \
	{                                                                            \
		"redact-rules", 0, "FILE", "file with additional rules for secrets", \
		    CLI_STRING, &cli_common.redact_rules, "CTX_REDACT_RULES"         \
	}
#define CLI_REDACT_OPTIONS                                                           \
	{"redact", 0, NULL, "replace secrets with placeholders, as ctx-redact does", \
	    CLI_FLAG, &cli_common.redact, "CTX_REDACT"},                             \
	    CLI_REDACT_RULES_OPTION
#define CLI_QUIET_OPTION                                                  \
	{                                                                 \
		"quiet", 'q', NULL, "print no notes on stderr", CLI_FLAG, \
		    &cli_common.quiet, NULL                               \
	}
#define CLI_END                                           \
	{                                                 \
		NULL, 0, NULL, NULL, CLI_FLAG, NULL, NULL \
	}

/* Returns the current time in ms since the epoch: the time in the environment variable
 * CTX_NOW (RFC 3339; for tests) if it is set, otherwise the time of the system's
 * clock. */
int64_t cli_now(void);

/* Reads a table of models from a file in the directory of config.json, checks the table,
 * and appends it to *text. Appends nothing if the file does not exist. name: name of the
 * file, such as "models.ndjson". */
int cli_models_read(const char *name, struct ctx_buf *text, struct ctx_err *err);

/* Parses a point in time: an RFC 3339 time, or a duration before now, such as "90d" for
 * 90 days ago. Sets *ms to the point in time, in ms since the epoch. */
int cli_parse_when(const char *s, int64_t *ms, struct ctx_err *err);

/* ---- output ---- */

/* Buffered stdout. To print, append to cli_out.buf, then call cli_flush. After a failed
 * flush (the reader has gone, or the disk is full), further output is dropped and the
 * command exits with status 4. */
extern struct cli_output {
	struct ctx_buf buf;
	bool failed;
	/* true: the reader of stdout has gone, so no error message about stdout is
	 * printed */
	bool gone;
	/* Functions that are called before the first byte is written ("open"), and after
	 * the output is closed ("close"); both may be NULL. */
	void (*open)(void), (*close)(void);
} cli_out;

int cli_flush(struct ctx_err *err);
/* Flushes cli_out only if more than 64 KiB are buffered. */
int cli_flush_some(struct ctx_err *err);

/* Returns true if the error concerns only one session of a list (the session does not
 * exist, was refused, or was archived meanwhile), so that the command can continue with
 * the other sessions. */
bool cli_refused(const struct ctx_err *err);

const char *cli_program(void); /* the command's name, such as "ctx-window" */

/* Print an error, a warning or a note on stderr, after the command's name ("ctx-window:
 * …"). cli_note prints nothing with --quiet. */
void cli_error(const struct ctx_err *err);
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints a text as a warning. Functions of the library get this function as a
 * callback. */
void cli_warn_text(void *unused, const char *text);
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- progress ---- */

/* Increases the count of processed items. more: number of items processed since the last
 * call; what: the word for the items in the progress line, such as "sessions". If the
 * work takes longer than a second (or than the duration in CTX_PROGRESS), shows a
 * progress line on stderr: the count, the rate and, if the total is known, the time left.
 * The line is shown only if stderr is a terminal and --quiet was not given. */
void cli_progress(int64_t more, const char *what);
/* Returns true if this run may show a progress line: stderr is a terminal, and --quiet
 * does not suppress the line. */
bool cli_progress_wanted(void);
/* Sets the progress of the work. part: from 0 (nothing is done) to 1 (all is done);
 * negative: unknown. Call this for work whose progress cannot be computed from the number
 * of processed items. */
void cli_progress_part(double part);
/* Computes the progress of the work from the sizes of the argc input files in argv. The
 * file argv[at] is being read through the descriptor fd. */
void cli_progress_files(int argc, char **argv, int at, int fd);
/* Counts one line of the input files as a processed item. */
void cli_progress_line(void);
/* Progress callback for the store. more: number of items processed since the last call;
 * what: the word for the items; part: progress from 0 to 1. */
void cli_progress_store(int64_t more, const char *what, double part);
/* Allows the progress line even with --quiet. Call this in commands in which --quiet
 * suppresses only records. */
void cli_progress_with_quiet(void);
/* Restarts the count of processed items. total is the number of items to process;
 * negative: unknown. */
void cli_progress_begin(int64_t total, const char *what);
/* Removes the progress line and resets the count of processed items. */
void cli_progress_end(void);
/* Removes the progress line before other text is printed. The next call of cli_progress
 * shows the line again. */
void cli_progress_wipe(void);

/* ---- timings ---- */

/* Phases of a run, which do not overlap. --verbose prints how long each phase took, in
 * addition to the times of the store's operations. */
enum cli_phase {
	CLI_PHASE_SETTINGS,
	CLI_PHASE_OPEN, /* opening the store */
	/* reading input, including the time spent waiting for the input */
	CLI_PHASE_INPUT,
	CLI_PHASE_OUTPUT,
	CLI_PHASE_N,
};

/* Measure how long a phase takes: pass the result of cli_phase_begin to cli_phase_end.
 * Without --verbose, these functions do not read the clock. */
int64_t cli_phase_begin(void);
void cli_phase_end(enum cli_phase phase, int64_t begun);

/* Returns the object in which a store records the times of its operations; pass this
 * object to ctx_store_open. Returns NULL without --verbose. */
struct ctx_store_times *cli_store_times(void);

/* Turns on cli_common.verbose and starts to measure the phases. Called for the option
 * --verbose. */
void cli_timings_start(void);
/* Prints how long the phases took, in one line on stderr: "ctx-window: 0.402 ms settings,
 * …, 2.113 ms total". Does nothing without --verbose. */
void cli_timings_print(void);

/* ---- input ---- */

/* Reads the lines of the files that the operands name. If there are no operands, or for
 * the operand "-", reads stdin. */
struct cli_input {
	/* true: the input only lists the objects to process, so its lines are not counted
	 * in the progress line */
	bool is_list;
	int argc;
	char **argv;
	int next;
	struct ctx_reader *reader;
	size_t max_record;
	/* If a line is too long, its beginning is written to this file descriptor (see
	 * ctx_reader_spill); -1: the line is lost */
	int spill_fd;
	ctx_reader_before_fn *before_spill;
	void *before_arg;
	const char *spill_name;
	/* fds[i]: descriptor from which operand i is read; -1: open operand i by its
	 * name. The array is owned by this struct; NULL means that all operands are
	 * opened by name. */
	int *fds;
};
void cli_input_open(struct cli_input *in, int argc, char **argv);
/* Reads the next line of the input files. Returns 1 for a line, 0 at the end of the last
 * file, -1 on error. The name of the file and the line number are in in->reader. */
int cli_input_next(struct cli_input *in, struct ctx_span *line, struct ctx_err *err);
void cli_input_close(struct cli_input *in);
/* If the first line of the input is invalid and looks like data in another form (such as
 * plain text, a JSON array, or JSON on several lines), appends to err a hint about how to
 * pass such input. */
void cli_input_hint(const struct cli_input *in, struct ctx_err *err);
/* Adds the hint of cli_input_hint to err and prefixes the error message with the input
 * position ("stdin:17: "). Returns -1. */
int cli_input_blame(const struct cli_input *in, struct ctx_err *err);

/* Calls fn for each line of the input files argv (stdin if argc is 0). If fn fails with
 * CTX_EINPUT, the file name and the line number are added to the error message. */
typedef int cli_read_fn(
    void *arg, const struct cli_input *in, struct ctx_span line, struct ctx_err *err);
int cli_each_line(int argc, char **argv, cli_read_fn *fn, void *arg, struct ctx_err *err);

/* Calls fn for each line of input inside a write transaction. The transaction is
 * committed after 1000 lines and whenever the input pauses; then the output of fn is
 * printed. If fn refuses a line, it must fail with CTX_EINPUT or CTX_EANSWER before it
 * changes the store. The lines before the refused line are then committed, and the error
 * message names the refused line. Returns 0 at the end of input, -1 on error. */
typedef int cli_line_fn(
    void *arg, struct ctx_store *st, struct ctx_span line, struct ctx_err *err);
int cli_input_store(struct ctx_store *st, struct cli_input *in, cli_line_fn *fn,
    void *arg, struct ctx_err *err);

/* Sessions of different tenants may have the same id. Therefore cli_windows,
 * cli_sessions, cli_each_session and their variants restrict the store st (may be NULL)
 * before they call fn: if the record of a session names a tenant, the store shows only
 * that tenant's sessions. If --tenant names another tenant, the record is refused. */

/* Copies stdin, and each operand that is not a regular file, to temporary files. Later
 * calls of cli_input_next read from these files, so that a slow writer cannot block
 * them. */
int cli_input_spool(struct cli_input *in, struct ctx_err *err);
/* Creates and opens an unnamed temporary file, which the caller closes. Returns the
 * descriptor, or -1 on error. */
int cli_spool_new(struct ctx_err *err);

/* Reads the input files argv (stdin if argc is 0) and passes the records to fn as a
 * ctx_stream. If the input consists of windows, fn is called once for each window. If the
 * input is a list of messages, fn is called once for the whole list. If a line is
 * invalid, unprinted output of fn is discarded. */
struct ctx_stream;
typedef int cli_stream_fn(void *arg, struct ctx_stream *in, struct ctx_err *err);
int cli_windows(struct ctx_store *st, int argc, char **argv, cli_stream_fn *fn, void *arg,
    struct ctx_err *err);

/* Like cli_windows, but needs less memory for long lists of messages. While a list is
 * read, the callback trim() is called each time the list has doubled in size, to free
 * messages that are no longer needed. */
int cli_windows_trimmed(struct ctx_store *st, int argc, char **argv, cli_stream_fn *fn,
    cli_stream_fn *trim, void *arg, struct ctx_err *err);

/* If stdin is a terminal, prints a note that the command reads stdin, because a command
 * that waits for typed input seems to hang. Prints the note only once. Call before
 * reading stdin. */
void cli_note_terminal(void);

/* Waits until stdin has data or ends. Call before opening a store that the writer of
 * stdin may still have to create. */
void cli_input_wait(void);

/* Returns true if the window being processed is the last one in the input. Returns false
 * if more input would have to be read to know this. */
bool cli_windows_ended(void *unused);

/* A session in a list, such as the output of ctx-list. */
struct cli_listed {
	const char *session_id;
	const char *tenant; /* "": the session has no tenant; NULL: unknown */
	/* Sequence number of the session's last message when the list was made; -1:
	 * unknown. A different number now means that the session has changed since. */
	int64_t last_seq;
};

/* Calls fn for each session in the list *given. If the list is empty or contains "-",
 * also calls fn for each session named on stdin. A line of stdin is a session id, or a
 * JSON object with the member "session_id". A message, request, event or similar record
 * without "session_id" belongs to the session of the previous line. Consecutive lines of
 * the same session count once.
 *
 * If a session on stdin is missing or deleted, an error is printed and the session is
 * skipped; the call then fails with CTX_EANSWER at the end. Other lines without
 * "session_id" fail with CTX_EINPUT. */
typedef int cli_listed_fn(
    void *arg, const struct cli_listed *listed, struct ctx_err *err);
int cli_sessions(struct ctx_store *st, const struct cli_list *given, cli_listed_fn *fn,
    void *arg, struct ctx_err *err);

/* Like cli_sessions, but fn may leave a write transaction open for the next session.
 * end_group must end the transaction and print the records of the transaction's sessions.
 * end_group is called before waiting for input, after at most CLI_GROUP sessions, and at
 * the end, even after an error. */
#define CLI_GROUP 1000
typedef int cli_group_fn(void *arg, struct ctx_err *err);
int cli_sessions_in_groups(struct ctx_store *st, const struct cli_list *given,
    cli_listed_fn *fn, cli_group_fn *end_group, void *arg, struct ctx_err *err);

/* Calls fn for each session that the filter selects. fn may change the session in the
 * store. */
typedef int cli_session_fn(void *arg, const struct ctx_session *s, struct ctx_err *err);
int cli_each_session(struct ctx_store *st, struct ctx_session_filter *f,
    cli_session_fn *fn, void *arg, struct ctx_err *err);

/* Like cli_sessions, but finds each session in the store and calls fn with it. If live is
 * true, a deleted session is an error. */
int cli_named_sessions(struct ctx_store *st, const struct cli_list *given, bool live,
    cli_session_fn *fn, void *arg, struct ctx_err *err);

/* ---- archived sessions ---- */

/* Runs ctx-archive with the given arguments (a NULL-terminated list), because only
 * ctx-archive can access object storage. The standard output of ctx-archive is discarded.
 * Returns 0 on success. If ctx-archive fails, it has printed the reason on stderr, and
 * this function returns -1 with CTX_EANSWER or CTX_EIO. */
int cli_run_archive(const char *const arguments[], struct ctx_err *err);

/* Like cli_run_archive, but calls fn for each record that ctx-archive prints. If fn
 * fails, ctx-archive is stopped. */
typedef int cli_record_fn(
    void *arg, const struct ctx_record *record, struct ctx_err *err);
int cli_read_archive(
    const char *const arguments[], cli_record_fn *fn, void *arg, struct ctx_err *err);

/* Downloads the archive at the given address from object storage to an unnamed temporary
 * file. Sets *fd to the descriptor of this file, which the caller closes. Returns 1 if
 * the archive was downloaded, 0 if the archive does not exist, -1 on error. */
int cli_fetch_archive(const char *address, int *fd, struct ctx_err *err);

/* Restores the session if the session is archived. Does nothing if the session does not
 * exist. */
int cli_archived_resume(
    struct ctx_store *st, const char *session_id, struct ctx_err *err);

/* If the messages of a session are only in its archive (see ctx_archive_cleaned),
 * verifies the archive and loads it into a temporary store. Sets *out to that store,
 * which is deleted when it is closed, and *s to the session in it; s->status does not
 * change. If the messages are in the main store, sets *out to NULL. Closes the store that
 * *out points to at the time of the call (may be NULL). */
int cli_archived_open(struct ctx_store **out, struct ctx_session *s, struct ctx_err *err);

/* Handles the error CTX_EMOVED: the session was archived or restored while it was read.
 * Reads the session again into *s, clears err and returns true; the caller then continues
 * reading with the new *s. Returns false if err has another code. */
bool cli_session_moved(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err);

/* Calls fn to read messages of the session *s. fn gets the store that has the messages:
 * st or, if the messages are only in the archive, a temporary store (see
 * cli_archived_open). *s is then the session in the temporary store. If the session is
 * archived or restored meanwhile, fn is called again, and must continue after the last
 * message that it read. */
typedef int cli_messages_fn(
    void *arg, struct ctx_store *from, const struct ctx_session *s, struct ctx_err *err);
int cli_read_messages(struct ctx_store *st, struct ctx_session *s, cli_messages_fn *fn,
    void *arg, struct ctx_err *err);

/* Opens a private temporary store, which is deleted when it is closed. */
int cli_scratch_open(struct ctx_store **out, struct ctx_err *err);

/* Reads the parameter file at path, which contains a JSON object, into *text, and sets
 * *params to the object. If path is NULL, sets *params to an absent span. */
int cli_read_params(
    const char *path, struct ctx_buf *text, struct ctx_span *params, struct ctx_err *err);

/* Reads the file at path, which contains a request record, into *r. */
int cli_read_request(const char *path, struct ctx_request *r, struct ctx_err *err);

/* Writes the HTTP headers for a request with this body to the file at path. provider: an
 * enum ctx_provider. */
int cli_write_headers(
    const char *path, struct ctx_span body, int provider, struct ctx_err *err);

/* ---- secrets ---- */

/* Opens the redaction engine with the built-in rules and the user's rules. The user's
 * rules are in the file of --redact-rules, and in the file redact.rules in the directory
 * of config.json. The engine is freed at exit. */
struct ctx_redact;
int cli_redact_open(struct ctx_redact **out, struct ctx_err *err);

/* With --redact, reads the rules for secrets now, so that an error in a rule is reported
 * before the command does anything. */
int cli_redact_start(struct ctx_err *err);
/* With --redact, sets *json to a copy in which secrets are replaced, valid until the next
 * call. Leaves *json unchanged if it contains no secrets or is not JSON. */
int cli_redact_json(struct ctx_span *json, struct ctx_err *err);

/* ---- worker processes ---- */

/* A pool of worker processes. A job is one line of text. For each job, a worker process
 * calls a cli_work_fn, which appends one line to *result. The main process passes this
 * line to a cli_done_fn (see cli_jobs_start). */
struct cli_jobs;
typedef void cli_work_fn(void *arg, struct ctx_span job, struct ctx_buf *result);
/* Called in the main process when a job ends. Jobs are reported in the order in which
 * they end. tag: the pointer that was passed to cli_jobs_put with the job; result: absent
 * if the worker process died. Returns 0 to continue, -1 to stop. */
typedef int cli_done_fn(
    void *arg, void *tag, struct ctx_span result, struct ctx_err *err);
/* Starts n worker processes and sets *out to the pool. arg: first argument of the
 * callbacks work() and done(). Call before opening files or stores that processes must
 * not share. */
int cli_jobs_start(struct cli_jobs **out, int n, cli_work_fn *work, cli_done_fn *done,
    void *arg, struct ctx_err *err);
/* Gives a job to a free worker. If no worker is free, waits until a worker is free. tag:
 * passed to the callback done() when the job ends. */
int cli_jobs_put(
    struct cli_jobs *jobs, struct ctx_span job, void *tag, struct ctx_err *err);
/* Waits until all jobs have ended and the callback done() was called for each of them. */
int cli_jobs_wait(struct cli_jobs *jobs, struct ctx_err *err);
/* Stops the workers. Calls the callback done() with an absent result for each unfinished
 * job. */
void cli_jobs_end(struct cli_jobs *jobs);

/* ---- stores, sessions, settings ---- */

/* Appends to *path the path of a file in the user's data directory. name: the file's
 * name. */
int cli_data_path(struct ctx_buf *path, const char *name, struct ctx_err *err);
/* Appends the path of the store to *path. The store need not exist. */
int cli_store_path(struct ctx_buf *path, struct ctx_err *err);
/* Returns 1 if the store exists as a file or on a server, 0 if it does not exist, -1 on
 * error. */
int cli_store_exists(struct ctx_err *err);
/* Flags for cli_store_open. CLI_CREATE, CLI_BULK and CLI_SNAPSHOT set the members
 * "create", "bulk" and "snapshot" of struct ctx_store_options. */
enum { CLI_CREATE = 1, CLI_BULK = 2, CLI_SNAPSHOT = 4, CLI_EXACT = 8, CLI_IF_ANY = 16 };
/* Opens the store named by -S, CTX_STORE or the configuration file, or else the default
 * store. how: 0 or a combination of flags:
 * - CLI_CREATE: create the store if it is missing.
 * - CLI_IF_ANY: a missing store is not an error; *out is then NULL.
 * - CLI_EXACT: do not complete abbreviated ids in --session, because --session may name
 * sessions that are not in the store. CLI_CREATE implies this.
 * - CLI_BULK, CLI_SNAPSHOT: see struct ctx_store_options.
 * Fails with CTX_EANSWER if several sessions match an abbreviated id. */
int cli_store_open(struct ctx_store **out, int how, struct ctx_err *err);
/* For commands that process each session only once, even if the session is named twice.
 * cli_sessions_add records that the session was processed; cli_sessions_has returns true
 * if this was recorded. */
bool cli_sessions_has(const struct ctx_session *s);
void cli_sessions_add(const struct ctx_session *s);
/* Completes abbreviated ids in --session. If an id has at least four characters and no
 * session has exactly this id, the id is replaced with the session id that begins or ends
 * with these characters. Fails with CTX_EANSWER if several session ids match. */
int cli_complete_sessions(struct ctx_store *st, struct ctx_err *err);
/* Returns the value of CTX_SESSION, for commands that need one session; NULL if
 * CTX_SESSION is unset or empty. */
const char *cli_session_default(void);
/* Adds the session id in CTX_SESSION to an empty list if stdin is a terminal or
 * /dev/null. Adds nothing if stdin is a pipe or a file, because stdin is then the list of
 * sessions, even if stdin is empty. Call before the store is opened. */
void cli_sessions_default(struct cli_list *list);
/* Restricts the store to the sessions of the tenant that an input record names. tenant:
 * the tenant's id; "": sessions without a tenant; NULL: the tenant of --tenant again. st
 * may be NULL. Fails with CTX_EINPUT if --tenant names another tenant. */
int cli_see_tenant(struct ctx_store *st, const char *tenant, struct ctx_err *err);
/* cli_check_id checks the id of a new object; ids of existing objects need not be
 * checked. what: the word for the id in the error message. cli_check_tenant checks the id
 * in --tenant. Both fail with CTX_EUSAGE if the id is invalid. */
int cli_check_id(const char *id, const char *what, struct ctx_err *err);
int cli_check_tenant(struct ctx_err *err);
/* Opens the tokenizer of --tokenizer; "auto:MODEL" selects the model's tokenizer. */
int cli_tokenizer_open(struct ctx_tokenizer **out, struct ctx_err *err);
/* A tokenizer can multiply its counts by a factor, so that they match the counts of a
 * model with another tokenizer. The functions cli_tokenizer_model, cli_tokenizer_follow,
 * cli_tokenizer_request and cli_tokenizer_session set this factor of the tokenizer t
 * (cli_tokenizer.c). They do nothing if --tokenizer is on the command line, or if the
 * name in CTX_TOKENIZER or the configuration file contains a factor, a model or a
 * file. */

/* Sets the factor of tokenizer t to that of a model. model: the model's name, a JSON
 * string. If the name is absent or the model is unknown, t counts without a factor. */
int cli_tokenizer_model(
    struct ctx_tokenizer *t, struct ctx_span model, struct ctx_err *err);
/* Sets the factor of tokenizer t to the factor in a tokenizer name. If the name is that
 * of another tokenizer than t, t counts without a factor. recorded: the tokenizer name in
 * a record; may be NULL. */
void cli_tokenizer_follow(struct ctx_tokenizer *t, const char *recorded);
/* Sets the factor of tokenizer t to that of the model named by the member "model" of the
 * JSON object params (may be absent). Without such a member, uses the factor with which
 * the tokens in the request record q were counted. */
int cli_tokenizer_request(struct ctx_tokenizer *t, struct ctx_span params,
    const struct ctx_request *q, struct ctx_err *err);
/* Stores the name of tokenizer t in the request record q, whose tokens were counted with
 * t. */
void cli_tokenizer_note(const struct ctx_tokenizer *t, struct ctx_request *q);
/* Sets the factor of tokenizer t to that of the model named by the member "model" of the
 * JSON object params (may be absent). Without such a member, uses the factor of the model
 * of the session's last request. It is not an error if the session does not exist. */
int cli_tokenizer_session(struct ctx_tokenizer *t, struct ctx_span params,
    struct ctx_store *st, const char *session_id, struct ctx_err *err);
/* Parses s as a number greater than 0 and at most 1. Leaves *out unchanged if s is NULL.
 * Fails with CTX_EUSAGE if s is not such a number. name: the option's name, for the error
 * message. */
int cli_parse_share(const char *name, const char *s, double *out, struct ctx_err *err);
/* Prints a warning if no items (see ctx-item(1)) are defined for the agent, because the
 * agent's name may be misspelled. agent may be NULL. */
int cli_warn_agent(
    struct ctx_store *st, const char *tenant, const char *agent, struct ctx_err *err);
/* Finds a session. Fails with CTX_EANSWER if the session does not exist. */
int cli_session_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);
/* Like cli_session_find, but fails also if the session is deleted. */
int cli_session_open(struct ctx_store *st, const char *session_id,
    struct ctx_session *out, struct ctx_err *err);
/* Sets the error for a deleted session. Returns -1. */
int cli_deleted(const char *session_id, struct ctx_err *err);

/* Sets the error for an unknown provider name. The error message lists the known
 * providers. more: text at the end of the message; may be "". Returns -1. */
int cli_unknown_provider(const char *name, const char *more, struct ctx_err *err);

/* Sets *out to the provider of --provider (enum ctx_provider), or to -1 if --provider is
 * not given. Fails with CTX_EUSAGE if the provider is unknown, or if required is true and
 * --provider is not given. */
int cli_provider(int *out, bool required, struct ctx_err *err);

/* Finds the known name that is most similar to a misspelled word, for hints in error
 * messages. Call cli_nearest_try for each known name. After that, n->name is the most
 * similar name (borrowed), or NULL if no name is similar enough. */
struct cli_nearest {
	const char *word, *name;
	size_t edits;
};
void cli_nearest_init(struct cli_nearest *n, const char *word);
void cli_nearest_try(struct cli_nearest *n, const char *name);

/* Finds the action that the command's first operand names. actions: a table that ends
 * with an entry whose name is NULL. Returns NULL with CTX_EUSAGE if there is no such
 * action. */
struct cli_action {
	const char *name;
	/* Runs the action. argv: the operands after the action's name; arg: the state
	 * that the command's actions share. */
	int (*fn)(void *arg, int argc, char **argv, struct ctx_err *err);
};
const struct cli_action *cli_action(
    const struct cli_action actions[], int argc, char **argv, struct ctx_err *err);

/* Print the record of an action on a session: cli_record_open begins the record, the
 * caller appends members to cli_out.buf, and cli_record_close ends and flushes the
 * record. */
void cli_record_open(
    const char *kind, const char *session_id, const char *action, bool dry_run);
int cli_record_close(struct ctx_err *err);
/* Like cli_record_close, but does not print the record. The record stays in cli_out.buf
 * until the transaction is committed. */
void cli_record_end(void);

/* Fails with CTX_EUSAGE if there are operands. */
int cli_no_operands(int argc, char **argv, struct ctx_err *err);

#endif
