import Testing

@testable import EventLoop

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  @Test("bytes become two upper-case digits each, and come back from either case, with blanks between them or without")
  func bytes() {
    let all = Array(UInt8.min...UInt8.max)
    #expect([UInt8](hexadecimal: hexadecimal(all)) == all)
    #expect([UInt8](hexadecimal: hexadecimal(all).lowercased()) == all)
    #expect([UInt8](hexadecimal: hexadecimal(all, separator: " ")) == all)
    #expect(hexadecimal([0x00, 0x0F, 0xA9, 0xFF], separator: ":") == "00:0F:A9:FF")
    #expect(hexadecimal([]) == "" && [UInt8](hexadecimal: "") == [])
  }

  @Test(
    "invalid pairs of digits give nil",
    arguments: ["0", "0 0", "0g", "+1", "-1", "0x10", "00:01", "\u{FF11}\u{FF11}"])
  func noBytes(text: String) { #expect([UInt8](hexadecimal: text) == nil) }

  @Test("a number has as many digits as were asked for, and no sign")
  func numbers() {
    #expect(UInt64(hexadecimal: "fFfFfFfFfFfFfFfF", count: 16) == .max)
    #expect(UInt64(hexadecimal: "0a", count: 2) == 10)
    for text in ["+1", "-0", " 1", "1", "001", "0g", ""] {
      #expect(UInt64(hexadecimal: text, count: 2) == nil, "\(text)")
    }
    #expect(UInt64(hexadecimal: "", count: 0) == nil && UInt64(hexadecimal: "00000000000000000", count: 17) == nil)
  }
}
