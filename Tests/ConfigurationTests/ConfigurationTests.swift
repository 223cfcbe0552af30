import Bluetooth
import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import Configuration

@Suite("Configuration")
struct ConfigurationTests {
  @Test("an empty file is a hub with every default")
  func empty() throws {
    let folder = try Scratch()
    for text in ["", "\n", "# only a comment\n", "hub:\nradio:\n", "---\n", "{}\n"] {
      let configuration = try Configuration.load(path: folder.file("hearth.yaml", text))
      #expect(configuration == Configuration(), "\(text.debugDescription)")
    }
  }

  @Test("every key is read")
  func everyKey() throws {
    let folder = try Scratch()
    let configuration = try Configuration.load(
      path: folder.file(
        "hearth.yaml",
        """
        hub: {name: gym-north, preset: ward, timezone: Europe/Berlin}
        radio: {adapter: b8:27:eb:01:02:03, listen: b8:27:eb:01:02:04, slots: 7, unblock_rfkill: true}
        enroll:
          mode: all
          near_rssi: -60
          window: "2m"
        lane: {slice: 30s}
        store:
          path: data
          size: 64MiB
          commit: {every: 450ms, bytes: 4KiB}
          budget_per_day: none
          wait_for: uplink clinic
          rings:
            default: {quota: 20MB, keep: 10d}
            heart_rate: {quota: 150MB, keep: none}
            acc: {evict: refuse}
        lights: {board: hearth-hat-1, boards: /opt/boards}
        control:
          socket: /tmp/h.sock
        access: {read: nurses, operate: hearth-ops, administer: _it}
        log: {level: debug}
        """))
    #expect(configuration.roles == .init(read: "nurses", operate: "hearth-ops", administer: "_it"))
    #expect(configuration.hub.name == "gym-north")
    #expect(configuration.hub.preset == .ward)
    #expect(configuration.radio.adapter == .address("B8:27:EB:01:02:03"))
    #expect(configuration.radio.listen == .address("B8:27:EB:01:02:04"))
    #expect(configuration.radio.slots == 7)
    #expect(configuration.radio.unblocksRFKill)
    #expect(configuration.enrolment.mode == .all)
    #expect(configuration.enrolment.nearRSSI == -60)
    #expect(configuration.enrolment.window == .seconds(120))
    #expect(configuration.lane.slice == .seconds(30))
    #expect(configuration.store.path == folder.path + "/data")
    #expect(configuration.store.size == 67_108_864)
    #expect(configuration.store.commitEvery == .milliseconds(450))
    #expect(configuration.store.commitBytes == 4096)
    #expect(configuration.store.budgetPerDay == nil)
    #expect(configuration.store.waitFor == ["uplink", "clinic"])
    #expect(configuration.hub.timeZone == "Europe/Berlin")
    let store = configuration.store
    #expect(store.ring == .init(quota: 20_000_000, keep: .seconds(864_000)))
    #expect(store.ring(of: .heartRate) == .init(quota: 150_000_000))
    #expect(store.ring(of: .acc) == .init(quota: 20_000_000, keep: .seconds(864_000), whenFull: .refuse))
    #expect(store.ring(of: .battery) == store.ring)
    #expect(store.seriesWithRings == [.heartRate, .acc])
    #expect(configuration.lights.board == .named("hearth-hat-1"))
    #expect(configuration.boardFile == "/opt/boards/hearth-hat-1.yaml")
    #expect(configuration.control.socket == "/tmp/h.sock")
    #expect(configuration.log.level == .debug)
  }

  @Test("if no folder of boards is set, a board is found beside the program too")
  func boardBesideTheProgram() throws {
    let folder = try Scratch()
    let found = try Configuration.load(path: folder.file("hearth.yaml", "lights: {board: pi4}"))
    #expect(FileManager.default.isReadableFile(atPath: try #require(found.boardFile)))
    let elsewhere = try Configuration.load(path: folder.file("hearth.yaml", "lights: {board: pi4, boards: /nowhere}"))
    #expect(elsewhere.boardFile == "/nowhere/pi4.yaml")
  }

