# shellcheck shell=bash
# What board/check --all has beyond board/check: delivered programs, what is measured by the clock, long searches, engines, packages and boards. Sourced, not run.
# Programs run one at a time, as figures must be those of a machine without other load.

tests=$(swift build -c release --scratch-path .build-tests --show-bin-path)
[ -x "$tests/hearth-sim" ] || stop "the test build is not there: run board/check first, or board/check --all"

# A program of its own account, one after the other.
#   alone NAME SENTENCE FILTER COUNTER COMMAND...
alone() {
  local name=$1 sentence=$2 filter=$3 counter=$4
  shift 4
  rm -f "$logs/$name.ended"
  beside "$name" "$@" &
  lane_step "$name" "$sentence" "$filter" "$counter" $!
}
python_alone() { alone "$1" "$2" cat count_run "$lab_python" "${@:3}"; }
lab_alone() { alone "$1" "$2" cat count_run Tests/Lab/in-lab "${@:3}"; }

step "Building the programs as they are delivered"
logged build-release build_progress build_release hearthd hearth hearth-uplink hearth-sink hearth-bench || stop "the build failed"
check_warnings
release=$(swift build -c release --show-bin-path)

# Bytes of a program without its symbols, at most. What a plain build had, and some.
check_size() {
  local name=$1 limit=$2 bytes
  bytes=$(strip -o "$logs/stripped" "$release/$name" && stat -c %s "$logs/stripped")
  rm -f "$logs/stripped"
  if [ "${bytes:-$limit}" -lt "$limit" ]; then pass "$name has $bytes bytes, $limit at most"; else fail "$name has ${bytes:-no} bytes, $limit or more"; fi
}
check_size hearth 24000000
# Full Foundation is megabytes and threads; FoundationEssentials, of which two libraries use a few types, is neither.
if nm "$release/hearthd" | grep -q ' [TtDdBbRr] \$s10Foundation[0-9A-Z]'; then fail "hearthd has code of full Foundation"; else pass "hearthd is free of full Foundation"; fi
for program in hearthd hearth hearth-uplink hearth-sink; do
  if ldd "$release/$program" | grep -q libswift; then fail "$program loads a library of Swift's"; else pass "$program has Swift's libraries inside"; fi
done

lab_alone lab-memory "Forty straps: memory of hearthd, and whether it stays flat" -t 1800 "$lab_python" Tests/Lab/acceptance/memory.py --programs "$release"
cp -f "$tests/hearth-sim" "$release/" # the hub that the uplink is measured beside
python_alone uplink-memory "Memory of hearth-uplink" Tests/Uplink/memory.py --programs "$release"

passes="the sources build with Debian's own Swift" fails="the sources do not build with Debian's own Swift"
alone swift62 "Debian's own Swift" cat one_pass board/check-swift62

lab_alone lab-clock "Start, idle processor, wake-ups and turns of the loop, at real speed" -r -t 1500 "$lab_python" Tests/Lab/acceptance/run.py --programs "$release"
lab_alone lab-attacks-clock "All attacks, at real speed" -r -t 3000 "$lab_python" Tests/Lab/acceptance/attacks.py --programs "$release"
lab_alone lab-beside "What an uplink costs the daemon, at real speed" -r -t 1500 "$lab_python" Tests/Lab/acceptance/beside.py --programs "$release"
lab_alone lab-clock-kill "A daemon that is killed right after it set the clock of an oximeter or a cuff" -t 1500 "$lab_python" Tests/Lab/acceptance/clock_kill.py --programs "$release"
lab_alone lab-class "Forty straps over four adapters" -t 1800 "$lab_python" Tests/Lab/acceptance/adapters.py --programs "$release"
lab_alone lab-radio-long "A controller that hangs for minutes, and twenty plugs" -t 1800 "$lab_python" Tests/Lab/acceptance/radio.py --programs "$release"
lab_alone lab-acceptances-long "Two hundred wearables that are accepted at any moment of a try" -t 3000 "$lab_python" Tests/Lab/acceptance/acceptances.py --programs "$release" --count 200
lab_alone lab-keeping "A strap among accepted cuffs that never measure and straps that take no connection" -t 3000 "$lab_python" Tests/Lab/acceptance/keeping.py --programs "$release"
lab_alone lab-remount "A store whose file system turns read-only while the daemon runs" -t 900 -d 64 "$lab_python" Tests/Lab/acceptance/remount.py --programs "$release"

