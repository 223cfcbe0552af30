// Stored state of removals on one wearable: an operator's choice, and removals that are useless until something
// changes.

package import Custody
package import EventLoop
import Health
package import StateCodec

/// Stored state of removals on one wearable.
package struct ErasingNotes {
  /// An operator's choice for this wearable; nil: as configured.
  package var choice: EraseChoice?
  package var period: Period?

  /// Circumstances of removals: when they change, all removals are worth another try.
  package struct Circumstances {
    /// Time when the wearable was started; nil if it does not report that.
    package var booted: WallTime?
    /// nil while unknown.
    package var firmware: String?
    package var now: WallTime

    package init(booted: WallTime?, firmware: String?, now: WallTime) {
      self.booted = booted
      self.firmware = firmware
      self.now = now
    }
  }

  /// Removals that had no effect, or are possible only once, under the same circumstances.
  package struct Period: Equatable {
    package struct Call: Equatable {
      package let removal: RemovalID
      /// The wearable acknowledged it and still has the data. Else it is a removal that it accepts once between two
      /// restarts.
      package var wasIneffective: Bool

      package init(removal: RemovalID, wasIneffective: Bool) {
        self.removal = removal
        self.wasIneffective = wasIneffective
      }
    }
    /// s since 1970; nil if the wearable does not report it.
    package let booted: Int64?
    /// s since 1970, time of the first call.
    package let began: Int64
    /// FNV-1a of its version; nil while unknown.
    package let firmware: UInt32?
    /// Calls without effect in a row.
    package var failures = 0
    /// The newest `callLimit`.
    package var calls: [Call] = []

    package init(booted: Int64?, began: Int64, firmware: UInt32?, failures: Int = 0, calls: [Call] = []) {
      self.booted = booted
      self.began = began
      self.firmware = firmware
      self.failures = failures
      self.calls = calls
    }

    package mutating func noteFailure() { failures = min(ErasingNotes.callLimit, failures + 1) }
  }

  /// Limit of stored calls. After this many without effect in a row the wearable counts as one that does not remove
  /// data.
  package static let callLimit = 8
  /// Two estimates of one boot differ by the drift of a bad crystal over a month. s
  package static let sameBoot: UInt64 = 600
  /// Interval of tries with a wearable that does not report how long it runs: once a day. s
  package static let blindRetry: UInt64 = 86_400

  package init() {}

  /// Notes a call that must not be repeated before a restart, whatever its result.
  package mutating func noteCalled(_ removal: RemovalID, _ circumstances: Circumstances) {
    note(removal, circumstances, wasIneffective: false)
  }

  /// Notes a call that was acknowledged, but had no effect.
  package mutating func noteIneffective(_ removal: RemovalID, _ circumstances: Circumstances) {
    note(removal, circumstances, wasIneffective: true)
    period?.noteFailure()
  }

  /// Notes a call with an effect: the wearable removes data, whatever it kept before.
  package mutating func noteEffective() { period?.failures = 0 }

  /// Drops a note, as there was no call after all.
  package mutating func forget(_ removal: RemovalID) {
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

  /// Whether a call would have no effect.
  package func isUseless(_ removal: RemovalID, _ circumstances: Circumstances) -> Bool {
    guard let period, period.holds(circumstances) else { return false }
    return period.failures >= Self.callLimit || period.calls.contains { $0.removal == removal }
  }

  /// Whether it still has data that it reported as removed, as far as the hub knows.
  package func keepsWhatWasRemoved(_ circumstances: Circumstances) -> Bool {
    period.map { $0.holds(circumstances) && $0.calls.contains(where: \.wasIneffective) } ?? false
  }

  /// The choice that applies.
  package func effective(_ policy: ErasePolicy) -> EraseChoice { choice ?? (policy == .verified ? .yes : .no) }

  /// - Parameter isAsked: an operator requested this very visit.
  package func allows(_ policy: ErasePolicy, isAsked: Bool) -> Bool {
    switch effective(policy) {
    case .yes: true
    case .ask: isAsked
    case .no: false
    }
  }
}

extension ErasingNotes.Period {
  package init(_ circumstances: ErasingNotes.Circumstances) {
    self.init(
      booted: circumstances.booted.map { $0.microseconds / 1_000_000 },
      began: circumstances.now.microseconds / 1_000_000,
      firmware: circumstances.firmware.map(fingerprint))
  }

  /// Whether the circumstances are the same, so that another try is not worth while.
  package func holds(_ circumstances: ErasingNotes.Circumstances) -> Bool {
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
  package static let name = "erasing"

  package var isEmpty: Bool { choice == nil && period == nil }

  package func write(to fields: inout FieldWriter) {
    if let choice { fields.put(1, choice.rawValue) }
    if let period { fields.put(2, nesting: period.write) }
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
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

  /// nil for an invalid one.
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
