# make          build everything            make demo     try it (installs what is missing)
# make check    all tests                   make install  PREFIX=/usr/local, DESTDIR

.DEFAULT_GOAL := all

PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
VERSION := 0.1.0

B := build
PKG_CONFIG ?= pkg-config
warn := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
cppflags := -std=c11 -D_DEFAULT_SOURCE -Ilib -I$(B) -DCTX_VERSION='"$(VERSION)"'

commands := $(patsubst cmd/%.c,%,$(wildcard cmd/ctx*.c))
lib_objs := $(patsubst %.c,$(B)/%.o,$(wildcard lib/*/*.c))

# Only the object storage needs libcurl; without it, archives go to directories.
ifneq ($(shell $(PKG_CONFIG) --exists libcurl && echo yes),yes)
$(info libcurl not found: building without object storage)
cppflags += -DCTX_WITHOUT_CURL
endif

all: $(commands:%=$(B)/%)

$(B)/libctx.a: $(lib_objs)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(cppflags) $(CPPFLAGS) $(warn) $(CFLAGS) -MMD -MP -c -o $@ $<

# Unit tests: one program each, linked with the library.
units := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))

$(B)/unit/%: tests/unit/%.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(CC) $(cppflags) -Itests/unit $(CPPFLAGS) $(warn) $(CFLAGS) -MMD -MP -o $@ $< \
	    $(B)/libctx.a $(LDFLAGS) $(unit_libs)

unit_libs := -lsqlite3 -lz -lmd -lutf8proc -lpcre2-8 $(if $(filter -DCTX_WITHOUT_CURL,$(cppflags)),,-lcurl) -lm -lpthread

# Programs that drive the library from tests written in shell.
$(B)/tools/%: tests/tools/%.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(CC) $(cppflags) $(CPPFLAGS) $(warn) $(CFLAGS) -MMD -MP -o $@ $< \
	    $(B)/libctx.a $(LDFLAGS) $(unit_libs)

unit: $(units:%=$(B)/unit/%)
	@for t in $^; do echo "# $$t"; $$t || exit 1; done

clean:
	rm -rf $(B)

.PHONY: all unit clean
-include $(lib_objs:.o=.d) $(units:%=$(B)/unit/%.d)
