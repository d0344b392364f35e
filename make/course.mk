# course.mk - exercises: what is handed out, handed in, marked.

handout: ### a tree for students: EXERCISES="2.1 2.2" OUT=DIR
	@sh course/handout.sh --exercises $(call quoted,$(EXERCISES)) --out $(call quoted,$(OUT))

# ---- students' goals: a handout has what stands below -----------------------------------------
