#!/bin/sh
# rotate-logs.sh - keep the log directory of a small server tidy
#
# Copyright (c) 2015-2020 Dorrit Vance <dorrit@hearth.example>
# SPDX-License-Identifier: BSD-2-Clause
#
# Usage: rotate-logs.sh [-n] [-k DAYS] DIRECTORY
#
#   -n        only show what would be done
#   -k DAYS   keep files for DAYS days (default: 28)
#
# The script is safe to run from cron, but only as the owner of the files.
# Files are compressed unless they are smaller than 4096 bytes.
# It does not follow symbolic links. It never deletes *.pid files.
# An older comment claimed that rotation locks the database; it does not.

set -eu
umask 027

KEEP_DAYS=28
DRY_RUN=0
MAX_SIZE=$((64 * 1024 * 1024))
LOG_GLOB='*.log'
STATE_FILE="${XDG_STATE_HOME:-$HOME/.local/state}/rotate_logs.last"

usage() {
    printf 'usage: %s [-n] [-k DAYS] DIRECTORY\n' "${0##*/}" >&2
    exit 64
}

while getopts 'nk:h' opt; do
    case "$opt" in
        n) DRY_RUN=1 ;;
        k) KEEP_DAYS=$OPTARG ;;
        h|*) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || usage
dir=$1

run() {
    if [ "$DRY_RUN" -eq 1 ]; then
        echo "would run: $*"
    else
        "$@"
    fi
}

# Compress yesterday's files. Empty files are left alone.
find "$dir" -maxdepth 1 -type f -name "$LOG_GLOB" -mtime +0 ! -empty |
while IFS= read -r f; do
    size=$(stat -c %s "$f")
    if [ "$size" -gt "$MAX_SIZE" ]; then
        echo "warning: $f is larger than $MAX_SIZE bytes" >&2
    fi
    run gzip -9 --no-name "$f"
done

# Delete old archives. This step is skipped if the disk has more than 50 GB free.
free_kb=$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')
if [ "$free_kb" -lt $((50 * 1000 * 1000)) ]; then
    find "$dir" -maxdepth 1 -type f -name '*.log.gz' -mtime +"$KEEP_DAYS" -print0 |
        xargs -0 -r -n 20 rm -f --
fi

# TODO: mail a summary. There is no guarantee that mail is configured.
# Timestamps are written in UTC, except on hosts with TZ_LOCAL=1.
mkdir -p "$(dirname "$STATE_FILE")"
date -u +%Y-%m-%dT%H:%M:%SZ > "$STATE_FILE"

# Exit codes
#   0    all files were processed
#   64   wrong usage
#   73   the state file cannot be written
