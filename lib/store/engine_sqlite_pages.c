/* The engine for SQLite: reads and writes pages of a file. Uses SQLite's own descriptor,
 * because closing another descriptor of the same file would drop the locks that this
 * process has on it. */
#include "store/engine_sqlite_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

#define CHUNK ((size_t)1 << 18)
#define WIPED_PAGES 64 /* between two reports of progress */

static int
fail_reading(const struct ctx_pages *p, struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EIO, "cannot read '%s'", p->db->path);
}

/* A ctx_page_read_fn for ctx_page_overflow. */
static int
read_one_page(void *arg, int64_t number, char *page)
{
	struct ctx_pages *p = arg;
	sqlite3_int64 size = (sqlite3_int64)p->layout.page;

	return p->file->pMethods->xRead(p->file, page, (int)size, (number - 1) * size) ==
		       SQLITE_OK
		   ? 0
		   : -1;
}

int
ctx_pages_open(struct ctx_pages *p, struct ctx_db *db, struct ctx_err *err)
{
	unsigned char header[CTX_PAGE_FILE_HEADER];

	*p = (struct ctx_pages){.db = db, .layout = {.read = read_one_page, .arg = p}};
	if (!ctx_db_header(db, 0, header, sizeof(header)))
		return fail_reading(p, err);
	sqlite3_file_control(ctx_sqlite(db), "main", SQLITE_FCNTL_FILE_POINTER, &p->file);
	ctx_page_file_read_header(&p->layout, header);
	ctx_buf_reserve(&p->chunk, CHUNK);
	return 0;
}

void
ctx_pages_close(struct ctx_pages *p)
{
	ctx_page_file_release(&p->layout);
	ctx_buf_release(&p->chunk);
	free(p->v);
	*p = (struct ctx_pages){.n = 0};
}

/* ---- reading ---- */

/* Called with pieces of the file, and then of the log; at is the offset of the piece. */
typedef void piece_fn(
    struct ctx_pages *p, void *arg, struct ctx_span piece, bool log, int64_t at);

static int
read_database(struct ctx_pages *p, piece_fn *fn, void *arg, struct ctx_err *err)
{
	sqlite3_int64 size = 0;

	if (p->file->pMethods->xFileSize(p->file, &size) != SQLITE_OK)
		return fail_reading(p, err);
	for (sqlite3_int64 at = 0; at < size;) {
		int n = size - at < (sqlite3_int64)CHUNK ? (int)(size - at) : (int)CHUNK;
		if (p->file->pMethods->xRead(p->file, p->chunk.p, n, at) != SQLITE_OK)
			return fail_reading(p, err);
		fn(p, arg, (struct ctx_span){p->chunk.p, (size_t)n}, false, at);
		at += n;
		if (p->db->progress != NULL)
			p->db->progress(n / (int)p->layout.page, "pages searched",
			    (double)at / (double)size);
	}
	return 0;
}

/* Reads the log through a descriptor of its own, since no process has locks on a log. */
static int
read_log(struct ctx_pages *p, piece_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int64_t at = 0;
	long n = 0;
	int fd;

	ctx_buf_addf(&path, "%s-wal", p->db->path);
	fd = ctx_io_open_found(path.p);
	while (fd >= 0 && (n = ctx_io_read(fd, p->chunk.p, CHUNK)) > 0) {
		fn(p, arg, (struct ctx_span){p->chunk.p, (size_t)n}, true, at);
		at += n;
	}
	if (n < 0 || (fd < 0 && errno != ENOENT))
		n = ctx_err_sys(err, CTX_EIO, errno, "cannot read '%s'", path.p);
	if (fd >= 0)
		close(fd);
	ctx_buf_release(&path);
	return n < 0 ? -1 : 0;
}

static void
pass_bytes(struct ctx_pages *p CTX_UNUSED, void *arg, struct ctx_span piece,
    bool log CTX_UNUSED, int64_t at)
{
	const struct ctx_pages_call *call = arg;

	call->fn(call->arg, piece, at == 0);
}

int
ctx_pages_bytes(
    struct ctx_pages *p, const struct ctx_pages_call *call, struct ctx_err *err)
{
	return read_database(p, pass_bytes, (void *)call, err) < 0 ||
		       read_log(p, pass_bytes, (void *)call, err) < 0
		   ? -1
		   : 0;
}

/* ---- bytes outside of rows ---- */

