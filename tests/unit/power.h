/* Simulates a power failure: a VFS on top of SQLite's own VFS, which records the data
 * that is not synced yet. After the failure, every call fails. power_restore then writes
 * the synced data to the disk, and a random selection of the sectors that were not
 * synced. Works for one process and one failure at a time. */
#ifndef CTX_TEST_POWER_H
#define CTX_TEST_POWER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "random.h"

#define POWER_SECTOR 512
#define POWER_FILES 8

struct power_op { /* an operation that is not synced yet */
	int64_t at;
	size_t n;
	char *data; /* NULL: the file is truncated at this offset */
};

struct power_disk {
	char *path;  /* path of the file; NULL: this entry is not used */
	char *image; /* the durable contents of the file */
	size_t n;
	/* there: the file exists now; exists: its directory entry is durable */
	bool there, exists;
	struct power_op *ops;
	size_t n_ops, cap;
};

struct power_file {
	sqlite3_file base;
	struct power_disk *disk;
	bool made; /* true: SQLite syncs the directory with the file's first sync */
	sqlite3_file *real;
};

static struct {
	struct power_disk disks[POWER_FILES];
	sqlite3_vfs vfs, *real;
	/* calls: number of calls that change something so far; cut_at: number of the call
	 * at which the power fails; 0: it does not fail */
	long calls, cut_at;
	bool off;
	long dropped, kept; /* numbers of sectors and truncations, over all failures */
} power;

/* Counts a call that changes something. Returns true if the power is off. */
static inline bool
power_tick(void)
{
	power.calls++;
	if (power.cut_at > 0 && power.calls >= power.cut_at)
		power.off = true;
	return power.off;
}

/* ---- durable contents ---- */

static inline void
power_forget_ops(struct power_disk *d)
{
	for (size_t i = 0; i < d->n_ops; i++)
		free(d->ops[i].data);
	d->n_ops = 0;
}

static inline void
power_resize(struct power_disk *d, size_t n, int fill)
{
	d->image = ctx_mem_resize(d->image, n, 1);
	if (n > d->n)
		memset(d->image + d->n, fill, n - d->n);
	d->n = n;
}

/* Applies n bytes of an operation, starting at byte from of its data, to the durable
 * contents. fill is the value of bytes in a hole. */
static inline void
power_apply(
    struct power_disk *d, const struct power_op *op, size_t from, size_t n, int fill)
{
	size_t end = (size_t)op->at + from + n;

	if (op->data == NULL) {
		power_resize(d, (size_t)op->at, fill);
		return;
	}
	if (end > d->n)
		power_resize(d, end, fill);
	memcpy(d->image + op->at + from, op->data + from, n);
}

static inline void
power_sync(struct power_disk *d)
{
	for (size_t i = 0; i < d->n_ops; i++)
		power_apply(d, &d->ops[i], 0, d->ops[i].n, 0);
	power_forget_ops(d);
}

/* Makes all directory entries durable; all files are in one directory. */
static inline void
power_sync_directory(void)
{
	for (int i = 0; i < POWER_FILES; i++)
		power.disks[i].exists = power.disks[i].there;
}

static inline void
power_record(struct power_disk *d, int64_t at, const void *data, size_t n)
{
	struct power_op *op;

	CTX_MEM_GROW(d->ops, d->n_ops, d->cap);
	op = &d->ops[d->n_ops++];
	*op = (struct power_op){at, n, data == NULL ? NULL : ctx_mem_dup(data, n)};
}

static inline void
power_load(struct power_disk *d)
{
	FILE *f = fopen(d->path, "rb");
	char block[4096];
	size_t n;

	d->there = d->exists = f != NULL;
	while (f != NULL && (n = fread(block, 1, sizeof(block), f)) > 0) {
		power_resize(d, d->n + n, 0);
		memcpy(d->image + d->n - n, block, n);
	}
	if (f != NULL)
		fclose(f);
}

static inline struct power_disk *
power_disk(const char *path, bool add)
{
	struct power_disk *unused = NULL;

	for (int i = 0; i < POWER_FILES; i++) {
		struct power_disk *d = &power.disks[i];
		if (d->path != NULL && strcmp(d->path, path) == 0)
			return d;
		if (d->path == NULL && unused == NULL)
			unused = d;
	}
	if (!add || unused == NULL)
		return NULL;
	unused->path = ctx_mem_str(path);
	power_load(unused);
	return unused;
}

