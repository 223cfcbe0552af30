// Stored form of a limit, of the hub's own alerts and of those of a wearable.

package import StateCodec

extension FieldWriter {
  /// Tags: 1 number of the limit (u8), 2 its value in the scale of its series (i64).
  package mutating func put(_ tag: UInt8, limit number: UInt8, _ value: Int64) {
    put(tag) { nested in
      nested.put(1, number)
      nested.put(2, value)
    }
  }
}

extension FieldReader {
  /// nil for a damaged one, which is refused.
  package mutating func readLimit() -> (number: UInt8, value: Int64)? {
    var nested = nested
    var number: UInt8?
    var value: Int64?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&number)
      case 2: nested.read(&value)
      default: break
      }
    }
    guard nested.isWhole, let number, let value else {
      refuse()
      return nil
    }
    return (number, value)
  }
}