  @Test("what is wrong is refused with file, line, column and a hint", arguments: Self.bad)
  func refused(text: String, reason: Reason, message: String) throws {
    let folder = try Scratch()
    let path = try folder.file("hearth.yaml", text)
    let error = #expect(throws: HearthError.self) { try Configuration.load(path: path) }
    #expect(error?.reason == reason)
    #expect(error?.detail == "\(path):\(message)")
  }

  static let bad: [(String, Reason, String)] = [
    // Unknown keys, with the nearest known one.
    ("radio:\n  slotz: 7\n", .configUnknownKey, "2:3: unknown key 'slotz' (did you mean 'slots'?)"),
    ("radio:\n  adpater: auto\n", .configUnknownKey, "2:3: unknown key 'adpater' (did you mean 'adapter'?)"),
    ("hubb: {}\n", .configUnknownKey, "1:1: unknown key 'hubb' (did you mean 'hub'?)"),
    ("Radio: {}\n", .configUnknownKey, "1:1: unknown key 'Radio' (did you mean 'radio'?)"),
    ("slots: 7\n", .configUnknownKey, "1:1: unknown key 'slots' (did you mean 'radio.slots'?)"),
    ("store:\n  every: 1s\n", .configUnknownKey, "2:3: unknown key 'every' (did you mean 'store.commit.every'?)"),
    ("commit: {every: 1s}\n", .configUnknownKey, "1:1: unknown key 'commit' (did you mean 'store.commit.every'?)"),
    ("lane: {visit_bond: 15m}\n", .configUnknownKey, "1:8: unknown key 'visit_bond' (did you mean 'visit_bound'?)"),
    ("profiles: {doze: {}}\n", .configUnknownKey, "1:12: unknown key 'doze'"),
    ("lane: {listen_heart_rate: true}\n", .configUnknownKey, "1:8: unknown key 'listen_heart_rate'"),
    (
      "lane: {visit_bound: 29s}\n", .configBadValue,
      "1:21: lane.visit_bound is '29s', not a duration from 30s to 1d, such as 15m"
    ),
    (
      "lane: {phases: sleep dreams}\n", .configBadValue,
      """
      1:16: lane.phases is 'sleep dreams', not all, or some of these with spaces between: \
      \(Phases.names.joined(separator: ", "))
      """
    ),
    (
      "lane: {phases: 'sleep,steps'}\n", .configBadValue,
      """
      1:16: lane.phases is 'sleep,steps', not all, or some of these with spaces between: \
      \(Phases.names.joined(separator: ", "))
      """
    ),
    (
      "lane: {visit_at: 24:00}\n", .configBadValue,
      "1:18: lane.visit_at is '24:00', not none, or up to 8 times of day such as 07:00 19:00"
    ),
    (
      "lane: {visit_at: 3:30}\n", .configBadValue,
      "1:18: lane.visit_at is '3:30', not none, or up to 8 times of day such as 07:00 19:00"
    ),
    (
      "lane: {visit_at: '-1:30'}\n", .configBadValue,
      "1:18: lane.visit_at is '-1:30', not none, or up to 8 times of day such as 07:00 19:00"
    ),
    ("lane: {erase: yes}\n", .configBadValue, "1:15: lane.erase is 'yes', not one of verified, never"),
    ("enroll: {pairing: never}\n", .configBadValue, "1:19: enroll.pairing is 'never', not one of enrolment, always"),
    (
      "radio: {watchdog: 5s}\n", .configBadValue,
      "1:19: radio.watchdog is '5s', not a duration from 20s to 1h, such as 90s"
    ),
    ("radio: {reboot: hourly}\n", .configBadValue, "1:17: radio.reboot is 'hourly', not one of never, daily"),
    (
      "profiles: {idle: {latency: 500}}\n", .configBadValue,
      "1:28: profiles.idle.latency is '500', not a number of connection events from 0 to 499"
    ),
    // The published numbers of the idle profile, which no kernel takes; and others that do not go together.
    (
      "profiles:\n  idle:\n    interval: 200ms..500ms\n", .configBadValue,
      "3:15: profiles.idle: timeout 10000 ms does not exceed 11000 ms, twice the longest silence"
    ),
    (
      "profiles:\n  background: {interval: 1s, timeout: 10s}\n", .configBadValue,
      "2:39: profiles.background: timeout 10000 ms does not exceed 10000 ms, twice the longest silence"
    ),
    ("store: {ring: {}}\n", .configUnknownKey, "1:9: unknown key 'ring' (did you mean 'rings'?)"),
    (
      "store: {rings: {hart_rate: {keep: 1d}}}\n", .configUnknownKey,
      "1:17: unknown key 'hart_rate' (did you mean 'heart_rate'?)"
    ),
    ("store: {rings: {Default: {}}}\n", .configUnknownKey, "1:17: unknown key 'Default' (did you mean 'default'?)"),
    ("store: {rings: {hr: {}}}\n", .configUnknownKey, "1:17: unknown key 'hr'"),
    ("store: {rings: {acc: {qouta: 1MB}}}\n", .configUnknownKey, "1:23: unknown key 'qouta' (did you mean 'quota'?)"),
    (
      "store: {rings: {keep: 30d}}\n", .configUnknownKey,
      "1:17: unknown key 'keep' (did you mean 'store.rings.default.keep'?)"
    ),
    ("store: {rings: {acc: 1MB}}\n", .configBadValue, "1:22: 'store.rings.acc' holds keys, not '1MB'"),
    (
      "store: {rings: {acc: {quota: 99KB}}}\n", .configBadValue,
      "1:30: store.rings.acc.quota is '99KB', not none, or a size from 100KB to 1000GB, such as 150MB"
    ),
    (
      "store: {rings: {default: {keep: nnoe}}}\n", .configBadValue,
      """
      1:33: store.rings.default.keep is 'nnoe', not none, or a duration from 1h to 3650d, such as 30d (did you mean \
      'none'?)
      """
    ),
    (
      "store: {rings: {default: {keep: 30}}}\n", .configBadValue,
      "1:33: store.rings.default.keep is '30', not none, or a duration from 1h to 3650d, such as 30d"
    ),
    (
      "store: {rings: {acc: {evict: newest}}}\n", .configBadValue,
      "1:30: store.rings.acc.evict is 'newest', not one of oldest, refuse"
    ),
    (
      "store: {budget_per_day: 150}\n", .configBadValue,
      "1:25: store.budget_per_day is '150', not none, or a size from 1MB to 1000GB, such as 150MB"
    ),
    (
      "hub: {timezone: Europe/Atlantis}\n", .configBadValue,
      "1:17: hub.timezone is 'Europe/Atlantis', not local, UTC or a zone that this machine knows, such as Europe/Berlin"
    ),
    (
      "hub: {timezone: ../../etc/localtime}\n", .configBadValue,
      """
      1:17: hub.timezone is '../../etc/localtime', not local, UTC or a zone that this machine knows, such as \
      Europe/Berlin
      """
    ),
    ("? ''\n: 1\n", .configUnknownKey, "1:3: unknown key ''"),
    ("\"a\\e[31m\\u202Eb\": 1\n", .configUnknownKey, "1:1: unknown key 'a?[31m?b'"),
    ("<<: {}\n", .configUnknownKey, "1:1: unknown key '<<'"),
    // Values that do not fit.
    (
      "radio: {listen: hci1}\n", .configBadValue,
      "1:17: radio.listen is 'hci1', not auto, never or the address of an adapter"
    ),
    ("radio:\n  slots: 0\n", .configBadValue, "2:10: radio.slots is '0', not learn, or a number from 1 to 32"),
    ("radio: {slots: 33}\n", .configBadValue, "1:16: radio.slots is '33', not learn, or a number from 1 to 32"),
    (
      "radio: {slots: laern}\n", .configBadValue,
      "1:16: radio.slots is 'laern', not learn, or a number from 1 to 32 (did you mean 'learn'?)"
    ),
    ("radio: {slots: +7}\n", .configBadValue, "1:16: radio.slots is '+7', not learn, or a number from 1 to 32"),
    ("radio: {slots: 0x7}\n", .configBadValue, "1:16: radio.slots is '0x7', not learn, or a number from 1 to 32"),
    (
      "radio: {slots: 99999999999999999999}\n", .configBadValue,
      "1:16: radio.slots is '99999999999999999999', not learn, or a number from 1 to 32"
    ),
    ("radio: {slots: }\n", .configBadValue, "1:16: radio.slots is an empty value, not learn, or a number from 1 to 32"),
    ("radio: {slots: [7]}\n", .configBadValue, "1:16: radio.slots is a list, not learn, or a number from 1 to 32"),
    (
      "radio: {slots: {a: 1}}\n", .configBadValue, "1:16: radio.slots is a mapping, not learn, or a number from 1 to 32"
    ),
    (
      "radio: {adapter: hci0}\n", .configBadValue,
      "1:18: radio.adapter is 'hci0', not auto, usb, uart or the address of an adapter"
    ),
    ("radio: {unblock_rfkill: yes}\n", .configBadValue, "1:25: radio.unblock_rfkill is 'yes', not true or false"),
    (
      "radio: {unblock_rfkill: ture}\n", .configBadValue,
      "1:25: radio.unblock_rfkill is 'ture', not true or false (did you mean 'true'?)"
    ),
    ("radio: {unblock_rfkill: 1}\n", .configBadValue, "1:25: radio.unblock_rfkill is '1', not true or false"),
    (
      "hub: {preset: gymn}\n", .configBadValue, "1:15: hub.preset is 'gymn', not one of gym, ward (did you mean 'gym'?)"
    ),
    (
      "hub: {name: \"a b\"}\n", .configBadValue,
      "1:13: hub.name is 'a b', not a name of 1 to 63 letters, digits, '-', '_' or '.'"
    ),
    ("enroll: {mode: open}\n", .configBadValue, "1:16: enroll.mode is 'open', not one of closed, window, all"),
    (
      "enroll: {near_rssi: -55dBm}\n", .configBadValue,
      "1:21: enroll.near_rssi is '-55dBm', not a level in dBm from -127 to 20"
    ),
    (
      "enroll: {window: 120}\n", .configBadValue,
      "1:18: enroll.window is '120', not a duration from 1s to 1h, such as 120s"
    ),
    (
      "enroll: {window: 120 s}\n", .configBadValue,
      "1:18: enroll.window is '120 s', not a duration from 1s to 1h, such as 120s"
    ),
    (
      "enroll: {window: 9223372036854775807d}\n", .configBadValue,
      "1:18: enroll.window is '9223372036854775807d', not a duration from 1s to 1h, such as 120s"
    ),
    (
      "store: {commit: {every: soon}}\n", .configBadValue,
      "1:25: store.commit.every is 'soon', not a duration from 100ms to 1h, such as 15s"
    ),
    (
      "store: {commit: {every: ٣s}}\n", .configBadValue,
      "1:25: store.commit.every is '٣s', not a duration from 100ms to 1h, such as 15s"
    ),
    (
      "store: {commit: {bytes: 4kb}}\n", .configBadValue,
      "1:25: store.commit.bytes is '4kb', not a size from 64B to 1MB, such as 4KB"
    ),
    ("store: {commit: 15s}\n", .configBadValue, "1:17: 'store.commit' holds keys, not '15s'"),
    (
      "store: {size: 1KB}\n", .configBadValue,
      "1:15: store.size is '1KB', not a size from 1MB to 1000GB, such as 1500MB"
    ),
    ("store: {path: \"\"}\n", .configBadValue, "1:15: store.path is '', not a path of at most 1024 bytes"),
    ("store: {path: \"/a\\0b\"}\n", .configBadValue, "1:15: store.path is '/a?b', not a path of at most 1024 bytes"),
    (
      "control:\n  socket: /\(String(repeating: "x", count: 107))\n", .configBadValue,
      "2:11: control.socket is '/\(String(repeating: "x", count: 47))...', not a path of at most 107 bytes"
    ),
    ("- hub\n", .configBadValue, "1:1: the file holds keys, not a list"),
    ("hub\n", .configBadValue, "1:1: the file holds keys, not 'hub'"),
    ("radio: auto\n", .configBadValue, "1:8: 'radio' holds keys, not 'auto'"),
    // YAML that is broken, or more than a configuration needs.
    ("radio:\n  slots: 7\n  slots: 8\n", .configSyntax, "3:3: key 'slots' is already given in line 2"),
    ("hub: {name: a}\nradio: {}\nhub: {}\n", .configSyntax, "3:1: key 'hub' is already given in line 1"),
    ("hub: &x {name: a}\n", .configSyntax, "1:6: an anchor (&); write the value out"),
    ("hub: *x\n", .configSyntax, "1:6: an alias (*); write the value out"),
    ("hub: {name: !!str a}\n", .configSyntax, "1:13: a tag (!); types are fixed by the key"),
    ("hub: {}\n---\nhub: {}\n", .configSyntax, "2:1: a second document; one file holds one"),
    ("? [a, b]\n: 1\n", .configSyntax, "1:3: a key must be one word"),
    ("hub:\n\tname: a\n", .configSyntax, "2:1: found character that cannot start any token"),
    ("hub: {name: a\n", .configSyntax, "2:1: did not find expected ',' or '}'"),
    ("hub: {name: a}\nx\u{7}: 1\n", .configSyntax, "2:2: control characters are not allowed"),
    (String(repeating: "[", count: 40), .configSyntax, "1:17: nested deeper than 16"),
    (String(repeating: "{a: ", count: 40), .configSyntax, "1:65: nested deeper than 16"),
  ]

