// Subset of CBOR that SMP needs: flat maps with text keys in requests, nested ones in replies.

import Bluetooth

/// Arguments of a request.
struct SMPArguments {
  var offset: Int?
  var name: String?
  var length: Int?
  var hasData = false

  /// Nil if the bytes are no map with text keys, of either form. Unknown keys are skipped.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = CBORReader(bytes)
    guard let pairs = reader.map() else { return nil }
    var left = pairs
    while left != 0 {
      if left < 0, reader.takeBreak() { break }
      guard let key = reader.text() else { return nil }
      switch key {
      case "off":
        guard let value = reader.unsigned() else { return nil }
        offset = value
      case "len":
        guard let value = reader.unsigned() else { return nil }
        length = value
      case "name":
        guard let value = reader.text() else { return nil }
        name = value
      default:
        if key == "data" { hasData = true }
        guard reader.skip() else { return nil }
      }
      left -= 1
      if left < -16 || left > 16 { return nil }
    }
  }
}

private struct CBORReader {
  private var bytes: ArraySlice<UInt8>
  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  private mutating func head() -> (major: UInt8, value: Int, isIndefinite: Bool)? {
    guard let first = bytes.popFirst() else { return nil }
    let major = first >> 5
    let low = first & 0x1F
    switch low {
    case 0..<24: return (major, Int(low), false)
    case 24, 25, 26, 27:
      var value: UInt64 = 0
      for _ in 0..<(1 << (low - 24)) {
        guard let next = bytes.popFirst() else { return nil }
        value = value << 8 | UInt64(next)
      }
      return Int(exactly: value).map { (major, $0, false) }
    case 31: return (major, 0, true)
    default: return nil
    }
  }

  /// Number of pairs of a definite map; -1 for an indefinite one.
  mutating func map() -> Int? {
    guard let head = head(), head.major == 5 else { return nil }
    return head.isIndefinite ? -1 : head.value <= 16 ? head.value : nil
  }

  mutating func takeBreak() -> Bool {
    guard bytes.first == 0xFF else { return false }
    bytes.removeFirst()
    return true
  }

  mutating func unsigned() -> Int? {
    guard let head = head(), head.major == 0, !head.isIndefinite else { return nil }
    return head.value
  }

  mutating func text() -> String? {
    guard let head = head(), head.major == 3, !head.isIndefinite, head.value <= bytes.count else { return nil }
    defer { bytes.removeFirst(head.value) }
    return String(decoding: bytes.prefix(head.value), as: UTF8.self)
  }

  mutating func skip() -> Bool {
    guard let head = head(), !head.isIndefinite else { return false }
    switch head.major {
    case 0, 1, 7: return true
    case 2, 3:
      guard head.value <= bytes.count else { return false }
      bytes.removeFirst(head.value)
      return true
    default: return false
    }
  }
}

/// Builder of a reply's body, with maps in the form of this firmware or of another.
struct CBORWriter {
  private(set) var bytes: [UInt8] = []
  private let isDefinite: Bool

  init(isDefinite: Bool) { self.isDefinite = isDefinite }

  mutating func map(_ pairs: Int, _ content: (inout CBORWriter) -> Void) {
    bytes.append(isDefinite ? 0xA0 | UInt8(pairs) : 0xBF)
    content(&self)
    if !isDefinite { bytes.append(0xFF) }
  }

  mutating func text(_ value: String) {
    head(3, value.utf8.count)
    bytes += Array(value.utf8)
  }

  mutating func unsigned(_ value: Int) { head(0, value) }

  mutating func data(_ value: ArraySlice<UInt8>) {
    head(2, value.count)
    bytes += value
  }

  private mutating func head(_ major: UInt8, _ value: Int) {
    let high = major << 5
    switch value {
    case ..<24: bytes.append(high | UInt8(max(0, value)))
    case ..<0x100: bytes += [high | 24, UInt8(value)]
    case ..<0x1_0000: bytes += [high | 25, UInt8(value >> 8), UInt8(value & 0xFF)]
    default: bytes += [high | 26] + (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
  }
}
