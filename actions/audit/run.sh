#!/usr/bin/env bash
# council audit as a step. Inputs come as variables, so that no shell reads them:
# FILES (patterns, one a line), FAIL_ON, OFFLINE, ALLOW_UNREAD, ARCHIVE.
set -euo pipefail
shopt -s globstar nullglob
IFS= # a name with a blank is one name
council=$("$(dirname "${BASH_SOURCE[0]}")/../council")

files=()
while IFS= read -r pattern; do
  [ -n "$pattern" ] || continue
  # shellcheck disable=SC2206 # the pattern is to be expanded, and nothing else
  matched=($pattern)
  [ ${#matched[@]} -gt 0 ] || { echo "audit: no file matches $pattern" >&2; exit 2; }
  files+=("${matched[@]}")
done <<<"${FILES:-}"
[ ${#files[@]} -gt 0 ] || { echo "audit: name files" >&2; exit 2; }

flags=()
[ -z "${FAIL_ON:-}" ] || flags+=(--fail-on "$FAIL_ON")
[ "${OFFLINE:-}" != true ] || flags+=(--offline)
[ "${ALLOW_UNREAD:-}" != true ] || flags+=(--allow-unread)
[ -z "${ARCHIVE:-}" ] || flags+=(--archive "$ARCHIVE")

code=0
said=$("$council" audit ${flags[@]+"${flags[@]}"} -- "${files[@]}") || code=$?
printf '%s\n' "$said"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  # shellcheck disable=SC2016 # a fence of Markdown
  printf '### council audit\n\n```text\n%s\n```\n' "$said" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "code=$code" >>"$GITHUB_OUTPUT"
fi
exit "$code"
