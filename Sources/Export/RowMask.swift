// What an export hides of its rows: names, addresses, texts, and on which day it was.

internal import CivilTime
internal import JSONText

/// Hides names and dates of rows, the same in every format.
public struct RowMask {
  /// Treatment of names.
  public enum Names {
    case shown
    /// Wearables are numbered by enrolment; no other member identifies a wearable or a person.
    case hidden
    /// Every name has a word in its place. Both are called once for each name.
    case replaced(person: (String) -> String, thing: (String) -> String)
  }

  /// Days by which times may move: a century each way.
  public static let days = -36_525...36_525

  private let names: Names
  /// Microseconds that are added to every time.
  private let shift: Int64
  private var words: (persons: [String: String], things: [String: String]) = ([:], [:])
  /// Rows of which bytes were left out: what a wearable or the hub wrote there may have names, numbers and times.
  public private(set) var withheld = 0

  /// A hub has some hundreds of names.
  private static let limit = 65_536

  /// - Parameter days: how many days later every time becomes, within `days`.
  public init(_ names: Names = .shown, days: Int = 0) {
    self.names = names
    shift = Int64(days) * 86_400_000_000
  }

  /// True if the mask leaves rows unchanged.
  public var hidesNothing: Bool {
    if case .shown = names { return shift == 0 }
    return false
  }

  /// Rows need their place for it (`ExportRow.place`).
  public var numbersDevices: Bool {
    if case .hidden = names { return true }
    return false
  }

  /// Hides names, addresses, texts and days of a row.
  public mutating func apply(to row: inout ExportRow) {
    if hidesNothing { return }
    row.time = moved(row.time)
    row.end = row.end.map(moved)
    row.was = row.was.map(moved)
    row.device = device(row.device, enrolment: row.place.map { Int($0.enrolment) })
    row.address = address(row.address)
    row.wearer = person(row.wearer)
    // Only samples of a waveform are known to hold no other data.
    if row.data != nil, row.period == nil {
      row.data = nil
      withheld += 1
    }
    // What this program does not know may be anything.
    row.others = []
    if case .foreign(let json) = row.value, json.hasText { row.value = .none }
  }

  /// - Parameter enrolment: number of the wearable; nil: not known.
  public mutating func device(_ name: String, enrolment: Int?) -> String {
    switch names {
    case .shown: name
    case .hidden: enrolment.map { "device-\($0)" } ?? "device"
    case .replaced(_, let thing): Self.word(name, &words.things, thing)
    }
  }

  /// Address to be shown; nil: hidden.
  public mutating func address(_ address: String?) -> String? {
    guard let address else { return nil }
    return switch names {
    case .shown: address
    case .hidden: nil
    // A wearable that the registry no longer knows has no address.
    case .replaced(_, let thing): address.isEmpty ? address : Self.word(address, &words.things, thing)
    }
  }

  /// Name of a person to be shown; nil: hidden.
  public mutating func person(_ name: String?) -> String? {
    guard let name else { return nil }
    return switch names {
    case .shown: name
    case .hidden: nil
    case .replaced(let person, _): Self.word(name, &words.persons, person)
    }
  }

  /// A time of a document (RFC 3339), moved; nil for anything else.
  public func moved(_ time: String) -> String? {
    CivilTime.moment(rfc3339: time).map { momentText(moved($0), .milliseconds) }
  }

  private func moved(_ time: Int64) -> Int64 {
    let (moved, overflow) = time.addingReportingOverflow(shift)
    return overflow ? (shift < 0 ? .min : .max) : moved
  }

  private static func word(_ name: String, _ known: inout [String: String], _ make: (String) -> String) -> String {
    if let word = known[name] { return word }
    let word = make(name)
    if known.count < limit { known[name] = word }
    return word
  }
}

extension JSON {
  /// True if there is a text in it, or a member that is named.
  fileprivate var hasText: Bool {
    switch self {
    case .string, .object: true
    case .array(let items): items.contains { $0.hasText }
    case .null, .bool, .integer, .decimal: false
    }
  }
}
