# `make run` runs the main example, `make test` builds and tests everything, `make help` lists all targets.
BUILD ?= build
PREFIX ?= /usr/local
CTEST_FLAGS ?=
PYTEST_FLAGS ?=
JOBS ?= $(shell nproc)

PRODUCTS := lib/libramet.so bin/ramet bin/ramet-serve bin/duplicate_a_graph bin/fine_tune bin/clone_a_network python_package
ORACLE := .venv-oracle
SERVING := .venv-serving
PEERS := .venv-peers
# Tests of GPUs set RAMET_GPU themselves; all others run on the CPU.
TESTS := RAMET_GPU=off ctest --output-on-failure -j $(JOBS) $(CTEST_FLAGS)
SOURCES = find ramet clients examples bench tests tools \( -name '*.h' -o -name '*.cc' \) ! -name '*.gen.*'
FUZZ_SECONDS ?= 60
GENERATOR_SECONDS ?= 3600

export ASAN_OPTIONS ?= detect_stack_use_after_return=1:strict_string_checks=1:intercept_tls_get_addr=0
export UBSAN_OPTIONS ?= print_stacktrace=1
export TSAN_OPTIONS ?= suppressions=$(CURDIR)/tools/tsan.supp

.PHONY: help run build test test-sanitize test-thread test-oracle test-long test-published test-serving test-wheel test-gpu test-gpu-opencl
.PHONY: fuzz test-generators test-guards generate check-all package test-package
.PHONY: build-report format check-format bench bench-cpu bench-check bench-serve bench-table install clean deps python-deps

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-16s %s\n", $$1, $$2}' Makefile

run: $(BUILD)/build.ninja ## run the main example: a trainer and two follower processes on Fashion-MNIST
	@ninja -C $(BUILD) bin/duplicate_a_graph $(if $(findstring --serve,$(ARGS)),bin/ramet-serve)
	@$(BUILD)/bin/duplicate_a_graph $(ARGS)

build: $(BUILD)/build.ninja ## build the library, build/bin/ramet, the Python package in build/python and the examples
	@ninja -C $(BUILD) $(PRODUCTS)

test: $(BUILD)/build.ninja ## build everything and run the tests
	@tools/install-deps.sh opencl
	@ninja -C $(BUILD)
	@cd $(BUILD) && $(TESTS) -LE 'long|gpu-opencl'

test-gpu-opencl: $(BUILD)/build.ninja ## run the tests of GPUs on a processor behind OpenCL (PoCL), also those that take minutes
	@tools/install-deps.sh opencl
	@ninja -C $(BUILD)
	@cd $(BUILD) && $(TESTS) -L gpu

test-gpu: $(BUILD)/build.ninja ## run the tests of GPUs on the GPU of this machine, with compute-sanitizer where it is installed
	@ninja -C $(BUILD)
	@tools/run-gpu-tests.sh $(BUILD) $(CTEST_FLAGS)

test-long: $(BUILD)/build.ninja ## run the tests that take minutes (those with the label long)
	@ninja -C $(BUILD)
	@cd $(BUILD) && $(TESTS) -L long

test-sanitize: build-sanitize/build.ninja ## test layers and parsers with clang's address and undefined-behavior sanitizers
	@ninja -C build-sanitize layer_tests
	@cd build-sanitize && $(TESTS) -L layer -LE long

test-generators: build-sanitize/build.ninja ## run the generators of tests/fuzz with clang's address and undefined-behavior sanitizers
	@ninja -C build-sanitize generators
	@cd build-sanitize && $(TESTS) -L generator

test-guards: $(BUILD)/build.ninja ## remove each guard of tests/guards and check that its test fails
	@python3 -B tests/guards/break_guards.py --build $(BUILD)

test-thread: build-thread/build.ninja ## test layers and live copies with clang's thread sanitizer
	@ninja -C build-thread layer_tests thread_tests
	@cd build-thread && $(TESTS) -L 'layer|thread' -LE long

# TensorFlow supports channels-first convolutions only with oneDNN, which it turns off on some processors.
test-oracle: export TF_ENABLE_ONEDNN_OPTS = 1
test-oracle: $(BUILD)/build.ninja $(ORACLE)/.complete ## compare with TensorFlow, which is installed in .venv-oracle
	@ninja -C $(BUILD)
	@RAMET_BUILD=$(CURDIR)/$(BUILD) PYTHONPATH=$(CURDIR)/$(BUILD)/python PATH=$(CURDIR)/$(BUILD)/bin:$$PATH \
	  $(ORACLE)/bin/python -B -m pytest -q -p no:cacheprovider -o python_files='*_test.py' \
	  -n $$(nproc) --dist worksteal $(PYTEST_FLAGS) tests/oracle

