import Foundation
import Testing

/// The targets of Package.swift with what they name as dependencies.
private func arrows() throws -> [String: [String]] {
  let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Package.swift")
  let text = try String(contentsOf: file, encoding: .utf8).replacing(/\/\/.*/, with: "")
  var arrows: [String: [String]] = [:]
  for match in text.matches(of: /(?:room|program)\(\s*"([\w-]+)"(?:\s*,\s*\[([^\]]*)\])?/) {
    arrows[String(match.1), default: []] += (match.2 ?? "").matches(of: /"([\w-]+)"/).map { String($0.1) }
  }
  for match in text.matches(of: /arget\(\s*name: "([\w-]+)"(?:\s*,\s*dependencies: \[([^\]]*)\])?/) {
    arrows[String(match.1), default: []] += (match.2 ?? "").matches(of: /"([\w-]+)"/).map { String($0.1) }
  }
  return arrows
}

private func below(_ name: String, _ arrows: [String: [String]]) -> Set<String> {
  var found: Set<String> = []
  var open = [name]
  while let next = open.popLast() {
    for target in arrows[next] ?? [] where found.insert(target).inserted { open.append(target) }
  }
  return found
}

@Suite("What stands on what")
struct ArrowTests {
  @Test("the command line stands on the interface and the store, on no hub, driver or radio")
  func commandLine() throws {
    let arrows = try arrows()
    // The comparison sees what it is to see.
    #expect(below("hearthd", arrows).isSuperset(of: ["Hub", "Control", "Drivers", "LinuxBluetooth", "CBluetooth"]))
    #expect(
      below("hearth", arrows).subtracting(["Export"]) == [
        "HubProtocol", "StoreDocuments", "RingStore", "Health", "Vitals", "Vault", "Configuration", "Drawing",
        "SettingsText", "Pseudonyms",
        "Bluetooth", "Custody", "Updates",
        "Lights",
        "EventLoop", "Reasons", "StateCodec", "JSONText", "CivilTime", "CLinux", "CLMDB", "CSodium", "CYAML", "CGPIO",
      ])
  }

  @Test("the interface stands on JSON and the reasons")
  func interface() throws {
    #expect(below("HubProtocol", try arrows()) == ["JSONText", "Reasons"])
  }
}
