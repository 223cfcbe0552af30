// A reader of observations of the Generic Health Sensor Service, from the dossier's layout, for tests alone.

import Bluetooth
import StrapTwin

enum ObservationReader {
  private struct TooShort: Error {}

  /// Wholes of segments: a gap in the counter drops the whole, a new first segment what was not finished.
  static func wholes(_ segments: [[UInt8]]) -> [[UInt8]] {
    var wholes: [[UInt8]] = []
    var open: [UInt8]?
    var last: UInt8 = 0
    for segment in segments {
      guard let head = segment.first else { continue }
      if head & 1 != 0 {
        open = []
      } else if head >> 2 != (last + 1) & 0x3F {
        open = nil
      }
      last = head >> 2
      open?.append(contentsOf: segment.dropFirst())
      guard head & 2 != 0, let whole = open else { continue }
      wholes.append(whole)
      open = nil
    }
    return wholes
  }

  /// The numbers of an observation; nil: it is incomplete. Empty for an observation that its sensor calls invalid.
  static func numbers(_ whole: [UInt8], isStored: Bool) -> [Double]? {
    var rest = whole[...]
    do {
      if isStored { _ = try take(4, &rest) }
      let numbers = try observation(&rest)
      return rest.isEmpty ? numbers : nil
    } catch { return nil }
  }

  private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw TooShort() }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private static func unsigned(_ size: Int, _ rest: inout ArraySlice<UInt8>) throws -> Int {
    try take(size, &rest).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func float(_ rest: inout ArraySlice<UInt8>) throws -> Double {
    let raw = try unsigned(4, &rest)
    let mantissa = raw & 0x80_0000 == 0 ? raw & 0xFF_FFFF : (raw & 0xFF_FFFF) - 0x100_0000
    var value = Double(mantissa)
    let exponent = Int(Int8(truncatingIfNeeded: raw >> 24))
    for _ in 0..<abs(exponent) { value = exponent < 0 ? value / 10 : value * 10 }
    return value
  }

  private static func observation(_ rest: inout ArraySlice<UInt8>) throws -> [Double] {
    let kind = try unsigned(1, &rest)
    let length = try unsigned(2, &rest)
    var body = try take(length, &rest)
    let flags = try unsigned(2, &body)
    for (bit, size) in [(0, 4), (1, 9), (2, 4)] where flags & 1 << bit != 0 { _ = try take(size, &body) }
    let isInvalid = flags & 8 != 0 ? try unsigned(2, &body) & 1 != 0 : false
    for (bit, size) in [(4, 4), (5, 1)] where flags & 1 << bit != 0 { _ = try take(size, &body) }
    for bit in 6...8 where flags & 1 << bit != 0 { _ = try take(unsigned(1, &body) * 4, &body) }
    if flags & 1 << 9 != 0 {
      for _ in 0..<(try unsigned(1, &body)) {
        _ = try take(4, &body)
        _ = try take(unsigned(2, &body) + 1, &body)
      }
    }
    let numbers = try value(kind, &body)
    guard body.isEmpty || ![1, 4, 7, 0xFF].contains(kind) else { throw TooShort() }
    return isInvalid ? [] : numbers
  }

  private static func value(_ kind: Int, _ body: inout ArraySlice<UInt8>) throws -> [Double] {
    var numbers: [Double] = []
    switch kind {
    case 1:
      _ = try take(2, &body)
      numbers.append(try float(&body))
    case 4:
      _ = try take(2, &body)
      let (scale, offset) = (try float(&body), try float(&body))
      _ = try take(6, &body)
      for _ in 0..<(try unsigned(4, &body)) {
        let sample = Int16(truncatingIfNeeded: try unsigned(2, &body))
        numbers.append(Double(sample) * scale + offset)
      }
    case 7:
      for _ in 0..<(try unsigned(1, &body)) {
        _ = try take(6, &body)
        numbers.append(try float(&body))
      }
    case 0xFF:
      for _ in 0..<(try unsigned(1, &body)) { numbers += try observation(&body) }
    default: break
    }
    return numbers
  }
}
