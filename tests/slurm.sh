# slurm.sh - a Slurm of a test's own, after tap.sh: slurmctld and two nodes of this machine on the
# loopback address, called one and two, with four CPUs and two GPUs each that are not there, and
# munged for them all. Files, keys and sockets are in $folder; nothing of the system's own Slurm is
# asked or changed. Partitions: student, whose jobs make room for those of urgent.
#
#   start_slurm    status 1 and the reason in $why where that cannot be; ends with the test
#   ended JOB      is none of its tasks waiting or running?
#
# Whatever happens to the test, the daemons end after five minutes.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154  # why and folder are the test's

PATH=$PATH:/usr/sbin:/sbin
daemons='' slurm_is_up=''

# A test within a job is none of that job's.
for slurm_name in $(env | sed -n 's/^\(S\(LURM\|BATCH\|RUN\)_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$slurm_name"
done

# free_ports COUNT: so many ports next to each other that nobody listens on.
free_ports() {
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v count="$1" -v seed="$$" '
        { sub(/.*:/, "", $2); used[$2] }
        END {
            for (port = 20000 + seed % 10000; n < count; port++)
                n = sprintf("%04X", port) in used ? 0 : n + 1
            print port - count
        }'
}

# daemon NAME COMMAND...: in the background; says what it does in $folder/slurm/NAME.log.
daemon() {
    slurm_log=$folder/slurm/$1.log
    shift
    timeout -k 5 300 "$@" >"$slurm_log" 2>&1 </dev/null &
    daemons="$! $daemons"
}

write_slurm_conf() {
    slurm_port=$(free_ports 3)
    slurm_host=$(uname -n | sed 's/\..*//')
    cat <<EOF
ClusterName=test
SlurmctldHost=$slurm_host(127.0.0.1)
SlurmctldPort=$slurm_port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/slurm/munge,cred_expire=5
CredType=cred/munge
StateSaveLocation=$folder/slurm/state
SlurmdSpoolDir=$folder/slurm/%n
SlurmctldPidFile=$folder/slurm/slurmctld.pid
SlurmdPidFile=$folder/slurm/%n.pid
ProctrackType=proctrack/linuxproc
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
TmpFS=$folder/slurm/%n
KillWait=20
ReturnToService=2
GresTypes=gpu
NodeName=one NodeAddr=127.0.0.1 NodeHostname=$slurm_host Port=$((slurm_port + 1)) CPUs=4 Gres=gpu:2
NodeName=two NodeAddr=127.0.0.1 NodeHostname=$slurm_host Port=$((slurm_port + 2)) CPUs=4 Gres=gpu:2
PartitionName=student Nodes=one,two Default=YES PriorityTier=1
PartitionName=urgent Nodes=one,two PriorityTier=2
EOF
}

# A GPU is a device file, any two will do.
write_gres_conf() {
    printf '%s\n' AutoDetect=off 'Name=gpu File=/dev/null' 'Name=gpu File=/dev/zero'
}

nodes_are_idle() {
    [ "$(timeout 5 sinfo --noheader --Node --partition=student --format=%t 2>/dev/null)" = 'idle
idle' ]
}

# first_error: what a daemon says that did not start.
first_error() {
    sed -n 's/.*\(fatal\|[Ee]rror\): */\1: /p' "$folder"/slurm/*.log | head -n 1
}

start_slurm() {
    ! why=$(lacks munged slurmctld slurmd sbatch srun scontrol) || return 1
    chmod 711 "$folder" # for the socket
    mkdir "$folder/slurm" "$folder/slurm/state" "$folder/slurm/one" "$folder/slurm/two"
    write_slurm_conf >"$folder/slurm/slurm.conf"
    write_gres_conf >"$folder/slurm/gres.conf"
    export SLURM_CONF="$folder/slurm/slurm.conf"
    (umask 077 && head -c 128 /dev/urandom >"$folder/slurm/key")
    trap 'stop_slurm; rm -rf "$folder"' EXIT

    daemon munged munged --foreground --key-file="$folder/slurm/key" \
        --socket="$folder/slurm/munge" --pid-file="$folder/slurm/munged.pid" \
        --seed-file="$folder/slurm/seed" --log-file="$folder/slurm/munged.log"
    wait_until 5 test -S "$folder/slurm/munge" || { why="munged: $(first_error)"; return 1; }
    daemon slurmctld slurmctld -D
    daemon one slurmd -D -N one
    daemon two slurmd -D -N two
    wait_until 20 nodes_are_idle || { why="Slurm does not start: $(first_error)"; return 1; }
    slurm_is_up=1
}

# Jobs first: they are no children of the daemons.
# shellcheck disable=SC2086  # numbers
stop_slurm() {
    [ -n "$slurm_is_up" ] && ! nodes_are_idle && timeout 10 scancel --user="$(id -un)" &&
        wait_until 10 nodes_are_idle
    [ -z "$daemons" ] || kill $daemons 2>/dev/null
    wait $daemons
}

ended() {
    [ -z "$(timeout 10 squeue --noheader --job="$1" 2>&1)" ]
}
