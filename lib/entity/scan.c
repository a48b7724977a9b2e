#include "entity/scan.h"

void
ctx_scan_text(const struct ctx_scan *t, struct ctx_span text, struct ctx_mentions *m)
{
	ctx_mentions_reset(m);
	if (t->builtin != NULL)
		ctx_recognise_scan(t->builtin, text, m);
	for (size_t i = 0; i < t->n_gazetteers; i++)
		ctx_gazetteer_scan(&t->gazetteers[i], text, m);
	if (t->patterns != NULL)
		ctx_patterns_scan(t->patterns, text, m);
	ctx_mentions_resolve(m);
}
