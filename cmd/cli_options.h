/* Private to cmd/cli_*.c: parses the command line into variables. */
#ifndef CTX_CMD_CLI_OPTIONS_H
#define CTX_CMD_CLI_OPTIONS_H

#include "cli.h"

/* Sets the variables of the options on the command line. Returns 0 on success, 1 if the
 * text of --help or --version was put into cli_out, -1 on error. */
int cli_options_parse(
    const struct cli_command *command, int argc, char **argv, struct ctx_err *err);

/* Sets the options that the command line did not set, from the environment and the
 * configuration file. The strings stay valid until the process ends. */
int cli_settings_apply(struct ctx_err *err);

/* Sets *path to the path of a configuration file. name: the file's name. Returns 1 if the
 * file exists. Returns 0, with *path empty, if the file does not exist or if
 * XDG_CONFIG_HOME and HOME are both unset. Fails with CTX_EUSAGE if the file is a FIFO or
 * its path is wrong (a broken symbolic link, for example), and with CTX_EIO if access
 * fails for another reason. */
int cli_config_path(struct ctx_buf *path, const char *name, struct ctx_err *err);
/* Appends to *path the path of a configuration file: $XDG_CONFIG_HOME/ctx/NAME or
 * $HOME/.config/ctx/NAME. The file need not exist. name: the file's name. Returns the
 * value of the environment variable that is used. Returns NULL, and appends nothing, if
 * both variables are unset. XDG_CONFIG_HOME is ignored if it is not an absolute path. */
const char *cli_config_place(struct ctx_buf *path, const char *name);

/* Appends an error message to *out. text: the message. If the message mentions an option
 * that was not set on the command line, the option's name is replaced with the place
 * where its value was set: an environment variable, or a member of the configuration
 * file. */
void cli_name_origins(struct ctx_buf *out, const char *text);

/* Returns the running command's option with this long name, or NULL. */
const struct cli_option *cli_option_row(const char *name);
bool cli_has_option(const char *name);

/* Handles an error for one session of a list. If the session is missing or deleted,
 * prints the error, clears *err, increments *skipped and returns 0, so that the other
 * sessions can be processed. Otherwise returns -1 with *err unchanged. */
int cli_skip_missing(
    struct ctx_store *st, const char *session_id, int64_t *skipped, struct ctx_err *err);

/* Returns a hint for the error message of a command that accepts no operands. The hint
 * says what the user may have meant. Returns "" if there is no hint. */
const char *cli_operand_hint(void);

/* Returns the option table of the running command. */
const struct cli_option *cli_option_table(void);

/* Sets the variable of option o to a value from the command line, the environment or the
 * configuration file. s: the value, as text. Fails with CTX_EUSAGE if s is not valid for
 * the option's type; the error message does not name the option. */
int cli_value_set(const struct cli_option *o, const char *s, struct ctx_err *err);

/* Fails with CTX_EUSAGE if --sync is on the command line with an unknown mode. Called for
 * every command, because some commands do not open a store. */
int cli_check_sync(struct ctx_err *err);

/* Parses s as a non-negative whole number. Fails with CTX_EUSAGE if s is not such a
 * number. */
int cli_parse_int(int64_t *out, const char *s, struct ctx_err *err);

/* Returns 0 if this program contains the database engine (SQLite or PostgreSQL) that the
 * store needs. Otherwise replaces this process (exec) with another build of the same
 * command, which contains the engine. name: the command's name. Fails with CTX_ESTORE if
 * that build is not installed. */
int cli_engine_hand_over(const char *name, char **argv, struct ctx_err *err);

#endif
