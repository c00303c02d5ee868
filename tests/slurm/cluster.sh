# A Slurm of one node, for tests: start_cluster FOLDER and stop_cluster, to be read by a script of sh. Everything it has
# stands in FOLDER, the daemons listen on ports of their own, munged has a key and a socket of its own, and all of it is
# ended by process number. It needs no systemd, no control groups and no accounting.

# cluster_lacks: what is missing to start one; nothing if it can be.
cluster_lacks() {
  for program in munged slurmctld slurmd sbatch squeue scontrol; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || echo "$program"
  done
}

stop_cluster() {
  for pid in $cluster_pids; do kill "$pid" 2>/dev/null || true; done
  for pid in $cluster_pids; do
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -9 "$pid" 2>/dev/null || true
  done
  cluster_pids=
}

cluster_pids=

# write_slurm_conf FOLDER PORT
write_slurm_conf() {
  cat >"$1/slurm.conf" <<END
ClusterName=weir
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$2
SlurmdPort=$(($2 + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$1/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0
ReturnToService=2
KillWait=5
NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
END
}

is_free() { ! { : <>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null; }

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
  left=$(($1 * 5))
  shift
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || return 1
    sleep 0.2
  done
}

node_is_ready() { [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; }

# start_cluster FOLDER: sets SLURM_CONF. The folder's name is short and without spaces, for a socket is in it.
start_cluster() {
  PATH=$PATH:/usr/sbin
  mkdir -p "$1/munge" "$1/state" "$1/spool"
  chmod 755 "$1" "$1/munge"
  (umask 077 && head -c 128 /dev/urandom >"$1/munge/key")
  munged --foreground --force --num-threads=1 --key-file="$1/munge/key" --socket="$1/munge/socket" \
    --pid-file="$1/munge/pid" --log-file="$1/munge/log" --seed-file="$1/munge/seed" >"$1/munge/out" 2>&1 &
  cluster_pids=$!
  wait_for 20 test -S "$1/munge/socket" || { cat "$1"/munge/out "$1"/munge/log; return 1; }
  export SLURM_CONF="$1/slurm.conf"
  munge_pid=$cluster_pids
  for attempt in 1 2 3 4 5; do
    port=$((20000 + ($(od -An -N2 -tu2 /dev/urandom) % 6000) * 2))
    { is_free $port && is_free $((port + 1)); } || continue
    write_slurm_conf "$1" $port
    slurmctld -D -f "$SLURM_CONF" >"$1/slurmctld.out" 2>&1 &
    controller=$!
    slurmd -D -f "$SLURM_CONF" -N localhost >"$1/slurmd.out" 2>&1 &
    cluster_pids="$! $controller $munge_pid"
    wait_for 30 node_is_ready && return 0
    # another program may have taken a port meanwhile
    kill "$!" "$controller" 2>/dev/null || true
    cluster_pids=$munge_pid
  done
  tail -n 20 "$1"/slurmctld.log "$1"/slurmd.log "$1"/slurmctld.out "$1"/slurmd.out
  return 1
}
