# shellcheck shell=bash
# How board/check gives its account: steps, counts, logs, and lanes of programs that run beside each other. Sourced, not run.

logs=.build/check
passed=0 failed=0 skipped=0
failures=() # repeated at the end: of a long output often only the end is kept

# With the seconds since the beginning.
step() { printf '\n==> %s (%d s)\n' "$*" "$SECONDS"; }
pass() { passed=$((passed + 1)); note "passed: $*"; }
fail() { failed=$((failed + 1)); failures+=("$*"); note "FAILED: $*"; }
skip() { skipped=$((skipped + 1)); note "LEFT OUT: $*"; }

# Runs a command with its output in a log, and shows it through a filter as it comes.
#   logged NAME FILTER COMMAND...
logged() {
  local log=$logs/$1.log filter=$2
  shift 2
  "$@" 2>&1 | tee "$log" | "$filter"
  return "${PIPESTATUS[0]}"
}

# Filters a test run: failures as they are, every hundredth success, and the closing line.
test_progress() {
  awk '/Test run with/ { print "    " $0; next }
       /^✔ Test .* passed/ { if (++done % 100 == 0) { print "    " done " tests passed"; fflush() } next }
       /^✘|recorded an issue|^↳ [^TP]|error:|Fatal|Crash|in-lab:/ { print "    " $0; fflush() }'
}

# Filters a run of Python's unittest: everything but successes.
python_progress() { grep --line-buffered -v ' \.\.\. ok$' | sed -u 's/^/    /'; }

# Counts the tests of a Swift Testing log: `Test run with 12 tests in 3 suites passed after ...`. Skipped tests are the lab's, which has its own step.
count_tests() {
  local log=$logs/$1.log total broken
  total=$(grep -oE 'Test run with [0-9]+ tests?' "$log" | tail -n 1 | grep -oE '[0-9]+')
  total=$((${total:-0} - $(grep -cE '^➜ Test .* skipped' "$log")))
  broken=$(grep -E '^✘ Test .* failed after' "$log" | grep -cv 'Test run with')
  if [ $total -le 0 ]; then
    fail "$1: no test ran (see $log)"
    return
  fi
  note "$1: $((total - broken)) passed, $broken failed"
  passed=$((passed + total - broken)) failed=$((failed + broken))
  [ "$broken" = 0 ] || failures+=("$1: $(grep -E 'recorded an issue|^↳ [^TP]' "$log" | head -n 40)")
}

# Counts the tests of a run that has ended. A status other than 0 is a failure, if no failure was counted since
# `before`.
#   count_test_run NAME STATUS
count_test_run() {
  count_tests "$1"
  if [ "$2" != 0 ] && [ "$failed" = "$before" ]; then fail "$1: the run ended with status $2 (see $logs/$1.log)"; fi
}

# Counts the closing line of a Python suite's log, `12 passed, 0 failed`. A suite that ended badly is a failure, if no failure was
# counted since `before`.
#   count_run NAME STATUS
count_run() {
  local log=$logs/$1.log counts
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
  if [ -n "$counts" ]; then
    passed=$((passed + $(echo "$counts" | cut -d' ' -f1))) failed=$((failed + $(echo "$counts" | cut -d' ' -f3)))
  fi
  [ "$failed" = "$before" ] || failures+=("$1: $(grep -A 3 -E 'FAIL|^ERROR:' "$log" | cut -c 1-500 | head -n 40)")
  if [ "$2" != 0 ] && [ "$failed" = "$before" ]; then fail "$1: ended with status $2 (see $log)"; fi
}

# Counts a program that has no count of its own, with the sentences `passes` and `fails`.
one_pass() { if [ "$2" = 0 ]; then pass "$passes"; else fail "$fails (see $logs/$1.log)"; fi; }

# A lane is a chain of programs that runs beside everything else, each with its output in its log. At its end it writes the status and the seconds by the clock
# and of a processor. On a busy machine only the latter show the costs of a program.
#   beside NAME COMMAND...
beside() {
  local name=$1 TIMEFORMAT='%0R %0U %0S' status
  shift
  { time "$@" >"$logs/$name.log" 2>&1; } 2>"$logs/$name.took"
  status=$?
  awk -v status=$status 'END { print status, $1, $2 + $3 }' "$logs/$name.took" >"$logs/$name.ended"
}

# Begins a lane: a function, or one program. Each is a process group, so that all its processes end with this script. Sets
# `lane`.
lanes=()
begin_lane() {
  set -m
  "$@" &
  lane=$!
  set +m
  lanes+=("$lane")
}
end_lanes() {
  local one
  for one in "${lanes[@]}"; do kill -- "-$one" 2>/dev/null; done
}
trap end_lanes EXIT

# Waits for a program of a lane, shows its log through a filter, counts its closing line, and says how long it took. A status of 77 says that there is no lab here.
#   lane_step NAME SENTENCE FILTER COUNTER LANE
lane_step() {
  local name=$1 sentence=$2 filter=$3 counter=$4 lane=$5 status took worked
  step "$sentence"
  before=$failed
  while [ ! -s "$logs/$name.ended" ] && kill -0 "$lane" 2>/dev/null; do sleep 0.5; done
  read -r status took worked 2>/dev/null <"$logs/$name.ended" || status=125 took=0 worked=0
  "$filter" <"$logs/$name.log"
  note "$name: $took s, $worked of a processor"
  if [ "$status" = 77 ]; then
    if [ "${CI:-}" = true ]; then fail "$name: there is no lab here"; else skip "$name: there is no lab here"; fi
    return
  fi
  [ "$status" = 124 ] && fail "$name: it was not done in time"
  "$counter" "$name" "$status"
}
