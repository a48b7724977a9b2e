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

all: $(commands:%=$(B)/%)

$(B)/libctx.a: $(lib_objs)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(cppflags) $(CPPFLAGS) $(warn) $(CFLAGS) -MMD -MP -c -o $@ $<

clean:
	rm -rf $(B)

.PHONY: all clean
-include $(lib_objs:.o=.d)
