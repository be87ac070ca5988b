# Thin: the work is done by CMake (CMakePresets.json) and the programs in tools/.
#   (./weft installs make where it is missing, and then does the same)
#   make run        set up, build, and run NAS FT class A in all variants side by side
#   make test       set up, make lint, build, run all tests
#                   (its parts: make lint, make test-release, make test-sanitizers: AddressSanitizer with UBSan,
#                   ThreadSanitizer)
#   make lint       the layout of code, lines, scripts, pages, layers; clang-tidy on what changed since main: no build
#   make format     lays out code and wraps pages as make lint wants them
#   make tidy       clang-tidy on the whole product: some 30 minutes of a processor
#   make test-asan-upcc test-tsan-upcrt
#                   the UPC compiler and the UPC runtime under sanitizers: some minutes more, not part of make test
#   make coverage   which lines the tests run, per folder (COVERAGE_TESTS='coll|upcc' for some tests only)
#   make report     the papers' figures redrawn: simulated, and measured where it runs for real; one page,
#                   build/report/index.html (make report-full: also runs of 16,384 ranks)
#   make bench      the microbenchmarks and their plots; NAS FT on a grid of ranks
#   make bench-net  NAS FT across the hosts of an emulated cluster, over a range of link rates (root)
#   make bench-upc-hosts
#                   UPC kernels written the obvious way, beside the same by hand and in MPI, on one host and across two
#                   (root)
#   make bench-upc-programs
#                   the same of whole programs: those of examples/upc
#   make bench-upc-compile
#                   time of upcc, and length of the C that it makes, with its optimiser and without
#   make bench-linalg
#                   matrix products, Cholesky and LU beside ScaLAPACK and OpenBLAS, on one host and across two (root)
#   make soak       an hour of random operations over networks, with faults (root; SOAK_MINUTES=5 for less)
#   make mutants    plant faults in a copy of the tree, and see which the tests on simulated networks notice (an hour)
#   make site       the documentation as a site, with the reference: build/site/index.html
#   make dist       the release tarball of the last commit: build/dist/weft-VERSION.tar.gz (packaging/ builds from it)
#   make install    to PREFIX (/usr/local); make uninstall takes it away again
#   make            build everything
#   make help       print this
BUILD := build
PREFIX ?= /usr/local
SOAK_MINUTES ?= 60
COVERAGE_TESTS ?= .
PYTHON := /usr/bin/python3
CMAKE_BUILD := cmake --build $(BUILD)
REPORT_PROGRAMS := weftrun weft-sim weft-bench-scale weft-bench-mpi ft ft-mpi-sim weft-two-sided weft-two-sided-mpich \
  weft-two-sided-sim
FT_PROGRAMS := weftrun ft ft-upc ft-mpi ft-mpi-mpich ft-fftw-mpi

.PHONY: all help run test test-release test-sanitizers test-asan-ubsan test-tsan test-asan-upcc test-tsan-upcrt \
  lint format tidy coverage report report-full bench bench-net bench-upc-hosts bench-upc-programs bench-upc-compile \
  bench-linalg soak mutants site dist install uninstall clean setup setup-test

all: $(BUILD)/build.ninja
	@$(CMAKE_BUILD)

help:
	@sed -n 's/^#   //p' $(firstword $(MAKEFILE_LIST))

$(BUILD)/build.ninja: | setup
	@cmake --preset release >$(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log >&2; exit 1; }
	@mv $(BUILD)-configure.log $(BUILD)/configure.log

setup:
	@tools/setup.sh

setup-test:
	@tools/setup.sh test

run: $(BUILD)/build.ninja
	@$(CMAKE_BUILD) --target $(FT_PROGRAMS)
	@$(PYTHON) tools/run_ft.py --build $(BUILD)

test: lint test-release test-sanitizers

lint: setup-test $(BUILD)/build.ninja
	@$(PYTHON) tools/lint/lint.py --build $(BUILD)

format: setup-test
	@$(PYTHON) tools/lint/lint.py --fix

tidy: setup-test $(BUILD)/build.ninja
	@$(PYTHON) tools/lint/lint.py --build $(BUILD) --all tidy

test-sanitizers: test-asan-ubsan test-tsan

test-release: setup-test $(BUILD)/build.ninja
	@$(CMAKE_BUILD)
	@ctest --preset release || { tests/support/failures.py $(BUILD); exit 1; }

# A build folder of its own, and the tests that can show something there (docs/TESTING.md).
test-asan-ubsan test-tsan: test-%: setup-test
	@cmake --preset $* >/dev/null
	@cmake --build --preset $*
	@ctest --preset $* -L $(LABEL_$*) || { tests/support/failures.py build-$*; exit 1; }
LABEL_asan-ubsan := sanitize
LABEL_tsan := threads