/* ---- SQLite's calls ---- */

static inline int
power_close(sqlite3_file *f)
{
	struct power_file *p = (struct power_file *)f;
	int rc = p->real->pMethods->xClose(p->real);

	free(p->real);
	return rc;
}

static inline int
power_read(sqlite3_file *f, void *data, int n, sqlite3_int64 at)
{
	struct power_file *p = (struct power_file *)f;

	return power.off ? SQLITE_IOERR_READ
			 : p->real->pMethods->xRead(p->real, data, n, at);
}

static inline int
power_write(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
	struct power_file *p = (struct power_file *)f;

	if (power.off)
		return SQLITE_IOERR_WRITE;
	if (p->disk != NULL)
		power_record(p->disk, at, data, (size_t)n);
	if (power_tick())
		return SQLITE_IOERR_WRITE;
	return p->real->pMethods->xWrite(p->real, data, n, at);
}

static inline int
power_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	struct power_file *p = (struct power_file *)f;

	if (power.off)
		return SQLITE_IOERR_TRUNCATE;
	if (p->disk != NULL)
		power_record(p->disk, n, NULL, 0);
	if (power_tick())
		return SQLITE_IOERR_TRUNCATE;
	return p->real->pMethods->xTruncate(p->real, n);
}

/* The real file need not be synced, because the power failure is only simulated. */
static inline int
power_xsync(sqlite3_file *f, int flags)
{
	struct power_file *p = (struct power_file *)f;

	(void)flags;
	if (power_tick())
		return SQLITE_IOERR_FSYNC;
	if (p->disk != NULL)
		power_sync(p->disk);
	if (p->made)
		power_sync_directory();
	p->made = false;
	return SQLITE_OK;
}

static inline int
power_size(sqlite3_file *f, sqlite3_int64 *n)
{
	struct power_file *p = (struct power_file *)f;

	return power.off ? SQLITE_IOERR_FSTAT : p->real->pMethods->xFileSize(p->real, n);
}

#define POWER_PASS(name, method, params, ...)                           \
	static inline int name params                                   \
	{                                                               \
		struct power_file *p = (struct power_file *)f;          \
		return p->real->pMethods->method(p->real, __VA_ARGS__); \
	}
#define POWER_PASS0(name, method)                              \
	static inline int name(sqlite3_file *f)                \
	{                                                      \
		struct power_file *p = (struct power_file *)f; \
		return p->real->pMethods->method(p->real);     \
	}
POWER_PASS(power_lock, xLock, (sqlite3_file * f, int how), how)
POWER_PASS(power_unlock, xUnlock, (sqlite3_file * f, int how), how)
POWER_PASS(power_reserved, xCheckReservedLock, (sqlite3_file * f, int *out), out)
POWER_PASS(power_control, xFileControl, (sqlite3_file * f, int op, void *arg), op, arg)
POWER_PASS0(power_sector, xSectorSize)
POWER_PASS0(power_device, xDeviceCharacteristics)
POWER_PASS(power_shm_map, xShmMap,
    (sqlite3_file * f, int region, int n, int extend, void volatile **out), region, n,
    extend, out)
POWER_PASS(
    power_shm_lock, xShmLock, (sqlite3_file * f, int at, int n, int flags), at, n, flags)
POWER_PASS(power_shm_unmap, xShmUnmap, (sqlite3_file * f, int drop), drop)

static inline void
power_shm_barrier(sqlite3_file *f)
{
	struct power_file *p = (struct power_file *)f;

	p->real->pMethods->xShmBarrier(p->real);
}

static const sqlite3_io_methods power_methods = {
    .iVersion = 2, /* no mapped reads and writes, because they would bypass this VFS */
    .xClose = power_close,
    .xRead = power_read,
    .xWrite = power_write,
    .xTruncate = power_truncate,
    .xSync = power_xsync,
    .xFileSize = power_size,
    .xLock = power_lock,
    .xUnlock = power_unlock,
    .xCheckReservedLock = power_reserved,
    .xFileControl = power_control,
    .xSectorSize = power_sector,
    .xDeviceCharacteristics = power_device,
    .xShmMap = power_shm_map,
    .xShmLock = power_shm_lock,
    .xShmBarrier = power_shm_barrier,
    .xShmUnmap = power_shm_unmap,
};

