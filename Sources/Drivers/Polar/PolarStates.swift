// Stored state of a Polar wearable's driver, except for recordings; FORMAT.md describes the kinds.

import StateCodec

/// Features that this hub has switched off, with the file's earlier content if that was more than a switch.
struct PolarSwitchedOff: RememberedState {
  static let name = "polar-switched-off"
  /// Maximum number of bytes stored of a feature's content. A longer content is not stored, and the feature is just
  /// switched on again.
  static let saidLimit = 256
  var features: [PolarSwitch: [UInt8]]

  init(_ features: [PolarSwitch: [UInt8]]) { self.features = features }

  var isEmpty: Bool { features.isEmpty }

  func write(to fields: inout FieldWriter) {
    for (feature, said) in features.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      fields.put(1) { nested in
        nested.put(1, feature.rawValue)
        if !said.isEmpty { nested.put(2, said) }
      }
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    features = [:]
    while let tag = fields.next() {
      if tag != 1 { continue }
      var nested = fields.nested
      var name: String?
      var said: [UInt8]?
      while let tag = nested.next() {
        switch tag {
        case 1: nested.read(&name, atMost: 32)
        case 2: nested.read(&said, atMost: Self.saidLimit)
        default: break
        }
      }
      guard nested.isWhole, let name else { return nil }
      if let feature = PolarSwitch(rawValue: name) { features[feature] = said ?? [] }
    }
  }
}

/// A stored time, s since 1970.
protocol PolarRememberedTime: RememberedState {
  var seconds: Int64 { get }
  init(seconds: Int64)
}

extension PolarRememberedTime {
  /// Plausible times of a wearable's clock.
  private static var range: ClosedRange<Int64> { 0...1 << 40 }

  func write(to fields: inout FieldWriter) { fields.put(1, seconds) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var seconds: Int64?
    while let tag = fields.next() { if tag == 1 { fields.read(&seconds) } }
    guard let seconds, Self.range.contains(seconds) else { return nil }
    self.init(seconds: seconds)
  }
}

/// Time when a visit first saw the running sleep recording, on the wearable's clock.
struct PolarSleepSeen: PolarRememberedTime {
  static let name = "polar-sleep-seen"
  let seconds: Int64
}

/// Time since which a wrong clock could not be set.
struct PolarClockWaits: PolarRememberedTime {
  static let name = "polar-clock-waits"
  let seconds: Int64
}

/// The time that the clock showed before this hub set it back, stored until the clock shows it again. Recordings that
/// began or ended between now and then have times of the clock before, and are over.
struct PolarSetBack: RememberedState {
  static let name = "polar-set-back"
  /// s since 1970.
  var from: Int64
  /// Kinds that went on being recorded, under a name from the clock before.
  var goingOn: Set<PMD.MeasurementType>

  init(from: Int64, goingOn: some Sequence<PMD.MeasurementType>) {
    (self.from, self.goingOn) = (from, Set(goingOn))
  }

  /// µs since 1970.
  var microseconds: Int64 { from.multipliedReportingOverflow(by: 1_000_000).partialValue }

  func write(to fields: inout FieldWriter) {
    fields.put(1, from)
    for type in goingOn.sorted(by: { $0.rawValue < $1.rawValue }) { fields.put(2, type.rawValue) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var from: Int64?
    goingOn = []
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&from)
      case 2:
        var number: UInt8?
        fields.read(&number)
        if let type = number.flatMap({ PMD.MeasurementType(rawValue: $0) }) { goingOn.insert(type) }
      default: break
      }
    }
    // Plausible times of a wearable's clock.
    guard let from, (0...1 << 40).contains(from) else { return nil }
    self.from = from
  }
}

/// Exercises of other hosts that an operator wants removed.
struct PolarExerciseRemovals: RememberedState {
  static let name = "polar-exercise-removals"
  static let countLimit = 32
  /// Bytes of a name.
  static let nameLimit = 64
  var names: [String]

  init(_ names: [String]) { self.names = names }

  var isEmpty: Bool { names.isEmpty }

  func write(to fields: inout FieldWriter) { for name in names { fields.put(1, name) } }

  init?(_ fields: inout FieldReader, version: UInt16) {
    names = []
    while let tag = fields.next() {
      if tag != 1 { continue }
      var name: String?
      fields.read(&name, atMost: Self.nameLimit)
      if let name { names.append(name) }
    }
    if names.count > Self.countLimit { return nil }
  }
}

/// Values of settings before this hub changed them; the conforming type says which settings.
protocol PolarBeforeState: RememberedState {
  var before: PolarBefore { get }
  init(_ before: PolarBefore)
}

extension PolarBeforeState {
  var isEmpty: Bool { before.values.isEmpty }

  func write(to fields: inout FieldWriter) {
    for (name, value) in before.values.sorted(by: { $0.key < $1.key }) {
      fields.put(1) { nested in
        nested.put(1, name)
        if !value.isEmpty { nested.put(2, value) }
      }
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var before = PolarBefore()
    while let tag = fields.next() {
      if tag != 1 { continue }
      var nested = fields.nested
      var name: String?
      var value: String?
      while let tag = nested.next() {
        switch tag {
        case 1: nested.read(&name, atMost: 32)
        case 2: nested.read(&value, atMost: 32)
        default: break
        }
      }
      guard nested.isWhole, let name else { return nil }
      before.keep(name, value)
    }
    self.init(before)
  }
}

/// Settings in the settings file.
struct PolarFileBefore: PolarBeforeState {
  static let name = "polar-file-before"
  let before: PolarBefore
  init(_ before: PolarBefore) { self.before = before }
}

/// Switches of the radio.
struct PolarRadioBefore: PolarBeforeState {
  static let name = "polar-radio-before"
  let before: PolarBefore
  init(_ before: PolarBefore) { self.before = before }
}
