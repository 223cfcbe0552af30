// Pseudonyms of persons and wearables: the same from the uplink and from an export under one key.

/// Makes pseudonyms of names under a key.
public struct NamePseudonyms: Sendable {
  /// Scopes in which names mean the same person.
  public enum Reach: Sendable, Equatable {
    /// Equal names at two hubs are two persons. A hub is called `GROUP/HUB`, as in topics.
    case hub(String)
    /// Equal names are one person at all hubs of the house.
    case house
  }

  /// Prefix of the pseudonym of a person with an identifier of the house, the same at all hubs.
  public static let house = "house/"

  private let key: NameKey
  private let reach: Reach

  /// Pseudonyms under a key.
  public init(_ key: NameKey, of reach: Reach) {
    self.key = key
    self.reach = reach
  }

  /// 16 hexadecimal digits made of hub and name, or of the house's own identifier of the person alone.
  ///
  /// - Parameter houseID: as entered at the hub; nil: not entered.
  public func person(_ name: String, houseID: String?) -> String {
    // No name has a line feed, so no two of these texts are equal.
    let word = key.word(houseID.map { "id\n" + $0 } ?? scope + name)
    if word.isEmpty { return "" }
    return (reach == .house || houseID != nil ? Self.house : "") + word
  }

  /// Pseudonym of a wearable's name, an address or another text that names a thing: 16 hexadecimal digits.
  public func thing(_ text: String) -> String { key.word("thing\n" + scope + text) }

  private var scope: String {
    switch reach {
    case .hub(let hub): hub + "\n"
    case .house: ""
    }
  }
}
