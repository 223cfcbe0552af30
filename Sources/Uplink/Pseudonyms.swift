// What is said of a person: nothing, a pseudonym that only the key's owner can make again, or the name.

internal import CSodium
internal import EventLoop
internal import Glibc
internal import JSONText
internal import Reasons

/// Names of people as they leave the hub.
final class Pseudonyms {
  /// Before what is said of somebody who is one person at all hubs: whoever counts adds them up by it.
  static let house = "house/"

  private let persons: UplinkSettings.Persons
  /// Before a name under the key: equal names of two hubs are two persons.
  private let scope: String
  private let isHouse: Bool
  private let key: [UInt8]
  private var known: [String: String] = [:]
  /// Identifiers of the house, by name: whoever has one is one person at all hubs.
  private var ids: [String: String] = [:]
  /// A hub has some hundreds of people.
  private static let limit = 4096

  /// - Throws: `configUnreadable` without a key of 16 to 64 bytes, where one is needed.
  init(
    _ persons: UplinkSettings.Persons, of reach: UplinkSettings.PersonsOf, hub: String, keyFile: String
  ) throws(HearthError) {
    (self.persons, isHouse) = (persons, reach == .house)
    scope = reach == .house ? "" : hub + "\n"
    if persons != .pseudonyms {
      key = []
      return
    }
    let descriptor = open(keyFile, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      throw HearthError(.configUnreadable, "\(keyFile) (persons_key): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 65)
    let count = read(descriptor, &buffer, buffer.count)
    if !(16...64).contains(count) {
      throw HearthError(.configUnreadable, "\(keyFile) (persons_key) is no key of 16 to 64 bytes")
    }
    key = Array(buffer.prefix(count))
  }

  init(_ persons: UplinkSettings.Persons, of reach: UplinkSettings.PersonsOf = .hub, hub: String = "", key: [UInt8]) {
    (self.persons, self.key, isHouse) = (persons, key, reach == .house)
    scope = reach == .house ? "" : hub + "\n"
  }

  /// Identifiers of the house are asked for.
  var wantsIDs: Bool { persons != .none }

  /// What the hub has of them now, `WearerIds`.
  func know(_ reply: JSON) {
    guard case .array(let list)? = reply["ids"] else { return }
    var new: [String: String] = [:]
    for one in list.prefix(Self.limit) {
      if let name = one["wearer"]?.text, let id = one["id"]?.text { new[name] = id }
    }
    if new != ids { (ids, known) = (new, [:]) }
  }

  /// 16 hexadecimal digits of BLAKE2b of hub and name under the key, or as configured. With an identifier of the house
  /// those of it alone.
  func said(_ name: String) -> String {
    let id = ids[name]
    switch persons {
    case .none: return ""
    case .names: return id.map { Self.house + $0 } ?? (isHouse ? Self.house + name : name)
    case .pseudonyms:
      if let known = known[name] { return known }
      // The least that the library makes is 16 bytes; the first eight are said.
      var hash = [UInt8](repeating: 0, count: 16)
      // No name of a hub has a line's end: neither is the other's.
      let text = Array((id.map { "id\n" + $0 } ?? scope + name).utf8)
      if crypto_generichash(&hash, hash.count, text, UInt64(text.count), key, key.count) != 0 { return "" }
      let word = (isHouse || id != nil ? Self.house : "") + hexadecimal(hash.prefix(8)).lowercased()
      if known.count < Self.limit { known[name] = word }
      return word
    }
  }
}

extension Pseudonyms {
  /// Asks the daemon for the identifiers of the house. One that is older than this program has none.
  @LoopActor
  func learn(_ hub: any HubCalling) async throws(HearthError) {
    if !wantsIDs { return }
    do throws(HearthError) { know(try await hub.call("WearerIds", [:])) } catch {
      if error.reason == .uplinkHubSilent { throw error }
    }
  }
}
