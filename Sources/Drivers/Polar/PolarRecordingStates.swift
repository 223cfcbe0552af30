// Stored state about recordings of a Polar wearable; FORMAT.md describes the kinds.

import StateCodec

/// Ordered recordings in the wearable's own memory.
struct PolarRecordings: RememberedState {
  static let name = "polar-recordings"
  var all: [PolarArmed.Wanted]

  init(_ all: [PolarArmed.Wanted]) { self.all = all.sorted { $0.type.rawValue < $1.type.rawValue } }

  var isEmpty: Bool { all.isEmpty }

  func write(to fields: inout FieldWriter) {
    for wanted in all {
      fields.put(1) { nested in
        nested.put(1, wanted.type.rawValue)
        if let rate = wanted.rate { nested.put(2, rate) }
        if let range = wanted.range { nested.put(3, range) }
        nested.put(4, flag: wanted.needsSDKMode)
      }
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    all = []
    while let tag = fields.next() {
      if tag != 1 { continue }
      var nested = fields.nested
      var type: UInt8?
      var rate: UInt32?
      var range: UInt32?
      var needsSDKMode: Bool?
      while let tag = nested.next() {
        switch tag {
        case 1: nested.read(&type)
        case 2: nested.read(&rate)
        case 3: nested.read(&range)
        case 4: nested.read(&needsSDKMode)
        default: break
        }
      }
      guard nested.isWhole, let needsSDKMode, let type = type.flatMap({ PMD.MeasurementType(rawValue: $0) }),
        type.isData
      else { return nil }
      all.append(PolarArmed.Wanted(type: type, rate: rate, range: range, needsSDKMode: needsSDKMode))
    }
  }
}

/// Ordered triggers, which begin recordings automatically.
struct PolarTriggers: RememberedState {
  static let name = "polar-triggers"
  var mode: PMD.TriggerMode
  var types: [PMD.MeasurementType]

  init(_ mode: PMD.TriggerMode, _ types: [PMD.MeasurementType]) {
    self.mode = mode
    self.types = types
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, mode.rawValue)
    for type in types { fields.put(2, type.rawValue) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var mode: UInt8?
    types = []
    while let tag = fields.next() {
      var type: UInt8?
      switch tag {
      case 1: fields.read(&mode)
      case 2: fields.read(&type)
      default: break
      }
      if let known = type.flatMap({ PMD.MeasurementType(rawValue: $0) }), known.isData { types.append(known) }
    }
    guard let mode = mode.flatMap({ PMD.TriggerMode(rawValue: $0) }), mode != .disabled else { return nil }
    self.mode = mode
  }
}

/// Recordings that a visit ended and that have not been seen running since.
struct PolarPendingRenewals: RememberedState {
  static let name = "polar-renewals"
  var all: [PolarRenewals.Renewal]

  init(_ all: [PolarRenewals.Renewal]) { self.all = all.sorted { $0.type.rawValue < $1.type.rawValue } }

  var isEmpty: Bool { all.isEmpty }

  func write(to fields: inout FieldWriter) {
    for renewal in all {
      fields.put(1) { nested in
        nested.put(1, renewal.type.rawValue)
        nested.put(2, flag: renewal.wasEncrypted)
        for (setting, value) in renewal.selection.values.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where setting != .factor {
          nested.put(3) {
            $0.put(1, setting.rawValue)
            $0.put(2, value)
          }
        }
      }
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    all = []
    while let tag = fields.next() {
      if tag != 1 { continue }
      guard let renewal = PolarRenewals.Renewal(fields.nested) else { return nil }
      all.append(renewal)
    }
  }
}

extension PolarRenewals.Renewal {
  fileprivate init?(_ fields: FieldReader) {
    var fields = fields
    var type: UInt8?
    var wasEncrypted: Bool?
    var values: [PMD.Setting: UInt32] = [:]
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&type)
      case 2: fields.read(&wasEncrypted)
      case 3:
        var nested = fields.nested
        var number: UInt8?
        var value: UInt32?
        while let tag = nested.next() {
          switch tag {
          case 1: nested.read(&number)
          case 2: nested.read(&value)
          default: break
          }
        }
        guard nested.isWhole, let setting = number.flatMap({ PMD.Setting(rawValue: $0) }), let value else { return nil }
        values[setting] = value
      default: break
      }
    }
    guard fields.isWhole, let wasEncrypted, let type = type.flatMap({ PMD.MeasurementType(rawValue: $0) }), type.isData
    else { return nil }
    self.init(type, PMD.Selection(values), wasEncrypted: wasEncrypted)
  }
}

/// Times when this hub began the running recordings.
struct PolarBegun: RememberedState {
  static let name = "polar-begun"
  /// Times by number of the kind, s since 1970 on the wearable's clock at that time.
  var times: [UInt8: Int64]

  init(_ times: [UInt8: Int64]) { self.times = times }

  var isEmpty: Bool { times.isEmpty }

  func write(to fields: inout FieldWriter) {
    for (type, time) in times.sorted(by: { $0.key < $1.key }) {
      fields.put(1) {
        $0.put(1, type)
        $0.put(2, time)
      }
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    times = [:]
    while let tag = fields.next() {
      if tag != 1 { continue }
      var nested = fields.nested
      var type: UInt8?
      var time: Int64?
      while let tag = nested.next() {
        switch tag {
        case 1: nested.read(&type)
        case 2: nested.read(&time)
        default: break
        }
      }
      guard nested.isWhole, let type, let time else { return nil }
      times[type] = time
    }
  }
}