test-serving: $(BUILD)/build.ninja $(SERVING)/.complete ## test the server with the clients of TensorFlow Serving and Triton
	@ninja -C $(BUILD) bin/ramet-serve
	@RAMET_BUILD=$(CURDIR)/$(BUILD) $(SERVING)/bin/python -B -m pytest -q -p no:cacheprovider \
	  -o python_files='*_test.py' -n $$(nproc) --dist loadfile $(PYTEST_FLAGS) tests/serving

test-published: export TF_ENABLE_ONEDNN_OPTS = 1
test-published: $(BUILD)/build.ninja $(ORACLE)/.complete ## compare published models with TensorFlow; downloads them with pip into RAMET_PUBLISHED
	@ninja -C $(BUILD) lib/libramet.so python_package
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python $(ORACLE)/bin/python -B -m pytest -q -p no:cacheprovider \
	  -o python_files='*_test.py' $(PYTEST_FLAGS) tests/published

test-package: package ## install the packages in a bare Debian and use them there (needs root)
	@tools/install-deps.sh package-test
	@tests/package/run.sh $(BUILD)/packages

test-wheel: | python-deps ## build the wheel from a copy of the tree and test it without the tree
	@tools/install-deps.sh wheel
	@tests/wheel/run.sh .

fuzz: build-fuzz/build.ninja ## run each fuzz target for FUZZ_SECONDS
	@ninja -C build-fuzz fuzz_targets
	@tools/run-fuzz.sh build-fuzz $(FUZZ_SECONDS)

generate: build-sanitize/build.ninja $(BUILD)/build.ninja ## run each generator of tests/fuzz for GENERATOR_SECONDS
	@ninja -C build-sanitize generators
	@ninja -C $(BUILD) python_package
	@for generator in fuzz_ops fuzz_graphs fuzz_files; do \
	  corpus=tests/fuzz/corpus; [ $$generator = fuzz_files ] && corpus=tests/fuzz/files/corpus; \
	  build-sanitize/bin/$$generator --seed $$(date +%s) --seconds $(GENERATOR_SECONDS) \
	    --corpus $$corpus --findings build-sanitize/findings || exit 1; \
	done
	@build-sanitize/bin/fuzz_values --cases 1000000 --findings build-sanitize/findings
	@build-sanitize/bin/fuzz_peers --seed $$(date +%s) --seconds $(GENERATOR_SECONDS)
	@PYTHONPATH=$(BUILD)/python python3 -B tests/fuzz/python/fuzz_python.py --seed $$(date +%s) \
	  --seconds $(GENERATOR_SECONDS)

check-all: ## run all checks and tests except test-guards
	@$(MAKE) check-format
	@$(MAKE) test
	@$(MAKE) test-long
	@$(MAKE) test-sanitize
	@$(MAKE) test-generators
	@$(MAKE) test-thread
	@$(MAKE) test-oracle
	@$(MAKE) test-serving
	@$(MAKE) test-wheel
	@$(MAKE) test-package
	@$(MAKE) fuzz
	@$(MAKE) generate

format: ## run clang-format on all C++ files
	@tools/install-deps.sh format
	@$(SOURCES) | xargs clang-format -i

check-format: ## check that clang-format would change no C++ file
	@tools/install-deps.sh format
	@$(SOURCES) | xargs clang-format --dry-run -Werror

bench: $(BUILD)/build.ninja ## run the benchmarks (ARGS=--benchmark_filter=...)
	@ninja -C $(BUILD) bin/ramet_bench
	@$(BUILD)/bin/ramet_bench $(ARGS)

BENCH_CPU = RAMET_PYTHON="env PYTHONPATH=$(CURDIR)/$(BUILD)/python $(CURDIR)/$(ORACLE)/bin/python"; \
  python3 -B bench/cpu/run.py --ramet-python "$$RAMET_PYTHON" --tensorflow-python $(CURDIR)/$(ORACLE)/bin/python \
  --floor $(BUILD)/bin/ramet_bench

bench-cpu: $(BUILD)/build.ninja $(ORACLE)/.complete $(PEERS)/.complete ## compare networks with TensorFlow, JAX and onnxruntime (ARGS=--quick, --record)
	@ninja -C $(BUILD) lib/libramet.so python_package bin/ramet_bench
	@$(BENCH_CPU) --peers-python $(CURDIR)/$(PEERS)/bin/python $(ARGS)

bench-check: $(BUILD)/build.ninja $(ORACLE)/.complete ## fail if Ramet became slower than bench/cpu/record.json, relative to TensorFlow and the floor
	@ninja -C $(BUILD) lib/libramet.so python_package bin/ramet_bench
	@$(BENCH_CPU) --check $(ARGS)

