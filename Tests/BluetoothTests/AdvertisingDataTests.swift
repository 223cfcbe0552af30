import Bluetooth
import Testing

private func parse(_ text: String) throws -> AdvertisingData {
  let bytes = try #require([UInt8](hexadecimal: text.filter { $0 != " " }))
  return bytes.withUnsafeBytes { AdvertisingData($0) }
}

private func clean(_ bytes: [UInt8]) -> String? { bytes.withUnsafeBytes { String(cleaning: $0) } }
private func clean(_ text: String) -> String? { clean(Array(text.utf8)) }

@Suite("Advertising data")
struct AdvertisingDataTests {
  @Test("everything a strap says is read")
  func strap() throws {
    let data = try parse("020106 03020D18 05030F180A18 020AF4 03194103 06FF6B00720812 0409 414243")
    #expect(data.flags == 6)
    #expect(data.services == [0x180D, 0x180F, 0x180A])
    #expect(data.txPower == -12)
    #expect(data.appearance == 0x0341)
    #expect(data.manufacturerData.map(\.company) == [0x006B])
    #expect(data.manufacturerData.first?.data == [0x72, 0x08, 0x12])
    #expect(data.name == "ABC")
    #expect(data.isNameComplete)
    #expect(data.overruns == 0 && data.malformed == 0 && data.dropped == 0)
  }

  @Test("types of 32 and 128 bits, and data of services of every width")
  func widths() throws {
    let data = try parse(
      """
      05050D180000 1107FB349B5F80000080001000000F180000 0416 0D18 01 0620 0F180000 02 1221 \
      FB349B5F80000080001000000A180000 03
      """
    )
    #expect(data.services == [0x180D, 0x180F])
    #expect(data.serviceData.map(\.service) == [0x180D, 0x180F, 0x180A])
    #expect(data.serviceData.map(\.data) == [[1], [2], [3]])
  }

  @Test("a length of zero ends the data, and a structure that overruns is counted and ignored")
  func ends() throws {
    let zero = try parse("020106 00 03020D18")
    #expect(zero.flags == 6 && zero.services.isEmpty && zero.overruns == 0)
    let overrun = try parse("020106 05020D18")
    #expect(overrun.flags == 6 && overrun.services.isEmpty && overrun.overruns == 1)
    #expect(try parse("FF").overruns == 1)
    #expect(try parse("") == AdvertisingData())
  }

  @Test("payloads that do not fit their type are counted and the rest is used")
  func malformed() throws {
    let data = try parse("0101 010A 021941 02FF01 0216 0D 04020D180F 0109 020106")
    #expect(data.malformed == 7)
    #expect(data.services == [0x180D])
    #expect(data.flags == 6)
    #expect(data.name == nil)
  }

  @Test("a complete name wins over a shortened one in either order, and the latest of a kind is kept")
  func names() throws {
    #expect(try parse("0308 4142 0409 414243").name == "ABC")
    #expect(try parse("0409 414243 0308 4142").name == "ABC")
    #expect(try parse("0308 4142 0308 4344").name == "CD")
    let short = try parse("0308 4142")
    #expect(short.name == "AB" && !short.isNameComplete)
  }

  @Test("a scan response adds to the advertisement, and repetition adds no more")
  func merge() throws {
    var data = try parse("020106 03020D18 04FF6B0001")
    let response = [UInt8](hexadecimal: "0409414243 03030F18 03020D18 04FF6B0002")
    try #require(response).withUnsafeBytes { data.merge($0) }
    #expect(data.flags == 6 && data.name == "ABC")
    #expect(data.services == [0x180D, 0x180F])
    #expect(data.manufacturerData.map(\.data) == [[2]])
    let once = data
    try #require(response).withUnsafeBytes { data.merge($0) }
    #expect(data == once)
  }

  @Test("an advertiser that names ever new things is bounded, and what was dropped is counted")
  func bounds() {
    var data = AdvertisingData()
    for number in 0..<1000 {
      let (low, high) = (UInt8(number & 0xFF), UInt8(number >> 8))
      let bytes: [UInt8] = [3, 0x02, low, high, 3, 0xFF, low, high, 3, 0x16, low, high]
      bytes.withUnsafeBytes { data.merge($0) }
    }
    #expect(data.services.count == 64)
    #expect(data.manufacturerData.count == 16 && data.serviceData.count == 16)
    #expect(data.dropped == 936 + 984 + 984)
  }
}

@Suite("Text from the air")
struct CleanedTextTests {
  @Test(
    "loses what could act on a terminal or a reader",
    arguments: [
      ("Polar H10 1234", "Polar H10 1234"),
      ("a\u{1}b\u{7}c\r\n\u{7F}", "abc"),
      ("BDM\u{0}\u{0}\u{0}", "BDM"),
      ("\u{0}BDM", "BDM"),
      ("\u{1B}[31mred\u{1B}[0m", "red"),
      ("\u{1B}]0;title\u{7}x", "x"),
      ("\u{1B}]0;title\u{1B}\\x", "x"),
      ("\u{9B}2Jx", "x"),
      ("\u{90}payload\u{9C}x", "x"),
      ("\u{1B}(0x", "x"),
      ("\u{202E}evil\u{2066}\u{200B}\u{FEFF}", "evil"),
      ("a\u{2028}b\u{85}c", "abc"),
      ("  a\u{A0}b\u{3000}", "a b"),
      ("Puls Größe 心拍 ❤️", "Puls Größe 心拍 ❤️"),
    ])
  func strips(_ text: String, _ expected: String) { #expect(clean(text) == expected) }

  @Test(
    "is nil when no printable character is left",
    arguments: ["", "\u{0}\u{0}", "\u{1B}", "\u{1B}[31m", "   ", "\u{9D}never ends"])
  func empty(_ text: String) { #expect(clean(text) == nil) }

  /// Firmware writes a name or a serial number into a buffer that held a longer one, and sends the whole buffer.
  @Test("ends at the first NUL, so what a longer text left behind it does not change the text")
  func leftOver() {
    #expect(clean("BT35,\u{0}BT4\u{0}") == "BT35,")
    #expect(clean("SN 1\u{0}7734\u{0}") == clean("SN 1\u{0}\u{0}\u{0}"))
    #expect(clean([0x53, 0x4E, 0x00, 0xFF, 0xE2, 0x1B]) == "SN")
  }

  @Test("broken UTF-8 is repaired, not believed")
  func repair() {
    #expect(clean([0x41, 0xFF, 0x42]) == "A\u{FFFD}B")
    #expect(clean([0x41, 0xC0, 0xAF]) == "A\u{FFFD}\u{FFFD}")
    #expect(clean([0x41, 0xE2, 0x82]) == "A\u{FFFD}")
    #expect(clean([0x41, 0xED, 0xA0, 0x80])?.hasPrefix("A\u{FFFD}") == true)
  }

  @Test("is cut between characters at 64 bytes")
  func cut() {
    #expect(clean([UInt8](repeating: 0x41, count: 512)) == String(repeating: "A", count: 64))
    #expect(clean(String(repeating: "é", count: 100)) == String(repeating: "é", count: 32))
    #expect(clean("x" + String(repeating: "心", count: 50)) == "x" + String(repeating: "心", count: 21))
    // A character of many scalars is cut inside, as there is no place between.
    let pile = "a" + String(repeating: "\u{301}", count: 100)
    #expect(clean(pile).map { $0.utf8.count <= 64 && $0.unicodeScalars.first == "a" } == true)
  }
}
