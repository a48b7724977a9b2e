/* Compaction by Anthropic. */
#ifndef CTX_ANTHROPIC_COMPACTION_H
#define CTX_ANTHROPIC_COMPACTION_H

#include "provider/provider.h"

extern const struct ctx_provider_compaction ctx_anthropic_compaction;

#endif
