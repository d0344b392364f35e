# course.mk - a course: what is handed out, handed in, marked.

handout: ### a tree for students: EXERCISES="2.1 2.2" OUT=DIR
	@sh course/handout.sh --exercises $(call quoted,$(EXERCISES)) --out $(call quoted,$(OUT))

# A judge has a lab's objects; on a GPU its launches may go to kernels that were handed in.
JUDGES := $(foreach lab,$(ALL_LABS),$(B)/judge/$(call program,$(lab)))
$(JUDGES): $(B)/course/wraps.o $(B)/libcommon.a
	$(link_wrapped)
judges: $(if $(filter cuda,$(BACKEND)),$(JUDGES))

# What runs parts on the CPU: the engines of two builds for checks, and the labs, which judge.
runners:
	@for check in asan race; do \
	  $(MAKE) BACKEND=cpu CHECK=$$check cpu-nvcc build/cpu-$$check/course/runner.o || exit; done
$(B)/course/runner.o: course/runner.cpp $(B)/build_flags
	$(call step,CXX,$<) $(CXX) -std=c++20 $(WARN) $(ENGINE_FLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@

lab_of = $(patsubst %/,%,$(dir $(shell grep -l $(call quoted,^$1	) lab*_*/exercises.tsv)))
# A GPU can do without the CPU's builds: then nobody looks for races. Of several gradings one builds at a time;
# in a job for Slurm, where make ignores SIGTERM, what grades does not, for it goes on where it was.
on_cpu = $(if $(filter cuda,$(BACKEND)),$(shell sh tools/boost_context.sh $(CXX) && echo yes),yes)
build_one_by_one = mkdir -p build && flock build/lock $(MAKE)
grade: ### mark SUBMISSIONS=DIR of EXERCISE=2.3: OUT=grades.csv
	$(eval ON_CPU := $(on_cpu))
	+@$(if $(ON_CPU),$(build_one_by_one) BACKEND=cpu B= runners $(call lab_of,$(EXERCISE)))
	+@$(if $(filter cuda,$(BACKEND)),$(build_one_by_one) BACKEND=cuda $(call lab_of,$(EXERCISE)) \
	  $(B)/judge/$(call program,$(call lab_of,$(EXERCISE))))
	@$(call with,B BACKEND NVCC ARCH CUDA_HOME ON_CPU) env --default-signal=TERM sh course/grade.sh \
	  --submissions $(call quoted,$(SUBMISSIONS)) \
	  --exercise $(call quoted,$(EXERCISE)) --out $(call quoted,$(OUT)) $(call option,--seed,$(SEED))

# The key is no argument, which others on the machine would see.
class_key = SEAL_KEY=$(call quoted,$(or $(KEY),$(if $(KEYFILE),$(key_of_file))))
key_of_file = $(if $(wildcard $(KEYFILE)),$(shell cat '$(KEYFILE)'),$(error KEYFILE=$(KEYFILE): there is no such file))
$(B)/verify_rows: $(B)/tools/verify_rows.o $(B)/libcommon.a $(ENGINE)
	$(call step,LD,$@) $(LINK)

# Where a file's folder holds sources, as what `make pack` packs does, its rows must be of these.
verify-rows: $(B)/verify_rows ### are ROWS as programs with KEY wrote them?
	@set --; for rows in $(foreach r,$(ROWS),'$r'); do \
	  set -- "$$@" "$$rows" "$$(sh tools/source_sum.sh "$$(dirname "$$rows")")"; \
	done; $(class_key) $(B)/verify_rows "$$@"

class: ### marks, times and a figure of a class: GRADES=DIR
	@$(class_key) sh course/class.sh --names $(call quoted,$(call yes,$(NAMES))) \
	  --leaderboard $(call quoted,$(call yes,$(LEADERBOARD))) --out '$(REPORT)/class' $(foreach g,$(GRADES),'$g')

# ---- students' goals: a handout has what stands below -----------------------------------------

pack: NAMER = $(B)/$(call program,$(hand_lab))
pack: $(addprefix $(B)/,$(call program,$(hand_lab))) ## an archive to hand in: LAB=lab2 NAME="..." NUMBER=...
	$(if $(hand_lab),,$(error pack: LAB=$(LAB): one of $(ALL_LABS)))
	@sh course/pack.sh --results '$(RESULTS)' --lab $(hand_lab) --exercises '$(EXERCISES)' \
	  --name $(call quoted,$(NAME)) --number $(call quoted,$(NUMBER)) \
	  --out pack/$(firstword $(subst _, ,$(hand_lab))) '$(machine)'
