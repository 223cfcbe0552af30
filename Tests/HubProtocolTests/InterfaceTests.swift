import Foundation
import Testing

@testable import HubProtocol

private let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
  "../../Sources/HubProtocol")

private func text(_ name: String) throws -> String {
  try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
}

@Suite("The interface and what is made of it")
struct InterfaceTests {
  @Test("the text that the daemon hands out is the file")
  func embedded() throws {
    #expect(try InterfaceText.hub == text("io.hearth.Hub.varlink"))
    #expect(try InterfaceText.service == text("org.varlink.service.varlink"))
    #expect(InterfaceText.hub.contains("\ninterface \(InterfaceText.name)\n"))
  }

  @Test("the committed Swift is what the generator makes of the interface")
  func upToDate() throws {
    let generator = Process()
    generator.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    generator.arguments = ["python3", sources.appendingPathComponent("generate").path, "--check"]
    let complaint = Pipe()
    generator.standardError = complaint
    try generator.run()
    let said = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    generator.waitUntilExit()
    #expect(generator.terminationStatus == 0, "\(said)")
  }

  @Test("a document has the members of its type, in their order, and comes back as it was")
  func members() throws {
    let light = LightsDocument.Light(lamp: "HUB", colour: "green", pattern: "on", timing: "on", meaning: "it serves")
    let lights = LightsDocument(language: "gym", lights: [light])
    let json = JSON(encoding: lights)
    #expect(
      String(decoding: json.compact, as: UTF8.self)
        == #"{"schema":"io.hearth.lights/1","language":"gym","lights":[{"lamp":"HUB","colour":"green","pattern":"on","timing":"on","#
        + #""meaning":"it serves","code":null,"sentence":null,"next":null,"over":null}],"night":null}"#)
    #expect(try json.decoded(LightsDocument.self) == lights)
  }

  @Test("a member that is not of this version is passed over, one that is missing is named")
  func versions() throws {
    let newer = try JSON.parse(Array(#"{"key":"a","value":"b","origin":"default","since":"2027"}"#.utf8))
    #expect(try newer.decoded(SettingDocument.self) == SettingDocument(key: "a", value: "b", origin: "default"))
    #expect(throws: JSONMismatch(path: "origin", expected: "a value")) {
      try (["key": "a", "value": "b"] as JSON).decoded(SettingDocument.self)
    }
  }

  @Test("a peek keeps every digit of its samples")
  func peek() throws {
    let line =
      #"{"schema":"io.hearth.peek/1","device":"a","series":"rr_interval","unit":"ms","layout":"scalar","samples":[{"value":923.8281250}]}"#
    let document = try JSON.parse(Array(line.utf8)).decoded(PeekDocument.self)
    #expect(String(decoding: JSON(encoding: document).compact, as: UTF8.self) == line)
  }
}
