import PolarMessages
import Testing

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Files that are read, changed in one place and written whole")
struct WireFieldTests {
  private func bytes(_ text: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text.split(separator: " ").joined()))
  }

  @Test("a changed field leaves every other byte in place: unknown ones, groups, odd encodings, and their order")
  func inPlace() throws {
    // Field 9 before field 3, a varint with a byte too many, a group with a group in it, a fixed number.
    let before = try bytes("4A 02 41 42  18 8500  2B 08 01 33 34 2C  3D 00000000  C2 0C 03 6E6577")
    var fields = try WireFields(before)
    #expect(fields.bytes == before && fields.numbers == [9, 3, 5, 7, 200])
    #expect(try fields.number(3) == 5 && fields.halfWord(7) == 0)
    fields.set(3, number: 300)
    #expect(try fields.bytes == bytes("4A 02 41 42  18 AC02  2B 08 01 33 34 2C  3D 00000000  C2 0C 03 6E6577"))
    fields.set(8, number: 1)
    #expect(fields.numbers == [8, 9, 3, 5, 7, 200], "before the first with a greater number")
    fields.clear(8)
    #expect(fields.raw(5) == [0x2B, 0x08, 0x01, 0x33, 0x34, 0x2C] && !fields.has(8))
  }

  @Test(
    """
    of a number that stands there twice the last one counts, and one is left when it is changed; of messages both \
    together
    """
  )
  func twice() throws {
    var fields = try WireFields(bytes("18 05  0A 02 08 01  18 06  0A 02 10 02"))
    #expect(try fields.number(3) == 6)
    let message = try #require(try fields.message(1))
    #expect(try message.number(1) == 1 && message.number(2) == 2)
    fields.set(3, number: 7)
    fields.set(1, message: message)
    #expect(try fields.bytes == bytes("18 07 0A 04 08 01 10 02"))
    #expect(throws: MalformedMessage()) { _ = try fields.number(1) }
    #expect(throws: MalformedMessage()) { _ = try fields.message(3) }
  }

  @Test(
    "what is cut, has no number or does not end is refused",
    arguments: ["18", "0A 05 01", "00 01", "2B 08 01", "2C", "0F", "FFFFFFFFFFFFFFFFFFFF01 00", "3D 00"])
  func malformed(_ text: String) throws {
    let bytes = try bytes(text)
    #expect(throws: MalformedMessage()) { _ = try WireFields(bytes) }
  }
}
