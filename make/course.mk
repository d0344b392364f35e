# course.mk - a course: what students hand in, and what a teacher makes of it.

# --- pack, class, verify-rows
pack: $(NAMER) ## an archive to hand in: LAB=lab2 EXERCISES="2.3" NAME="..." NUMBER=...
	$(if $(hand_lab),,$(error pack: LAB=$(LAB): one of $(ALL_LABS)))
	@sh course/pack.sh --results '$(RESULTS)' --lab $(hand_lab) --exercises '$(EXERCISES)' \
	  --name $(call quoted,$(NAME)) --number $(call quoted,$(NUMBER)) --out pack '$(machine)'

# The key is no argument, which others on the machine would see.
class_key = SEAL_KEY=$(call quoted,$(or $(KEY),$(if $(KEYFILE),$(shell cat '$(KEYFILE)'))))
$(B)/verify_rows: $(B)/tools/verify_rows.o $(B)/libcommon.a $(ENGINE)
	$(call step,LD,$@) $(LINK)

verify-rows: $(B)/verify_rows ### are ROWS as programs with KEY wrote them?
	@$(class_key) sh course/verify.sh $(B)/verify_rows $(foreach r,$(ROWS),'$r')

class: ### marks, times and a figure of a class: GRADES=folder
	@$(class_key) sh course/class.sh --names '$(call yes,$(NAMES))' \
	  --leaderboard '$(call yes,$(LEADERBOARD))' --out '$(REPORT)/class' $(foreach g,$(GRADES),'$g')
# --- end
