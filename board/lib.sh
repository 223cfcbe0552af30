# shellcheck shell=bash
# What board/check, board/demo and the lab's kernel recipe share. Sourced, not run.
#
# The functions ask no questions and may be run again: what is there already is left alone.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${HEARTH_CACHE:-$HOME/.cache/hearth}

# What Package.swift needs from the system.
# shellcheck disable=SC2034
build_packages=(liblmdb-dev libgpiod-dev libbluetooth-dev libyaml-dev libsqlite3-dev libsodium-dev nettle-dev zlib1g-dev libmosquitto-dev libpq-dev
  libssl-dev pkg-config gcc libc6-dev)

# --- saying what goes on ------------------------------------------------------------------------------------------------------------

step() { printf '\n==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
stop() { printf 'stopped: %s\n' "$*" >&2; exit 1; }

# Runs a command quietly and shows its output only if it fails. A dot every five seconds shows that it is alive.
quietly() {
  local log status=0 running looks=0
  log=$(mktemp)
  "$@" > "$log" 2>&1 &
  running=$!
  while kill -0 "$running" 2> /dev/null; do
    sleep 0.2
    looks=$((looks + 1))
    [ $((looks % 25)) = 0 ] && printf '.'
  done
  wait "$running" || status=$?
  [ $looks -ge 25 ] && echo
  [ $status = 0 ] || cat "$log" >&2
  rm -f "$log"
  return $status
}

# Filters the output of `swift build`. A step is shown every five seconds, `[5/80]` for the fifth of the 80 known so far. Lines that are no steps are all shown.
# After half a minute without a line the time is shown, since one module of a release build may take minutes. The linker's warning about mktemp concerns a
# function of the static Foundation that no program calls.
build_progress() {
  local line part= told=-5 status began=$SECONDS
  while true; do
    # The end and a pause are no errors, also in a script that ends at the first one.
    status=0
    IFS= read -r -t 30 line || status=$?
    line=$part$line part=
    if [ $status -gt 128 ]; then
      part=$line # what came of a line so far
      note "still building, $((SECONDS - began)) s so far"
    elif [ $status != 0 ] && [ -z "$line" ]; then
      return 0
    elif [[ $line == *mktemp* && $line == *libFoundation* ]]; then
      continue
    elif [[ $line =~ ^\[[0-9]+/[0-9]+\] && ! $line =~ error|warning ]]; then
      [ $((SECONDS - began - told)) -ge 5 ] || continue
      told=$((SECONDS - began))
      note "$line"
    else
      note "$line"
    fi
  done
}

# For programs that run once and are thrown away: neither an index for an editor nor information for a debugger. Those take half of a build's time.
# shellcheck disable=SC2034
demo_flags=(--disable-index-store -Xswiftc -gnone)

# The programs as they are delivered: `swift build -c release` with the settings of Package.swift and the flags of board/release-flags, all of them in .build.
#   build_release PROGRAM...
build_release() {
  local program
  # shellcheck source=board/release-flags
  . "$root/board/release-flags"
  for program in "$@"; do swift build -c release "${release_flags[@]}" --product "$program" || return; done
}

# --- Debian packages ---------------------------------------------------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    stop "this needs root, and there is no sudo here: $*"
  fi
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]; }

