// What is remembered of one wearable about removing: an operator's choice, and removals that are of no use until
// something changes.

import Custody
import EventLoop
import Health
import StateCodec

/// What is remembered of one wearable about removing.
struct ErasingNotes {
  /// An operator's choice for this one; nil: as configured.
  var choice: EraseChoice?
  var period: Period?

  /// Under which circumstances removals were called: when they change, all of them are worth another try.
  struct Circumstances {
    /// When the wearable was started; nil if it does not say.
    var booted: WallTime?
    /// nil while it is not known.
    var firmware: String?
    var now: WallTime
  }

  /// Removals that were of no use, or cannot be had twice, under the same circumstances.
  struct Period: Equatable {
    struct Call: Equatable {
      let removal: RemovalID
      /// The wearable acknowledged it and kept what it covers; else it is one that it takes once between two restarts.
      var wasIneffective: Bool
    }
    /// s since 1970; nil if the wearable does not say.
    let booted: Int64?
    /// s since 1970, when the first of them was called.
    let began: Int64
    /// FNV-1a of its version; nil while it is not known.
    let firmware: UInt32?
    /// Ineffective ones in a row.
    var failures = 0
    /// The newest `callLimit`.
    var calls: [Call] = []

    mutating func noteFailure() { failures = min(ErasingNotes.callLimit, failures + 1) }
  }

  /// Calls that are remembered. After so many ineffective ones in a row a wearable is taken for one
  /// that removes nothing.
  static let callLimit = 8
  /// Two estimates of one boot differ by the drift of a bad crystal over a month. s
  static let sameBoot: UInt64 = 600
  /// A wearable that does not say how long it runs is asked anew once a day. s
  static let blindRetry: UInt64 = 86_400

  init() {}

  /// It is not called again before a restart, whatever comes of it.
  mutating func noteCalled(_ removal: RemovalID, _ circumstances: Circumstances) {
    note(removal, circumstances, wasIneffective: false)
  }

  /// It was acknowledged, and had no effect.
  mutating func noteIneffective(_ removal: RemovalID, _ circumstances: Circumstances) {
    note(removal, circumstances, wasIneffective: true)
    period?.noteFailure()
  }

  /// One that had its effect: the wearable does remove, whatever it kept before.
  mutating func noteEffective() { period?.failures = 0 }

  /// It was not called after all.
  mutating func forget(_ removal: RemovalID) {
    period?.calls.removeAll { $0.removal == removal }
    if period?.calls.isEmpty == true { period = nil }
  }

  private mutating func note(_ removal: RemovalID, _ circumstances: Circumstances, wasIneffective: Bool) {
    var current = period.flatMap { $0.holds(circumstances) ? $0 : nil } ?? Period(circumstances)
    current.calls.removeAll { $0.removal == removal }
    current.calls =
      current.calls.suffix(Self.callLimit - 1) + [Period.Call(removal: removal, wasIneffective: wasIneffective)]
    period = current
  }

  /// Calling it would change nothing.
  func isUseless(_ removal: RemovalID, _ circumstances: Circumstances) -> Bool {
    guard let period, period.holds(circumstances) else { return false }
    return period.failures >= Self.callLimit || period.calls.contains { $0.removal == removal }
  }

  /// It keeps what it said that it had removed, as far as anybody knows now.
  func keepsWhatWasRemoved(_ circumstances: Circumstances) -> Bool {
    period.map { $0.holds(circumstances) && $0.calls.contains(where: \.wasIneffective) } ?? false
  }

  /// What holds for it.
  func effective(_ policy: ErasePolicy) -> EraseChoice { choice ?? (policy == .verified ? .yes : .no) }

  /// - Parameter isAsked: an operator asked for this very visit.
  func allows(_ policy: ErasePolicy, isAsked: Bool) -> Bool {
    switch effective(policy) {
    case .yes: true
    case .ask: isAsked
    case .no: false
    }
  }
}

extension ErasingNotes.Period {
  init(_ circumstances: ErasingNotes.Circumstances) {
    self.init(
      booted: circumstances.booted.map { $0.microseconds / 1_000_000 },
      began: circumstances.now.microseconds / 1_000_000,
      firmware: circumstances.firmware.map(fingerprint))
  }

  /// Nothing has changed since that would make another try worth while.
  func holds(_ circumstances: ErasingNotes.Circumstances) -> Bool {
    if let firmware, let now = circumstances.firmware.map(fingerprint), now != firmware { return false }
    guard let booted, let now = circumstances.booted else {
      // The hub's own clock may have been set back since.
      return Self.distance(circumstances.now, began) < ErasingNotes.blindRetry
    }
    return Self.distance(now, booted) <= ErasingNotes.sameBoot
  }

  private static func distance(_ time: WallTime, _ seconds: Int64) -> UInt64 {
    let (distance, overflow) = (time.microseconds / 1_000_000).subtractingReportingOverflow(seconds)
    return overflow ? .max : distance.magnitude
  }
}

extension ErasingNotes: RememberedState {
  static let name = "erasing"

  var isEmpty: Bool { choice == nil && period == nil }

  func write(to fields: inout FieldWriter) {
    if let choice { fields.put(1, choice.rawValue) }
    if let period { fields.put(2, nesting: period.write) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    self.init()
    while let tag = fields.next() {
      switch tag {
      case 1:
        var word: String?
        fields.read(&word, atMost: 8)
        choice = word.flatMap { EraseChoice(rawValue: $0) }
      case 2:
        period = Period(fields.nested)
        if period == nil { fields.refuse() }
      default: break
      }
    }
  }
}

extension ErasingNotes.Period {
  fileprivate func write(to fields: inout FieldWriter) {
    fields.put(1, began)
    if let booted { fields.put(2, booted) }
    if let firmware { fields.put(3, firmware) }
    fields.put(4, UInt8(clamping: failures))
    for call in calls {
      fields.put(5) { nested in
        nested.put(1, call.removal.digest)
        nested.put(2, flag: call.wasIneffective)
      }
    }
  }

  /// nil for what is none.
  fileprivate init?(_ fields: FieldReader) {
    var fields = fields
    var began: Int64?
    var booted: Int64?
    var firmware: UInt32?
    var failures: UInt8?
    var calls: [Call] = []
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&began)
      case 2: fields.read(&booted)
      case 3: fields.read(&firmware)
      case 4: fields.read(&failures)
      case 5:
        if let call = Call(fields.nested) { calls.append(call) } else { fields.refuse() }
      default: break
      }
    }
    guard fields.isWhole, let began, let failures, failures <= ErasingNotes.callLimit,
      calls.count <= ErasingNotes.callLimit
    else { return nil }
    self.init(booted: booted, began: began, firmware: firmware, failures: Int(failures), calls: calls)
  }
}

extension ErasingNotes.Period.Call {
  fileprivate init?(_ fields: FieldReader) {
    var fields = fields
    var digest: UInt32?
    var wasIneffective: Bool?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&digest)
      case 2: fields.read(&wasIneffective)
      default: break
      }
    }
    guard fields.isWhole, let digest, let wasIneffective else { return nil }
    self.init(removal: RemovalID(digest: digest), wasIneffective: wasIneffective)
  }
}
