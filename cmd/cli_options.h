/* Private to the front of all commands: from a command line to set variables. */
#ifndef CTX_CMD_CLI_OPTIONS_H
#define CTX_CMD_CLI_OPTIONS_H

#include "cli.h"

/* Set what the flags say. 1: help or version was put into cli_out. */
int cli_options_parse(
    const struct cli_command *command, int argc, char **argv, struct ctx_err *err);

/* Then environment and configuration file, for what no flag has set. Strings live as long
 * as the process. */
int cli_settings_apply(struct ctx_err *err);

/* The path of a file of the configuration: 1; 0, and it is empty, when there is no such file;
 * CTX_EUSAGE when it cannot be told, or a link on the way leads nowhere. */
int cli_config_path(struct ctx_buf *path, const char *name, struct ctx_err *err);

/* The row of the command's table; NULL if it has none of this name. */
const struct cli_option *cli_option_row(const char *name);
bool cli_has_option(const char *name);

/* Prints the error of a session of a list if that session is missing or deleted, clears *err
 * and counts it in *skipped, so that the others can follow. Returns -1, with *err unchanged,
 * if the session failed for another reason. */
int cli_skip_missing(
    struct ctx_store *st, const char *session_id, int64_t *skipped, struct ctx_err *err);

/* What may have been meant by an operand of a command that takes none, to stand behind the
 * error; it may be empty. */
const char *cli_operand_hint(void);

/* The options of the command that runs. */
const struct cli_option *cli_option_table(void);

/* A whole number from 0. */
int cli_parse_int(int64_t *out, const char *s, struct ctx_err *err);

#endif
