// Types of configuration values: parsing, formatting, and their description in errors.

/// Type of a value. `parse` gets the text of a scalar and the folder of its file; nil means that the text is invalid.
package struct Kind<Value: Sendable>: Sendable {
  /// Completes "X is 'soon', not …".
  package var expects: String
  /// Valid words, for suggestions after a typing error.
  package var words: [String]
  package var parse: @Sendable (_ text: String, _ folder: String) -> Value?
  package var show: @Sendable (Value) -> String

  package init(
    expects: String, words: [String] = [], parse: @escaping @Sendable (_ text: String, _ folder: String) -> Value?,
    show: @escaping @Sendable (Value) -> String
  ) {
    self.expects = expects
    self.words = words
    self.parse = parse
    self.show = show
  }
}

extension Kind {
  /// Raw value of an enumeration.
  package static func choice() -> Kind where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    let words = Value.allCases.map(\.rawValue)
    return Kind(
      expects: "one of \(words.joined(separator: ", "))", words: words,
      parse: { text, _ in Value(rawValue: text) }, show: \.rawValue)
  }
}

extension Kind {
  /// The same values, or `none` for nil.
  package var orNone: Kind<Value?> {
    Kind<Value?>(
      expects: "none, or \(expects)", words: ["none"] + words,
      parse: { text, folder in
        if text == "none" { return .some(nil) }
        guard let value = parse(text, folder) else { return nil }
        return .some(value)
      }, show: { $0.map(show) ?? "none" })
  }
}

extension Kind<Bool> {
  package static let truth = Kind(
    expects: "true or false", words: ["true", "false"],
    parse: { text, _ in text == "true" ? true : text == "false" ? false : nil }, show: { $0 ? "true" : "false" })
}

extension Kind<Int> {
  /// Whole number without a unit.
  package static func number(_ range: ClosedRange<Int>, _ what: String) -> Kind {
    Kind(
      expects: "\(what) from \(range.lowerBound) to \(range.upperBound)",
      parse: { text, _ in wholeNumber(text).flatMap { range.contains($0) ? $0 : nil } }, show: { "\($0)" })
  }

  /// Percentage with its unit.
  package static let percent = Kind(
    expects: "a share from 1% to 99%, such as 20%",
    parse: { text, _ in
      guard text.hasSuffix("%"), let number = wholeNumber(String(text.dropLast())), (1...99).contains(number) else {
        return nil
      }
      return number
    }, show: { "\($0)%" })

  /// Number of bytes with its unit. KB, MB, GB are powers of 1000, KiB, MiB, GiB of 1024.
  package static func bytes(_ range: ClosedRange<Int>, example: String) -> Kind {
    Kind(
      expects: "a size from \(sizeText(range.lowerBound)) to \(sizeText(range.upperBound)), such as \(example)",
      parse: { text, _ in quantity(text, sizeUnits).flatMap { range.contains($0) ? $0 : nil } }, show: sizeText)
  }
}

extension Kind<Duration> {
  package static func duration(_ range: ClosedRange<Duration>, example: String) -> Kind {
    Kind(
      expects:
        "a duration from \(durationText(range.lowerBound)) to \(durationText(range.upperBound)), such as \(example)",
      parse: { text, _ in
        quantity(text, durationUnits).map { .milliseconds($0) }.flatMap { range.contains($0) ? $0 : nil }
      }, show: durationText)
  }
}

extension Kind<Duration> {
  /// Time after midnight, in whole minutes.
  package static let timeOfDay = Kind(
    expects: "a time of day such as 03:30",
    parse: { text, _ in
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = wholeNumber(String(parts[0])),
        (0...23).contains(hour)
      else { return nil }
      guard let minute = wholeNumber(String(parts[1])), (0...59).contains(minute) else { return nil }
      return .seconds(hour * 3600 + minute * 60)
    },
    show: { time in
      let minutes = Int(time.components.seconds) / 60
      return "\(minutes / 600)\(minutes / 60 % 10):\(minutes % 60 / 10)\(minutes % 10)"
    })
}

