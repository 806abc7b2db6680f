#!/usr/bin/env bash
# council review as a step. Inputs come as variables, so that no shell reads them:
# SINCE, REVIEW_PATH, FAIL_ON, ALLOW_UNREAD, SEATS, TIER, MAX_USD, SARIF.
set -euo pipefail
council=$("$(dirname "${BASH_SOURCE[0]}")/../council")

flags=(--quiet --docs off --force)
[ -z "${SINCE:-}" ] || flags+=(--since "$SINCE")
[ -z "${FAIL_ON:-}" ] || flags+=(--fail-on "$FAIL_ON")
[ -z "${ALLOW_UNREAD:-}" ] || flags+=(--allow-unread "$ALLOW_UNREAD")
[ -z "${SEATS:-}" ] || flags+=(--seats "$SEATS")
[ -z "${TIER:-}" ] || flags+=(--tier "$TIER")
[ -z "${MAX_USD:-}" ] || flags+=(--max-usd "$MAX_USD")
[ -z "${SARIF:-}" ] || flags+=(--sarif "$SARIF")

code=0
"$council" review "${flags[@]}" -- ${REVIEW_PATH:+"$REVIEW_PATH"} || code=$?
report=.deep-review/REVIEW_REPORT.md
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -e "$report" ]; then
  head -c 900000 "$report" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "code=$code" >>"$GITHUB_OUTPUT"
fi
exit "$code"