  @Test(
    "an interval is one time or two, in steps of 1.25 ms",
    arguments: [
      ("15ms..30ms", 12, 24), ("7.5ms", 6, 6), ("11.25ms..4s", 9, 3200), ("0.01s", 8, 8), ("1.5s", 1200, 1200),
    ] as [(String, UInt16, UInt16)])
  func intervals(text: String, first: UInt16, last: UInt16) throws {
    let folder = try Scratch()
    let path = try folder.file("hearth.yaml", "profiles: {foreground: {interval: \(text), timeout: 32s}}\n")
    let parameters = try Configuration.load(path: path).profiles[.foreground]
    #expect(
      parameters == ConnectionParameters(minimumInterval: first, maximumInterval: last, latency: 0, timeout: 3200))
  }

  @Test(
    "what is no interval is refused",
    arguments: [
      "15", "15 ms", "ms", "15ms..", "..15ms", "30ms..15ms", "15ms..20ms..30ms", "7ms", "16ms", "6.25ms", "4.01s", "5s",
      "1e3ms", "15.ms", ".5s",
      "11.250ms", "-15ms", "99999999999999999999ms", "15ms...30ms",
    ])
  func noIntervals(text: String) throws {
    let folder = try Scratch()
    let path = try folder.file("hearth.yaml", "profiles: {foreground: {interval: '\(text)'}}\n")
    let error = #expect(throws: HearthError.self) { try Configuration.load(path: path) }
    #expect(
      error?.detail == "\(path):1:35: profiles.foreground.interval is '\(text)', "
        + "not an interval such as 15ms..30ms, from 7.5ms to 4s in steps of 1.25ms")
  }

  @Test("profiles without a word in the file are the hub's own")
  func plainProfiles() {
    for profile in LinkProfile.allCases { #expect(Configuration().profiles[profile] == profile.parameters) }
  }

  @Test("bytes that are not UTF-8 are refused at their place")
  func notUTF8() throws {
    let folder = try Scratch()
    let path = folder.path + "/hearth.yaml"
    try Data(Array("hub:\n  nam".utf8) + [0xFF, 0xFE] + Array("e: a\n".utf8)).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: HearthError.self) { try Configuration.load(path: path) }
    #expect(error?.detail == "\(path):2:6: invalid leading UTF-8 octet")
  }

  @Test("a file that is too large, too rich, missing, a folder or a pipe is refused")
  func unreadable() throws {
    let folder = try Scratch()
    let large = try folder.file("large.yaml", String(repeating: "# comment\n", count: 120_000))
    #expect(throws: HearthError(.configSyntax, "\(large): larger than 1048576 bytes")) {
      try Configuration.load(path: large)
    }
    let rich = try folder.file("rich.yaml", "hub: [" + String(repeating: "a,", count: 20_000) + "]\n")
    #expect(throws: HearthError(.configSyntax, "\(rich):1:20003: more than 10000 values")) {
      try Configuration.load(path: rich)
    }
    let missing = folder.path + "/missing.yaml"
    #expect(throws: HearthError(.configUnreadable, "\(missing): no such file")) {
      try Configuration.load(path: missing)
    }
    #expect(throws: HearthError(.configUnreadable, "\(folder.path): not a regular file")) {
      try Configuration.load(path: folder.path)
    }
    let pipe = folder.path + "/pipe.yaml"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: HearthError(.configUnreadable, "\(pipe): not a regular file")) {
      try Configuration.load(path: pipe)
    }
  }

  @Test("random damage to a good file never traps, and what still loads is in range")
  func damaged() throws {
    let folder = try Scratch()
    let good = Array(
      "hub: {name: gym, preset: ward}\nradio:\n  slots: 7\nstore: {commit: {every: 15s, bytes: 4KB}}\n".utf8)
    var generator = SplitMix64(seed: 7)
    var refused = 0
    for _ in 0..<2000 {
      var bytes = good
      for _ in 0..<(1 + Int(generator.next() % 3)) {
        bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
      }
      let path = folder.path + "/damaged.yaml"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      do {
        let configuration = try Configuration.load(path: path)
        #expect(configuration.radio.slots.map { (1...32).contains($0) } ?? true)
      } catch { refused += 1 }
    }
    #expect(refused > 1000)
  }

  @Test("drop-ins come after the file in order of name, and the origin says which line won")
  func dropIns() throws {
    let folder = try Scratch()
    let main = try folder.file("hearth.yaml", "hub: {name: one}\nradio:\n  slots: 5\n")
    let second = try folder.file("hearth.d/20-b.yaml", "hub:\n  name: three\n  preset: ward\n")
    try folder.file("hearth.d/10-a.yaml", "hub: {name: two}\nstore: {path: rings}\n")
    try folder.file("hearth.d/30-c.yaml.bak", "nonsense\n")
    try folder.file("hearth.d/.40-d.yaml", "nonsense\n")
    let configuration = try Configuration.load(path: main)
    #expect(configuration.hub.name == "three")
    #expect(configuration.store.path == folder.path + "/hearth.d/rings")
    #expect(configuration.enrolment.mode == .closed)
    let origins = Dictionary(uniqueKeysWithValues: configuration.entries.map { ($0.key, $0) })
    #expect(origins["hub.name"] == ConfigurationEntry(key: "hub.name", value: "three", origin: "\(second):2"))
    #expect(origins["radio.slots"] == ConfigurationEntry(key: "radio.slots", value: "5", origin: "\(main):3"))
    #expect(origins["enroll.mode"] == ConfigurationEntry(key: "enroll.mode", value: "closed", origin: "preset ward"))
    #expect(origins["lane.slice"] == ConfigurationEntry(key: "lane.slice", value: "45s", origin: "default"))
  }

  @Test("rings are listed for each series that the file sets, with its line")
  func rings() throws {
    let folder = try Scratch()
    let main = try folder.file("hearth.yaml", "store:\n  rings:\n    ecg: {quota: 1GB}\n")
    let second = try folder.file("hearth.d/10.yaml", "store:\n  rings:\n    default:\n      evict: refuse\n")
    let configuration = try Configuration.load(path: main)
    let shown = configuration.entries.filter { $0.key.hasPrefix("store.rings.") }
    #expect(
      shown == [
        ConfigurationEntry(key: "store.rings.default.quota", value: "none", origin: "default"),
        ConfigurationEntry(key: "store.rings.default.keep", value: "none", origin: "default"),
        ConfigurationEntry(key: "store.rings.default.evict", value: "refuse", origin: "\(second):4"),
        ConfigurationEntry(key: "store.rings.ecg.quota", value: "1GB", origin: "\(main):3"),
      ])
    #expect(configuration.store.ring(of: .ecg) == .init(quota: 1_000_000_000, whenFull: .refuse))
    let ward = try Configuration.load(path: folder.file("ward.yaml", "hub: {preset: ward}\n"))
    #expect(
      ward.entries.contains(ConfigurationEntry(key: "store.rings.default.keep", value: "14d", origin: "preset ward")))
  }

  @Test("an error in a drop-in names the drop-in")
  func badDropIn() throws {
    let folder = try Scratch()
    let main = try folder.file("hearth.yaml", "hub: {name: one}\n")
    let bad = try folder.file("hearth.d/10.yaml", "lane:\n  slize: 5s\n")
    #expect(throws: HearthError(.configUnknownKey, "\(bad):2:3: unknown key 'slize' (did you mean 'slice'?)")) {
      try Configuration.load(path: main)
    }
  }

  @Test("what config show prints can be read back to the same configuration")
  func roundTrip() throws {
    let folder = try Scratch()
    let path = try folder.file(
      "hearth.yaml",
      """
      hub: {preset: ward}
      radio: {adapter: usb, slots: 3}
      lights: {board: ./mine.yaml}
      profiles: {idle: {interval: 102.5ms..400ms, timeout: 9999ms}}
      lane: {visit_bound: 20m, visit_at: 23:05 07:00, phases: sleep activity, erase: never}
      store: {size: 2GiB, commit: {every: 1500ms, bytes: 100B}, budget_per_day: 1GB, rings: {ppi: {quota: none, keep: \
      36h}, raw: {evict: refuse}}}
      """)
    let first = try Configuration.load(path: path)
    var text = ""
    for entry in first.entries {
      // A drop-in for each key, so that no nesting has to be rebuilt here.
      text = entry.value
      for name in entry.key.split(separator: ".").reversed() { text = "{\(name): \(text)}" }
      try folder.file("again.d/\(entry.key).yaml", text + "\n")
    }
    var second = try Configuration.load(path: folder.file("again.yaml", ""))
    second.places = first.places
    #expect(second == first)
  }
}

