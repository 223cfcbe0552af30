// What is remembered of one wearable about removing: an operator's choice, and removals that are of no use until
// something changes.

package import Custody
package import EventLoop
import Health
package import StateCodec

/// What is remembered of one wearable about removing.
package struct ErasingNotes {
  /// An operator's choice for this one; nil: as configured.
  package var choice: EraseChoice?
  package var period: Period?

  /// Under which circumstances removals were called: when they change, all of them are worth another try.
  package struct Circumstances {
    /// When the wearable was started; nil if it does not say.
    package var booted: WallTime?
    /// nil while it is not known.
    package var firmware: String?
    package var now: WallTime

    package init(booted: WallTime?, firmware: String?, now: WallTime) {
      self.booted = booted
      self.firmware = firmware
      self.now = now
    }
  }

  /// Removals that were of no use, or cannot be had twice, under the same circumstances.
  package struct Period: Equatable {
    package struct Call: Equatable {
      package let removal: RemovalID
      /// The wearable acknowledged it and kept what it covers; else it is one that it takes once between two restarts.
      package var wasIneffective: Bool

      package init(removal: RemovalID, wasIneffective: Bool) {
        self.removal = removal
        self.wasIneffective = wasIneffective
      }
    }
    /// s since 1970; nil if the wearable does not say.
    package let booted: Int64?
    /// s since 1970, when the first of them was called.
    package let began: Int64
    /// FNV-1a of its version; nil while it is not known.
    package let firmware: UInt32?
    /// Ineffective ones in a row.
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

  /// Calls that are remembered. After so many ineffective ones in a row a wearable is taken for one
  /// that removes nothing.
  package static let callLimit = 8
  /// Two estimates of one boot differ by the drift of a bad crystal over a month. s
  package static let sameBoot: UInt64 = 600
  /// A wearable that does not say how long it runs is asked anew once a day. s
  package static let blindRetry: UInt64 = 86_400

  package init() {}

  /// It is not called again before a restart, whatever comes of it.
  package mutating func noteCalled(_ removal: RemovalID, _ circumstances: Circumstances) {
    note(removal, circumstances, wasIneffective: false)
  }

  /// It was acknowledged, and had no effect.
  package mutating func noteIneffective(_ removal: RemovalID, _ circumstances: Circumstances) {
    note(removal, circumstances, wasIneffective: true)
    period?.noteFailure()
  }

  /// One that had its effect: the wearable does remove, whatever it kept before.
  package mutating func noteEffective() { period?.failures = 0 }

  /// It was not called after all.
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

  /// Calling it would change nothing.
  package func isUseless(_ removal: RemovalID, _ circumstances: Circumstances) -> Bool {
    guard let period, period.holds(circumstances) else { return false }
    return period.failures >= Self.callLimit || period.calls.contains { $0.removal == removal }
  }

  /// It keeps what it said that it had removed, as far as anybody knows now.
  package func keepsWhatWasRemoved(_ circumstances: Circumstances) -> Bool {
    period.map { $0.holds(circumstances) && $0.calls.contains(where: \.wasIneffective) } ?? false
  }

  /// What holds for it.
  package func effective(_ policy: ErasePolicy) -> EraseChoice { choice ?? (policy == .verified ? .yes : .no) }

  /// - Parameter isAsked: an operator asked for this very visit.
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

  /// Nothing has changed since that would make another try worth while.
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
