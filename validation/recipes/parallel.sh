#!/usr/bin/env bash
# Runs a study in parts with GNU parallel and joins them. The parts resume: run it again after an interruption.
#
#   validation/recipes/parallel.sh STUDY.toml PARTS FOLDER [OPTIONS OF ebflow study]
#
# On several machines: add --sshlogin to parallel, with the study and FOLDER on a shared file system.
set -euo pipefail
ebflow=${EBFLOW:-ebflow}
study=$1 parts=$2 folder=$3
shift 3

mkdir -p "$folder"
seq "$parts" | parallel --halt soon,fail=1 --line-buffer \
    "$ebflow" study "$study" --jobs 1 --shard {}/"$parts" --out "$folder"/part-{} "$@"
seq -f "$folder/part-%g" "$parts" | xargs "$ebflow" merge --out "$folder"
