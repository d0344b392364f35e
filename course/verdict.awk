# verdict.awk - a student's row of grades.csv and page of feedback, of what the judge found.
#
#   awk -v page=FILE -v KEY=VALUE... -f course/verdict.awk rubric.tsv classes.tsv ROWS...
#
# classes.tsv has the hidden sizes: class, size, `width,height,depth`. ROWS are asan.csv, race.csv and gpu.csv
# as `column width height depth block_x block_y status note` prints them, judged.txt as --judge does. Keys:
# student exercise seed machine block style; library, the library's variant; late=1, the time was over. In the
# environment: early (a status that came before any run) and reason; launch, what the part declares beside its
# block, own_block, that of the exercise; on_cpu, empty where a GPU alone looked; said_asan, said_race, what
# engines told.

BEGIN {
    FS = "\t"
    early = ENVIRON["early"]
    reason = ENVIRON["reason"]
    said_asan = ENVIRON["said_asan"]
    said_race = ENVIRON["said_race"]
    first = ENVIRON["on_cpu"] ? "asan" : "gpu" # what looks at all sizes before others do
    launch = ENVIRON["launch"]
    if (launch)
        block = block " " launch
}

FILENAME ~ /rubric/ {
    if (FNR > 1) {
        items++
        item[items] = $1
        most[items] = $2
        from[items] = $3
        what[items] = $4
    }
    next
}

FILENAME ~ /classes/ {
    class[$3] = $1
    next
}

FILENAME ~ /judged/ {
    split($0, field, " ")
    if (field[1] == "handed_in") {
        judged = field[3]
        time = field[4]
        note = behind($0, " ", 7)
        if (judged != "ok")
            bad(judged, note, "at the size that is timed")
    } else if (field[2] == library)
        library_time = field[4]
    else
        reference = field[4]
    next
}

{
    run = FILENAME
    sub(/.*\//, "", run)
    sub(/[.].*/, "", run)
    split($0, field, ",")
    key = field[1] "," field[2] "," field[3]
    kind = key in class ? class[key] : "public"
    size = field[1] (field[2] > 1 || field[3] ? "x" field[2] : "") (field[3] ? "x" field[3] : "")
    note = behind($0, ",", 6)
    gsub(/^"|"$| \((launched at|or CUDA_CPU_SPIN)[^)]*\)/, "", note)
    rows[run]++
    if (field[6] == "skipped") {
        if (note !~ /counted/)
            skipped = note
        next
    }
    tried[run, kind]++
    if (note ~ /^not run,/)
        next
    if (field[6] == "ok") {
        right[run, kind]++
        next
    }
    place = "at " (kind == "public" ? "" : "a hidden size, ") size ", block " field[4] "x" field[5] \
        (launch ? ", " launch : "")
    bad(run == "race" && field[6] == "failed" && said_race != "" ? "race" : field[6], note, place)
}

# behind TEXT SIGN COUNT: what stands behind so many of the sign.
function behind(text, sign, count) {
    for (; count > 0 && index(text, sign); count--)
        text = substr(text, index(text, sign) + 1)
    return text
}

# bad STATUS NOTE PLACE: what was wrong; the gravest is the row's.
function bad(word, note, place,    grade) {
    if (word == "failed" && note ~ /^declares /)
        word = "refused"
    else if (note ~ /is not reached by all threads/) # of a barrier, most often at an edge alone
        word = "race"
    else if (word == "failed" || word == "race") {
        if (note ~ /took more than|endless loop/)
            word = "timeout"
        else if (word == "race")
            note = said_race
        else if (run == "asan" && said_asan ~ /buffer-overflow|SEGV|use-after|out of bounds|illegal/) {
            word = "bounds"
            note = said_asan
        } else {
            word = run == "gpu" && note ~ /illegal memory access|misaligned/ ? "bounds" : "crash"
            if (run == "asan" && said_asan != "" && note ~ /(this happened|undefined behaviour) in /)
                note = said_asan # which tells what
        }
    } else if (note ~ /wrote to the (input|judge)/)
        word = "cheat"
    else
        word = "wrong"
    if (word == "bounds" && note ~ /stack-overflow/)
        word = "crash"
    grade = index("wrong race cheat crash bounds timeout refused", word)
    if (grade > worst || !worst) {
        worst = grade
        status = word
        reason = note " (" place ")"
    }
    if (word != "race")
        failures = failures "- " place ": " note "\n"
}

