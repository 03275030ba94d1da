#!/usr/bin/env bash
# Runs one part of a study per task of a Slurm job array. Tasks resume: a requeued or resubmitted array goes on where it was.
#
#   sbatch --array=1-16 --cpus-per-task=4 --time=08:00:00 --requeue validation/recipes/slurm.sh STUDY.toml FOLDER [OPTIONS]
#
# When the array is through, on any machine that sees FOLDER:
#
#   ebflow merge FOLDER/part-* --out FOLDER
#
#SBATCH --job-name=ebflow
#SBATCH --output=ebflow-%A-%a.log
set -euo pipefail
ebflow=${EBFLOW:-ebflow}
study=$1 folder=$2
shift 2

mkdir -p "$folder"
# `exec`, so that the signal Slurm sends before the time limit reaches the program itself, which then stops cleanly.
exec "$ebflow" study "$study" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --out "$folder/part-$SLURM_ARRAY_TASK_ID" "$@"
