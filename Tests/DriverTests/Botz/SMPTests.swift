import Bluetooth
import Testing

@testable import BotzFamily
@testable import DriverTestSupport

@Suite("The management protocol of the insole")
struct SMPTests {
  private func read(_ text: String) throws(CBORDefect) -> CBOR {
    let bytes: [UInt8] = Array(hexadecimal: text) ?? []
    return try bytes.withUnsafeBytes { bytes in Result { () throws(CBORDefect) in try CBORReader.read(bytes) } }.get()
  }

  @Test("reads the examples of RFC 8949, appendix A, that it knows")
  func appendixA() throws {
    let examples: [(String, CBOR)] = [
      ("00", .unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)), ("1903e8", .unsigned(1000)),
      ("1a000f4240", .unsigned(1_000_000)),
      ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)), ("3903e7", .negative(999)),
      ("3bffffffffffffffff", .negative(.max)),
      ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .other), ("f7", .other), ("f0", .other), ("f8ff", .other),
      ("f93c00", .other),
      ("fb3ff199999999999a", .other), ("c11a514b67b0", .unsigned(1_363_896_240)), ("40", .bytes([])),
      ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")),
      ("62c3bc", .text("ü")), ("80", .array([])), ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
      ("a0", .map([])),
      ("a26161016162820203", .map(["a": .unsigned(1), "b": .array([.unsigned(2), .unsigned(3)])])),
      ("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])),
      ("7f657374726561646d696e67ff", .text("streaming")), ("9fff", .array([])),
      ("bf61610161629f0203ffff", .map(["a": .unsigned(1), "b": .array([.unsigned(2), .unsigned(3)])])),
    ]
    for (text, value) in examples {
      #expect(try read(text) == value, "\(text)")
      if value != .other {
        #expect(try value.encode(indefinite: true).withUnsafeBytes { try CBORReader.read($0) } == value)
      }
    }
  }

  @Test("refuses what is cut, nested, endless or followed by something")
  func defects() {
    for (text, defect) in [
      ("", CBORDefect.truncated), ("18", .truncated), ("4401", .truncated), ("bf6161", .truncated),
      ("5b7fffffffffffffff00", .truncated),
      ("5bffffffffffffffff00", .truncated), ("9bffffffffffffffff", .tooMany), ("ba00010000", .tooMany),
      ("1c", .malformed), ("ff", .malformed), ("1f", .malformed),
      ("5f00ff", .malformed), ("61ff", .malformed), ("df00", .malformed), ("0000", .trailing),
      (String(repeating: "81", count: 40) + "00", .tooDeep),
      (String(repeating: "c1", count: 40) + "00", .tooDeep),
      ("9f" + String(repeating: "00", count: 500) + "ff", .tooMany),
      ("5f" + String(repeating: "40", count: 500) + "ff", .tooMany),
    ] {
      #expect(throws: defect, "\(text)") { try read(text) }
    }
  }

  @Test("takes keys in any order, and the first of two equal ones")
  func keys() throws {
    let good = try #require(
      FileManagement.Chunk(try read("bf636c656e0364646174614200ff636f66660169736f6d657468696e679f01ff636f666607ff")))
    #expect(good == FileManagement.Chunk(offset: 1, data: [0, 0xFF], total: 3))
  }

  @Test("has failures in the words of both versions, and no failure if the code is 0")
  func failures() throws {
    for failure in [FileManagement.Failure.notFound, .busy, .notSupported, .file(7), .general(7)] {
      #expect(FileManagement.Failure(failure.payload(version: 1)) == failure)
      #expect(!failure.text.isEmpty)
    }
    #expect(FileManagement.Failure(FileManagement.Failure.notFound.payload(version: 0)) == .notFound)
    #expect(FileManagement.Failure(FileManagement.Failure.file(6).payload(version: 0)) == .general(1))
    #expect(FileManagement.Failure(.map(["rc": .unsigned(0)])) == nil)
    #expect(FileManagement.Failure(.map(["err": .map(["group": .unsigned(8), "rc": .unsigned(0)])])) == nil)
    #expect(FileManagement.Failure(.map(["err": .other])) == .general(1))
    #expect(FileManagement.Failure(.map(["rc": .text("no")])) == .general(1))
    #expect(FileManagement.Failure(nil) == nil)
  }

  @Test("puts a frame together from pieces of any size, and notices what is too much")
  func reassembly() throws {
    let frame = SMPFrame(
      SMPHeader(.readReply, group: 8, sequence: 7, command: 0),
      FileManagement.Chunk(offset: 0, data: [UInt8](0...200), total: 201).payload
    ).encode(indefinite: true)
    for size in [8, 20, 118, 300] {
      var reassembler = SMPReassembler()
      let outcomes = PocketInsole.pieces(frame, size).map { reassembler.take($0) }
      #expect(outcomes.last == .whole(frame) && outcomes.dropLast().allSatisfy { $0 == .more } && reassembler.isEmpty)
    }
    var reassembler = SMPReassembler()
    #expect(reassembler.take([]) == .more)
    #expect(reassembler.take([9, 0]) == .defective("a frame without a header"))
    #expect(reassembler.take([9, 0, 0x10, 1, 0, 8, 1, 1]) == .defective("a frame that claims 4097 bytes"))
    #expect(reassembler.take([9, 0, 0, 1, 0, 8, 1, 1, 0xA0, 0]) == .defective("more bytes than the frame has"))
    #expect(reassembler.take([9, 0, 0, 9, 0, 8, 1, 1, 0xBF, 0, 0]) == .more && !reassembler.isBroken)
    #expect(reassembler.take([0]) == .more && reassembler.isBroken)
  }

  @Test("survives 200,000 random frames, and says the same of a frame after it was written again")
  func random() {
    var generator = SeededGenerator(seed: 0x534D_5021)
    var sound = 0
    for _ in 0..<200_000 {
      var bytes = generator.bytes()
      if bytes.count >= 8 {
        // A header that fits, so that the reader behind it is reached.
        (bytes[0], bytes[1], bytes[2], bytes[3]) = (
          9, 0, UInt8((bytes.count - 8) >> 8), UInt8((bytes.count - 8) & 0xFF)
        )
        if bytes.count > 9 { bytes[8] = [0xBF, 0xA1, 0xA2, 0x9F, 0x5F, 0x7F][Int(bytes[8]) % 6] }
      }
      guard let frame = bytes.withUnsafeBytes({ try? SMPFrame($0) }) else { continue }
      sound += 1
      let again = frame.encode().withUnsafeBytes { try? SMPFrame($0) }
      #expect(again?.payload == frame.payload)
      _ = FileManagement.Failure(frame.payload)
      _ = frame.payload.flatMap { FileManagement.Chunk($0) }
      _ = FileManagement.Request(frame)
    }
    #expect(sound > 1000)
  }
}
