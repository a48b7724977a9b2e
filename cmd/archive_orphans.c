/* ctx-archive: finds archives that an interrupted run wrote but did not record. */
#include "archive.h"

#include <string.h>

#include "archive/owned.h"

/* Records an unrecorded archive, if it is of one of the store's sessions. */
static int
record_orphan(
    struct archiving *arc, const char *name, const char *address, struct ctx_err *err)
{
	struct ctx_source src = {.blobs = arc->places.blobs, .name = name, .fd = -1};
	struct ctx_session of = CTX_SESSION_INIT, s = CTX_SESSION_INIT;
	struct ctx_owner_file file = {address, NULL, CTX_OWNER_WRITTEN};
	enum ctx_owned owned = CTX_OWNED_NO;
	int rc = ctx_owner_knows(arc->store, address, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	rc = ctx_owned_session(&src, &of, err);
	if (rc == 1 && of.session_id != NULL)
		rc = ctx_store_session_of(arc->store,
		    of.tenant_id != NULL ? of.tenant_id : "", of.session_id, &s, err);
	if (rc == 1)
		rc = ctx_owned_look(&owned, &src, arc->store, &s, err);
	if (rc == 0 && owned == CTX_OWNED_YES &&
	    (rc = ctx_store_begin(arc->store, err)) == 0) {
		rc = ctx_owner_add(arc->store, s.no, &file, err);
		rc = ctx_store_end(arc->store, rc, err);
	}
	ctx_session_release(&of);
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

static int
collect_name(void *arg, const struct ctx_blob *blob, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_buf *names = arg;

	ctx_buf_adds(names, blob->name);
	ctx_buf_addc(names, '\n'); /* names never contain a newline */
	return 0;
}

int
record_orphans(struct archiving *arc, const char *place, struct ctx_err *err)
{
	struct ctx_buf names = CTX_BUF_INIT, address = CTX_BUF_INIT;
	int rc = ctx_places_open(&arc->places, place, false, err);
	char *save = NULL;

	if (rc == 0)
		rc = ctx_blob_list(arc->places.blobs, "", collect_name, &names, err);
	for (char *name = names.n > 0 ? strtok_r(names.p, "\n", &save) : NULL;
	     rc == 0 && name != NULL; name = strtok_r(NULL, "\n", &save)) {
		ctx_buf_reset(&address);
		ctx_blob_address(arc->places.blobs, name, &address);
		rc = record_orphan(arc, name, address.p, err);
	}
	ctx_buf_release(&names);
	ctx_buf_release(&address);
	return rc;
}
