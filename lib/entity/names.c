#include "entity/names.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "entity/alias.h"
#include "store/entity.h"

/* Follows the block in the file: the generation of the names. */
#define TRAILER_MAGIC "ctxnames"
#define TRAILER 16

static void
file_path(struct ctx_buf *path, struct ctx_store *st, const char *tenant)
{
	char sha[CTX_HASH_HEX + 1];

	ctx_buf_addf(path, "%s-names", ctx_store_path(st));
	if (*tenant == '\0')
		return;
	ctx_hash_sha256(tenant, strlen(tenant), sha);
	ctx_buf_addf(path, "-%.16s", sha);
}

/* ---- creating the name table ---- */

struct build {
	struct ctx_gazetteer_builder *b;
	int64_t no;
	size_t n;
};

static void
add_alias(void *arg, struct ctx_span alias, enum ctx_made where)
{
	struct build *b = arg;

	ctx_gazetteer_builder_add_made(b->b, alias, (uint64_t)b->no, where);
}

static int
add_gazetteer_name(void *arg, struct ctx_span name, struct ctx_span type, int64_t no)
{
	struct build *b = arg;

	b->no = no;
	b->n++;
	ctx_gazetteer_builder_add(b->b, name, (uint64_t)no);
	if (type.p != NULL)
		ctx_alias_generate(name, type, add_alias, b);
	return 0;
}

static int
build_gazetteer(
    struct ctx_names *n, struct ctx_store *st, const char *tenant, struct ctx_err *err)
{
	struct build b = {ctx_gazetteer_builder_new(), 0, 0};
	int64_t revision;
	int rc = ctx_store_begin_read(st, err);

	if (rc == 0)
		rc = ctx_entity_generation(st, tenant, &n->generation, &revision, err);
	if (rc == 0)
		rc = ctx_entity_names(st, tenant, add_gazetteer_name, &b, err);
	ctx_store_end_read(st);
	n->any = b.n > 0;
	if (rc == 0 && n->any)
		rc = ctx_gazetteer_build(b.b, &n->block, err);
	if (rc == 0 && n->any)
		rc = ctx_gazetteer_open(&n->gazetteer, n->block.p, n->block.n, err);
	ctx_gazetteer_builder_free(b.b);
	return rc;
}

static int
save_gazetteer_block(
    struct ctx_names *n, struct ctx_store *st, const char *path, struct ctx_err *err)
{
	size_t size = n->block.n;
	int rc;

	ctx_buf_add(&n->block, TRAILER_MAGIC, 8);
	ctx_buf_add(&n->block, &n->generation, sizeof(n->generation));
	rc = ctx_io_replace_beside(path, ctx_store_path(st), n->block.p, n->block.n, err);
	n->block.n = size;
	/* The buffer may have moved. */
	if (n->any && ctx_gazetteer_open(&n->gazetteer, n->block.p, n->block.n, err) < 0)
		rc = -1;
	return rc;
}

/* ---- finding the name table ---- */

/* Maps the file if it exists, is complete, and has this generation. Returns 1 if so,
 * otherwise 0. */
static int
map_file(struct ctx_names *n, const char *path, int64_t generation)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	int fd = ctx_io_open_found(path);
	int64_t have;
	struct stat sb;
	char *p;

	if (fd < 0)
		return 0;
	if (fstat(fd, &sb) == 0 && sb.st_size >= TRAILER) {
		p = mmap(NULL, (size_t)sb.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (p != MAP_FAILED) {
			n->map = p;
			n->map_n = (size_t)sb.st_size;
		}
	}
	close(fd);
	if (n->map == NULL)
		return 0;
	p = (char *)n->map + n->map_n - TRAILER;
	memcpy(&have, p + 8, sizeof(have));
	n->any = n->map_n > TRAILER;
	if (memcmp(p, TRAILER_MAGIC, 8) == 0 && have == generation &&
	    (!n->any || ctx_gazetteer_open(
			    &n->gazetteer, n->map, n->map_n - TRAILER, &ignored) == 0)) {
		n->generation = generation;
		return 1;
	}
	munmap(n->map, n->map_n);
	n->map = NULL;
	return 0;
}

int
ctx_names_open(struct ctx_names *n, struct ctx_store *st, const char *tenant, bool *kept,
    struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int64_t generation, revision;
	int rc;

	memset(n, 0, sizeof(*n));
	*kept = true;
	rc = ctx_entity_generation(st, tenant, &generation, &revision, err);
	if (rc < 0 || generation == 0)
		return rc;
	if (!ctx_store_is_file(st))
		return build_gazetteer(n, st, tenant, err);
	file_path(&path, st, tenant);
	ctx_io_mend_beside(path.p, ctx_store_path(st));
	if (!map_file(n, path.p, generation)) {
		rc = build_gazetteer(n, st, tenant, err);
		if (rc == 0)
			*kept = ctx_io_check_beside(path.p) != 0 ||
				save_gazetteer_block(n, st, path.p, err) == 0;
	}
	ctx_buf_release(&path);
	return rc;
}

void
ctx_names_close(struct ctx_names *n)
{
	if (n->map != NULL)
		munmap(n->map, n->map_n);
	ctx_buf_release(&n->block);
	memset(n, 0, sizeof(*n));
}
