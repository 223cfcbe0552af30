# shellcheck shell=bash
# How board/check runs seeds of the simulation, and judges new ones. Sourced, not run.

# Runs the lines of board/failed-seeds that an expression of sed leaves, each for so many seconds at most.
#   run_seeds EXPRESSION SECONDS
run_seeds() {
  local line status=0
  while read -r line; do
    # shellcheck disable=SC2086
    HEARTH_COMMIT=$(git rev-parse --short HEAD 2>/dev/null) timeout "$2" "$tests/hearth-sim" $line || status=1
  done < <(sed "$1" board/failed-seeds | grep -vE '^(#|$)')
  return $status
}

# Drawn again at each run and printed before each is run. A seed that fails is stored in board/found-seeds and fails every check from then on. Once its fault is
# mended, its line moves to board/failed-seeds; a comment above a line that stays says why.
judge_new_seeds() {
  local line drawn unexplained
  drawn=$(grep -oE '^[0-9]+ new seeds' "$logs/$1.log" | grep -oE '^[0-9]+')
  while read -r line; do
    grep -qxF -- "$line" board/found-seeds || printf '%s\n' "$line" >>board/found-seeds
  done < <(sed -nE 's/^hearth-sim (--seed .*): FAILED: .*/\1/p' "$logs/$1.log")
  unexplained=$(unexplained_seeds)
  if [ "${drawn:-0}" = 0 ]; then
    fail "no new seed was drawn (see $logs/$1.log)"
  elif grep '^VIOLATION' "$logs/$1.log"; then
    fail "what the new seeds excuse is out of bounds (see $logs/$1.log)"
  elif [ -n "$unexplained" ]; then
    fail "board/found-seeds has lines without a reason (see $logs/$1.log): $unexplained"
  else
    pass "$drawn new seeds"
  fi
}
# The lines of board/found-seeds that no comment right above explains.
unexplained_seeds() { awk '/^#/ { explained = 1; next } /^$/ { explained = 0; next } { if (!explained) print; explained = 0 }' board/found-seeds; }
