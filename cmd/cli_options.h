/* Private to cmd/cli_*.c: parses the command line into variables. */
#ifndef CTX_CMD_CLI_OPTIONS_H
#define CTX_CMD_CLI_OPTIONS_H

#include "cli.h"

/* Sets the variables of the options on the command line. Returns 0; 1 if the text of
 * --help or --version was put into cli_out; -1 on error. */
int cli_options_parse(
    const struct cli_command *command, int argc, char **argv, struct ctx_err *err);

/* Sets the options that the command line did not set, from the environment and the
 * configuration file. The strings stay valid until the process ends. */
int cli_settings_apply(struct ctx_err *err);

/* Stores the path of a configuration file in *path. Returns 1; 0, with *path empty, if
 * the file does not exist. Fails with CTX_EUSAGE if the path cannot be determined or
 * contains a broken symbolic link. */
int cli_config_path(struct ctx_buf *path, const char *name, struct ctx_err *err);
/* Appends the path, whether or not there is such a file. Returns the directory of the
 * environment that it is in; NULL, with nothing appended, if there is none. */
const char *cli_config_place(struct ctx_buf *path, const char *name);

/* Appends an error message in which each option is replaced by its origin: if an
 * environment variable set the option, that variable; if the configuration file did, the
 * file and the member. */
void cli_name_origins(struct ctx_buf *out, const char *text);

/* Returns the running command's option with this long name, or NULL. */
const struct cli_option *cli_option_row(const char *name);
bool cli_has_option(const char *name);

/* If the error concerns a missing or deleted session of a list, prints it, clears *err,
 * counts the session in *skipped and returns 0, so that the other sessions can be
 * processed. Otherwise returns -1 with *err unchanged. */
int cli_skip_missing(
    struct ctx_store *st, const char *session_id, int64_t *skipped, struct ctx_err *err);

/* Returns a hint for the error that a command accepts no operands: what the user may have
 * meant. May be "". */
const char *cli_operand_hint(void);

/* Returns the option table of the running command. */
const struct cli_option *cli_option_table(void);

/* Parses the argument of an option, or the value of its setting, into the option's
 * variable. Fails with CTX_EUSAGE if the value does not have the option's type; the
 * message does not name the option. */
int cli_value_set(const struct cli_option *o, const char *s, struct ctx_err *err);

/* Checks the mode given with --sync, even if the command does not open a store. */
int cli_check_sync(struct ctx_err *err);

/* Parses a non-negative whole number. */
int cli_parse_int(int64_t *out, const char *s, struct ctx_err *err);

/* If the store needs an engine that this program does not contain, replaces this process
 * by the command with the given name that contains it. Fails with CTX_ESTORE if that
 * command is not installed. */
int cli_engine_hand_over(const char *name, char **argv, struct ctx_err *err);

#endif
