// The number on the back of a Polar wearable: eight hexadecimal digits, the last of which is a checksum.

extension Polar {
  /// A complete device id with a valid checksum.
  ///
  /// Older names have the id without its checksum (seven digits) or without its last two digits (six); both are
  /// completed. Any other length, or a wrong checksum, is not an id.
  public struct DeviceID: Sendable, Hashable, CustomStringConvertible {
    /// The id as a number, constant for the life of the wearable. H9 and H10 change their address.
    public let number: UInt32

    /// Eight digits in upper case.
    public var description: String { Self.digits(number, count: 8) }

    /// nil unless the text, completed, is a valid id. Digits may be of either case.
    public init?(_ text: some StringProtocol) {
      let whole = Self.completed(text)
      guard Self.isValid(whole), let number = Self.number(whole) else { return nil }
      self.number = number
    }

    /// The checksum digit: 3·(a2+a4+a6+a8) + a3+a5+a7, modulo 16, of the nibbles a2 (the lowest but for the checksum)
    /// to a8.
    ///
    /// - Parameter width: how many digits `number` has: 8 with the checksum in its place, 7 without it, 6 if a2 is
    ///   missing too and is 1. Other widths are treated like 8.
    public static func checksum(of number: UInt32, width: Int) -> UInt8 {
      let rest: UInt32 =
        switch width {
        case 6: number << 4 | 1
        case 7: number
        default: number >> 4
        }
      var sum: UInt32 = 0
      for place in 0..<7 {
        let nibble = rest >> (4 * UInt32(place)) & 0xF
        sum += place % 2 == 0 ? 3 * nibble : nibble
      }
      return UInt8(sum % 16)
    }

    /// Completes six or seven digits; texts of other lengths are returned unchanged. Empty if six or seven characters
    /// are not a number.
    public static func completed(_ text: some StringProtocol) -> String {
      let width = text.utf8.count
      guard width == 6 || width == 7 else { return String(text) }
      guard let number = number(text) else { return "" }
      return String(text) + (width == 6 ? "1" : "") + digits(UInt32(checksum(of: number, width: width)), count: 1)
    }

    /// Whether the text has eight hexadecimal digits, the last of which is the checksum of the others.
    public static func isValid(_ text: some StringProtocol) -> Bool {
      guard text.utf8.count == 8, let number = number(text) else { return false }
      return checksum(of: number, width: 8) == number & 0xF
    }

    /// The number of one to eight hexadecimal digits; nil for any other text.
    public static func number(_ text: some StringProtocol) -> UInt32? {
      guard (1...8).contains(text.utf8.count) else { return nil }
      var number: UInt32 = 0
      for byte in text.utf8 {
        // The standard library's parser would accept a sign.
        guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
        number = number << 4 | UInt32(digit)
      }
      return number
    }

    private static func digits(_ number: UInt32, count: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
  }
}
