import Foundation
import Testing

@testable import HubProtocol

@Suite("JSON")
struct JSONTests {
  @Test(
    "values are read, and written back the same",
    arguments: [
      "null", "true", "false", "0", "-7", "9223372036854775807", "-9223372036854775808", "923.828125", "1e5", "-0.5E-3",
      "18446744073709551616",
      #""""#, #""a\"b\\c\nd""#, #""ä€😀""#, "[]", "{}", "[1,[2,[3]]]", #"{"b":1,"a":{"c":null}}"#,
    ])
  func roundTrip(text: String) throws {
    let value = try JSON.parse(Array(text.utf8))
    #expect(String(decoding: value.compact, as: UTF8.self) == text)
    #expect(try JSON.parse(Array(value.pretty.utf8)) == value)
  }

  @Test("escapes are understood, surrogate pairs included")
  func escapes() throws {
    #expect(try JSON.parse(Array(#" "\u0041\u00e4\ud83d\ude00\/\b\f" "#.utf8)) == .string("Aä😀/\u{8}\u{C}"))
  }

  @Test("text that could drive a terminal is written as escapes")
  func terminal() {
    let text = String(decoding: JSON.string("a\u{1B}[31m\u{9B}\u{202E}\u{7F}\0z").compact, as: UTF8.self)
    #expect(text == #""a\u001b[31m\u009b\u202e\u007f\u0000z""#)
  }

  @Test(
    "what is not JSON is refused at its first wrong byte",
    arguments: [
      ("", 0, "a value is missing"), (" ", 1, "a value is missing"), ("nul", 0, "not a value"),
      ("True", 0, "not a value"), ("+1", 0, "not a value"),
      ("01", 1, "something follows the value"), ("1.", 2, "a digit is missing"), ("1e", 2, "a digit is missing"),
      ("-", 1, "not a value"),
      ("NaN", 0, "not a value"), ("[1,]", 3, "not a value"), ("[1 2]", 3, "',' or ']' is missing"),
      ("[", 1, "a value is missing"),
      ("{", 1, "a key is missing"), (#"{"a"}"#, 4, "':' is missing"), (#"{"a":1,}"#, 7, "a key is missing"),
      (#"{"a":1,"a":2}"#, 10, "a key is given twice"),
      ("{a:1}", 1, "a key is missing"), (#""abc"#, 4, "a string has no end"),
      ("\"a\nb\"", 2, "a control character in a string"),
      (#""\x""#, 3, "an unknown escape"), (#""\u12""#, 5, "four hexadecimal digits are missing"),
      (#""\ud83d""#, 7, "half a surrogate pair"),
      (#""\ude00""#, 7, "half a surrogate pair"), (#""\ud83dA""#, 7, "half a surrogate pair"),
      ("1 2", 2, "something follows the value"),
      ("\u{FEFF}1", 0, "not a value"),
    ])
  func refused(text: String, offset: Int, problem: String) {
    #expect(throws: JSONError(offset: offset, problem: problem)) { try JSON.parse(Array(text.utf8)) }
  }

  @Test("bytes that are not UTF-8 are refused")
  func notUTF8() {
    #expect(throws: JSONError(offset: 4, problem: "a string that is not UTF-8")) {
      try JSON.parse([0x22, 0xC3, 0x28, 0x22])
    }
  }

  @Test("sixteen levels are read, the seventeenth is refused, and a million is refused as fast")
  func depth() throws {
    _ = try JSON.parse(Array((String(repeating: "[", count: 16) + String(repeating: "]", count: 16)).utf8))
    #expect(throws: JSONError(offset: 16, problem: "nested deeper than 16")) {
      try JSON.parse(Array(repeating: UInt8(ascii: "["), count: 1_000_000))
    }
    let objects = Array(String(repeating: #"{"a":"#, count: 1000).utf8)
    #expect(throws: JSONError(offset: 80, problem: "nested deeper than 16")) { try JSON.parse(objects) }
  }

  @Test("random damage never traps, and agrees with Foundation on what is accepted")
  func damaged() throws {
    let good = Array(
      #"{"method":"io.hearth.Hub.Live","parameters":{"name":"strap\u0041-01","n":[1,-2.5e3,true,null]},"more":true}"#
        .utf8)
    var generator = SystemRandomNumberGenerator()
    var accepted = 0
    for _ in 0..<5000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      guard let value = try? JSON.parse(bytes) else { continue }
      accepted += 1
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) }
      #expect(try JSON.parse(value.compact) == value)
    }
    #expect(accepted > 100)
  }

  private struct Sample: Codable, Equatable {
    struct Inner: Codable, Equatable { var deepName: String? }
    enum Word: String, Codable { case one, two }
    var lastSeen: String?
    var count: Int
    var large: UInt64
    var ratio: Double
    var isOn: Bool
    var word: Word
    var inner: Inner
    var list: [Inner]
    var counters: Counters
  }

  @Test("documents keep the order of their members, say null for what is unknown, and come back as they were")
  func codable() throws {
    let sample = Sample(
      lastSeen: nil, count: -3, large: .max, ratio: 0.25, isOn: true, word: .two, inner: .init(deepName: "x"),
      list: [.init(deepName: nil)],
      counters: Counters([("zebra", 1), ("apple", 2)]))
    let json = JSON(encoding: sample)
    #expect(
      String(decoding: json.compact, as: UTF8.self)
        == #"{"last_seen":null,"count":-3,"large":18446744073709551615,"ratio":0.25,"is_on":true,"word":"two","inner":{"deep_name":"x"},"#
        + #""list":[{"deep_name":null}],"counters":{"zebra":1,"apple":2}}"#)
    #expect(try json.decoded(Sample.self) == sample)
  }

  @Test("a document that does not fit says where")
  func mismatch() throws {
    let json = try JSON.parse(
      Array(
        #"{"count":1,"large":1,"ratio":1,"is_on":true,"word":"two","inner":{},"list":[{"deep_name":7}],"counters":{}}"#
          .utf8))
    #expect(throws: JSONMismatch(path: "list.0.deep_name", expected: "String")) { try json.decoded(Sample.self) }
    #expect(throws: JSONMismatch(path: "count", expected: "a value")) {
      try (["ratio": 1] as JSON).decoded(Sample.self)
    }
    #expect(throws: JSONMismatch(path: "", expected: "an object")) { try JSON.null.decoded(Sample.self) }
  }
}
