# job.sh - what the job scripts share. Sourced with the settings of make as arguments, it adds those
# of a job that goes on; then
#
#   build GOAL... SETTING...      builds in the node's own folder, one job at a time
#   run GOAL SETTING...           make GOAL; its status is $status
#   finish                        the job's end, with $status
#
# Before its time is up Slurm signals the script alone (--signal=B:USR1): what runs is told by
# SIGTERM, keeps its finished rows, and the job is put back into the queue. Preempted or requeued by
# others, all processes get SIGTERM from Slurm. make and its shells ignore it, and end after the
# program that they wait for.
# shellcheck shell=sh

unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that submitted the job
status=0 out_of_time='' told=''
restarts=${SLURM_RESTART_COUNT:-0} most_restarts=20

# Nodes may differ: what was built for one may not run on another.
folder=build/$SLURMD_NODENAME
for setting; do
  case $setting in B=*) folder=${setting#B=} ;; esac
done
[ "$restarts" -eq 0 ] || set -- "$@" FRESH= RESUME=1

# A program that srun started is told as a step: srun itself would end it at once.
hand_on() {
  out_of_time=1 told=1
  trap '' TERM
  if squeue --noheader --steps --job "$SLURM_JOB_ID" --format=%i | grep -q '\.[0-9]*$'; then
    scancel --signal=TERM "$SLURM_JOB_ID"
  else
    kill -s TERM 0
  fi
}
trap hand_on USR1

# wait_for PID: a signal interrupts `wait`, whose status is then the signal's.
wait_for() {
  while
    told=''
    wait "$1"
    status=$?
    [ -n "$told" ]
  do :; done
}

build() {
  mkdir -p "$folder"
  flock "$folder/lock" make "B=$folder" "$@" &
  wait_for $!
  [ "$status" -eq 0 ] || finish
}

run() {
  (trap '' TERM && exec make "B=$folder" "$@") &
  wait_for $!
}

finish() {
  [ -n "$out_of_time" ] || exit "$status"
  if [ "$restarts" -ge "$most_restarts" ]; then
    echo "Out of time again, after $restarts restarts: ended. RESUME=1 goes on." >&2
    exit "$status"
  fi
  echo "Out of time: requeued, the job goes on where it was." >&2
  trap - TERM # which may come before the request has returned
  scontrol requeue "$SLURM_JOB_ID" || exit "$status"
  sleep 60
}
