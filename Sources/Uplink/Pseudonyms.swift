// Published form of a person: no name, a pseudonym that only the key's owner can recompute, or the name.

internal import CSodium
internal import EventLoop
internal import Glibc
internal import JSONText
internal import Reasons

/// Converts names of persons for publication.
final class Pseudonyms {
  /// Prefix of a person known at all hubs of the house, so that a receiver can add up their data.
  static let house = "house/"

  private let persons: UplinkSettings.Persons
  /// Prefix of a name before hashing: equal names of two hubs are two persons.
  private let scope: String
  private let isHouse: Bool
  private let key: [UInt8]
  private var known: [String: String] = [:]
  /// House identifiers by name: a person with one is the same at all hubs.
  private var ids: [String: String] = [:]
  /// A hub has some hundreds of people.
  private static let limit = 4096

  /// - Throws: `configUnreadable` if a key is needed and has not 16 to 64 bytes.
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

  /// Whether house identifiers are needed.
  var wantsIDs: Bool { persons != .none }

  /// Stores the identifiers of the reply of `WearerIds`.
  func know(_ reply: JSON) {
    guard case .array(let list)? = reply["ids"] else { return }
    var new: [String: String] = [:]
    for one in list.prefix(Self.limit) {
      if let name = one["wearer"]?.text, let id = one["id"]?.text { new[name] = id }
    }
    if new != ids { (ids, known) = (new, [:]) }
  }

  /// 16 hexadecimal digits of BLAKE2b of hub and name under the key, or as configured. For a person with a house
  /// identifier, the hash of that alone.
  func said(_ name: String) -> String {
    let id = ids[name]
    switch persons {
    case .none: return ""
    case .names: return id.map { Self.house + $0 } ?? (isHouse ? Self.house + name : name)
    case .pseudonyms:
      if let known = known[name] { return known }
      // The library's shortest hash has 16 bytes; the first eight are used.
      var hash = [UInt8](repeating: 0, count: 16)
      // Hub names contain no line end, so the two forms cannot collide.
      let text = Array((id.map { "id\n" + $0 } ?? scope + name).utf8)
      if crypto_generichash(&hash, hash.count, text, UInt64(text.count), key, key.count) != 0 { return "" }
      let word = (isHouse || id != nil ? Self.house : "") + hexadecimal(hash.prefix(8)).lowercased()
      if known.count < Self.limit { known[name] = word }
      return word
    }
  }
}

extension Pseudonyms {
  /// Fetches the house identifiers from the daemon. An older daemon has no such identifiers.
  @LoopActor
  func learn(_ hub: any HubCalling) async throws(HearthError) {
    if !wantsIDs { return }
    do throws(HearthError) { know(try await hub.call("WearerIds", [:])) } catch {
      if error.reason == .uplinkHubSilent { throw error }
    }
  }
}
