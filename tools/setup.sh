#!/bin/sh
# setup.sh - installs what the suite needs and is missing, with the system's package manager; does
# nothing where nothing is missing. With --dev, what `make lint` needs too; with --report, what the
# report's HTML and PDF need.
#
# The CUDA Toolkit is left to the user: without it the kernels run on the CPU.
set -eu

missing=

# need COMMAND APT DNF PACMAN: the package's name where `COMMAND` is not found
need() {
  command -v "$1" >/dev/null 2>&1 || add "$2" "$3" "$4"
}

# need_header HEADER APT DNF PACMAN
need_header() {
  printf '#include <%s>\n' "$1" | c++ -x c++ -fsyntax-only - >/dev/null 2>&1 || add "$2" "$3" "$4"
}

# need_library PKG-CONFIG-NAME APT DNF PACMAN
need_library() {
  pkg-config --exists "$1" 2>/dev/null || add "$2" "$3" "$4"
}

# need_tex FILE APT DNF PACMAN: where LaTeX does not find that file
need_tex() {
  kpsewhich "$1" >/dev/null 2>&1 || add "$2" "$3" "$4"
}

add() {
  case $manager in
    apt-get) missing="$missing $1" ;;
    dnf) missing="$missing $2" ;;
    pacman) missing="$missing $3" ;;
  esac
}

manager=
for candidate in apt-get dnf pacman; do
  if command -v $candidate >/dev/null 2>&1; then
    manager=$candidate
    break
  fi
done
if [ -z "$manager" ]; then
  echo "setup: no package manager known here (apt-get, dnf, pacman). Needed: gcc, g++, make," >&2
  echo "setup: pkg-config, gnuplot, Boost.Context; useful: libpng, OpenBLAS, perl's prove." >&2
  exit 1
fi

need gcc gcc gcc gcc
need g++ g++ gcc-c++ gcc
need make make make make
need pkg-config pkg-config pkgconf-pkg-config pkgconf
need gnuplot gnuplot-nox gnuplot gnuplot
need prove perl perl-Test-Harness perl
if command -v g++ >/dev/null 2>&1; then
  need_header boost/context/detail/fcontext.hpp libboost-context-dev boost-devel boost
else
  add libboost-context-dev boost-devel boost
fi
need_library libpng libpng-dev libpng-devel libpng
need_library openblas libopenblas-dev openblas-devel openblas
if [ "${1:-}" = --dev ]; then
  need clang-format clang-format clang-tools-extra clang
  need cppcheck cppcheck cppcheck cppcheck
  need shellcheck shellcheck ShellCheck shellcheck
  # For a screenshot of the report. Ubuntu has no such package but a snap; there the test is skipped.
  if grep -q '^ID=debian' /etc/os-release 2>/dev/null; then
    need chromium chromium chromium chromium
  fi
elif [ "${1:-}" = --report ]; then
  need pandoc pandoc pandoc pandoc-cli
  need pdflatex texlive-latex-base texlive-latex texlive-latex
  need_tex booktabs.sty texlive-latex-recommended texlive-collection-latexrecommended texlive-latexrecommended
  need_tex ptmr7t.tfm texlive-fonts-recommended texlive-collection-fontsrecommended texlive-fontsrecommended
  need_tex lmodern.sty lmodern texlive-lm texlive-fontsrecommended
fi

if [ -z "$missing" ]; then
  echo "setup: nothing is missing"
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || {
    echo "setup: please install as root:$missing" >&2
    exit 1
  }
  as_root=sudo
fi
echo "setup: installing$missing"
# shellcheck disable=SC2086  # the list is meant to be split
case $manager in
  apt-get)
    $as_root apt-get update -q
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
    ;;
  dnf) $as_root dnf install -y $missing ;;
  pacman) $as_root pacman -S --needed --noconfirm $missing ;;
esac
