#!/bin/sh
# setup.sh - installs what the suite lacks here, with the system's package manager; does nothing
# where nothing is missing. With --dev, what `make lint` needs too; with --report, what the report's
# HTML and PDF need.
#
# The CUDA Toolkit is left to the user: without it the kernels run on the CPU. Exit status: 1 where
# something could not be installed that the build or an option asks for.
set -u

needed='' optional=''

# A kind of things is `needed` to build, or `optional`: kind COMMAND... adds the package's name
# here.
#
# with_command KIND COMMAND APT DNF PACMAN: where there is no COMMAND
with_command() {
  command -v "$2" >/dev/null 2>&1 || add "$1" "$3" "$4" "$5"
}

# with_header KIND HEADER APT DNF PACMAN
with_header() {
  printf '#include <%s>\n' "$2" | c++ -x c++ -fsyntax-only - >/dev/null 2>&1 ||
    add "$1" "$3" "$4" "$5"
}

# with_library KIND PKG-CONFIG-NAME APT DNF PACMAN
with_library() {
  pkg-config --exists "$2" 2>/dev/null || add "$1" "$3" "$4" "$5"
}

# with_tex KIND FILE APT DNF PACMAN: where LaTeX does not find that file
with_tex() {
  kpsewhich "$2" >/dev/null 2>&1 || add "$1" "$3" "$4" "$5"
}

add() {
  case $manager in
    apt-get) package=$2 ;;
    dnf) package=$3 ;;
    pacman) package=$4 ;;
  esac
  case $1 in
    needed) needed="$needed $package" ;;
    *) optional="$optional $package" ;;
  esac
}

# The command that installs packages; apt-get's lists may be old, or not there at all.
install_command() {
  case $manager in
    apt-get)
      echo "${as_root}apt-get update -q && ${as_root}env DEBIAN_FRONTEND=noninteractive" \
        "apt-get install -q -y --no-install-recommends"
      ;;
    dnf) echo "${as_root}dnf install -y" ;;
    pacman) echo "${as_root}pacman -S --needed --noconfirm" ;;
  esac
}

manager=
for candidate in apt-get dnf pacman; do
  if [ -z "$manager" ] && command -v $candidate >/dev/null 2>&1; then
    manager=$candidate
  fi
done
if [ -z "$manager" ]; then
  echo "setup: no package manager known here (apt-get, dnf, pacman)." >&2
  echo "setup: needed: gcc, g++, make, and without a GPU Boost.Context; for figures gnuplot," >&2
  echo "setup: for the report sqlite3, pandoc; also pkg-config, libpng, libjpeg, OpenBLAS, prove." >&2
  exit 1
fi

with_command needed gcc gcc gcc gcc
with_command needed g++ g++ gcc-c++ gcc
with_command needed make make make make
if command -v c++ >/dev/null 2>&1; then
  with_header needed boost/context/detail/fcontext.hpp libboost-context-dev boost-devel boost
else
  add needed libboost-context-dev boost-devel boost
fi
with_command optional pkg-config pkg-config pkgconf-pkg-config pkgconf
with_command optional gnuplot gnuplot-nox gnuplot gnuplot
with_command optional sqlite3 sqlite3 sqlite sqlite
with_command optional prove perl perl-Test-Harness perl
with_library optional libpng libpng-dev libpng-devel libpng
with_library optional libjpeg libjpeg-dev libjpeg-turbo-devel libjpeg-turbo
with_library optional openblas libopenblas-dev openblas-devel openblas
if [ "${1:-}" = --dev ]; then
  with_command optional clang-format clang-format clang-tools-extra clang
  with_command optional cppcheck cppcheck cppcheck cppcheck
  with_command optional shellcheck shellcheck ShellCheck shellcheck
  # For a screenshot of the report. Ubuntu has no such package but a snap; there the test is
  # skipped.
  if grep -q '^ID=debian' /etc/os-release 2>/dev/null; then
    with_command optional chromium chromium chromium chromium
  fi
elif [ "${1:-}" = --report ]; then
  with_command optional pandoc pandoc pandoc pandoc-cli
  with_command optional pdflatex texlive-latex-base texlive-latex texlive-latex
  with_tex optional booktabs.sty texlive-latex-recommended texlive-collection-latexrecommended \
    texlive-latexrecommended
  with_tex optional ptmr7t.tfm texlive-fonts-recommended texlive-collection-fontsrecommended \
    texlive-fontsrecommended
  with_tex optional lmodern.sty lmodern texlive-lm texlive-fontsrecommended
fi

if [ -z "$needed$optional" ]; then
  echo "setup: nothing is missing"
  exit 0
fi
[ -z "$needed" ] || echo "setup: needed for the build:$needed"
[ -z "$optional" ] || echo "setup: for pictures, figures, report, tests or speed:$optional"

may_install=yes as_root=
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1; then as_root='sudo '; else may_install=; fi
fi
command="$(install_command)$needed$optional"
if [ -n "$may_install" ]; then
  echo "setup: $command"
  sh -c "$command" && exit 0
else
  echo "setup: please type this as root: $command" >&2
fi
if [ -n "$needed" ] || [ $# -gt 0 ]; then
  exit 1
fi
echo "setup: nothing of it is needed to go on"
