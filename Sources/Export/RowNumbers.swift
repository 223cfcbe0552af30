// The numbers of a row as text: a JSON value, or one field of CSV.

internal import CivilTime
internal import Health
internal import JSONText

extension RowValue {
  /// Appends numbers as JSON; with a separator, as one row of numbers. Appends no text for a row that has only bytes.
  ///
  /// - Parameter series: gives the scale of the numbers.
  func append(_ series: Series?, separator: UInt8? = nil, to text: inout [UInt8]) {
    switch self {
    case .none: return
    case .number(let number): text.append(number, in: series)
    case .vector(let numbers): appendList(numbers, separator, to: &text) { $1.append($0, in: series) }
    case .stored(let numbers): appendList(numbers, separator, to: &text) { $1.append(number: $0) }
    case .samples(let samples):
      appendList(0..<samples.count, separator, to: &text) { sample, text in
        if samples.components == 1 { return text.append(samples.number(sample, 0), in: series) }
        appendList(0..<samples.components, separator, to: &text) { component, text in
          text.append(samples.number(sample, component), in: series)
        }
      }
    case .foreign(let json):
      if separator == nil { text += json.compact } else { text.append(csv: json) }
    }
  }

  private func appendList<Items: Collection>(
    _ items: Items, _ separator: UInt8?, to text: inout [UInt8], _ body: (Items.Element, inout [UInt8]) -> Void
  ) {
    if separator == nil { text.append(UInt8(ascii: "[")) }
    var isFirst = true
    for item in items {
      if !isFirst { text.append(separator ?? UInt8(ascii: ",")) }
      isFirst = false
      body(item, &text)
    }
    if separator == nil { text.append(UInt8(ascii: "]")) }
  }
}

extension Array where Element == UInt8 {
  @inline(__always)
  fileprivate mutating func append(_ number: Int64, in series: Series?) {
    if let series { series.append(number, to: &self) } else { append(number: number) }
  }

  /// A list as its items with `;` between.
  fileprivate mutating func append(csv value: JSON) {
    switch value {
    case .string(let text): append(csv: text)
    case .integer(let number): append(number: number)
    case .decimal(let number): append(contentsOf: number.utf8)
    case .bool(let truth): append(contentsOf: (truth ? "true" : "false").utf8)
    case .array(let items):
      for (place, item) in items.enumerated() {
        if place > 0 { append(UInt8(ascii: ";")) }
        append(csv: item)
      }
    case .null, .object: break
    }
  }
}