static inline int
power_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out)
{
	struct power_file *p = (struct power_file *)f;
	int rc;

	(void)vfs;
	memset(p, 0, sizeof(*p));
	if (power.off)
		return SQLITE_CANTOPEN;
	if (path != NULL && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL |
					 SQLITE_OPEN_MAIN_JOURNAL)) != 0)
		p->disk = power_disk(path, true);
	p->real = ctx_mem_new((size_t)power.real->szOsFile);
	rc = power.real->xOpen(power.real, path, p->real, flags, out);
	if (rc != SQLITE_OK)
		free(p->real);
	else
		p->base.pMethods = &power_methods;
	if (rc == SQLITE_OK && p->disk != NULL && !p->disk->there) {
		/* if a file of this name was deleted before, its old bytes may come
		 * back */
		power_record(p->disk, 0, NULL, 0);
		p->disk->there = true;
		p->made = (flags & SQLITE_OPEN_MAIN_DB) == 0;
	}
	return rc;
}

static inline int
power_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
	struct power_disk *d = power_disk(path, false);

	(void)vfs;
	if (power_tick())
		return SQLITE_IOERR_DELETE;
	if (d != NULL)
		d->there = false;
	if (sync)
		power_sync_directory();
	return power.real->xDelete(power.real, path, 0);
}

/* Makes this VFS the default for all stores that are opened after this call. */
static inline void
power_install(void)
{
	power.real = sqlite3_vfs_find(NULL);
	power.vfs = *power.real;
	power.vfs.zName = "power";
	power.vfs.szOsFile = sizeof(struct power_file);
	power.vfs.xOpen = power_open;
	power.vfs.xDelete = power_delete;
	power.vfs.pNext = NULL;
	sqlite3_vfs_register(&power.vfs, 1);
}

/* ---- the cut ---- */

static inline void
power_put(const struct power_disk *d)
{
	FILE *f;

	if (!(random_below(2) == 0 ? d->exists : d->there)) {
		unlink(d->path);
		return;
	}
	f = fopen(d->path, "wb");
	if (f == NULL || (d->n > 0 && fwrite(d->image, 1, d->n, f) != d->n) ||
	    fclose(f) != 0) {
		printf("Bail out! cannot write %s\n", d->path);
		exit(1);
	}
}

/* Decides for each sector that was not synced whether it survives, with the same
 * probability for all. Holes between surviving sectors are filled with zeros or with
 * other bytes, as if from an older file. */
static inline void
power_lose(struct power_disk *d)
{
	static const uint32_t chances[] = {0, 5, 50, 95, 100};
	uint32_t chance = chances[random_below(5)];
	int fill = random_below(4) == 0 ? 0xa5 : 0;

	for (size_t i = 0; i < d->n_ops; i++) {
		const struct power_op *op = &d->ops[i];
		size_t from = 0;
		do {
			size_t n = op->n - from < POWER_SECTOR ? op->n - from
							       : POWER_SECTOR;
			bool keep = random_below(100) < chance;
			if (keep)
				power_apply(d, op, from, n, fill);
			power.kept += keep;
			power.dropped += !keep;
			from += n;
		} while (from < op->n);
	}
}

/* Ends the power failure: writes the surviving data to the files of the store. The store
 * must be closed. If there was no failure, the files are not changed. */
static inline void
power_restore(const char *store)
{
	char shm[256];

	for (int i = 0; i < POWER_FILES; i++) {
		struct power_disk *d = &power.disks[i];
		if (d->path == NULL)
			continue;
		if (power.off) {
			power_lose(d);
			power_put(d);
		}
		power_forget_ops(d);
		free(d->ops);
		free(d->image);
		free(d->path);
		memset(d, 0, sizeof(*d));
	}
	if (power.off) {
		snprintf(shm, sizeof(shm), "%s-shm", store);
		unlink(shm);
	}
	power.off = false;
	power.calls = power.cut_at = 0;
}

#endif