bench-serve: $(BUILD)/build.ninja $(SERVING)/.complete ## measure the server, next to TensorFlow and onnxruntime behind gRPC in Python
	@ninja -C $(BUILD) bin/ramet-serve bin/ramet_serve_bench python_package
	@$(SERVING)/bin/pip install --quiet --disable-pip-version-check -r bench/serve/requirements.txt
	@python3 -B bench/serve/run.py $(BUILD) $(ARGS)

bench-table: $(BUILD)/build.ninja $(ORACLE)/.complete ## print the first two tables of docs/benchmarks.md, which compare with TensorFlow
	@ninja -C $(BUILD) bin/ramet_bench
	@for group in mlp files; do \
	  python3 bench/table.py $$group $(BUILD)/bin/ramet_bench --tensorflow $(ORACLE)/bin/python; \
	done

build-report: | deps ## build everything that `make build` does without a compiler cache, and print where the time goes
	@rm -rf build-report && mkdir build-report
	@tools/python-deps.sh $(CURDIR)/build-report/python-tools
	@cmake -G Ninja -S . -B build-report -DRAMET_BUILD_TESTS=OFF -DRAMET_BUILD_BENCH=OFF \
	  "-DCMAKE_C_COMPILER_LAUNCHER=python3;$(CURDIR)/tools/log_compile_time.py;$(CURDIR)/build-report/times.tsv" \
	  "-DCMAKE_CXX_COMPILER_LAUNCHER=python3;$(CURDIR)/tools/log_compile_time.py;$(CURDIR)/build-report/times.tsv"
	@ninja -C build-report $(PRODUCTS)
	@tools/build_report.py build-report

package: build ## build the Debian packages and a Python wheel in build/packages
	@tools/install-deps.sh package
	@ninja -C $(BUILD) lib/libramet.a ramet_cli_extras
	@cpack --config $(BUILD)/CPackConfig.cmake -B $(BUILD)/cpack > $(BUILD)/cpack.log || { cat $(BUILD)/cpack.log; exit 1; }
	@mkdir -p $(BUILD)/packages && rm -f $(BUILD)/packages/* && mv $(BUILD)/cpack/*.deb $(BUILD)/packages
	@tools/build-wheel.sh $(BUILD) $(BUILD)/packages
	@ls -sh $(BUILD)/packages/*.deb

install: build ## install the library, its headers and the program ramet under PREFIX
	@ninja -C $(BUILD) lib/libramet.a ramet_cli_extras
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean: ## remove the build folders
	@rm -rf $(BUILD) build-report build-sanitize build-thread build-fuzz

deps:
	@tools/install-deps.sh build server

python-deps: deps
	@tools/python-deps.sh $(CURDIR)/$(BUILD)/python-tools

$(BUILD)/build.ninja: | python-deps
	@cmake -G Ninja -S . -B $(BUILD)

build-%/build.ninja: | deps
	@tools/install-deps.sh clang
	@cmake -G Ninja -S . -B build-$* -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
	  "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -g1" \
	  -DRAMET_BUILD_BENCH=OFF -DRAMET_BUILD_EXAMPLES=OFF -DRAMET_BUILD_PYTHON=OFF $(FLAGS_$*)

FLAGS_sanitize = -DRAMET_SANITIZE=address,undefined
# Without precompiled headers, these builds find files that do not include what they use.
FLAGS_thread = -DRAMET_SANITIZE=thread -DRAMET_PRECOMPILE=OFF
FLAGS_fuzz = -DRAMET_SANITIZE=address,undefined -DRAMET_FUZZ=ON -DRAMET_PRECOMPILE=OFF

$(ORACLE)/.complete: tools/oracle-requirements.txt
	@tools/install-deps.sh oracle
	@echo "Creating $(ORACLE) with TensorFlow (a 250 MB download)"
	@python3 -m venv $(ORACLE)
	@$(ORACLE)/bin/pip install --quiet --disable-pip-version-check -r $<
	@$(ORACLE)/bin/pip install --quiet --disable-pip-version-check --no-deps 'tf_keras==2.21.*'  # it asks for the large tensorflow
	@touch $@

$(PEERS)/.complete: bench/cpu/requirements.txt
	@tools/install-deps.sh oracle
	@python3 -m venv $(PEERS)
	@$(PEERS)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# tensorflow-serving-api asks for the large tensorflow, so it comes without its dependencies. TensorFlow is that of $(ORACLE).
$(SERVING)/.complete: tests/serving/requirements.txt $(ORACLE)/.complete
	@tools/install-deps.sh serving
	@python3 -m venv $(SERVING)
	@$(SERVING)/bin/pip install --quiet --disable-pip-version-check -r $<
	@$(SERVING)/bin/pip install --quiet --disable-pip-version-check --no-deps 'tensorflow-serving-api==2.21.*'
	@packages=$$($(SERVING)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
	  ls -d $(CURDIR)/$(ORACLE)/lib/python3*/site-packages > $$packages/oracle.pth
	@touch $@
