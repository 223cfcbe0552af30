// Published form of a person: no name, a pseudonym that only the key's owner can recompute, or the name.

internal import EventLoop
internal import JSONText
internal import Pseudonyms
internal import Reasons

/// Converts names of persons for publication.
final class PersonNames {
  /// Prefix of a person known at all hubs of the house, so that a receiver can add up their data.
  static let house = NamePseudonyms.house

  private let persons: UplinkSettings.Persons
  private let isHouse: Bool
  private let pseudonyms: NamePseudonyms?
  private var known: [String: String] = [:]
  /// House identifiers by name: a person with one is the same at all hubs.
  private var ids: [String: String] = [:]
  /// A hub has some hundreds of people.
  private static let limit = 4096

  /// - Throws: `configUnreadable` if a key is needed and has not 16 to 64 bytes.
  convenience init(
    _ persons: UplinkSettings.Persons, of reach: UplinkSettings.PersonsOf, hub: String, keyFile: String
  ) throws(HearthError) {
    let key = persons == .pseudonyms ? try NameKey(file: keyFile, as: "persons_key") : nil
    self.init(persons, of: reach, hub: hub, key: key)
  }

  convenience init(
    _ persons: UplinkSettings.Persons, of reach: UplinkSettings.PersonsOf = .hub, hub: String = "", key: [UInt8]
  ) {
    self.init(persons, of: reach, hub: hub, key: NameKey(key))
  }

  private init(_ persons: UplinkSettings.Persons, of reach: UplinkSettings.PersonsOf, hub: String, key: NameKey?) {
    (self.persons, isHouse) = (persons, reach == .house)
    pseudonyms = key.map { NamePseudonyms($0, of: reach == .house ? .house : .hub(hub)) }
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
      let word = pseudonyms?.person(name, houseID: id) ?? ""
      if !word.isEmpty, known.count < Self.limit { known[name] = word }
      return word
    }
  }
}

extension PersonNames {
  /// Fetches the house identifiers from the daemon. An older daemon has no such identifiers.
  @LoopActor
  func learn(_ hub: any HubCalling) async throws(HearthError) {
    if !wantsIDs { return }
    do throws(HearthError) { know(try await hub.call("WearerIds", [:])) } catch {
      if error.reason == .uplinkHubSilent { throw error }
    }
  }
}
