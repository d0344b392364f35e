#!/bin/sh
# setup.sh - installs what the suite lacks here, with the system's package manager; does nothing
# where nothing is missing. With --dev, what `make lint` needs too; with --report, what the report's
# HTML and PDF and its Japanese need; with both, both at once.
#
# The CUDA Toolkit is left to the user: without it the kernels run on the CPU. Exit status: 1 where
# something could not be installed that the build or an option asks for.
set -u

for manager in apt-get dnf pacman none; do
  ! command -v $manager >/dev/null 2>&1 || break
done
as_root='' by_hand=''
if [ "$(id -u)" -ne 0 ]; then
  as_root='sudo ' # which must not ask where nobody can answer, as in a notebook
  { command -v sudo && { [ -t 0 ] || sudo -n true; }; } >/dev/null 2>&1 ||
    as_root='' by_hand='please type this as root: '
fi
case $manager in
  apt-get) # its lists may be old, or not there at all
    install="${as_root}apt-get update -q && ${as_root}env DEBIAN_FRONTEND=noninteractive apt-get"
    install="$install install -q -y --no-install-recommends"
    ;;
  dnf) install="${as_root}dnf install -y" ;;
  pacman) install="${as_root}pacman -S --needed --noconfirm" ;;
  none) install='' by_hand='needs apt-get, dnf or pacman; in Debian the packages are' ;;
esac

# is_there HOW NAME
is_there() {
  case $1 in
    command) command -v "$2" ;;
    header) printf '#include <%s>\n' "$2" | c++ -x c++ -fsyntax-only - ;;
    library) pkg-config --exists "$2" ;;
    tex) kpsewhich "$2" ;; # LaTeX finds that file
    python)
      set -- -c "from importlib.util import find_spec; exit(not find_spec('$2'))"
      python3 "$@" || /usr/bin/python3 "$@"
      ;;
    font) fc-list ":lang=$2" family | grep -v Droid ;; # whose letters are the Chinese ones
  esac >/dev/null 2>&1
}

# A line of the table below: what for (build: needed; option: used where it is there; dev; report),
# how to see that it is there, under which name, and its packages for apt-get, dnf and pacman.
# Chromium takes a picture of the report for a test; Ubuntu's is no package but a snap.
needed='' optional=''
# shellcheck disable=SC2162  # a backslash joins two lines
while read what how name apt dnf pacman; do
  case " build option $* " in *[-\ ]"$what "*) ;; *) continue ;; esac
  if is_there "$how" "$name" ||
    { [ "$name" = chromium ] && ! grep -q '^ID=debian' /etc/os-release 2>/dev/null; }; then
    continue
  fi
  case $manager in
    dnf) package=$dnf ;;
    pacman) package=$pacman ;;
    *) package=$apt ;;
  esac
  [ -n "$package" ] || continue # the distribution has none
  if [ "$what" = build ]; then needed="$needed $package"; else optional="$optional $package"; fi
done <<'END'
build command gcc gcc gcc gcc
build command g++ g++ gcc-c++ gcc
build command make make make make
build header boost/context/detail/fcontext.hpp libboost-context-dev boost-devel boost
option command pkg-config pkg-config pkgconf-pkg-config pkgconf
option command gnuplot gnuplot-nox gnuplot gnuplot
option command sqlite3 sqlite3 sqlite sqlite
option command prove perl perl-Test-Harness perl
option library libpng libpng-dev libpng-devel libpng
option library libjpeg libjpeg-dev libjpeg-turbo-devel libjpeg-turbo
option library openblas libopenblas-dev openblas-devel openblas
option library ompi-c libopenmpi-dev openmpi-devel openmpi
option command mpirun openmpi-bin openmpi openmpi
dev command gawk gawk gawk gawk
dev command mawk mawk mawk mawk
dev command clang-format clang-format clang-tools-extra clang
dev command clang-tidy clang-tidy clang-tools-extra clang
dev command clang clang clang clang
dev command cppcheck cppcheck cppcheck cppcheck
dev command shellcheck shellcheck ShellCheck shellcheck
dev command bsdtar libarchive-tools bsdtar libarchive
dev command bwrap bubblewrap bubblewrap bubblewrap
dev command sim_c similarity-tester
dev command sbatch slurm-wlm slurm-slurmctld
dev command munge munge munge
dev command chromium chromium chromium chromium
dev command jupyter-nbconvert jupyter-nbconvert python3-nbconvert jupyter-nbconvert
dev python ipykernel python3-ipykernel python3-ipykernel python-ipykernel
report command pandoc pandoc pandoc pandoc-cli
report command pdflatex texlive-latex-base texlive-latex texlive-latex
report command pdftotext poppler-utils poppler-utils poppler
report tex booktabs.sty texlive-latex-recommended texlive-collection-latexrecommended \
  texlive-latexrecommended
report tex ptmr7t.tfm texlive-fonts-recommended texlive-collection-fontsrecommended \
  texlive-fontsrecommended
report tex lmodern.sty lmodern texlive-lm texlive-fontsrecommended
report tex luaotfload.sty texlive-luatex texlive-collection-luatex texlive-luatex
report font ja fonts-ipaexfont google-noto-sans-cjk-fonts noto-fonts-cjk
END

if [ -z "$needed$optional" ]; then
  echo "setup: nothing is missing"
  exit 0
fi
[ -z "$needed" ] || echo "setup: needed for the build:$needed"
[ -z "$optional" ] || echo "setup: for pictures, figures, report, tests or speed:$optional"

if [ -z "$by_hand" ]; then
  echo "setup: $install$needed$optional"
  sh -c "$install$needed$optional" && exit 0
else
  echo "setup: $by_hand$install$needed$optional" >&2
fi
if [ -n "$needed" ] || [ $# -gt 0 ]; then
  exit 1
fi
echo "setup: nothing of it is needed to go on"
