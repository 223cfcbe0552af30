// Everyday words and terms of the field, beside the pages of the manual that answer them.
//
// `hearth explain WORD` searches all tables. board/manual adds `everydayWords` and `formerWords` of a page to its name
// line, because `man -k WORD` searches name lines only. The names and abstracts of commands are searched anyway.

/// Lines, one for each page, such as `devices: offline, missing`: a command or a key of `otherPages`, then words.
let everydayWords = """
  status: overview, healthy, broken, fault, problem, support
  watch: dashboard, screen, monitor, overview
  devices: offline, online, missing, not found, lost, low battery, charge, signal, range, RSSI, capacity
  device: rename, label, remove, delete, unpair, unenrol, silence, stop, swap, firmware, serial number, MAC address
  live: heart rate, monitor, real time, feed
  enroll: add, register, join, new wearable, pairing, unknown device, connect, strap, insole, band, cuff, scale
  visits: queue, priority, waiting, schedule, next, slow, download
  visit: fetch, download, connect now
  sync: download, collect, synchronise, transfer
  custody: lost data, data loss, transferred, safe to reset
  link: connection, disconnect, dropped, reconnect, signal, range, RSSI, interval, latency
  clock: wrong time, time zone, timezone, NTP, daylight saving, date
  radio: dongle, USB, antenna, interference, HCI, capacity, maximum, slots, plan, reboot, restart
  pair: PIN, passkey, password, code, confirm
  recordings: offline recording, memory, start, stop, trigger, session
  settings: stream, sampling rate, configuration, encryption, key, phases, schedule
  monitor: automatic measurement, every hour, schedule, night, heart rate, oxygen
  measure: blood pressure, SpO2, oxygen, temperature, ECG, HRV, spot check, take a reading
  training: workout, exercise session, sport, start, stop, calories
  action: factory reset, restart, reboot, start exercise
  alerts: alarm, limit, threshold, warning, too high, too low, heart rate, fever, oxygen, notification
  mute: silence, snooze, hide, ignore, warning
  unmute: silence, snooze, warning
  wearer: patient, person, user, member, athlete, swap, exchange, mix-up, GDPR, privacy, delete, erase, weight
  store: disk, SD card, wear, capacity, space, quota, memory, delete, wipe, corrupt, retention, database
  export: NAS, daily, Excel, spreadsheet, JSON, FHIR, HL7, EDF, research, anonymous, pseudonym, download, hospital, copy
  items: history, table, readings, values, blood pressure, temperature, weight
  measurements: history, ECG, HRV, heart rate variability, blood pressure, SpO2, oxygen
  days: history, temperature, calories, activity, night, weekly
  coverage: gap, missing, no data, stale, lost, loss, completeness
  report: PDF, print, document, patient, hospital
  uplink: MQTT, cloud, server, send, forward, Sparkplug, TLS, certificate
  update: firmware, upgrade, install, software, release, rollback, downgrade, apt
  events: history, alarm, error, disconnect, dropped, restart, reboot, power cut, crash
  log: logs, journald, debug, error, crash, journalctl, diagnose
  access: audit, privacy, GDPR, read by
  bond: pairing, unpair, encryption, password, passphrase, move, migrate, replace
  backup: copy, save, archive, migrate, move, replace, schedule
  restore: recover, migrate, move, replace, new Pi, Raspberry Pi, damaged card
  led: lamp, light, blinking, red, green, flashing, brightness, dim, night, language, identify, locate
  config: change, option, YAML, reload
  setup: install, first start, configure, name, rename, time zone, place, user, permission
  doctor: diagnose, health, broken, fault, problem, permission, USB, dongle, NTP, disk, antenna, undervoltage, support
  explain: search, error, meaning, help
  version: release, software
  hearth(1): help, commands, demo, simulator, test, several hubs, ssh, fleet, group
  hearthd(8): service, systemd, start, stop, restart, reboot, files, socket, API
  hearth-radio-reset(8): dongle, USB, restart
  hearth-uplink(8): MQTT, cloud, server, Sparkplug, pseudonym
  hearth-sink(8): database, SQL, Grafana, dashboard, missing rows
  hearth-hall(8): Grafana, dashboard, many hubs, several hubs, Mosquitto, certificate
  hearth.yaml(5): settings, options, Prometheus, metrics, retention, quota
  hearth-setup.yaml(5): headless, unattended, first start
  export.yaml(5): NAS, network share, USB disk, Nextcloud, rsync, daily, schedule, settings
  uplink.yaml(5): MQTT, password, certificate, settings
  sink.yaml(5): MQTT, database, PostgreSQL, password, settings
  """

/// Words of earlier versions of this program, in the same form.
let formerWords = """
  devices: standing, reputation, strike, trust
  setup: room, place
  coverage: owed, expected
  link: steady, poor, stable, unstable
  visits: brief, short presence, lane, rank, claim
  training: effort
  hearthd(8): room, module
  led: lamp
  """

/// Pages of the manual that are no command of `hearth`. The manual adds its own abstract.
let otherPages = """
  hearth(1): all commands and exit codes; to try Hearth without hardware, run board/demo of its sources
  hearthd(8): the daemon of a hub: service, files, exit codes
  hearth-radio-reset(8): the helper that resets a Bluetooth adapter
  hearth-uplink(8): the program that sends rows to a message broker
  hearth-sink(8): the program that stores the rows of many hubs in PostgreSQL
  hearth-hall(8): a server for many hubs: broker, database, sink, wall and console
  hearth.yaml(5): all keys of a hub's configuration, with defaults
  hearth-setup.yaml(5): answers for the set-up of a hub without a keyboard
  export.yaml(5): all keys of the scheduled export's settings
  uplink.yaml(5): all keys of hearth-uplink's settings
  sink.yaml(5): all keys of hearth-sink's settings
  """

/// The lines of a table: the page, and what follows the colon.
func pageLines(_ table: String) -> [(page: String, text: String)] {
  table.split(separator: "\n").compactMap { line in
    guard let colon = line.firstIndex(of: ":") else { return nil }
    return (page: String(line[..<colon]), text: String(line[colon...].dropFirst(2)))
  }
}
