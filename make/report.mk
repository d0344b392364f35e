# report.mk - figures, tables, reports, and runs beside each other.

# analyse NAME,MACHINES,LABS.csv: tables and facts from their rows, of all labs without the last. draw, build: figures and pages of these.
analyse = sh report/analyse.sh --results '$(RESULTS)' --labs $(or $3,$(B)/labs.csv) --out '$(REPORT)/$1' $2
draw = sh plots/draw.sh --results '$(RESULTS)' --labs $(B)/labs.csv --out '$(FIGURES)' \
  $(if $(shell command -v sqlite3),--tables '$(REPORT)/$1/tables') $2 '$1'
build = sh report/build.sh --figures '$(FIGURES)/$1' --out '$(REPORT)/$1' $2
# write_report NAME,OPTIONS OF draw.sh,OPTIONS OF build.sh: draw.sh's status 3 is a figure left out.
write_report = $(call draw,$1,--lang '$(REPORT_LANG)' --formats "svg png pdf" $2) || \
  [ $$? -eq 3 ] || status=1; $(call build,$1,--lang '$(REPORT_LANG)' $3) && $4 exit $${status:-0}
# atlas NAME,LANGUAGE,OPTIONS OF build.sh: what the report does not show.
atlas = $(call build,$1,--lang $2 --name atlas --template report/atlas.$2.md $3)
show = awk -f tools/csv.awk -f report/markdown.awk -f tools/show.awk

plots: $(B)/labs.csv ## draw the figures of MACHINE (this one) into plots/figures/
	@! command -v sqlite3 >/dev/null || $(call analyse,$(machine),'$(machine)')
	@if command -v gnuplot >/dev/null; then $(call draw,$(machine)); else \
	  echo "The results are in $(results). For the figures install gnuplot (make setup), then:" \
	    "make plots"; fi

report: $(B)/labs.csv ## write the report of MACHINE into report/output/
	@$(call analyse,$(machine),'$(machine)')
	@$(call write_report,$(machine),,$(call option,--template,$(TEMPLATE)),\
	  $(call atlas,$(machine),'$(REPORT_LANG)') &&)

# LAB is a lab or its number: one.
hand_lab = $(if $(word 2,$(LAB)),,$(filter $(LAB) $(LAB)_%,$(ALL_LABS)))
handin: $(B)/labs.csv ## two pages to hand in: LAB=lab2 NAME="..." NUMBER=...
	$(if $(hand_lab),,$(error handin: LAB=$(LAB): one of $(ALL_LABS)))
	@sh tools/handin.sh --results '$(RESULTS)' --labs $(B)/labs.csv --lab $(hand_lab) \
	  $(call option,--variant,$(lastword $(VARIANTS))) --name $(call quoted,$(NAME)) \
	  --number $(call quoted,$(NUMBER)) --out handin '$(machine)'

compare: $(B)/labs.csv ### MACHINES="a b" beside each other, in report/output/compare/
	@$(call analyse,compare,--compare $(foreach m,$(MACHINES),$(call quoted,$m)))
	@echo "Time in ms of each variant at its best block:"
	@$(show) '$(REPORT)/compare/tables/compare.csv'
	@$(call write_report,compare,--compare,--template 'report/compare.$(REPORT_LANG).md' \
	  --name compare --formats "md html")

sql: $(B)/labs.csv ## ask the rows: SQL="select ...", or by hand in sqlite3
	@$(call analyse,$(machine),'$(machine)')
	@$(if $(SQL),\
	  sqlite3 -readonly -csv -header '$(REPORT)/$(machine)/results.db' "$$SQL" >'$(REPORT)/$(machine)/sql.csv' && \
	  $(show) '$(REPORT)/$(machine)/sql.csv',\
	  echo "A table is a view: .tables lists them, .schema row tells of the rows, .quit leaves."; \
	  sqlite3 -readonly -header -column '$(REPORT)/$(machine)/results.db')

# What is committed of the recorded results: of a card whose recording is whole, counters too, the report
# and the atlas, with the pictures that figures show.
reported := nvidia-h200
page = $(call draw,$1,--lang $$lang $2) && $(call build,$1,--lang $$lang --formats md $3)
docs: RESULTS = $(B)/reported
docs: $(B)/labs.csv
	@$(MAKE) -s pictures RESULTS='$(RESULTS)' MACHINE=$(reported)
	@cp data/reference/$(reported)/*.csv data/reference/$(reported)/run.json '$(RESULTS)/$(reported)'
	@awk -v folder=data/reference/$(reported) -f report/recorded.awk $< > $(B)/recorded.csv
	@$(call analyse,$(reported),$(reported),$(B)/recorded.csv)
	@$(call analyse,nvidia-h200-x2,nvidia-h200-x2,$(B)/recorded.csv)
	@$(call analyse,compare,--compare tesla-c2050 nvidia-h100 nvidia-h200,$(B)/recorded.csv)
	@for lang in en ja; do \
	  $(call page,$(reported)) && $(call atlas,$(reported),$$lang,--formats md) && \
	  $(call page,nvidia-h200-x2) && $(call atlas,nvidia-h200-x2,$$lang,--formats md) && \
	  $(call page,compare,--compare,--template report/compare.$$lang.md --name compare) || exit; \
	done
	@sh report/docs.sh '$(REPORT)' $(reported)

drawings: $(B)/labs.csv ### the rungs' drawings; what READMEs say of the recorded rows
	@$(call analyse,$(reported),$(reported))
	@sh report/drawings.sh '$(REPORT)' $(reported)

compare-runs: $(if $(ASK_MACHINE),$(NAMER)) ## what is slower or faster since the run before
	@sh tools/compare_runs.sh $(call option,--threshold,$(THRESHOLD)) $(call option,--kinds,$(KINDS)) \
	  $(if $(call yes,$(ALL)),--all) $(if $(call yes,$(ACROSS)),--across) \
	  $(if $(or $(MACHINE),$(ASK_MACHINE)),--results '$(results)') \
	  $(if $(A),'$(A)') $(if $(NEWER),'$(NEWER)')
