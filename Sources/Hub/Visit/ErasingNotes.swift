// What is remembered of one wearable about removing: an operator's choice, and removals that are of no use until
// something changes. Kept in its notes.

import Custody
import EventLoop
import Health

/// The notes of one wearable about removing.
struct ErasingNotes {
  static let choiceKey = "erase"
  static let calledKey = "erase.called"

  /// An operator's choice for this one; nil: as configured.
  var choice: EraseChoice?
  private(set) var period: Period?

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

  /// As many as a note of 120 bytes has room for. After so many ineffective ones in a row a wearable is taken for one
  /// that removes nothing.
  static let callLimit = 8
  /// Two estimates of one boot differ by the drift of a bad crystal over a month. s
  static let sameBoot: UInt64 = 600
  /// A wearable that does not say how long it runs is asked anew once a day. s
  static let blindRetry: UInt64 = 86_400

  init() {}

  init(_ notes: [String: String]) {
    choice = notes[Self.choiceKey].flatMap { EraseChoice(rawValue: $0) }
    period = notes[Self.calledKey].flatMap { Period($0) }
  }

  func write(to notes: inout [String: String]) {
    notes[Self.choiceKey] = choice?.rawValue
    notes[Self.calledKey] = period?.text
  }

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

  fileprivate static func digest(_ text: String) -> UInt32 {
    text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
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
      firmware: circumstances.firmware.map(ErasingNotes.digest))
  }

  /// Nothing has changed since that would make another try worth while.
  func holds(_ circumstances: ErasingNotes.Circumstances) -> Bool {
    if let firmware, let now = circumstances.firmware.map(ErasingNotes.digest), now != firmware { return false }
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

  /// `1793491200 1793577600 4f1c22aa 2 811c9dc5 !a0b1c2d3`: boot, beginning, firmware, failures in a row, removals; `!`
  /// before ineffective ones.
  var text: String {
    let head = [
      booted.map { "\($0)" } ?? "-", "\(began)", firmware.map { String($0, radix: 16) } ?? "-", "\(failures)",
    ]
    return (head + calls.map { ($0.wasIneffective ? "!" : "") + String($0.removal.digest, radix: 16) }).joined(separator: " ")
  }

  /// nil for what is none.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count >= 4, let began = Int64(words[1]), let failures = Int(words[3]),
      (0...ErasingNotes.callLimit).contains(failures)
    else { return nil }
    self.init(booted: Int64(words[0]), began: began, firmware: UInt32(words[2], radix: 16), failures: failures)
    for word in words.dropFirst(4).prefix(ErasingNotes.callLimit) {
      let isIneffective = word.hasPrefix("!")
      guard let digest = UInt32(isIneffective ? word.dropFirst() : word, radix: 16) else { return nil }
      calls.append(Call(removal: RemovalID(digest: digest), wasIneffective: isIneffective))
    }
  }
}
