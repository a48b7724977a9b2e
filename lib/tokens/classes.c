#include "tokens/classes.h"

/* clang-format off */
#include "tokens/classes.inc"
