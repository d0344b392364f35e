# report.mk - figures, tables, reports, and runs beside each other.

draw = sh plots/draw.sh --results '$(RESULTS)' --labs $(B)/labs.csv --out '$(FIGURES)'
# Tables and facts from the rows, of machine $$m or of those named, into its folder $$out.
tables = out="$(REPORT)/$$m"; sh report/analyse.sh --results '$(RESULTS)' --labs $(B)/labs.csv \
  --out "$$out" $(or $1,"$$m") || exit

plots: $(B)/labs.csv ## draw the figures of MACHINE (default: this one) into plots/figures/
	@m='$(machine)'; out=; if command -v sqlite3 >/dev/null; then $(tables); fi; \
	if command -v gnuplot >/dev/null; then \
	  $(draw) $${out:+--tables "$$out/tables"} "$$m"; \
	else \
	  echo "The results are in $(RESULTS)/$$m. For the figures install gnuplot (make setup)," \
	    "then: make plots"; \
	fi
# write_report OPTIONS OF draw.sh, OPTIONS OF build.sh: draw.sh's status 3 is a figure left out.
write_report = $(draw) --lang '$(REPORT_LANG)' --formats "svg png pdf" $1 \
  --tables "$$out/tables" "$$m" || [ $$? -eq 3 ] || status=1; \
  sh report/build.sh --figures "$(FIGURES)/$$m" --out "$$out" --lang '$(REPORT_LANG)' $2 && \
  exit $${status:-0}
show = awk -f tools/csv.awk -f report/markdown.awk -f tools/show.awk

report: $(B)/labs.csv ## write the report of MACHINE into report/output/ (REPORT_LANG=en|ja)
	@m='$(machine)'; $(tables); $(call write_report,,$(call option,--template,$(TEMPLATE)))

compare: $(B)/labs.csv ## MACHINES="a b" beside each other, in report/output/compare/
	@m=compare; $(call tables,--compare $(foreach m,$(MACHINES),$(call quoted,$m))); \
	echo "Time in ms of each variant at its best block:"; \
	$(show) "$$out/tables/compare.csv"; \
	$(call write_report,--compare,--template 'report/compare.$(REPORT_LANG).md' --name compare \
	  --formats "md html")

compare-runs: $(if $(ASK_MACHINE),$(NAMER)) ## two runs: A=FOLDER B=FOLDER, or what HISTORY=1 kept
	@sh tools/compare_runs.sh $(call option,--threshold,$(THRESHOLD)) \
	  $(call option,--kinds,$(KINDS)) $(if $(call yes,$(ALL)),--all) \
	  $(if $(call yes,$(ACROSS)),--across) \
	  $(if $(or $(MACHINE),$(ASK_MACHINE)),--results '$(results)') \
	  $(if $(A),'$(A)') $(if $(NEWER),'$(NEWER)')

sql: $(B)/labs.csv ## ask the rows of MACHINE: SQL="select ...", or by hand in sqlite3
	@m='$(machine)'; $(tables); $(if $(SQL), \
	  sqlite3 -readonly -csv -header "$$out/results.db" "$$SQL" | $(show) -, \
	  echo "A table is a view: .tables lists them, .schema row tells of the rows, .quit leaves."; \
	  sqlite3 -readonly -header -column "$$out/results.db")

# write_docs NAME OPTION OF draw.sh: docs/NAME, the text and its figures in both languages.
write_docs = set -e; rm -rf docs/$1 "$$out"/figures*; mkdir docs/$1; \
  for lang in en ja; do \
    $(draw) $2 --lang $$lang --tables "$$out/tables" "$$m"; \
    sh report/build.sh --figures "$(FIGURES)/$$m" --out "$$out" --lang $$lang --formats md \
      --template report/$1.$$lang.md --name $1; \
  done; \
  cp "$$out/$1.md" "$$out/$1.ja.md" docs/$1; \
  for figures in figures figures.ja; do \
    mkdir docs/$1/$$figures; cp "$$out/$$figures"/*.png docs/$1/$$figures; \
  done

# docs/gpus: of the report of a machine with several GPUs the section on them.
write_gpus = set -e; rm -rf docs/gpus "$$out"/figures*; mkdir docs/gpus; \
  for lang in en ja; do \
    case $$lang in en) of=;; *) of=.$$lang;; esac; \
    $(draw) --lang $$lang --tables "$$out/tables" "$$m"; \
    sh report/build.sh --figures "$(FIGURES)/$$m" --out "$$out" --lang $$lang --formats md; \
    awk '/^\#\# /{ p = 0 } /^\#\#\# 5\.6/{ p = 1; sub(/\#\#\# 5\.6/, "\#") } p' \
      "$$out/report$$of.md" >"docs/gpus/gpus$$of.md"; \
    mkdir docs/gpus/figures$$of; \
    cp "$$out/figures$$of/gpus.png" "$$out/figures$$of/lab0_link.png" docs/gpus/figures$$of; \
  done

# What is committed of the recorded results: the H200's report in both languages, the figures that
# it shows, the tables of times in the labs' READMEs; the comparison with other machines. Those that
# show pictures need $(RESULTS)/nvidia-h200/pictures.
docs: $(B)/labs.csv
	@m=nvidia-h200; $(tables); $(call write_docs,report); \
	for readme in lab*_*/README*.md; do \
	  awk -v lab="$${readme%/*}" -v readme="$$readme" -f tools/csv.awk -f report/markdown.awk \
	    -f report/readme.awk "$$out/tables/best_by_size.csv" >"$$out/README.md"; \
	  mv "$$out/README.md" "$$readme"; \
	done; \
	sh tests/timing/claims.sh data/reference/nvidia-h200/timing; \
	mv data/reference/nvidia-h200/timing/timing.png docs
	@m=compare; $(call tables,--compare tesla-c2050 nvidia-h100 nvidia-h200); \
	$(call write_docs,compare,--compare)
	@m=nvidia-h200-x2; $(tables); $(write_gpus)