# The compiler alone, from lexer to fuzz replay, without debug information.
test-asan-upcc: setup-test
	@cmake -G Ninja -S upcc -B build-$(@:test-%=%) -DCMAKE_BUILD_TYPE=None -DWEFT_SANITIZE=address,undefined \
	  -DCMAKE_CXX_FLAGS="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" >/dev/null
	@cmake --build build-$(@:test-%=%)
	@ctest --test-dir build-$(@:test-%=%) -j 2 --output-on-failure

test-tsan-upcrt: setup-test
	@cmake --preset tsan -B build-$(@:test-%=%) -DWEFT_TEST_PARTS=upcrt >/dev/null
	@cmake --build build-$(@:test-%=%)
	@ctest --test-dir build-$(@:test-%=%) -L threads -j 2 --output-on-failure

# A build folder of its own. A test that fails does not hide the others' lines.
coverage: setup-test
	@cmake --preset coverage >/dev/null
	@cmake --build --preset coverage
	@find build-coverage -name '*.gcda' -delete
	@ctest --preset coverage -R '$(COVERAGE_TESTS)' || echo "coverage: some tests failed; their lines count all the same"
	@tools/coverage.py --build build-coverage --json build-coverage/missed.json

# Nothing is built that it does not run. REPORT='--no-measure FIGURE...' and more: bench/papers/report.py --help
report report-full: setup-test $(BUILD)/build.ninja
	@tools/setup.sh report
	@$(CMAKE_BUILD) --target $(REPORT_PROGRAMS)
	@$(PYTHON) bench/papers/report.py --build $(BUILD) $(if $(findstring full,$@),--full) $(REPORT)

bench: setup-test $(BUILD)/build.ninja
	@$(CMAKE_BUILD)
	@$(PYTHON) bench/report.py --build $(BUILD)
	@$(PYTHON) bench/upc/report.py --build $(BUILD)
	@$(PYTHON) tools/run_ft.py --2d --ranks 4 --build $(BUILD)

bench-net: setup-test $(BUILD)/build.ninja
	@$(CMAKE_BUILD)
	@$(PYTHON) bench/net/ft_sweep.py --build $(BUILD)
	@$(PYTHON) bench/net/ft_sweep.py --build $(BUILD) --hosts 4 --rates 1gbit 4gbit --repetitions 1
	@$(PYTHON) bench/net/overlap.py --build $(BUILD)

# UPC_HOSTS='--rounds 5 --before old.json' and more: bench/upc/hosts/report.py --help
bench-upc-hosts: setup-test $(BUILD)/build.ninja
	@$(CMAKE_BUILD) --target upcrun weftrun bench-upc-hosts
	@$(PYTHON) bench/upc/hosts/report.py --build $(BUILD) $(UPC_HOSTS)

# UPC_PROGRAMS='--rounds 5' and more: bench/upc/hosts/report.py --help
bench-upc-programs: setup-test $(BUILD)/build.ninja
	@$(CMAKE_BUILD) --target upcrun weftrun bench-upc-programs
	@$(PYTHON) bench/upc/hosts/report.py --programs --build $(BUILD) $(UPC_PROGRAMS)

bench-upc-compile: setup-test $(BUILD)/build.ninja
	@$(CMAKE_BUILD) --target upcc
	@mkdir -p $(BUILD)/bench
	@$(PYTHON) bench/upc/compile_time.py --build $(BUILD) --json $(BUILD)/bench/upc-compile.json

# LINALG='--n 4096 --rounds 5' and more: bench/linalg/report.py --help
bench-linalg: setup-test $(BUILD)/build.ninja
	@$(CMAKE_BUILD) --target weftrun gemm cholesky lu matmul-upc cholesky-upc linalg-scalapack linalg-openblas
	@$(PYTHON) bench/linalg/report.py --build $(BUILD) $(LINALG)

soak: setup-test $(BUILD)/build.ninja
	@$(CMAKE_BUILD)
	@$(PYTHON) tests/soak/soak.py --build $(BUILD) --minutes $(SOAK_MINUTES)

# MUTANTS='--only bank-turns-alone' and more: tests/mutants/run_mutants.py --help
mutants: setup-test
	@$(PYTHON) tests/mutants/run_mutants.py $(MUTANTS)

# Needs no build. The Python that has the packages of setup.sh is Debian's.
site:
	@tools/setup.sh site
	@$(PYTHON) tools/site/make_site.py $(BUILD)/site

dist:
	@tools/dist.sh $(BUILD)/dist

# Only what is installed is built: no tests, no examples.
install: $(BUILD)/build.ninja
	@$(CMAKE_BUILD) --target product
	@cmake --install $(BUILD) --prefix $(PREFIX)
	@[ "$$(id -u)" != 0 ] || ldconfig

uninstall:
	@tools/uninstall.sh $(BUILD)

clean:
	@rm -rf build build-debug build-asan build-ubsan build-asan-ubsan build-tsan build-coverage build-asan-upcc \
	  build-tsan-upcrt
