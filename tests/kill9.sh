#!/usr/bin/env bash
# Kills a study of 500 cells ten times with kill -9 at random moments, lets it finish, and compares its rows with those of
# a run that was left alone. Usage: kill9.sh EBFLOW FOLDER
set -euo pipefail
ebflow=$1
cd "$2"

cat > study.toml <<'TOML'
title = "Five hundred small cells"
quantities = ["w1_prior", "gap_two_stage"]
[prior]
kind = "gaussian"
mean = 0
std = 1
[noise]
variance = 0.25
[flow]
layers = 12
[sweep]
n = [80, 100, 120, 140, 160]
beta = [2, 4]
seeds = 50
TOML

began=$(date +%s%N)
"$ebflow" study study.toml --out alone > alone.txt 2> alone.log
took=$(( ($(date +%s%N) - began) / 1000000 ))
echo "the undisturbed run took $took ms"

struck=0
for strike in $(seq 10); do
    # Ten delays that add up to about 60 % of the undisturbed run, so that the strikes hit it at work.
    delay=$(( 1 + RANDOM * took * 12 / 100 / 32768 ))
    "$ebflow" study study.toml --out struck > struck.txt 2> struck.log &
    victim=$!
    sleep "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))"
    kill -9 "$victim" 2> /dev/null || true
    wait "$victim" 2> /dev/null || true
    rows=$(cat struck/rows.jsonl 2> /dev/null | wc -l)
    if [ "$rows" -lt 500 ]; then struck=$((struck + 1)); fi
    echo "strike $strike after $delay ms: $rows whole rows"
done
[ "$struck" -ge 5 ] || { echo "only $struck strikes hit a study at work"; exit 1; }

"$ebflow" study study.toml --out struck > struck.txt 2> struck.log
[ "$(wc -l < alone/rows.jsonl)" -eq 500 ] || { echo "the undisturbed run has not 500 rows"; exit 1; }
cmp <(sort alone/rows.jsonl) <(sort struck/rows.jsonl)
cmp alone/rows.csv struck/rows.csv
echo "$struck of 10 strikes hit it at work; 500 rows, all the same"
