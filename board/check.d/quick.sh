# shellcheck shell=bash
# What a change must pass (board/check). Sourced, not run.

# The test build is optimised, because most of the tests' time goes into the whole hub in virtual time. Assertions are those of a debug build; they fire in the
# lab too. Debug information is left out, as it takes a good part of a compiler's time. The index stays: tests are found by it.
tested=(swift build -c release --scratch-path .build-tests)
test_flags=(-Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -gnone)
build_tests() { HEARTH_BUILD=tests "${tested[@]}" "${test_flags[@]}" "$@"; }
tests=$("${tested[@]}" --show-bin-path)

begin_lane beside build-tests build_tests --build-tests
build_lane=$lane

step "Sources"
check_sources

step "Building everything, with the tests"
tail -n +1 -f --pid="$build_lane" "$logs/build-tests.log" | build_progress
read -r status took worked <"$logs/build-tests.ended"
note "the build took $took s, $worked of a processor"
[ "$status" = 0 ] || stop "the build failed (see $logs/build-tests.log)"
check_warnings

# The disks of this lane lose power at real speed, so the lane waits for most of its time.
begin_lane beside lab-powercut Tests/Lab/in-lab -r -t 900 -d 16 -d 512 -d 16 "$lab_python" Tests/Lab/powercut/run.py --programs "$tests"
powercut_lane=$lane

# The lab in virtual time. Waits take no real time, so its lane is one processor's work. The load of the machine changes no result.
in_lab() { beside "$1" Tests/Lab/in-lab -t 1500 "${@:2}"; }
scene() { in_lab "lab-$1" "$lab_python" "Tests/Lab/acceptance/$2.py" --programs "$tests" "${@:3}"; }
lab_lane() {
  scene bands bands
  scene polar polar
  scene spare spare
  scene acceptance run
  scene ward ward
  scene insoles insoles
  scene rehearsal rehearsal --show
  scene insole-clock insole_clock
  # For each thing that a stranger could take, one attack: time, room, possible values, memory, a name, the socket, keys. All of them take three
  # minutes.
  scene attacks attacks --only five-mute,values,polar-bomb,readers,keys,impostor_of_a_bond
  scene radio radio --hangs 30 --plugs 2
  scene adapters adapters --straps 12 --adapters 5,7
  scene acceptances acceptances --count 8
  scene measure measure
  scene heard heard
  scene sensors sensors
  scene bonds bonds
  in_lab lab-kernel "$tests/hearthPackageTests.xctest" --testing-library swift-testing --filter KernelLabTests
}
begin_lane lab_lane
lab_lane=$lane

# Servers and what talks to them, in virtual time too. Folders are in memory, as User Mode Linux gives no file of the machine's disk to another user.
# Starts after the scenes, because their lane is the longer one.
service() { beside "$1" nice -n 5 Tests/Lab/in-lab -t 1500 env TMPDIR=/run/lab "$lab_python" "Tests/$2" --programs "$tests"; }
service_lane() {
  service sink Sink/run.py
  service uplink Uplink/run.py
  service limits Uplink/limits.py
  service home Uplink/home.py
  service heads Engines/heads.py
  service metrics Metrics/run.py
  service formats Formats/run.py
  beside fuzz nice -n 5 Tests/Fuzz/run some 2
}
begin_lane service_lane
service_lane=$lane

# What runs programs at real speed waits for most of its time, so what only computes comes after it. The fleet has a network of its own, if it may: a port that
# is free there stays so.
# The limit is for a test that hangs: beside all other steps, on a slow machine, half an hour is too short.
unit_tests=(env NO_COLOR=1 timeout 2700 "$tests/hearthPackageTests.xctest" --testing-library swift-testing)
with_own_network() {
  if [ "$(id -u)" = 0 ]; then unshare -n sh -c 'ip link set lo up && exec "$@"' - "$@"; else "$@"; fi
}
commit=$(git rev-parse --short HEAD 2>/dev/null)
new_seeds() { HEARTH_COMMIT=$commit timeout 1800 "$tests/hearth-sim" --seeds fresh:1000 --for 30; }
waiting_lane() {
  beside program-tests "${unit_tests[@]}" --filter '^(CommandLineTests|DaemonTests)\.'
  beside fleet with_own_network timeout 1500 "$lab_python" Tests/Fleet/run.py --programs "$tests"
  beside browser timeout 1500 "$lab_python" Tests/Browser/run.py --programs "$tests"
  beside demo demo
  beside new-seeds new_seeds
  beside spoiled spoiled_vectors
  # Those above the line that says so; the others take five seconds of a processor and more.
  beside named-seeds run_seeds '/^# === /,$d' 600
}
# As after a build of a day: no wait of the demo counts its build.
demo() { SECONDS=86400 timeout 1500 board/demo --seconds 8 --programs "$tests"; }
# Each vector is spoiled in one place, again at each run: the runner says what is wrong and comes to its end.
spoiled_vectors() {
  local round folder=.build/spoiled
  for round in 1 2 3; do
    rm -rf $folder
    Tests/Vectors/spoil $folder || return
    HEARTH_VECTORS=$PWD/$folder timeout 300 "$tests/hearthPackageTests.xctest" --testing-library swift-testing \
      --filter '(StandardGATT|Botz|Polar|FitCloud|TopStepNext|Moyoung)Tests.*[Vv]ector' >"$logs/spoiled-run.log" 2>&1
    # Failed tests are right here, a run without its closing line is not.
    grep -q 'Test run with' "$logs/spoiled-run.log" || return 1
  done
}
begin_lane waiting_lane
waiting_lane=$lane