function all_right(run, kind) {
    return tried[run, kind] && right[run, kind] == tried[run, kind]
}

# earned ITEM FROM: has it the marks?
function earned(name, from) {
    if (early != "" || status ~ /^(cheat|crash|timeout|refused)$/)
        return 0
    if (name == "correct")
        return correct
    if (name == "edges")
        return correct && edges
    if (name == "race")
        return correct && rows["race"] && status != "race"
    if (name == "speed")
        return status == "ok" && reference && time && reference / time >= from
    return 0
}

function quoted(text) {
    gsub(/[\n\r\t]/, " ", text)
    gsub(/"/, "\"\"", text)
    return text ~ /[",]/ ? "\"" text "\"" : text
}

END {
    correct = all_right(first, "correct") && (!rows["gpu"] || all_right("gpu", "correct"))
    edges = all_right(first, "edges") && (!tried[first, "public"] || all_right(first, "public")) &&
        (!rows["gpu"] || all_right("gpu", "edges"))
    if (early != "")
        status = early
    else if (late && status != "cheat") {
        status = "timeout"
        reason = "all runs together took too long"
    } else if (status == "wrong" && all_right(first, "public") && !right[first, "correct"] && !right[first, "edges"]) {
        status = "cheat"
        reason = "right at the published sizes alone: " reason
    } else if (status == "" && said_race != "") { # by a part that ends the program before it is counted
        status = "race"
        reason = said_race
    } else if (status == "") {
        status = correct && !skipped ? "ok" : skipped && block != ENVIRON["own_block"] ? "refused" : "crash"
        if (status != "ok")
            reason = skipped ? skipped : "it did not run"
    }
    for (i = 1; i <= items; i++) {
        if (item[i] == "style") {
            got["style"] = style
            marks += style
            of += style == "" ? 0 : most[i]
            continue
        }
        timed = reference != "" && reference != "-"
        if ((item[i] == "speed" && !timed) || (item[i] == "race" && first == "gpu"))
            continue
        of += most[i]
        if (earned(item[i], from[i])) {
            got[item[i]] += most[i]
            marks += most[i]
        } else
            got[item[i]] += 0
    }
    if (time == "-" || status != "ok")
        time = ""
    if (reference == "-")
        reference = ""
    if (library_time == "-")
        library_time = ""
    ratio = time && reference ? sprintf("%.3f", reference / time) : ""
    row = student "," exercise "," status "," got["correct"] "," got["edges"] "," got["race"] "," got["speed"] "," \
        got["style"] "," marks + 0 "," of + 0 "," time "," reference "," library_time "," ratio "," block "," seed "," \
        machine "," quoted(reason)
    print row
    printf "# %s, exercise %s: %s, %g of %g marks\n\n", student, exercise, status, marks, of >page
    if (reason != "")
        printf "%s.\n\n", reason >page
    print "| item | marks | of | for |\n|---|---:|---:|---|" >page
    for (i = 1; i <= items; i++)
        if (item[i] != item[i - 1]) {
            sum = 0
            for (k = i; k <= items && item[k] == item[i]; k++)
                sum += most[k]
            printf "| %s | %s | %g | %s |\n", item[i], got[item[i]], sum, what[i] >page
        }
    if (ratio != "")
        printf "\nIt takes %s us, the reference %s us%s.\n", time, reference, \
            library_time == "" ? "" : ", the library " library_time " us" >page
    if (first == "gpu" && early == "")
        print "\nNobody has looked for races: CHECK=race does, where there is a build for the CPU." >page
    if (failures != "")
        printf "\nWhat was wrong:\n\n%s\n`make doctor` and CHECK=race, CHECK=asan find such mistakes.\n", failures >page
}
