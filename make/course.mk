# course.mk - a course: what is handed out, handed in, marked.

# --- verify-rows, class. The key is no argument, which others on the machine would see.
class_key = SEAL_KEY=$(call quoted,$(or $(KEY),$(if $(KEYFILE),$(shell cat '$(KEYFILE)'))))
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

# --- pack
pack: $(NAMER) ## an archive to hand in: LAB=lab2 NAME="..." NUMBER=...
	$(if $(hand_lab),,$(error pack: LAB=$(LAB): one of $(ALL_LABS)))
	@sh course/pack.sh --results '$(RESULTS)' --lab $(hand_lab) --exercises '$(EXERCISES)' \
	  --name $(call quoted,$(NAME)) --number $(call quoted,$(NUMBER)) --out pack '$(machine)'