# Whole hubs have one thread, which is the longest of all: what has both processors makes way for it. Linux shares processors out by session, and each of the labs
# has one.
begin_lane beside whole-hub-tests setsid --wait setpriv --pdeathsig TERM "${unit_tests[@]}" --filter '^SimulationTests\.'
hub_lane=$lane

step "Unit tests"
before=$failed
logged unit-tests test_progress nice -n 5 "${unit_tests[@]}" --skip '^(SimulationTests|CommandLineTests|DaemonTests)\.'
count_test_run unit-tests $?

lane_step program-tests "The command line and the daemon as programs" test_progress count_test_run "$waiting_lane"
lane_step whole-hub-tests "The whole hub in virtual time" test_progress count_test_run "$hub_lane"

passes="seeds that once failed" fails="a seed that once failed does so again"
lane_step named-seeds "The whole hub on seeds that once failed" cat one_pass "$waiting_lane"

lane_step new-seeds "The whole hub on seeds that were never run before" cat judge_new_seeds "$waiting_lane"

lane_step formats "The store, as another reader sees it" python_progress count_run "$service_lane"
lane_step browser "A day's page in a browser" cat count_run "$waiting_lane"
grep -q '^skipped: ' "$logs/browser.log" && note "LEFT OUT: the page was not printed, there is no Chromium on this machine"
lane_step metrics "The figures for a collector, as promtool reads them" cat count_run "$service_lane"
grep -q '^skipped: ' "$logs/metrics.log" && note "LEFT OUT: the figures were not checked by promtool, there is none on this machine"
lane_step fleet "Many hubs asked over SSH" cat count_run "$waiting_lane"
grep -q '^skipped' "$logs/fleet.log" && note "LEFT OUT: hubs were not asked over SSH, there is no sshd on this machine"
lane_step uplink "A hub's rows to a broker, whatever is killed" cat count_run "$service_lane"
lane_step limits "What brokers take, drop and refuse" cat count_run "$service_lane"
lane_step sink "From a broker into a database, whatever is killed" cat count_run "$service_lane"
lane_step heads "What a hub says of its rings, and what is lost behind that" cat count_run "$service_lane"
passes="no spoiled vector brings their runner down" fails="a spoiled vector brought their runner down"
lane_step spoiled "Vectors that make no sense" cat one_pass "$waiting_lane"
passes="no input that the fuzzers made brought a parser down" fails="fuzzing found something"
lane_step fuzz "A few seconds of fuzzing" cat one_pass "$service_lane"
passes="board/demo, however long its build took" fails="board/demo"
lane_step demo "The demo" cat one_pass "$waiting_lane"

lane_step lab-powercut "The store on disks that lose power, fail and fill up" cat count_run "$powercut_lane"
lane_step lab-bands "Wrist bands of three families beside a strap, through lost links, kills and resets" cat count_run "$lab_lane"
lane_step lab-polar "A Polar strap that streams and a band with files, through a lost link, a training and a kill" cat count_run "$lab_lane"
lane_step lab-spare "A hub with ten wearables is destroyed, and a spare goes on from its backup" cat count_run "$lab_lane"
lane_step lab-acceptance "The daemon among straps, from advertisement to export" cat count_run "$lab_lane"
lane_step lab-ward "Sensors and cuffs of a ward beside insoles, through an hour away and a kill" cat count_run "$lab_lane"
lane_step lab-insoles "Six insoles and two straps, through lost links, lost bonds, kills and power cycles" cat count_run "$lab_lane"
lane_step lab-rehearsal "A bad week on a ward, and the questions of a technician" cat count_run "$lab_lane"
lane_step lab-insole-clock "An insole with an unset clock, and a hub whose time server goes" cat count_run "$lab_lane"
lane_step lab-attacks "A good strap beside hostile wearables and readers, one attack after the other" cat count_run "$lab_lane"
lane_step lab-radio "A controller that hangs, and one that is pulled out and plugged in again" cat count_run "$lab_lane"
lane_step lab-adapters "Twelve straps over two adapters, which are found to be full, pulled and hung" cat count_run "$lab_lane"
lane_step lab-acceptances "Wearables that are accepted at any moment of a try" cat count_run "$lab_lane"
lane_step lab-measure "Vital signs of people who wear straps, through lost contact, a lost link, a stop and a kill" cat count_run "$lab_lane"
lane_step lab-heard "A heart rate that is advertised, without a link" cat count_run "$lab_lane"
lane_step lab-sensors "Health sensors, through a lost link" cat count_run "$lab_lane"
lane_step lab-bonds "Cuffs that want a bond, a strap whose address changes, and a thief of another's" cat count_run "$lab_lane"
lane_step lab-kernel "The radio on a real kernel" test_progress count_test_run "$lab_lane"
