# graphsplit: needs a C compiler and make, nothing else. `make help` lists the targets; config.mk, if
# there is one, may set any of the variables below. Everything that is made lies in $(B).
-include config.mk

CXX    ?= g++
PREFIX ?= /usr/local
STRIP  ?= strip
B      ?= build
# Debugging information costs a fifth of the compile time, and commands (options, reports) have no hot loop.
ifeq ($(origin CFLAGS),undefined)
CFLAGS = -O2
$(B)/obj/examples/program/commands/%.o: CFLAGS = -O1
endif
# A program that runs the products, e.g. an emulator.
RUN    ?=
FUZZ_SECONDS  ?= 10
BENCH_OPTIONS ?=
PYTHON ?= python3

FLAGS   = -std=c99 -Wall -Wextra -I. -Iexamples/program $(CPPFLAGS) $(CFLAGS)
about   = $(shell . ./examples/integrate/about.sh && echo "$$$(1)")
ENV     = B=$(B) RUN='$(RUN)' CC='$(CC)' CXX='$(CXX)' GRAPHSPLIT='$(strip $(RUN) $(B)/graphsplit)'
SUM     = sh tests/sum.sh
EXTRA   = $(wildcard examples/extra/graphsplit_*.h)
HEADERS = graphsplit.h $(EXTRA) $(wildcard $(PROGRAM:%=%/*.h) examples/tflite/*.h tests/*.h tests/*/*.h)
PROGRAM = examples/program examples/program/* examples/program/commands/*
CLI     = $(wildcard $(PROGRAM:%=%/*.c)) examples/tflite/tflite.c
TESTS   = $(wildcard tests/main.c tests/unit/*.c tests/contract/*.c tests/oracle/*.c tests/hard/*.c)
ONNX    = $(wildcard examples/onnx/*.cpp)
SMALL   = $(filter-out $(MPI),$(wildcard examples/*.c))
MPI     = examples/mpi_pipeline.c
SCRIPTS = $(patsubst %,tests/%.sh,golden/run cases/run models/models models/equal docs/readme docs/transcripts \
	bench/run $(patsubst %,program/%,report stages partition plan ops mistakes stop names figures macs bodies eval rewrite \
	memory units completion bisect run_pieces try tile) $(patsubst %,formats/%,emit emit_c stream tflite interpreter convert vela pieces weights bisect tile_litert tile_onnx stream_onnx split_tiles) \
	$(patsubst %,search/%,pack kway memories flow order least_peak mip heft groups lift worth repeats blocks in_place devices tiles sides convert prefetch) \
	$(patsubst %,program/%,rates writes equal_writes kept_groups clashes repeats sends acc_limits split_tile devices))
STYLED  = $(HEADERS) $(CLI) $(TESTS) $(SMALL) $(MPI) $(wildcard \
	examples/firmware/*.[ch] $(patsubst %,tests/%/*.c,fuzz compile cross program formats search bench) \
	examples/integrate/*.c examples/integrate/*/src/*.c \
	examples/tflite/*.[ch] examples/web/*.[ch] examples/web/libc/*.h \
	examples/onnx/*.cpp examples/onnx/*.h tests/onnx/*.cpp examples/hosts/*.c* tests/hosts/*.c* \
	examples/*.cpp bench/*.c)

##@ Build

all: $(B)/graphsplit ## build the command line program, build/graphsplit (the default)

demo: $(B)/graphsplit ## split a real network for a real accelerator
	@$(ENV) sh examples/demo.sh

onnx: $(B)/graphsplit-onnx ## build/graphsplit-onnx: the passes on ONNX models (libonnx-dev, libprotobuf-dev)

web: ## build/web/index.html, the splitter in the browser: one page, no network (clang, wasm-ld)
	@$(ENV) sh examples/web/build.sh

site: $(B)/graphsplit web ## a site in DIR, without network: manual, gallery, playground, benchmarks, formats (python3)
	@$(PYTHON) examples/site/site.py $(or $(DIR),$(B)/site) $(B)/graphsplit $(B)/web/index.html

examples: $(SMALL:examples/%.c=$(B)/%) $(B)/cpp $(B)/cpp17 $(B)/delegate ## build the small examples

PACKAGE = examples/integrate/graphsplit.c examples/integrate/cmake/package/graphsplit-config.cmake \
	examples/integrate/cmake/package/graphsplit-config-version.cmake

# Where bash, zsh and fish look for completions, below share/.
COMPLETIONS = bash-completion/completions/graphsplit zsh/site-functions/_graphsplit fish/vendor_completions.d/graphsplit.fish

install: $(B)/graphsplit $(B)/graphsplit.pc $(COMPLETIONS:%=$(B)/completion/%) ## into DESTDIR and PREFIX: header and add-ons, programs (graphsplit-onnx if made), man page, completions, packages of pkg-config and CMake
	mkdir -p $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/pkgconfig $(DESTDIR)$(PREFIX)/share/cmake/graphsplit
	cp graphsplit.h $(EXTRA) $(DESTDIR)$(PREFIX)/include/
	for program in graphsplit graphsplit-onnx; do \
		[ ! -x $(B)/$$program ] || { cp $(B)/$$program $(DESTDIR)$(PREFIX)/bin/ && \
			{ $(STRIP) $(DESTDIR)$(PREFIX)/bin/$$program || echo "$$program keeps its symbols"; }; } || exit 1; \
	done
	cp examples/program/graphsplit.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	cp $(B)/graphsplit.pc $(DESTDIR)$(PREFIX)/share/pkgconfig/
	for file in $(COMPLETIONS); do \
		mkdir -p $(DESTDIR)$(PREFIX)/share/$$(dirname $$file) && cp $(B)/completion/$$file $(DESTDIR)$(PREFIX)/share/$$file || exit 1; \
	done
	cp $(PACKAGE) $(DESTDIR)$(PREFIX)/share/cmake/graphsplit/

uninstall: ## remove what install put there
	cd $(DESTDIR)$(PREFIX) && rm -f include/graphsplit.h $(EXTRA:examples/extra/%=include/%) bin/graphsplit bin/graphsplit-onnx \
		share/man/man1/graphsplit.1 share/pkgconfig/graphsplit.pc $(COMPLETIONS:%=share/%) $(addprefix share/cmake/graphsplit/,$(notdir $(PACKAGE)))
	cd $(DESTDIR)$(PREFIX) && if [ -d share/cmake/graphsplit ]; then rmdir share/cmake/graphsplit; fi

dist: ## a release of what is committed, in build/dist: header with its checksum, source archive, SBOM
	@sh examples/integrate/dist.sh $(B)/dist && cat $(B)/dist/SHA256SUMS

clean: ## remove build/
	rm -rf build

help: ## this list
	@echo 'start with: make; after an edit make build/tests && build/tests NAME; before you hand it in .ci/run'
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z][a-z -]*:.*## / { printf "  %-27s %s\n", $$1, $$2 }' Makefile

##@ Tests

test: $(B)/graphsplit $(B)/tests examples ## all tests that need only a C compiler (4 to 10 minutes, building included; WITHOUT='stop heft': not these)
	@$(ENV) $(SUM) '$(strip $(RUN) $(B)/tests)' 'sh tests/self.sh' $(patsubst %,'sh %',$(filter-out $(WITHOUT:%=\%/%.sh),$(SCRIPTS))) 'sh tests/docs/examples.sh'

test-fast: $(B)/graphsplit $(B)/tests examples ## the quick ones of all tests
	@$(ENV) $(SUM) '$(strip $(RUN) $(B)/tests) --fast' 'sh tests/golden/run.sh' 'sh tests/docs/examples.sh'

test-core: $(B)/graphsplit $(B)/tests ## the same without the examples
	@$(ENV) $(SUM) '$(strip $(RUN) $(B)/tests) --fast' 'sh tests/golden/run.sh'

test-golden: $(B)/graphsplit ## the golden files alone
	@$(ENV) sh tests/golden/run.sh

test-slow: $(B)/graphsplit ## inputs made to be slow: every command within 2 s and 300 MB, or an error
	@$(ENV) sh tests/program/slow.sh

test-onnx: ## parts of ONNX models against ONNX Runtime, bit for bit
	@$(ENV) sh tests/onnx/run.sh

test-pytorch: $(B)/graphsplit ## networks of PyTorch to text and back, the same bits (with python3-torch)
	@$(ENV) sh tests/pytorch/run.sh

test-hosts: $(B)/graphsplit $(B)/delegate ## adapters beside the answers of their hosts (HOSTS=python, GGML, LIBONNX=sources, ORT=headers: as far as there)
	@$(ENV) HOSTS='$(HOSTS)' GGML='$(GGML)' LIBONNX='$(LIBONNX)' ORT='$(ORT)' sh tests/hosts/run.sh

test-web: $(B)/graphsplit ## page and site in headless Chromium: real drops, each line as the command line prints it, links, accessibility
	@$(ENV) sh tests/web/run.sh
	@$(ENV) sh tests/web/site.sh

mpi-demo: $(B)/graphsplit ## stages as MPI ranks: same losses and gradients as one process
	@$(ENV) sh examples/mpi_demo.sh

fuzz: ## fuzz every entry for FUZZ_SECONDS (libFuzzer with clang, else random mutation; FUZZER=fast|afl, FUZZ_LOG, FUZZ_KEEP)
	@$(ENV) FUZZER='$(FUZZER)' sh tests/fuzz/run.sh $(FUZZ_SECONDS)

check: ## everything that this machine has the tools for; what is missing is named as skipped
	@QUIET=1 $(SUM) '$(MAKE) test' '$(MAKE) lint' '$(MAKE) format-check' '$(MAKE) compile' \
		'$(MAKE) asan-ubsan' '$(MAKE) msan' '$(MAKE) fuzz' '$(MAKE) cross' '$(MAKE) analyse' \
		'$(MAKE) misra' '$(MAKE) tidy' '$(MAKE) test-slow' '$(MAKE) test-onnx' \
		'$(MAKE) test-web' '$(MAKE) test-pytorch'

##@ Compilers and machines

compile: ## compile matrix: warn, cxx, switches and all other sections of tests/compile
	@$(ENV) sh tests/compile/run.sh

warn cxx switches: ## one section of compile: all warnings; C++11 to C++20; every switch
	@$(ENV) sh tests/compile/run.sh $@

cross: ## the tests on other machines: 32 bit, big endian, unsigned char (as far as installed)
	@sh tests/cross/run.sh

asan ubsan asan-ubsan msan: ## the tests under a sanitizer, or under two
	@sh tests/compile/sanitize.sh $@

firmware: $(B)/graphsplit ## the splitter on Cortex-M and RISC-V cores under QEMU, damage too (as far as installed)
	@$(ENV) $(SUM) 'sh examples/firmware/run.sh' 'sh tests/cross/damage.sh'

extracts: $(B)/tests ## smaller headers of families and passes (examples/integrate/extract.sh): warnings, and their suites
	@$(ENV) sh tests/compile/extract.sh $(LIBRARY) $(TESTS:%.c=$(O)/%.o) $(TESTED:%.c=$(O)/%.o)

integrate: ## a small program by CMake, Meson, ... (as far as installed)
	@$(ENV) sh examples/integrate/run.sh

packages: $(B)/graphsplit ## Debian, npm, Python, Meson, Conan, vcpkg, Homebrew, boards: made in DIR, used, linted (URL=, EMAIL=: of who publishes)
	@$(ENV) sh tests/release/packages.sh $(or $(DIR),$(B)/packages)

##@ Code

lint: ## the laws of the code base, checked
	@$(ENV) sh tests/lint/run.sh

format-check: ## fail when a C file is not formatted
	@sh tests/lint/format.sh $(STYLED)

format: ## format all C files in place
	clang-format -i $(STYLED)

analyse: ## static analysers: gcc -fanalyzer, clang, cppcheck (as far as installed)
	@sh tests/lint/analyse.sh

misra: ## MISRA C:2012 by cppcheck's addon: only the deviations that the manual lists (as far as installed)
	@sh tests/lint/misra.sh

tidy: ## clang-tidy with the checks of .clang-tidy (as far as installed)
	@sh tests/lint/tidy.sh

prove: ## contracts of arena, bitset, arithmetic, sort, bisection, scanners, checks, proved by Frama-C (as far as installed)
	@$(ENV) sh tests/proof/run.sh $(PROVE)

cov: ## lines, branches (gcc) and MC/DC (clang 19) that the tests reach; COV=--write: the line of tests/README.md
	@$(ENV) SCRIPTS='$(filter-out %/stop.sh %/heft.sh %/order.sh,$(SCRIPTS))' sh tests/coverage/run.sh $(COV)
	@$(ENV) sh tests/coverage/mcdc.sh $(COV)

mutate: $(B)/graphsplit $(B)/tests ## COUNT mutants of graphsplit.h by SEED, after the first FROM: which ones do the quick tests see? (MUTATE=options, python3)
	@$(PYTHON) tests/coverage/mutate.py --build $(B) --count $(or $(COUNT),20) --from $(or $(FROM),0) --seed $(or $(SEED),1) $(MUTATE) \
		--tests '$(TESTS:%.c=$(O)/%.o) $(TESTED:%.c=$(O)/%.o)' --program '$(filter-out $(LIBRARY),$(CLI:%.c=$(O)/%.o))'

lists: ## which operator lists are older than what the package index has (python3 with pip, network)
	@sh tests/release/lists.sh

abi: ## what a user of the API loses, and gains, since the last release (python3)
	@CC='$(CC)' $(PYTHON) tests/release/abi.py

changelog: ## .github/CHANGELOG.md anew, from the end of graphsplit.h
	@sh tests/release/changelog.sh > .github/CHANGELOG.md

##@ Figures

size: ## code and stack for small machines, per switch
	@$(ENV) sh bench/size.sh

instructions: ## exact instruction counts of every pass: x86-64 by callgrind, Cortex-M4 by QEMU
	@$(ENV) sh bench/instructions.sh

steps: ## elementary steps of passes on twelve shapes, against their order; NODES=1000000 for more (gcc)
	@$(ENV) sh tests/bench/steps.sh $(NODES)

bench: $(B)/bench ## figures beside a bare Kahn sort; BENCH_OPTIONS=--csv, --json FILE, --help
	@$(RUN) $(B)/bench $(BENCH_OPTIONS)

bench-peers: $(B)/graphsplit $(B)/measure $(B)/splitters $(B)/planners $(B)/bench ## partitioners side by side, build/peers/index.html; BENCH_OPTIONS=--quick, --readme README.md, --help (python3)
	@$(PYTHON) bench/peers.py --program $(B)/graphsplit --measure $(B)/measure --splitters-program $(B)/splitters --planners-program $(B)/planners --bench-program $(B)/bench --out $(B)/peers $(BENCH_OPTIONS)

bench-readme: $(B)/bench ## the table of times in examples/README.md, on a quiet machine (python3)
	@$(PYTHON) bench/readme.py $(B)/bench examples/README.md

repro: $(B)/graphsplit $(B)/bench ## published figures beside ours, and the tables of README again
	@$(ENV) sh bench/repro.sh

O = $(B)/obj
# The library is compiled once, for the program. Tests and small examples, which would compile it each for
# itself, link that object and see the API alone: copies of that half of the headers, which stay as old as their
# text. An edit of the implementation compiles LIBRARY, what includes the implementation for its private
# functions, and nothing else.
LIBRARY = $(patsubst %.c,$(O)/%.o,$(filter %/impl.c,$(CLI)))
WHOLE   = $(LIBRARY) $(O)/tests/oracle/flow.o
API     = $(addprefix $(O)/api/,graphsplit.h $(EXTRA))
SEE     = -I$(O)/api
$(WHOLE): SEE =

$(API): $(O)/api/%: %
	@mkdir -p $(@D)
	@{ echo '#line 1 "$<"'; sed '/^#endif.*GRAPHSPLIT_[A-Z_]*H_INCLUDED/q' $<; } > $@.$$$$ && \
		if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

# The flags of all objects: other ones compile everything anew.
SETTINGS := $(CC) / $(CXX) / $(CPPFLAGS) / $(CFLAGS) / $(LDFLAGS)

$(O)/flags: always
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2> /dev/null)" = '$(subst ','\'',$(SETTINGS))' ] || printf '%s\n' '$(subst ','\'',$(SETTINGS))' > $@

# The compiler writes what an object includes; where it cannot, an object depends on all headers.
DEPENDS := $(shell $(CC) -MMD -MP -MF /dev/null -E -x c /dev/null > /dev/null 2>&1 && echo -MMD -MP)
SEEN     = $(O)/flags $(if $(DEPENDS),| $(API),$(API) $(HEADERS))
-include $(wildcard $(patsubst %,$(O)/%.d,$(basename $(CLI) $(TESTS) $(ONNX))))

$(B)/graphsplit: $(CLI:%.c=$(O)/%.o)
	@echo "link $@"; $(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The command line of graphsplit in front of ONNX models: the same objects, another main().
ONNX_FLAGS = -std=c++11 -Wall -Wextra -Wpedantic -I. -Iexamples/program -DONNX_ML=1 -DONNX_NAMESPACE=onnx $(CPPFLAGS) $(CFLAGS)

$(B)/graphsplit-onnx: $(ONNX:%.cpp=$(O)/%.o) $(patsubst %.c,$(O)/%.o,$(filter-out examples/program/main.c,$(CLI)))
	@echo "link $@"; $(CXX) $(ONNX_FLAGS) $(LDFLAGS) -o $@ $^ -lonnx -lonnx_proto -lprotobuf $(LDLIBS)

$(O)/examples/onnx/%.o: examples/onnx/%.cpp $(SEEN)
	@mkdir -p $(@D)
	@echo "$(CXX) $<"; $(CXX) $(SEE) $(ONNX_FLAGS) $(DEPENDS) -c -o $@ $<

# What holds no graph of its own lies in the program, and is tested beside the library.
TESTED = examples/tflite/tflite.c $(addprefix examples/program/algorithms/,plan_file.c precedence.c)

$(B)/tests: $(TESTS:%.c=$(O)/%.o) $(TESTED:%.c=$(O)/%.o) $(LIBRARY)
	@echo "link $@"; $(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(WHOLE): graphsplit.h $(EXTRA)

$(O)/%.o: %.c $(SEEN)
	@mkdir -p $(@D)
	@echo "$(CC) $<"; $(CC) $(SEE) $(FLAGS) $(DEPENDS) -c -o $@ $<

$(B)/%: examples/%.c $(LIBRARY)
	@echo "$(CC) $<"; $(CC) $(SEE) $(FLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/memory_plan: $(O)/examples/program/algorithms/plan_file.o

$(B)/delegate: examples/tflite/delegate.c examples/tflite/tflite.c $(LIBRARY)
	@echo "$(CC) $<"; $(CC) $(SEE) $(FLAGS) $(LDFLAGS) -o $@ $< $(LIBRARY) $(LDLIBS)

$(B)/bench: $(wildcard bench/bench*.c) $(addprefix $(O)/examples/program/core/,benchmark.o sys.o) $(LIBRARY) bench/bench.h
	@echo "$(CC) bench/bench*.c"; $(CC) $(SEE) $(FLAGS) $(LDFLAGS) -o $@ $(filter-out %.h,$^) $(LDLIBS) -lm

$(B)/measure $(B)/splitters $(B)/planners: $(B)/%: bench/%.c
	@mkdir -p $(@D)
	@echo "$(CC) $<"; $(CC) $(FLAGS) $(LDFLAGS) -o $@ $<

# The C++ programs: no C++ compiler, no program.
$(B)/cpp $(B)/cpp17: $(B)/%: examples/%.cpp graphsplit.h examples/graphsplit.hpp
	@mkdir -p $(@D)
	@if command -v $(CXX) > /dev/null; then echo "$(CXX) $<"; \
		$(CXX) -std=$(if $(filter %17,$@),c++17,c++11) -Wall -Wextra -I. $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<; fi

$(B)/completion/%: examples/program/help.awk $(B)/graphsplit
	@mkdir -p $(@D)
	@awk -v program='$(strip $(RUN) $(B)/graphsplit)' -v form=$(patsubst %-completion,%,$(firstword $(subst /, ,$*))) -f $< > $@

# Always anew: PREFIX may be another one.
$(B)/graphsplit.pc:
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'Name: graphsplit' 'Version: $(call about,version)' \
		'Description: $(call about,summary)' \
		'Cflags: -I$${prefix}/include' > $@

.PHONY: all onnx test-onnx demo mpi-demo test test-fast test-core test-pytorch test-golden test-slow check compile warn cxx switches cross asan ubsan asan-ubsan msan analyse misra tidy prove cov mutate abi changelog lists fuzz firmware extracts integrate packages web site test-web instructions \
	lint size steps bench bench-peers bench-readme repro examples format format-check dist install uninstall clean help \
	$(B)/graphsplit.pc always
