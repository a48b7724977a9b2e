#include "archive/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

bool
ctx_place_is_remote(const char *address)
{
	return strncmp(address, "s3://", 5) == 0;
}

/* Returns true if s begins with "SCHEME:/". */
static bool
looks_like_uri(const char *s)
{
	static const char scheme[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
	size_t n = strspn(s, scheme);

	return n > 0 && s[n] == ':' && s[n + 1] == '/';
}

int
ctx_place_check(const char *destination, struct ctx_err *err)
{
	if (*destination == '\0')
		return ctx_err_set(err, CTX_EUSAGE, "the directory name is empty");
	if (ctx_place_is_remote(destination) ||
	    (!looks_like_uri(destination) && strncmp(destination, "s3:", 3) != 0 &&
		strncmp(destination, "s3//", 4) != 0))
		return 0;
	return ctx_err_set(err, CTX_EUSAGE,
	    "'%s' is neither a directory nor s3://BUCKET/PREFIX", destination);
}

/* Uses the real path of the directory, by which archives are found later from other
 * directories. */
int
ctx_place_open_dir(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err)
{
	struct ctx_blobs *made;
	char *real;
	int rc;

	*blobs = NULL;
	if (ctx_place_check(destination, err) < 0)
		return -1;
	if (create) {
		if (ctx_blobs_open_dir(&made, destination, true, err) < 0)
			return -1;
		ctx_blobs_close(made);
	}
	real = realpath(destination, NULL);
	if (real == NULL)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", destination);
	rc = ctx_blobs_open_dir(blobs, real, false, err);
	free(real);
	return rc;
}

/* Returns true if name has the form YYYY/MM/ID.ndjson.gz. */
static bool
is_archive_name(const char *name)
{
	static const char end[] = ".ndjson.gz";
	size_t n = strlen(name);

	return ctx_span_begins_like(ctx_span_of(name), "dddd/dd/") && n > sizeof(end) &&
	       strcmp(name + n - (sizeof(end) - 1), end) == 0 && ctx_blob_name_ok(name);
}

int
ctx_place_split(const char *address, char **destination, char **name, struct ctx_err *err)
{
	const char *p = address + strlen(address);
	int slashes = 0;

	*destination = *name = NULL;
	while (p > address && slashes < 3)
		slashes += *--p == '/';
	if (slashes == 3 && is_archive_name(p + 1) &&
	    (ctx_place_is_remote(address) ? p > address + 5 : address[0] == '/')) {
		*destination = p == address ? ctx_mem_str("/")
					    : ctx_mem_dup(address, (size_t)(p - address));
		*name = ctx_mem_str(p + 1);
		return 0;
	}
	return ctx_err_set(err, CTX_EINPUT,
	    "'%s' is not the address of an archive (an absolute path or s3://BUCKET/KEY)",
	    address);
}

int
ctx_source_open(struct ctx_source *s, struct ctx_err *err)
{
	struct stat st;

	if (s->blobs != NULL)
		return ctx_blob_get_open(s->blobs, s->name, &s->get, err);
	if (s->held)
		return lseek(s->fd, 0, SEEK_SET) == 0 ? 1
						      : ctx_err_sys(err, CTX_EIO, errno,
							    "cannot read '%s'", s->path);
	/* O_NONBLOCK: opening a FIFO would block */
	s->fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->fd >= 0 && (fstat(s->fd, &st) < 0 || S_ISFIFO(st.st_mode))) {
		close(s->fd);
		s->fd = -1;
		return ctx_err_set(err, CTX_EIO, "'%s' is not a regular file", s->path);
	}
	if (s->fd < 0 && errno == ENOENT)
		return 0;
	if (s->fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", s->path);
	return 1;
}

long
ctx_source_read(void *source, void *p, size_t n, struct ctx_err *err)
{
	struct ctx_source *s = source;
	long got;

	if (s->blobs != NULL)
		return ctx_blob_get_read(s->get, p, n, err);
	got = ctx_io_read(s->fd, p, n);
	if (got < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot read '%s'", s->path);
	return got;
}

void
ctx_source_close(struct ctx_source *s)
{
	ctx_blob_get_close(s->get);
	s->get = NULL;
	if (s->held)
		return;
	if (s->blobs == NULL && s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int
ctx_source_records(struct ctx_source *s, ctx_archive_check *fn, void *arg,
    struct ctx_archive_info *info, struct ctx_err *err)
{
	struct ctx_archive_info own = {.session_id = NULL};
	int rc = ctx_source_open(s, err);

	if (rc != 1)
		return rc;
	rc = ctx_archive_verify(
	    CTX_ARCHIVE_LINE_MAX, ctx_source_read, s, fn, arg, &own, err);
	ctx_source_close(s);
	if (rc < 0)
		return -1;
	if (info != NULL)
		*info = own;
	else
		ctx_archive_info_release(&own);
	return 1;
}

int
ctx_places_open(
    struct ctx_places *p, const char *destination, bool create, struct ctx_err *err)
{
	char *copy;

	if (p->blobs != NULL && strcmp(p->destination, destination) == 0)
		return 0;
	copy = ctx_mem_str(destination);
	ctx_places_close(p);
	if (p->open(&p->blobs, copy, create, err) < 0) {
		free(copy);
		return -1;
	}
	p->destination = copy;
	return 0;
}

int
ctx_places_find(struct ctx_places *p, const char *address, struct ctx_source *source,
    struct ctx_err *err)
{
	struct ctx_err no_place = CTX_ERR_INIT;
	char *destination = NULL, *name = NULL;
	int rc = 0;

	*source = (struct ctx_source){.fd = -1};
	if (ctx_place_split(address, &destination, &name, &no_place) < 0) {
		if (address[0] == '/')
			source->path = address;
		else
			*err = no_place, rc = -1;
	} else if (!ctx_place_is_remote(address) && access(destination, F_OK) < 0) {
		source->path = address;
	} else if ((rc = ctx_places_open(p, destination, false, err)) == 0) {
		free(p->name);
		p->name = name;
		name = NULL;
		source->blobs = p->blobs;
		source->name = p->name;
	}
	free(destination);
	free(name);
	return rc;
}

void
ctx_places_close(struct ctx_places *p)
{
	ctx_blobs_close(p->blobs);
	free(p->destination);
	free(p->name);
	p->blobs = NULL;
	p->destination = p->name = NULL;
}