# Installs those of the named packages that are missing.
need_packages() {
  local missing=() name
  for name in "$@"; do is_installed "$name" || missing+=("$name"); done
  [ ${#missing[@]} = 0 ] && return
  command -v apt-get > /dev/null || stop "these Debian packages are missing, and there is no apt-get here: ${missing[*]}"
  # First of all: a mirror does not keep for long what old lists name.
  note "fetching the package lists"
  quietly as_root apt-get -q update || note "apt-get update failed; going on with the lists that are there"
  note "installing ${missing[*]}"
  apt_install "${missing[@]}" || stop "these packages could not be installed: ${missing[*]}"
}

# Another apt or dpkg may be at work: it has ten minutes.
apt_install() { quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 --no-install-recommends install "$@"; }

# What apt knows of this machine's own Debian release (not its updates), as the format asks.
debian_target() {
  apt-get indextargets --format "$1" 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 'Component: main' | head -n 1
}

# Downloads a package of another Debian suite than the machine's own into a folder, without installing it. The machine's sources
# stay as they are: lists and cache are kept in the folder. The mirror is the one that the machine itself uses.
#   fetch_from_suite SUITE FOLDER PACKAGE...   a PACKAGE of the form /REGEXP/ stands for the newest that matches; /REGEXP/:arm64 for arm64's
fetch_from_suite() {
  local suite=$1 folder=$2 mirror signed apt name other
  shift 2
  # shellcheck disable=SC2016
  mirror=$(debian_target '$(REPO_URI)')
  [ -n "$mirror" ] || { echo "this machine has no Debian source to take the mirror from" >&2; return 1; }
  # Debian 13 ships its keys under another ending than 12, and no longer trusts them for sources that do not name them.
  for signed in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp} ''; do [ -e "$signed" ] && break; done
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial}
  echo "deb ${signed:+[signed-by=$signed] }$mirror $suite main" > "$folder/sources"
  apt=(-q -o "Dir::Etc::SourceList=$folder/sources" -o Dir::Etc::SourceParts=- -o "Dir::State=$folder/state"
    -o "Dir::Cache=$folder/cache" -o Acquire::Languages=none -o "APT::Sandbox::User=$(id -un)"
    -o "APT::Architectures::=$(dpkg --print-architecture)" -o APT::Architectures::=arm64
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false)
  quietly apt-get "${apt[@]}" update || return 1
  for name in "$@"; do
    if [[ $name == /*/* ]]; then
      other=${name##*/} name=${name#/}
      name=$(apt-cache "${apt[@]}" search --names-only "${name%/*}" | awk '{ sub(/:.*/, "", $1); print $1 }' | sort -V | tail -n 1)
      [ -n "$name" ] || { echo "$suite has no such package: $*" >&2; return 1; }
      name=$name$other
      note "the newest is $name"
    fi
    (cd "$folder" && quietly apt-get "${apt[@]}" download "$name") || return 1
  done
}

# --- Swift -------------------------------------------------------------------------------------------------------------------------

# Swift 6.2 or newer must be on the path; this script never fetches a toolchain.
need_swift() {
  local version
  if command -v swift > /dev/null; then
    version=$(swift --version 2> /dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | grep -oE '[0-9]+\.[0-9]+$')
    if [ -n "$version" ] && [ "$(printf '6.2\n%s\n' "$version" | sort -V | head -n 1)" = 6.2 ]; then
      note "Swift $version: $(command -v swift)"
      return
    fi
    echo "Hearth needs Swift 6.2 or newer; $(command -v swift) is ${version:-of a version that it does not tell}." >&2
  else
    echo "Hearth needs Swift 6.2 or newer, and there is no swift on the path." >&2
  fi
  cat >&2 << 'TEXT'

To get it, either

  from Debian, where its version is 6.2 or newer (apt-cache policy swiftlang tells):
      sudo apt-get update && sudo apt-get install swiftlang

  or from swift.org, with its installer swiftly (Debian 12 and 13; amd64 and arm64):
      1. install swiftly as https://www.swift.org/install/linux/ says
      2. swiftly install 6.2 && swiftly use 6.2
      3. open a new shell, so that `swift --version` says 6.2 or newer

Then run this again.
TEXT
  exit 1
}

# --- Python for the lab and the second reader --------------------------------------------------------------------------------------

# Sets `lab_python` to a Python that has what the lab's world and Tests/Formats ask for, in a virtual environment in the cache folder.
need_lab_python() {
  local requirements
  need_packages python3 python3-venv
  lab_python=$cache/venv/bin/python
  requirements=$(cat "$root/Tests/Lab/world/requirements.txt" "$root/Tests/Formats/requirements.txt" "$root/Tests/Uplink/requirements.txt")
  if [ "$requirements" != "$(cat "$cache/venv/requirements.txt" 2> /dev/null)" ] || ! "$lab_python" -c 'import bumble, duckdb, edfio, fhir.resources, fitdecode, garmin_fit_sdk, jinja2, lmdb, pyedflib' 2> /dev/null; then
    note "setting up Python packages in $cache/venv"
    mkdir -p "$cache"
    quietly python3 -m venv --clear "$cache/venv" || stop "python3 -m venv failed"
    printf '%s\n' "$requirements" > "$cache/requirements.txt"
    quietly "$lab_python" -m pip install --disable-pip-version-check -q -r "$cache/requirements.txt" || stop "pip install failed"
    mv "$cache/requirements.txt" "$cache/venv/requirements.txt"
  fi
  export HEARTH_LAB_PYTHON=$lab_python
}
