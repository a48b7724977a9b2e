#include "store/store.h"

int
ctx_store_session_numbered(
    struct ctx_store *st, int64_t no, struct ctx_session *out, struct ctx_err *err)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	int n;

	f.status[CTX_STATUS_ACTIVE] = f.status[CTX_STATUS_ARCHIVED] = true;
	f.no = no;
	n = ctx_store_session_list(st, &f, out, 1, err);
	return n;
}
