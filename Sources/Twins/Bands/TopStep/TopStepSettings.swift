// Settings of a band as bytes: initial values, and the effect of writing them whole.

/// Settings by kind. The band stores the bytes that it received, and reads only the fields that it needs.
public struct TopStepSettings: Sendable {
  private var values: [TopStepSetting: [UInt8]] = [:]
  /// Settings that a host has read since the band's first link.
  var wasRead: Set<TopStepSetting> = []
  private let traits: TopStepSettingTraits
  private let hasPressure: Bool

  init(_ traits: TopStepSettingTraits, hasPressure: Bool) {
    self.traits = traits
    self.hasPressure = hasPressure
    let unknown = traits.hasUnknownFields
    func monitor(_ interval: Int) -> [UInt8] {
      TopStepWriter.make {
        $0.truth(1, true)
        $0.number(3, 1440)
        $0.number(4, interval)
        if unknown { $0.number(9, 3) }
      }
    }
    func alarm(_ least: Int, _ most: Int) -> [UInt8] {
      TopStepWriter.make {
        $0.number(2, least)
        $0.number(3, most)
        if unknown { $0.bytes(6, [0xC0, 0xFF, 0xEE]) }
      }
    }
    values[.heartRate] = TopStepWriter.make {
      $0.message(1, monitor(5))
      $0.message(2, alarm(0, 170))
      $0.message(3, alarm(45, 110))
      $0.number(4, 186)
      if unknown { $0.number(12, -7) }
    }
    values[.stress] = TopStepWriter.make {
      $0.message(1, monitor(30))
      $0.message(2, alarm(0, 80))
    }
    values[.oxygen] = TopStepWriter.make {
      $0.message(1, monitor(30))
      $0.message(2, alarm(90, 0))
      if unknown { $0.float(15, 1.5) }
    }
    values[.pressure] = TopStepWriter.make {
      $0.message(1, monitor(30))
      $0.message(
        2,
        TopStepWriter.make {
          $0.number(2, 90)
          $0.number(3, 140)
          $0.number(4, 60)
          $0.number(5, 90)
          if unknown { $0.text(8, "mmHg") }
        })
    }
    values[.goals] = TopStepWriter.make {
      $0.number(1, 8000)
      $0.float(2, 5000)
      $0.float(3, 300)
      $0.number(4, 1800)
      $0.number(7, 3)
      if unknown { $0.number(20, 99) }
    }
    values[.functions] = TopStepWriter.make { $0.bytes(1, [0x3F, 0x01]) }
    values[.units] = TopStepWriter.make { $0.number(2, 1) }
    values[.raiseToWake] = TopStepWriter.make { $0.truth(1, true) }
  }

  /// Nil: no such setting. Empty: all fields have their defaults.
  public subscript(_ setting: TopStepSetting) -> [UInt8]? {
    traits.missing.contains(setting) || setting == .pressure && !hasPressure ? nil : values[setting] ?? []
  }

  /// Changes a setting on the band, as its wearer would.
  mutating func change(_ setting: TopStepSetting, to value: [UInt8]) { values[setting] = value }

  /// - Returns: false if there is no such setting, or the value is invalid.
  mutating func write(_ setting: TopStepSetting, _ wanted: [UInt8]) -> Bool {
    guard self[setting] != nil, let message = TopStepMessage(wanted) else { return false }
    guard setting.hasMonitor else {
      if !traits.ignoresWrites { values[setting] = wanted }
      return true
    }
    let monitor = message.message(1) ?? TopStepMessage(fields: [])
    guard TopStepMonitorSetting(monitor).isSensible else { return false }
    if !traits.ignoresWrites { values[setting] = rounded(message) }
    return true
  }

  /// Message with the next longer interval that the band supports.
  private func rounded(_ message: TopStepMessage) -> [UInt8] {
    var writer = TopStepWriter()
    for field in message.fields {
      guard field.number == 1, case .bytes(let bytes) = field.value, let monitor = TopStepMessage(bytes) else {
        writer.append(field)
        continue
      }
      let wanted = Int(clamping: monitor.number(4))
      let interval = traits.intervals.first { $0 >= wanted } ?? traits.intervals.last ?? wanted
      var inner = TopStepWriter()
      for part in monitor.fields where part.number != 4 { inner.append(part) }
      inner.number(4, interval)
      writer.message(1, inner.bytes)
    }
    return writer.bytes
  }

