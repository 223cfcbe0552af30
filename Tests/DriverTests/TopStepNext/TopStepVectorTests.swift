import EventLoop
import Foundation
import StateCodec
import Testing
import TopStepMessages

@testable import DriverTestSupport
@testable import TopStepNextFamily

@Suite("The vectors of the new platform")
struct TopStepVectorTests {
  @Test("are there, each with its own id")
  func vectorsAreThere() throws {
    let own = try TopStepVectors.load(in: TopStepVectors.ownFolder)
    #expect(own.count >= 20 && Set(own.map(\.id)).count == own.count)
    #expect(Set(TopStepVectors.all.map(\.id)).count == TopStepVectors.all.count)
    print("vectors of the new platform from \(TopStepVectors.folder.path): \(TopStepVectors.all.count)")
  }

  @Test("are what the driver makes of them", arguments: TopStepVectors.all)
  func vector(_ vector: TopStepVector) throws {
    guard let pieces = vector.pieces else { return Self.notCovered("vectors without bytes") }
    var assembler = FrameAssembler()
    let events = pieces.flatMap { assembler.take($0) }
    switch vector.kind {
    case "both", "valid", "decode", "encode":
      guard case .frame(let frame)? = events.first, events.count == 1, assembler.isEmpty else {
        return #expect(Bool(false), "\(events)")
      }
      try compare(frame, vector)
      if vector.kind != "valid" { try back(frame, Array(pieces.joined()), vector) }
    case "reject": rejected(events, assembler, vector)
    case "incomplete":
      #expect(events == [] && !assembler.isEmpty)
      #expect(throws: TopStepDefect.incomplete) { try TopStepFrame(Array(pieces.joined())) }
    case "crc":
      guard case .number(let crc)? = vector.expect?["crc"] else {
        return Self.notCovered("checksums that are not said")
      }
      #expect(Double(CRC16ARC.of(pieces.joined())) == crc)
    default: Self.notCovered("kind \(vector.kind)")
    }
  }

  private static func notCovered(_ part: String) { Attempts.notCovered("newplatform", part) }

  /// Fields in which vectors have words for numbers.
  private static let spelled: Set<String> = ["meaning", "result", "type"]

  /// What the frame and its message are said to have.
  private func compare(_ frame: TopStepFrame, _ vector: TopStepVector) throws {
    let expect = vector.expect ?? [:]
    let own: [String: JSON] = [
      "cmd": .integer(frame.topic.command), "key": .integer(frame.topic.key), "flags": .integer(frame.flags),
      "seq": .integer(frame.sequence), "payload": .string(hexadecimal(frame.payload).uppercased()),
    ]
    for (name, value) in own { if let stated = expect[name] { #expect(value.matches(stated), "\(name)") } }
    for name in expect.keys where own[name] == nil && name != "message" { Self.notCovered("field \(name)") }
    guard case .object(let stated)? = expect["message"] else { return }
    let message = try TopStepDecoding.fields(of: frame, stated)
    for (name, value) in stated {
      guard let found = message[name] else {
        Self.notCovered("field \(name) of \(frame.topic)")
        continue
      }
      if case .string(let word) = value, Self.spelled.contains(name), !TopStepDecoding.words.contains(word) {
        // A word of the vectors' own for a number that is compared beside it.
        Self.notCovered("word \(word) for \(name)")
        continue
      }
      #expect(found.covers(value), "\(name): \(found), stated \(value)")
    }
  }

  /// The way back. Encodings are canonical: fields in ascending order, what is the default left out.
  private func back(_ frame: TopStepFrame, _ bytes: [UInt8], _ vector: TopStepVector) throws {
    #expect(frame.bytes == bytes)
    guard case .object(let stated)? = vector.expect?["message"] else { return }
    #expect(try TopStepDecoding.written(frame, stated) == frame.payload)
  }

  private func rejected(_ events: [FrameAssembler.Event], _ assembler: FrameAssembler, _ vector: TopStepVector) {
    let defects = events.compactMap { if case .refused(let defect) = $0 { defect } else { nil } }
    #expect(!events.contains { if case .frame = $0 { true } else { false } })
    guard let first = defects.first else {
      // A message that claims more than it has is waited for, and given up in time.
      return #expect(!assembler.isEmpty, "nothing is wrong with it")
    }
    switch vector.error {
    case "crc": #expect(first == .crc)
    case "magic", "start": #expect(first == .magic)
    case "length": if case .length = first {} else { #expect(Bool(false), "\(first)") }
    case "command": if case .command = first {} else { #expect(Bool(false), "\(first)") }
    case "fragment", "fragmented", "fragments": #expect(first.isFragment)
    case let other: Self.notCovered("error \(other ?? ""), here \(first)")
    }
  }
}
