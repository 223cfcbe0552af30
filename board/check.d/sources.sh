# shellcheck shell=bash
# What board/check asks of the sources and units, without building them. Sourced, not run.

check_swift_imports() {
  # Foundation and Dispatch bring megabytes, threads and clocks of their own; no program of the hub may have them.
  local found
  found=$(grep -rnE '^[[:space:]]*(@[a-zA-Z_]+(\([^)]*\))? +)*((public|package|internal|fileprivate|private) +)?import +((struct|class|enum|protocol|func|typealias|let|var) +)?(Foundation|Dispatch)\b' Sources)
  if [ -z "$found" ]; then
    pass "nothing in Sources imports Foundation or Dispatch"
  else
    fail "imports of Foundation or Dispatch:"
    echo "$found"
  fi
}

# The exposure of the units by systemd's own account, at most: the figure when this was written. The check needs no running
# systemd.
check_units() {
  local unit most figure version
  if ! command -v systemd-analyze > /dev/null || ! systemd-analyze security --help 2>&1 | grep -q -- --offline; then
    skip "exposure of the units: THERE IS NO systemd-analyze HERE that can look at files (systemd 250 or newer)"
    return
  fi
  version=$(systemd-analyze --version | head -n 1 | cut -d' ' -f2)
  while read -r unit most; do
    figure=$(systemd-analyze security --offline=true --no-pager "$PWD/board/$unit" 2>/dev/null | grep -oE 'level for [^:]+: [0-9.]+' | grep -oE '[0-9.]+$')
    if [ -n "$figure" ] && awk "BEGIN { exit !($figure <= $most) }"; then
      pass "$unit has an exposure of $figure by systemd $version, $most at most"
    else
      fail "$unit has an exposure of ${figure:-nothing} by systemd $version, $most at most"
    fi
  done <<UNITS
hearthd.service 1.7
hearth-radio-reset.service 4
hearth-radio-claim.service 2
hearth-clock.service 2
hearth-sink.service 1.2
hearth-uplink.service 1.3
UNITS
  if grep -q '^LimitCORE=0$' board/hearthd.service; then pass "hearthd leaves no core dumps"; else fail "hearthd.service may leave core dumps"; fi
  # Conflicts works both ways: any start of bluetoothd would stop the hub.
  if grep -q '^Conflicts=' board/hearthd.service; then fail "hearthd.service has Conflicts="; else pass "no start of another unit stops hearthd"; fi
}

# Formatting, structure, generated code, units: beside the build, because the build's own output is longer.
check_sources() {
  check_swift_imports
  check_units
  if logged format cat swift format lint --strict -r -p Sources Tests Package.swift; then pass "the sources are formatted"; else fail "the sources are not formatted (swift format format -i -r -p Sources Tests Package.swift)"; fi
  if logged house cat "$lab_python" Tests/House/run.py; then pass "the structure is as its maintainers' page says"; else fail "the structure is not as its maintainers' page says"; fi
  if logged gpiod2 cat board/check-gpiod2; then pass "the GPIO shim fits libgpiod 2"; else fail "the GPIO shim does not fit libgpiod 2"; fi
  if logged ledger cat "$lab_python" Tests/Lab/acceptance/try_ledger.py; then pass "the ledger finds what is lost, doubled, moved and changed"; else fail "the ledger does not find what it should (see $logs/ledger.log)"; fi
  if logged hall-containers cat /usr/bin/python3 Tests/Wall/containers.py; then pass "the hall's containers have what their programs read"; else fail "the hall's containers lack something (see $logs/hall-containers.log)"; fi
  if logged hall-settings cat "$lab_python" Tests/Wall/settings.py; then pass "the hall's settings are as its page says"; else fail "the hall's settings are not as its page says (see $logs/hall-settings.log)"; fi
  if logged vitals-books cat "$lab_python" Tests/Lab/acceptance/try_vitals_books.py; then pass "the books of vital signs know the methods, and find out wrong records"; else fail "the books of vital signs do not find out what they should (see $logs/vitals-books.log)"; fi
}

check_warnings() {
  local found
  # The compiler's of our files, and the package manager's of this package.
  found=$(grep -hiE "^($PWD/)?(Sources|Tests)/[^:]+:[0-9]+:[0-9]+: warning:|^warning: '(hearth|${PWD##*/})':" "$logs"/build-*.log | sort -u)
  if [ -z "$found" ]; then
    pass "no warnings in our own sources"
  else
    fail "warnings in our own sources:"
    echo "$found"
    # Compiled files are not compiled again, so the next run would not see these.
    echo "$found" | cut -d: -f1 | grep / | sort -u | xargs -r touch -c
  fi
}