static bool
is_all_zero(struct ctx_span part)
{
	return part.n == 0 ||
	       (part.p[0] == 0 && memcmp(part.p, part.p + 1, part.n - 1) == 0);
}

/* Calls fn with the parts of a page that belong to no row. */
static void
each_free_part(struct ctx_pages *p, struct ctx_span page, int64_t number,
    ctx_page_free_fn *fn, void *arg)
{
	size_t live = ctx_page_overflow(&p->layout, page, number);

	if (live == 0)
		ctx_page_free(page, number, fn, arg);
	else if (live < page.n)
		fn(arg, (struct ctx_span){page.p + live, page.n - live});
}

struct part_finder {
	ctx_store_found_fn *found;
	void *arg;
	bool left, all;
	bool in_log, in_page;
};

static void
look_into_part(void *arg, struct ctx_span part)
{
	struct part_finder *f = arg;

	if (!is_all_zero(part))
		f->in_page |= (int)f->found(f->arg, part, f->left) | f->all;
}

static void
find_in_piece(struct ctx_pages *p, void *arg, struct ctx_span piece, bool log, int64_t at)
{
	struct part_finder *f = arg;
	size_t size = p->layout.page;
	int64_t number = at / (int64_t)size + 1;

	if (log) {
		f->in_log |= f->found(f->arg, piece, f->left);
		return;
	}
	for (size_t done = 0; done + size <= piece.n; done += size, number++) {
		f->in_page = false;
		each_free_part(p, (struct ctx_span){piece.p + done, size}, number,
		    look_into_part, f);
		if (!f->in_page)
			continue;
		CTX_MEM_GROW(p->v, p->n, p->cap);
		p->v[p->n++] = number;
	}
}

int
ctx_pages_find(
    struct ctx_pages *p, ctx_store_found_fn *found, void *arg, struct ctx_err *err)
{
	struct part_finder f = {.found = found, .arg = arg, .all = p->all};

	p->n = 0;
	p->layout.map_number = 0;
	if (read_database(p, find_in_piece, &f, err) < 0 ||
	    read_log(p, find_in_piece, &f, err) < 0)
		return -1;
	return f.in_log;
}

int
ctx_pages_find_left(
    struct ctx_pages *p, ctx_store_found_fn *found, void *arg, struct ctx_err *err)
{
	struct part_finder f = {.found = found, .arg = arg, .left = true};
	struct ctx_span page = {p->chunk.p, p->layout.page};

	p->layout.map_number = 0;
	for (size_t i = 0; i < p->n; i++) {
		if (read_one_page(p, p->v[i], p->chunk.p) < 0)
			return fail_reading(p, err);
		each_free_part(p, page, p->v[i], look_into_part, &f);
	}
	return read_log(p, find_in_piece, &f, err);
}

/* ---- overwriting ---- */

/* Overwrites the bytes outside of rows in one page. Returns SQLite's result code. A page that
 * cannot be read is left alone. */
static int
wipe_page(struct ctx_pages *p, int64_t number)
{
	struct ctx_span page = {p->chunk.p, p->layout.page};

	if (read_one_page(p, number, p->chunk.p) < 0 ||
	    !ctx_page_is_row_page(&p->layout, number))
		return SQLITE_OK;
	each_free_part(p, page, number, ctx_page_blank_part, &p->layout.page);
	return p->file->pMethods->xWrite(
	    p->file, page.p, (int)page.n, (number - 1) * (sqlite3_int64)page.n);
}

/* The first page is left alone, because each commit writes it. */
int
ctx_pages_wipe(struct ctx_pages *p, struct ctx_err *err)
{
	int rc = SQLITE_OK;

	p->layout.map_number = 0;
	for (size_t i = 0; i < p->n && rc == SQLITE_OK; i++) {
		size_t done = i % WIPED_PAGES + 1;
		if (p->db->progress != NULL && (done == WIPED_PAGES || i + 1 == p->n))
			p->db->progress((int)done, "pages overwritten",
			    (double)(i + 1) / (double)p->n);
		if (p->v[i] > 1)
			rc = wipe_page(p, p->v[i]);
	}
	if (rc == SQLITE_OK)
		rc = p->file->pMethods->xSync(p->file, SQLITE_SYNC_NORMAL);
	return rc == SQLITE_OK
		   ? 0
		   : ctx_err_set(err, CTX_EIO, "cannot write '%s'", p->db->path);
}
