/* Private to the common part of all commands: parses the command line into variables. */
#ifndef CTX_CMD_CLI_OPTIONS_H
#define CTX_CMD_CLI_OPTIONS_H

#include "cli.h"

/* Sets the variables of the options on the command line. Returns 0; 1 if help or
 * version was put into cli_out; -1 on error. */
int cli_options_parse(
    const struct cli_command *command, int argc, char **argv, struct ctx_err *err);

/* Sets options that the command line did not set, from the environment and the
 * configuration file. The strings stay valid until the process ends. */
int cli_settings_apply(struct ctx_err *err);

/* Sets *path to the path of a configuration file. Returns 1, or 0 with *path empty if
 * there is no such file. CTX_EUSAGE if the path cannot be determined, or a link on it
 * is broken. */
int cli_config_path(struct ctx_buf *path, const char *name, struct ctx_err *err);
/* Appends the path, whether or not there is such a file. Returns the directory of the
 * environment that it is in; NULL, with nothing appended, if there is none. */
const char *cli_config_place(struct ctx_buf *path, const char *name);

/* Appends a message in which an option that a variable or the configuration file set is
 * called by that variable, or by the file and its member. */
void cli_name_origins(struct ctx_buf *out, const char *text);

/* Returns the command's option with this name, or NULL. */
const struct cli_option *cli_option_row(const char *name);
bool cli_has_option(const char *name);

/* Prints the error of a session of a list if that session is missing or deleted, clears *err
 * and counts it in *skipped, so that the others can follow. Returns -1, with *err unchanged,
 * if the session failed for another reason. */
int cli_skip_missing(
    struct ctx_store *st, const char *session_id, int64_t *skipped, struct ctx_err *err);

/* Returns a hint for the error about an operand of a command that takes none: what the
 * user may have meant. May be empty. */
const char *cli_operand_hint(void);

/* Returns the option table of the running command. */
const struct cli_option *cli_option_table(void);

/* Parses the argument of an option, or its setting, into the option's variable. CTX_EUSAGE
 * without the option's name if it is not of the option's type. */
int cli_value_set(const struct cli_option *o, const char *s, struct ctx_err *err);

/* Checks the mode that --sync names, also where no store is opened. */
int cli_check_sync(struct ctx_err *err);

/* Parses a whole number, at least 0. */
int cli_parse_int(int64_t *out, const char *s, struct ctx_err *err);

/* Replaces this process by the command of that name that knows the engine of the store, if
 * this one does not. CTX_ESTORE if there is none. */
int cli_engine_hand_over(const char *name, char **argv, struct ctx_err *err);

#endif
