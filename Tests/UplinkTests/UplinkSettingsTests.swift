import Glibc
import JSONText
import Pseudonyms
import Reasons
import Testing

@testable import Uplink

struct UplinkSettingsTests {
  private func load(_ text: String) throws(HearthError) -> UplinkSettings {
    let path = "/tmp/uplink-\(getpid())-\(UInt64.random(in: 0 ... .max)).yaml"
    let bytes = Array(text.utf8)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
    defer { unlink(path) }
    return try UplinkSettings.load(path: path)
  }

  @Test func theFileOfAllKeysHasTheDefaults() throws {
    let path = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/config/uplink.yaml"
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var text = ""
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), file) != nil {
      text += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    // A key without a blank behind its mark is one; a remark has one.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let start = line.prefix { $0 == " " }
      let rest = line.dropFirst(start.count)
      return rest.hasPrefix("#") && !rest.hasPrefix("# ") && rest.count > 1
        ? String(start + rest.dropFirst()) : String(line)
    }
    let all = lines.joined(separator: "\n").replacing("address: none ", with: "address: broker ")
    var defaults = UplinkSettings()
    defaults.broker.places = [UplinkSettings.Place(host: "broker", port: nil)]
    #expect(try load(all) == defaults)
  }

  @Test func severalServersAreTakenInTheirOrder() throws {
    let settings = try load("broker:\n  address: a, b:1884,[::1]:99\ntls:\n  on: false\n")
    #expect(settings.places.map(\.host) == ["a", "b", "::1"])
    #expect(settings.places.map(\.port) == [1883, 1884, 99])
  }

  @Test(arguments: [
    "", "broker:\n  address: none\n", "broker:\n  address: 'a b'\n", "broker:\n  address: a:0\n",
    "broker:\n  address: a,\n",
    "broker:\n  address: a\nlimit: fast\n", "broker:\n  address: a\nnothing: 1\n",
    "broker:\n  address: a\ntls:\n  key: k\n", "broker:\n  address: a\n  password_file: p\n",
    "broker:\n  address: a\nhistory:\n  page: 513\n",
  ])
  func whatDoesNotFitIsRefused(_ text: String) { #expect(throws: HearthError.self) { try load(text) } }

  @Test func ratesAreBits() throws {
    #expect(try load("broker:\n  address: a\nlimit: 64kbit\n").limit == 64_000)
    #expect(try load("broker:\n  address: a\nlimit: 2mbit\n").limit == 2_000_000)
  }

  @Test func aPersonHasOnePseudonymUnderOneKey() throws {
    let (one, other) = (PersonNames(.pseudonyms, key: [UInt8](1...32)), PersonNames(.pseudonyms, key: [UInt8](2...33)))
    let word = one.said("Ada")
    #expect(word.utf8.count == 16 && word.allSatisfy(\.isHexDigit) && one.said("Ada") == word)
    #expect(PersonNames(.pseudonyms, key: [UInt8](1...32)).said("Ada") == word)
    #expect(other.said("Ada") != word && one.said("Eva") != word)
    #expect(PersonNames(.none, key: []).said("Ada").isEmpty && PersonNames(.names, key: []).said("Ada") == "Ada")
    #expect(throws: HearthError.self) {
      _ = try PersonNames(.pseudonyms, of: .hub, hub: "hearth/gym", keyFile: "/nowhere")
    }
  }

  @Test func anExportUnderTheSameKeyHasTheSamePseudonyms() {
    let key = [UInt8](1...32)
    for (reach, of) in [(UplinkSettings.PersonsOf.hub, NamePseudonyms.Reach.hub("hearth/gym")), (.house, .house)] {
      let uplink = PersonNames(.pseudonyms, of: reach, hub: "hearth/gym", key: key)
      uplink.know(["ids": .array([["wearer": "Bob", "id": "M-42"]])])
      let export = NamePseudonyms(NameKey(key), of: of)
      #expect(uplink.said("Ada") == export.person("Ada", houseID: nil))
      #expect(uplink.said("Bob") == export.person("Bob", houseID: "M-42") && export.thing("Ada") != uplink.said("Ada"))
    }
  }

  @Test func equalNamesOfTwoHubsAreTwoPersonsUnlessTheHouseSaysOtherwise() {
    let key = [UInt8](1...32)
    let (north, south) = (
      PersonNames(.pseudonyms, hub: "hearth/north", key: key), PersonNames(.pseudonyms, hub: "hearth/south", key: key)
    )
    #expect(north.said("bed 3") != south.said("bed 3"))
    let (one, other) = (
      PersonNames(.pseudonyms, of: .house, hub: "hearth/north", key: key),
      PersonNames(.pseudonyms, of: .house, hub: "hearth/south", key: key)
    )
    let word = one.said("Ada")
    #expect(word == other.said("Ada") && word.hasPrefix("house/") && word.utf8.count == 22)
    #expect(PersonNames(.names, of: .house, key: []).said("Ada") == "house/Ada")
  }
}