@Suite("The files people copy")
struct ShippedConfigurationTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("config").path

  @Test("hearth.yaml changes nothing as it is")
  func loads() throws {
    #expect(try Configuration.load(path: Self.folder + "/hearth.yaml") == Configuration())
  }

  @Test("hearth.yaml names every key with its true default")
  func complete() throws {
    let text = try String(contentsOfFile: Self.folder + "/hearth.yaml", encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix(" ") ? String(line).replacing(/^( +)#([a-z_]+:)/) { "\($0.output.1)\($0.output.2)" } : String(line)
    }
    let scratch = try Scratch()
    var configuration = try Configuration.load(path: scratch.file("hearth.yaml", lines.joined(separator: "\n")))
    #expect(Set(configuration.places.keys) == Set(configuration.entries.map(\.key)))
    configuration.places = [:]
    #expect(configuration == Configuration())
  }

  @Test("gym.yaml and ward.yaml spell out exactly what their preset means", arguments: Configuration.Preset.allCases)
  func presets(preset: Configuration.Preset) throws {
    var configuration = try Configuration.load(path: Self.folder + "/\(preset.rawValue).yaml")
    let spelledOut = Set(configuration.places.keys)
    configuration.places = [:]
    #expect(configuration == Configuration(preset: preset))
    let differing = Set(
      Configuration.Preset.allCases.flatMap { other in
        zip(Configuration(preset: other).entries, configuration.entries).filter { $0.value != $1.value }.map(\.0.key)
      })
    #expect(spelledOut == differing)
  }
}

/// A folder that goes away with the test.
final class Scratch {
  let path: String

  init() throws {
    var template = Array("/tmp/hearth-configuration-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func file(_ name: String, _ text: String) throws -> String {
    let file = "\(path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    return file
  }
}
