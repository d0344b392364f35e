#!/bin/sh
# sandbox.sh - runs a command with the system's programs and nothing else: no network, no other files, few
# processes, little memory, time and output.
#
#   sh course/sandbox.sh which                      prints root, user, either with -bare, or none: how it can be contained
#   SANDBOX=user sh course/sandbox.sh run|build DIR COMMAND...
#
# Of files the command sees /usr and DIR, which `build` may write to; `build` reads the project, too, and
# $HANDOUT. root and user are bubblewrap's (-bare: without /proc); none has the limits alone, and network, files and processes that
# leave their group are then not contained.
set -u
exec 9<&- # grade.sh's lock, an open folder
# A user that has no account and no other process: how many processes there may be is counted by user.
nobody=$((61184 + $$ % 4096))

# shellcheck disable=SC2086  # options
contained() {
  as=$1
  shift
  set -- --die-with-parent --new-session --ro-bind /usr /usr --dev /dev --perms 1777 --tmpfs /tmp "$@"
  for top in /bin /lib /lib64 /lib32; do
    if [ -L "$top" ] && [ -d "/usr$top" ]; then # as systems have it
      set -- --symlink "usr$top" "$top" "$@"
    elif [ -d "$top" ]; then
      set -- --ro-bind "$top" "$top" "$@"
    fi
  done
  case $as in *-bare) ;; *) set -- --proc /proc "$@" ;; esac
  if [ "${as%-bare}" = root ]; then # which no limit of processes holds for
    exec bwrap --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try \
      --cap-add CAP_SETUID --cap-add CAP_SETGID "$@"
  fi
  exec bwrap --unshare-all "$@"
}

if [ "$1" = which ]; then
  for as in $([ "$(id -u)" != 0 ] || echo root root-bare) user user-bare; do
    # shellcheck disable=SC2046
    (contained "$as" -- $([ "${as%-bare}" = user ] || echo setpriv --reuid=$nobody --clear-groups) true) \
      2>/dev/null && echo "$as" && exit
  done
  echo none
  exit
fi

how=$1 folder=$2
shift 2
limits=--core=0 # of a run the engine sets the others
[ "$how" = run ] || limits='--core=0 --fsize=67108864 --as=8589934592 --cpu=60'
[ "$SANDBOX" = none ] || limits="$limits --nproc=64"
become=''
case $SANDBOX in root*) who=0 ;; *) who=$(id -u) ;; esac
[ "$who" != 0 ] || become="setpriv --reuid=$nobody --regid=$nobody --clear-groups --"
command -v prlimit >/dev/null && become="$become prlimit $limits --"
# shellcheck disable=SC2086
set -- env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C HOME=/tmp OMP_NUM_THREADS=1 \
  ASAN_OPTIONS=detect_leaks=0:hard_rss_limit_mb=2048:handle_abort=1 $become "$@"
[ "$SANDBOX" != none ] || { cd "$folder" && exec "$@"; }
if [ "$how" = build ]; then
  root=$(unset CDPATH && cd -- "$(dirname -- "$0")/.." && pwd)
  case ${CUDA_HOME:-/usr} in /usr*) ;; *) set -- --ro-bind "$CUDA_HOME" "$CUDA_HOME" "$@" ;; esac
  set -- --ro-bind "$root" "$root" --ro-bind "$HANDOUT" "$HANDOUT" --bind "$folder" "$folder" --chdir "$folder" "$@"
else
  root=/usr HANDOUT=/usr
  set -- --ro-bind "$folder" "$folder" --chdir "$folder" "$@"
fi
for path in "$folder" "$root" "$HANDOUT"; do # what lies above them is open to nobody, too
  while path=${path%/*} && [ -n "$path" ] && [ "$path" != /usr ]; do
    set -- --perms 0755 --dir "$path" "$@"
  done
done
contained "$SANDBOX" "$@"
