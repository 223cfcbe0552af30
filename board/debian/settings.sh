# A file of settings in /etc/hearth is no conffile, because people write into it. Otherwise dpkg would ask whenever the
# package's own changes, and unattended-upgrades would leave the package alone. A file that is as a package wrote it follows
# the package, in both directions, and keeps mode and owner. Any other stays, and so does its absence. If an earlier package
# had it as a conffile, dpkg leaves it in its place and remembers the sum of the delivered file. The file is never moved, so a
# power cut finds it there at any time.
#   settings FILE FOLDER VERSION    sums of what packages wrote are kept in FOLDER; the version that was configured before, if any
settings() {
  from=/usr/share/hearth/$1 to=/etc/hearth/$1 written=$2/written
  # Left by a script that was killed, or by dpkg's question without an answer.
  rm -f "$to.dpkg-new"
  if [ -e "$to" ] || [ -L "$to" ]; then
    [ -f "$to" ] && [ ! -L "$to" ] || return 0
    sum=$(md5sum < "$to")
    grep -qxF "$sum" "$written" 2> /dev/null ||
      dpkg-query -W -f '${Conffiles}\n' "$DPKG_MAINTSCRIPT_PACKAGE" | grep -q "^ $to ${sum%% *}\( \|\$\)" || return 0
  elif [ -n "$3" ]; then
    return 0
  fi
  if cmp -s "$from" "$to"; then return 0; fi
  # The sum before the file, so that a power cut between the two is harmless.
  mkdir -p /etc/hearth && mkdir -p -m 700 "$2"
  md5sum < "$from" >> "$written"
  install -m 600 "$from" "$to.dpkg-new"
  if [ -e "$to" ]; then
    chown --reference="$to" "$to.dpkg-new" && chmod --reference="$to" "$to.dpkg-new"
  else
    chmod 644 "$to.dpkg-new"
  fi
  sync "$written" "$to.dpkg-new"
  mv -f "$to.dpkg-new" "$to"
}
