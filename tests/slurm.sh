#!/usr/bin/env bash
# The recipe for Slurm against a real slurmctld and slurmd on loopback: a job array whose rows are those of a single run, of which a task is killed
# and submitted again without computing anything twice.
#
#   tests/slurm.sh [PATH OF ebflow]         default: target/release/ebflow
#
# Needs root and the programs slurmctld, slurmd, munged and sbatch (Debian: slurmctld slurmd munge slurm-client). Says so and ends well without them.
set -euo pipefail
cd "$(dirname "$0")/.."
ebflow=$(realpath "${1:-target/release/ebflow}")

for program in slurmctld slurmd munged mungekey sbatch squeue scancel; do
    if ! command -v "$program" > /dev/null; then
        echo "slurm.sh: skipped, there is no $program"
        exit 0
    fi
done
if [ "$(id -u)" != 0 ]; then
    echo "slurm.sh: skipped, daemons can be started by root only"
    exit 0
fi

work=$(mktemp -d)
pids=()
finish() {
    code=$?
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
    wait 2> /dev/null || true
    if [ "$code" != 0 ]; then tail -n 30 "$work"/*.log >&2 || true; fi
    rm -rf "$work"
    exit "$code"
}
trap finish EXIT
fail() {
    echo "slurm.sh: $*" >&2
    exit 1
}
# Until a command succeeds, a minute at most.
await() {
    for _ in $(seq 300); do
        if "$@" > /dev/null 2>&1; then return 0; fi
        sleep 0.2
    done
    fail "waited in vain for: $*"
}

chmod 755 "$work"
mkdir "$work"/{munge,state,spool}
chmod 700 "$work/munge"
mungekey --create --keyfile="$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" > "$work/munged.log" 2>&1 &
pids+=($!)
await test -S "$work/munge/socket"

host=$(hostname -s)
cat > "$work/slurm.conf" << END
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=1,sched_min_interval=0
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1 State=UNKNOWN
PartitionName=local Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
slurmctld -D > "$work/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D -N "$host" > "$work/slurmd.log" 2>&1 &
pids+=($!)
await sinfo
await sh -c "sinfo --noheader --format=%t | grep -q idle"

study=$work/study.toml
cat > "$study" << 'END'
title = "Parts of a job array"
quantities = ["coupled", "w1_prior"]
prior = { kind = "gaussian", mean = 0, std = 1 }
noise.variance = 0.5
flow = { rtol = 1e-8, atol = 1e-8 }
sweep = { n = [200, 400, 800], beta = [2, 4], seeds = 16 }
END

submit() {
    EBFLOW=$ebflow sbatch --parsable --cpus-per-task=1 --chdir="$work" --output="$work/%A-%a.log" \
        --export=ALL "$@" validation/recipes/slurm.sh "$study" "$work/parts"
}
ended() { [ -z "$(squeue --noheader --jobs="$1" 2> /dev/null)" ]; }
rows() { cat "$@" | sort; }

part() { echo "$work/parts/part-$1/rows.jsonl"; }
cells() { "$ebflow" study "$study" --dry-run --shard "$1/3" --json | grep -o '"key"' | wc -l; }

# The first task is told to end, the second is killed outright, when each has finished some cells but not all.
array=$(submit --array=1-3)
await test -s "$(part 1)"
scancel "${array}_1"
await test -s "$(part 2)"
kill -KILL "$(grep -o '"process":[0-9]*' "$work/parts/part-2/runs.jsonl" | cut -d: -f2)"
await ended "$array"
for task in 1 2; do
    cp "$(part $task)" "$work/kept-$task"
    [ "$(wc -l < "$work/kept-$task")" -lt "$(cells $task)" ] || fail "task $task had finished before it could be killed"
done

# Submitted again, as a whole: what was there stays, and nothing is computed twice.
array=$(submit --array=1-3)
await ended "$array"
for task in 1 2; do
    # A killed process may leave the beginning of a line, which is no row.
    whole=$(grep -c '}$' "$work/kept-$task")
    cmp <(head -n "$whole" "$(part $task)") <(head -n "$whole" "$work/kept-$task") || fail "rows of task $task have changed"
done
computed=0
for task in 1 2 3; do
    [ "$(wc -l < "$(part $task)")" = "$(sort -u "$(part $task)" | wc -l)" ] || fail "task $task has a row twice"
    [ "$(wc -l < "$(part $task)")" = "$(cells $task)" ] || fail "task $task is not whole"
    for count in $(grep -o '"computed":[0-9]*' "$work/parts/part-$task/runs.jsonl" | cut -d: -f2); do
        computed=$((computed + count))
    done
done

"$ebflow" merge "$work"/parts/part-* --out "$work/merged" > "$work/merge.log" 2>&1
"$ebflow" study "$study" --out "$work/single" > "$work/single.log" 2>&1
[ "$(rows "$work/merged/rows.jsonl")" = "$(rows "$work/single/rows.jsonl")" ] || fail "the rows are not those of a single run"
all=$(wc -l < "$work/single/rows.jsonl")
# Runs that were killed outright count nothing; had one cell been computed twice by the others, there would be more.
[ "$computed" -le "$all" ] || fail "$computed cells were computed for $all rows"
echo "slurm.sh: $all rows of an array of 3 tasks are those of a single run; the tasks that ended early had kept" \
    "$(cat "$work"/kept-* | wc -l) rows, and the runs that came to an end had computed $computed"
