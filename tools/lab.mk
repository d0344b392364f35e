# lab.mk - what a lab's own Makefile includes, for that lab alone: `make`, `make run SIZES=...
# BLOCKS=...`, `make test`. It hands everything to the top one; settings as in ../config.mk.
LAB := $(notdir $(CURDIR))
MAKEFLAGS += --no-print-directory
ifeq ($(MAKELEVEL),0)
  MAKEFLAGS += -j$(shell nproc)
endif

.PHONY: all run test clean
all:
	@$(MAKE) -C .. $(LAB)
run:
	@$(MAKE) -C .. run-$(LAB)
test:
	@$(MAKE) -C .. test TESTS='tests/labs.t $(patsubst %,$(LAB)/%,$(wildcard *.t))' LABS=$(LAB)
clean:
	@$(MAKE) -C .. clean
