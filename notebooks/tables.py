"""tables.py - what gpgpu_labs.ipynb shows: the machine, a lab's ladder, rows, the hand-in's page.
It runs in the suite's folder. What a card has the labs' programs tell."""
import csv
import glob
import html
import os
import subprocess
import tempfile

from IPython.display import HTML, Markdown


def output_of(*command):
    """What a command says on stdout; of its errors the last line, if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit((done.stderr.strip() or f"{command[0]} failed").splitlines()[-1])
    return done.stdout


def of_make(variable):
    return output_of("make", "-s", "--eval", f"asked: ; @echo '$({variable})'", "asked").strip()


def table(head, lines, height="none"):
    def line(cells, tag):
        return "<tr>" + "".join(f'<{tag} style="text-align: left">{html.escape(cell)}</{tag}>'
                                for cell in cells) + "</tr>"
    return HTML(f'<div style="max-height: {height}; overflow: auto"><table>' + line(head, "th") +
                "".join(line(cells, "td") for cells in lines) + "</table></div>")


def has_boost():
    return subprocess.run(["sh", "tools/boost_context.sh", "g++"]).returncode == 0


def unpack_boost():
    """Where nobody may install Boost.Context: apt's packages of it, unpacked in build/apt."""
    subprocess.run(["sh", "-ec", """
        mkdir -p build/apt/state/lists/partial build/apt/cache/archives/partial && cd build/apt
        apt="apt-get -q -o Dir::State=$PWD/state -o Dir::Cache=$PWD/cache -o Debug::NoLocking=1
          -o Dir::State::status=/var/lib/dpkg/status -o APT::Sandbox::User="
        $apt update && $apt install -y --download-only --no-install-recommends libboost-context-dev
        for package in cache/archives/*boost*.deb; do dpkg -x "$package" .; done
        rm -f usr/lib/*/libboost_*.so*  # programs take what they need of the .a"""], capture_output=True)
    os.environ["CPATH"] = os.path.abspath("build/apt/usr/include")
    os.environ["LIBRARY_PATH"] = ":".join(map(os.path.abspath, glob.glob("build/apt/usr/lib/*")))


def machine():
    """A line: what runs the kernels here, or what is missing."""
    gpu = subprocess.run("nvidia-smi -L", shell=True, capture_output=True, text=True).stdout
    gpu = gpu.split(" (UUID")[0] if gpu.startswith("GPU") else ""
    if of_make("BACKEND") == "cuda":
        return f"{gpu}, {of_make('CARD')}: the kernels run there and are timed."
    has_nvcc = os.path.exists(of_make("NVCC"))
    why = f"{gpu}, but {'BACKEND=cpu' if has_nvcc else 'no nvcc (CUDA Toolkit)'}" if gpu else "No GPU"
    if not has_boost() and not (unpack_boost() or has_boost()):
        return f"{why}, and no g++ with Boost.Context: nothing can be built here."
    return f"{why}: the kernels run on the CPU, to see that they are right, and have no times."


def lack_of(rows):
    """Why a card does not have a rung, by its rows of --occupancy-of; empty if some block fits."""
    fits = [row for row in rows if row["status"] == "ok"]
    if not fits:  # or nothing refuses it, and only its registers are not recorded
        return "" if rows[0]["note"].startswith("its kernel is not in") else rows[0]["note"]
    if all(float(row["occupancy"]) == 0 for row in fits):
        return "needs more " + fits[0]["limiter"].replace("_", " ") + " than a multiprocessor has"
    return ""


def lacks(program, card):
    """{rung: why the card lacks it}, for all rungs whose kernels the program knows."""
    with tempfile.TemporaryDirectory() as folder:
        output_of(program, "--occupancy-of", card, "--csv", folder + "/rows.csv")
        rows = list(csv.DictReader(open(folder + "/rows.csv", newline="")))
    return {name: lack_of([row for row in rows if row["variant"] == name])
            for name in {row["variant"] for row in rows}}


def ladder(lab, **cards):
    """The lab's kernels, and which of them this machine and the cards have: T4="sm_75"."""
    program = of_make("B") + "/" + glob.glob(lab + "_*")[0].split("_", 1)[1]
    rungs, columns = [], {}
    for line in output_of(program, "--list").splitlines():
        name, kind, idea = line.split(None, 2)
        idea, _, missing = idea.partition(" (not in this build: ")
        if kind == "gpu":
            rungs.append((name, idea))
            columns.setdefault("here, on the CPU", {})[name] = missing.rstrip(")")
    if of_make("BACKEND") == "cuda":
        columns = {}
        if of_make("CARD") not in cards.values():
            cards = {"here": of_make("CARD"), **cards}
    for name, card in cards.items():
        try:
            columns[f"{name} ({card})"] = lacks(program, card)
        except SystemExit as why:
            print(f"{name} is left out: {why}")
    return table(["rung", "idea", *columns], [
        [*rung, *("no: " + lack[rung[0]] if lack.get(rung[0]) else "yes" for lack in columns.values())]
        for rung in rungs])


def rows(lab, *variants):
    """This machine's rows of the lab, of these variants or of all."""
    files = sorted(glob.glob(f"data/results/*/{lab}_*.csv"), key=os.path.getmtime)
    if not files:
        return print(f"{lab} has no rows yet: run it first")
    lines = []
    for row in csv.DictReader(open(files[-1], newline="")):
        if not variants or row["variant"] in variants:
            size, block = ("x".join(row[side] for side in sides if row[side])
                           for sides in (("width", "height", "depth"), ("block_x", "block_y")))
            time = f"{1e3 * float(row['time_s']):.4g}" if row["time_s"] else ""
            speedup = f"{float(row['speedup']):.3g}" if row["speedup"] else ""
            lines.append([row["variant"], size, block, time, speedup, row["status"], row["note"]])
    return table(["variant", "size", "block", "time / ms", "speedup", "status", "note"], lines,
                 height="28em")


def page(name):
    """A page of its own within the notebook; without pandoc its Markdown."""
    for path in (name + ".html", name + ".md"):
        if os.path.exists(path):
            text = open(path, encoding="utf-8").read()
            return Markdown(text) if path.endswith(".md") else HTML(
                '<div><iframe style="width: 100%; height: 40em; border: 1px solid" '
                f'srcdoc="{html.escape(text)}"></iframe></div>')
    return print(f"{name} is not there: what is missing stands above")