alone cost "What vital signs of forty straps cost" test_progress count_test_run env HEARTH_VITALS_COST=1 NO_COLOR=1 \
  "$tests/hearthPackageTests.xctest" --testing-library swift-testing --filter '(LiveBeatAnalyserTests|SessionMeasuringTests)'

passes="each benchmark runs" fails="a benchmark does not run"
alone benches "Each benchmark, in a short form" cat one_pass Tests/Engines/benches "$release"

passes="every damaged store is served, says what is missing and keeps its bytes" fails="a damaged store was not served, or not truly"
alone damage "Three stores, damaged page by page and bit by bit" cat one_pass "$tests/store-torture" damage

alone at-length "Every bit of a store's roots and list of free pages, more random values for drivers, every form of an answer that describes, and kills behind every PDU around a clock" test_progress count_test_run \
  env HEARTH_AT_LENGTH=1 NO_COLOR=1 "$tests/hearthPackageTests.xctest" --testing-library swift-testing --filter '(PageCheckTests|ConformanceTests|ClockKill|DescribingAnswer)'

passes="large seeds that once failed" fails="a large seed that once failed does so again"
alone slow-seeds "The whole hub on large seeds that once failed" cat one_pass run_seeds '1,/^# === /d' 1800
alone new-seeds-long "The whole hub on seeds that were never run before, for ten minutes" cat judge_new_seeds "$tests/hearth-sim" --seeds fresh:100000 --for 600
alone new-seeds-bands "Bands, and clocks that change, on seeds that were never run before, for five minutes" cat judge_new_seeds "$tests/hearth-sim" --seeds fresh:100000 --population bands --for 300

quietly "$lab_python" -m pip install --disable-pip-version-check -q -r Tests/Formats/requirements-slow.txt || stop "pip install failed"
alone exports-at-length "Days of a gym and of a ward, read back by other tools" cat count_run env HEARTH_AT_LENGTH=1 "$lab_python" Tests/Formats/run.py --programs "$tests"
lab_alone exports-ecg "An hour of a strap's ECG, read back by other tools" -t 3000 env TMPDIR=/run/lab HEARTH_AT_LENGTH=1 "$lab_python" Tests/Formats/run.py \
  --programs "$tests" --seconds 3600 strap_s_ecg
passes="each format has all rows" fails="a format lacks rows"
alone exports-figures "Seconds, bytes and memory of each format, for a week of eight wearables" cat one_pass "$lab_python" Tests/Formats/figures.py --programs "$release"
need_packages edfbrowser xvfb xdotool imagemagick
passes="an EDF+ and a FIT file have curves in other programs" fails="an EDF+ or a FIT file has no curve"
alone exports-pictures "Pictures of an EDF+ and of a FIT file" cat one_pass "$lab_python" Tests/Formats/pictures --programs "$tests" "$logs/pictures"

python_alone fleet-long "Many hubs asked over SSH, at length" Tests/Fleet/run.py --programs "$tests" --long
python_alone uplink-long "A hub's rows to a broker, at length" Tests/Uplink/run.py --programs "$tests" --long
python_alone sink-long "From a broker into a database, at length" Tests/Sink/run.py --programs "$tests" --long
python_alone coverage "Coverage by the sink and by the hub, of two days of wearables" Tests/Sink/coverage.py --programs "$tests"
python_alone engines "Twenty hubs, an engine and two sinks through ten faults" Tests/Engines/run.py --programs "$tests" --wearables 4

python_alone wall "The wall and the console in a browser, and eight hours of forty straps" Tests/Wall/run.py --programs "$tests" --long
for population in gym ward; do
  python_alone "screens-$population" "What the screens of a $population say in the same second, for an hour" Tests/Screens/compare.py --programs "$tests" --population $population --wearables 20
done

passes="no input that the fuzzers made brought a parser down" fails="fuzzing found something"
alone fuzz-long "Ten minutes of fuzzing" cat one_pass Tests/Fuzz/run all 60

alone packages "The Debian packages, on bare Debian roots" cat count_run Tests/Package/run --simulator "$(realpath "$tests/hearth-sim")"
alone boards "The Debian packages, on emulated boards" cat count_run Tests/Board/run