extension Kind<[Duration]> {
  /// Kind of a list of up to `limit` times of day, ascending and unique, separated by blanks; `none` for an empty list.
  package static func timesOfDay(atMost limit: Int) -> Kind {
    let one = Kind<Duration>.timeOfDay
    return Kind(
      expects: "none, or up to \(limit) times of day such as 07:00 19:00",
      words: ["none"],
      parse: { text, folder in
        if text == "none" { return [] }
        let parts = text.split(separator: " ")
        let times = parts.compactMap { one.parse(String($0), folder) }
        return parts.isEmpty || parts.count > limit || times.count < parts.count ? nil : Set(times).sorted()
      }, show: { $0.isEmpty ? "none" : $0.map(one.show).joined(separator: " ") })
  }
}

extension Kind<String> {
  /// Name of 1 to 63 letters, digits, `-`, `_` or `.`, starting with a letter or digit. Valid as a host name, a file
  /// name and a table column.
  package static let name = Kind(
    expects: "a name of 1 to 63 letters, digits, '-', '_' or '.'", parse: { text, _ in isPlainName(text) ? text : nil },
    show: { $0 })

  /// Group name as `groupadd` allows it: 1 to 32 of `a-z 0-9 _ -`, starting with a letter or `_`.
  package static let group = Kind(
    expects: "a group's name of 1 to 32 of a-z, 0-9, '_' or '-'",
    parse: { text, _ in
      let isPlain = text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D
      }
      guard isPlain, text.utf8.count <= 32, let first = text.utf8.first, (0x61...0x7A).contains(first) || first == 0x5F
      else { return nil }
      return text
    }, show: { $0 })

  /// Path of at most `limit` bytes; a relative one starts at the folder of its configuration file.
  package static func path(limit: Int) -> Kind {
    Kind(
      expects: "a path of at most \(limit) bytes",
      parse: { text, folder in
        let path = resolve(text, in: folder)
        return path.isEmpty || path.utf8.count > limit || path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
          ? nil : path
      }, show: { $0 })
  }
}

// MARK: - Text and quantities

package func isPlainName(_ text: String) -> Bool {
  func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
  guard let first = text.utf8.first, isLetterOrDigit(first), text.utf8.count <= 63 else { return false }
  return text.utf8.allSatisfy {
    isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
  }
}

package func resolve(_ path: String, in folder: String) -> String {
  path.isEmpty || path.hasPrefix("/") ? path : folder.hasSuffix("/") ? folder + path : folder + "/" + path
}

/// Parses digits with an optional minus sign; no plus, no spaces, no other base.
package func wholeNumber(_ text: String) -> Int? {
  let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
  if digits.isEmpty || !digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return nil }
  return Int(text)
}

private typealias Unit = (name: String, size: Int)
/// Factors in milliseconds. Ordered by size for `show`.
private let durationUnits: [Unit] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
private let sizeUnits: [Unit] = [
  ("B", 1), ("KB", 1000), ("KiB", 1 << 10), ("MB", 1_000_000), ("MiB", 1 << 20), ("GB", 1_000_000_000),
  ("GiB", 1 << 30),
]

/// Parses digits directly followed by one of the units.
private func quantity(_ text: String, _ units: [Unit]) -> Int? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  let name = text.dropFirst(digits.count)
  guard let count = Int(digits), let unit = units.first(where: { $0.name == name }) else { return nil }
  let (product, overflow) = count.multipliedReportingOverflow(by: unit.size)
  return overflow ? nil : product
}

private func text(_ value: Int, _ units: [Unit]) -> String {
  let unit = units.last { value % $0.size == 0 && value != 0 } ?? units[0]
  return "\(value / unit.size)\(unit.name)"
}

/// `15m`, `450ms`: the largest unit without a remainder.
package func durationText(_ value: Duration) -> String {
  let (seconds, attoseconds) = value.components
  return text(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000), durationUnits)
}

/// `1500MB`, `4KiB`: the largest unit without a remainder.
package func sizeText(_ value: Int) -> String { text(value, sizeUnits) }
