/* Determines which archives a purge removes: those of the session that this store wrote.
 * Other archives that are found are left in place, with a warning. */
#include "archive/erase_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/export.h"

static void
add_erase_uri(struct ctx_erase_uris *u, const char *uri)
{
	for (size_t i = 0; i < u->n; i++)
		if (strcmp(u->v[i], uri) == 0)
			return;
	CTX_MEM_GROW(u->v, u->n, u->cap);
	u->v[u->n++] = ctx_mem_str(uri);
}

static struct ctx_erase_entry *
add_erase_entry(struct ctx_erase_plan *p, const char *uri)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].uri, uri) == 0)
			return &p->v[i];
	CTX_MEM_GROW(p->v, p->n, p->cap);
	p->v[p->n] = (struct ctx_erase_entry){.uri = ctx_mem_str(uri)};
	return &p->v[p->n++];
}

void
ctx_erase_plan_release(struct ctx_erase_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].uri);
	free(p->v);
}

static int
add_recorded(void *arg, const struct ctx_owner_file *file, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_erase_entry *entry = add_erase_entry(arg, file->uri);

	entry->recorded = true;
	entry->written |= file->state >= CTX_OWNER_WRITTEN;
	entry->going |= file->state == CTX_OWNER_GOING;
	return 0;
}

/* Adds the archives that the store has recorded for the session. They are expected to
 * exist. */
static int
collect_recorded(struct ctx_erase_plan *p, struct ctx_err *err)
{
	struct ctx_store *st = p->e->st;
	char *uri = ctx_archive_uri(p->s);

	if (uri != NULL)
		add_erase_entry(p, uri)->recorded = true;
	free(uri);
	if (ctx_owner_each(st, p->s, add_recorded, p, err) < 0)
		return -1;
	return ctx_owned_told(st, p->s, add_recorded, p, err);
}

/* Adds the archive that an event names to those that are searched for texts, whoever
 * wrote the event. */
static int
collect_named(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	char *uri = ctx_json_strdup(ctx_json_get(record, "uri"));

	if (uri != NULL)
		add_erase_uri(arg, uri);
	free(uri);
	return 0;
}

int
ctx_erase_know(struct ctx_erase *e, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_erase_plan p = {.e = e, .s = s};
	int rc = collect_recorded(&p, err);

	for (size_t i = 0; i < p.n; i++)
		add_erase_uri(&e->known, p.v[i].uri);
	ctx_erase_plan_release(&p);
	return rc < 0 ? -1 : ctx_store_events(e->st, s, collect_named, &e->known, err);
}

