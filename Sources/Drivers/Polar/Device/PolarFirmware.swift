// Firmware versions, ordered by release.

extension Polar {
  /// A version such as `2.0.8`: numbers between dots. The first difference decides; without one, the version with more
  /// numbers is newer.
  public struct FirmwareVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Numbers between the dots.
    public let numbers: [UInt32]

    public var description: String { numbers.map { String($0) }.joined(separator: ".") }

    /// A version such as `FirmwareVersion(2, 0, 8)`.
    public init(_ numbers: UInt32...) { self.numbers = numbers }

    /// nil unless the text has one to eight numbers between dots. Blanks and zero bytes are ignored, as some wearables
    /// pad.
    public init?(_ text: some StringProtocol) {
      var numbers: [UInt32] = []
      let parts = text.split(separator: ".", maxSplits: 8, omittingEmptySubsequences: false)
      guard parts.count <= 8 else { return nil }
      for part in parts {
        let digits = String(part.filter { $0 != " " && $0 != "\0" })
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(digits)
        else { return nil }
        numbers.append(number)
      }
      self.numbers = numbers
    }

    public static func < (a: FirmwareVersion, b: FirmwareVersion) -> Bool {
      for (one, other) in zip(a.numbers, b.numbers) where one != other { return one < other }
      return a.numbers.count < b.numbers.count
    }
  }
}
