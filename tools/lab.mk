# lab.mk - what a lab's own Makefile includes: it hands everything to the top one.
LAB := $(notdir $(CURDIR))
PROGRAM := $(lastword $(subst _, ,$(LAB)))

.PHONY: all run test clean
all:
	$(MAKE) -C .. $(LAB)
run:
	$(MAKE) -C .. run-$(LAB)
test:
	$(MAKE) -C .. test TESTS=$(or $(patsubst ../%,%,$(wildcard ../tests/$(PROGRAM).t)),tests/labs.t) LABS=$(LAB)
clean:
	$(MAKE) -C .. clean