int
ctx_erase_check_unmoved(const struct ctx_session *s, const struct ctx_session *now,
    int found, struct ctx_err *err)
{
	if (found == 0 || strcmp(now->session_id, s->session_id) != 0 ||
	    now->last_seq != s->last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' changed meanwhile: skipped", s->session_id);
	if (now->hold != NULL)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is on hold (%s): skipped", s->session_id, now->hold);
	return 0;
}

int
ctx_erase_source_find(struct ctx_erase *e, struct ctx_places *places, const char *address,
    struct ctx_source *source, struct ctx_err *err)
{
	int rc;

	*source = (struct ctx_source){.fd = -1};
	if (!ctx_place_is_remote(address))
		return ctx_places_find(places, address, source, err) < 0 ? -1 : 1;
	rc = e->calls->fetch_remote(address, &source->fd, err);
	source->held = rc == 1;
	source->path = address;
	return rc;
}

void
ctx_erase_source_release(struct ctx_source *source)
{
	if (source->held)
		close(source->fd);
}

static int
check_archive_owner(struct ctx_erase *e, struct ctx_erase_entry *entry,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_places places = {.open = ctx_place_open_dir};
	struct ctx_source source;
	int rc = ctx_erase_source_find(e, &places, entry->uri, &source, err);

	entry->owned = CTX_OWNED_MISSING;
	if (rc == 1)
		rc = ctx_owned_look(&entry->owned, &source, e->st, s, err);
	if (rc == 0 && entry->owned == CTX_OWNED_NO && entry->written && !entry->going) {
		rc = ctx_owned_recorded(&source, entry->uri, e->st, s, err);
		entry->replaced = rc == 0;
	}
	ctx_erase_source_release(&source);
	ctx_places_close(&places);
	return rc < 0 ? -1 : 0;
}

/* Handles an archive that could not be inspected. In a directory, an unreadable archive
 * counts as missing, and the purge continues. If object storage does not answer, the
 * purge stops and can be repeated. */
static bool
is_lost_archive(
    struct ctx_erase *e, struct ctx_erase_entry *entry, const struct ctx_err *why)
{
	if (ctx_place_is_remote(entry->uri) || why->code != CTX_EIO)
		return false;
	e->calls->warn("archive '%s': %s", entry->uri, why->msg);
	entry->owned = CTX_OWNED_UNREADABLE;
	entry->recorded = true; /* its content is unknown */
	return true;
}

/* Deletes an archive or, with unfinished, only the temporary files of its writers. */
static int
delete_archive(
    struct ctx_erase *e, const char *address, bool unfinished, struct ctx_err *err)
{
	struct ctx_places places = {.open = ctx_place_open_dir};
	struct ctx_source source;
	int rc;

	if (ctx_place_is_remote(address))
		return unfinished ? 0 : e->calls->remove_remote(address, err);
	rc = ctx_places_find(&places, address, &source, err);
	if (rc == 0 && source.blobs != NULL)
		rc = unfinished
			 ? ctx_blob_delete_unfinished(source.blobs, source.name, err)
			 : ctx_blob_delete(source.blobs, source.name, err);
	else if (rc == 0 && !unfinished && unlink(address) < 0 && errno != ENOENT)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot remove '%s'", address);
	ctx_places_close(&places);
	return rc;
}

static int
remove_archive(struct ctx_erase *e, const struct ctx_erase_entry *entry,
    const struct ctx_session *s, struct ctx_err *err)
{
	const char *uri = entry->uri;
	bool unreadable = entry->owned == CTX_OWNED_UNREADABLE;

	if (entry->owned == CTX_OWNED_YES) {
		e->archives++;
		return delete_archive(e, uri, false, err);
	}
	if (unreadable || entry->owned == CTX_OWNED_NO) {
		e->calls->warn(
		    unreadable
			? "the archive '%s' of session '%s' was not removed, because it cannot be read and may belong to another store (ctx-archive --remove removes it)"
		    : entry->replaced
			? "the file '%s' was not removed, because it is not the archive that the store recorded for session '%s' (ctx-archive --remove removes it)"
			: "the file '%s' was not removed, because this store did not write it for session '%s' (ctx-archive --remove removes it)",
		    uri, s->session_id);
		add_erase_uri(&e->known, uri); /* it is searched for texts */
		if (unreadable ? entry->recorded : entry->replaced)
			e->missing++;
		else
			e->left++;
		return 0;
	}
	if (entry->recorded && !entry->going) {
		e->calls->warn(
		    "the archive '%s' of session '%s' does not exist (perhaps it was moved), so it was not removed",
		    uri, s->session_id);
		e->missing++;
	}
	return delete_archive(e, uri, true, err);
}

/* Returns the address that the session's archive in a place would have; NULL if the place
 * does not exist. */
static char *
address_in(const char *place, const struct ctx_session *s)
{
	struct ctx_buf b = CTX_BUF_INIT;
	char *real = ctx_place_is_remote(place) ? ctx_mem_str(place)
						: realpath(place, NULL);

	if (real == NULL)
		return NULL;
	ctx_buf_adds(&b, real);
	free(real);
	while (b.n > 1 && b.p[b.n - 1] == '/')
		b.p[--b.n] = '\0';
	if (b.n > 1)
		ctx_buf_addc(&b, '/');
	ctx_archive_name(&b, s->created_at, ctx_span_of(s->session_id), s->tenant_id);
	return ctx_buf_detach(&b);
}

static int
add_run(void *arg, const char *place, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_erase_plan *p = arg;
	char *address = address_in(place, p->s);

	if (address != NULL) {
		add_erase_entry(p, address);
	} else {
		p->e->calls->warn(
		    "the archive directory '%s' does not exist: if the directory was moved, the new directory may still contain an archive of session '%s'",
		    place, p->s->session_id);
		p->e->missing++;
	}
	free(address);
	return 0;
}

int
ctx_erase_plan_collect(struct ctx_erase_plan *p, struct ctx_err *err)
{
	struct ctx_erase *e = p->e;
	char *address = e->destination == NULL ? NULL : address_in(e->destination, p->s);
	int rc = collect_recorded(p, err);

	if (rc == 0 && address != NULL)
		add_erase_entry(p, address);
	free(address);
	if (rc == 0)
		rc = ctx_owner_each_run(e->st, add_run, p, err);
	if (rc == 0)
		rc = ctx_store_events(e->st, p->s, collect_named, &e->known, err);
	return rc;
}

int
ctx_erase_plan_inspect(struct ctx_erase_plan *p, struct ctx_err *err)
{
	struct ctx_erase *e = p->e;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n; i++) {
		struct ctx_err why = CTX_ERR_INIT;
		if (check_archive_owner(e, &p->v[i], p->s, &why) == 0 ||
		    is_lost_archive(e, &p->v[i], &why))
			continue;
		*err = why;
		rc = ctx_err_prefix(err, "archive '%s'", p->v[i].uri);
	}
	return rc;
}

int
ctx_erase_plan_mark(const struct ctx_erase_plan *p, struct ctx_err *err)
{
	for (size_t i = 0; i < p->n; i++) {
		struct ctx_owner_file file = {p->v[i].uri, NULL, CTX_OWNER_GOING};
		if (p->v[i].owned == CTX_OWNED_YES &&
		    ctx_owner_add(p->e->st, p->s->no, &file, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_erase_plan_remove(const struct ctx_erase_plan *p, struct ctx_err *err)
{
	for (size_t i = 0; i < p->n; i++)
		if (remove_archive(p->e, &p->v[i], p->s, err) < 0)
			return -1;
	return 0;
}