  /// Automatic measuring in a setting.
  public func monitor(_ setting: TopStepSetting) -> TopStepMonitorSetting? {
    guard let bytes = self[setting], let message = TopStepMessage(bytes)?.message(1) else { return nil }
    return TopStepMonitorSetting(message)
  }
}

/// Schedule of automatic measuring.
public struct TopStepMonitorSetting: Sendable, Hashable {
  /// True if it measures automatically.
  public let isOn: Bool
  /// Minutes after midnight.
  public let start, end: Int
  /// Minutes.
  public let interval: Int

  init(_ message: TopStepMessage) {
    isOn = message.truth(1)
    (start, end) = (Int(clamping: message.number(2)), Int(clamping: message.number(3)))
    interval = Int(clamping: message.number(4))
  }

  /// Valid: up to midnight, the end after the start, an interval of a multiple of five minutes.
  var isSensible: Bool {
    (0...1440).contains(start) && (0...1440).contains(end) && start < end && (5...1440).contains(interval)
      && interval % 5 == 0
  }
}

extension TopStepSetting {
  var hasMonitor: Bool { [.heartRate, .stress, .oxygen, .pressure].contains(self) }

  /// Documented fields, and those within their messages; nil: undocumented, so unknown fields cannot be recognised.
  private var known: [(field: Int, within: ClosedRange<Int>?)]? {
    switch self {
    case .heartRate: [(1, 1...4), (2, 1...3), (3, 1...3), (4, nil)]
    case .stress, .oxygen: [(1, 1...4), (2, 1...3)]
    case .pressure: [(1, 1...4), (2, 1...5)]
    case .goals: (1...7).map { ($0, nil) }
    default: nil
    }
  }

  /// Whether a host that replaced `before` with `after` dropped or changed undocumented fields.
  public func losesUnknown(_ before: [UInt8], _ after: [UInt8]) -> Bool {
    guard let old = TopStepMessage(before), let new = TopStepMessage(after) else { return true }
    guard let known else { return false }
    let unnamed = old.fields.filter { field in !known.contains { $0.field == field.number } }
    if unnamed.contains(where: { !new.fields.contains($0) }) { return true }
    return known.contains { entry in
      guard let within = entry.within, let was = old.message(entry.field) else { return false }
      let inner = was.fields.filter { !within.contains($0.number) }
      let now = new.message(entry.field)?.fields ?? []
      return inner.contains { !now.contains($0) }
    }
  }
}

extension VirtualTopStepBand {
  func readSetting(_ setting: TopStepSetting, _ frame: TopStepWireFrame) {
    guard let value = settings[setting] else { return reply(to: frame, result: false) }
    settings.wasRead.insert(setting)
    reply(to: frame, value)
  }

  func writeSetting(_ setting: TopStepSetting, _ frame: TopStepWireFrame) {
    guard let before = settings[setting] else { return reply(to: frame, result: false) }
    if !settings.wasRead.contains(setting) { blame(.wroteUnread, frame) }
    if setting.losesUnknown(before, frame.payload) { blame(.lostUnknownFields, frame) }
    let isDone = settings.write(setting, frame.payload)
    if !isDone { blame(.wroteNonsense, frame) }
    log.writes.append((setting, before, frame.payload, settings[setting] ?? []))
    reply(to: frame, result: isDone)
    if isDone { monitorsChanged() }
  }

  /// Changes a setting on the band, as its wearer would; the band reports it to a linked host.
  public func wearerChanges(_ setting: TopStepSetting, to value: [UInt8]) {
    settings.change(setting, to: value)
    monitorsChanged()
    guard let key = setting.changed, isLoggedIn else { return }
    announce(TopStepCommand.settings, key, next.settings.announcesEmpty ? [] : value)
  }
}
