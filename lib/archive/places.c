#include "archive/places.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

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
