#!/bin/sh
# rotate-logs: compress and delete old log files
# Copyright 2019-2022 Petra Lindgaard. Licensed under the Apache License, Version 2.0.
# Usage: rotate-logs [-n] [-k DAYS] DIRECTORY
#
# Files older than DAYS (30 unless -k says otherwise) are removed; the others are
# compressed. With -n nothing is changed, and what would be done is printed. The script
# doesn't follow symbolic links. It must not run twice at once, so it takes a lock first.
# This script comes with no warranty of any kind.

set -eu
days=30
dry=no
while getopts "nk:" opt; do
    case "$opt" in
        n) dry=yes ;;
        k) days=$OPTARG ;;
        *) echo "usage: rotate-logs [-n] [-k DAYS] DIRECTORY" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
dir=${1:?no directory given}

# flock keeps a second copy out. It waits for ten seconds, because cron may start us
# while the last run is still busy with a large file.
exec 9>"$dir/.rotate.lock"
flock -w 10 9 || exit 75

find "$dir" -type f -name '*.gz' -mtime "+$days" -print0 |
while IFS= read -r -d '' file; do
    if [ "$dry" = yes ]; then
        echo "would remove $file"
    else
        rm -- "$file"
    fi
done
