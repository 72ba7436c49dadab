#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep_task.sh HOME DIR IDS FIRST - the batch script of a sweep's Slurm array: task N measures the cell in line FIRST + N of IDS,
# on the two hosts of its allocation. (Slurm copies this script: HOME is where thinprobe is.)
id=$(sed -n "$(($4 + SLURM_ARRAY_TASK_ID))p" "$3")
hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | paste -sd ,) || exit
exec "$1/experiments/engine/sweep_cell.sh" "$id" --sweep "$2" --on "ssh:$hosts"
