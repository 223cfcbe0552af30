// Names of orders in the log and in the store's events, with the wearable or wearer concerned: never a person by name.

internal import Health
internal import Hub
internal import HubProtocol
internal import RingStore

extension HubInterface {
  /// A person as logs and events say it: by number, never by name.
  func wearer(_ which: String) -> String {
    let known = service.wearers().map(\.wearer)
    let found =
      known.first { "\($0.id.number)" == which }
      ?? known.first { $0.retiredAt == nil && $0.name.lowercased() == which.lowercased() }
      ?? known.first { $0.name.lowercased() == which.lowercased() }
    return found.map { "wearer \($0.id.number)" } ?? "an unknown wearer"
  }

  /// Text for the changed orders: `: streams acc, ppi; rates ecg 130`.
  static func named(
    changes streams: [Series]?, _ rates: [Series: Int]?, _ off: [String]?, _ settings: [(name: String, value: String)]?,
    measure: String?, _ collection: [String] = []
  ) -> String {
    func list(_ words: [String]) -> String {
      words.isEmpty ? "none" : words.map { harmless($0) }.joined(separator: ", ")
    }
    var parts: [String] = []
    if let streams { parts.append("streams \(list(streams.map(\.name)))") }
    if let rates { parts.append("rates \(list(rates.map { "\($0.key.name) \($0.value)" }.sorted()))") }
    if let off { parts.append("off \(list(off))") }
    if let settings { parts.append(list(settings.map { "\($0.name) \($0.value)" })) }
    if let measure { parts.append("measurements \(harmless(measure))") }
    parts += collection.map { harmless($0) }
    return ": " + parts.joined(separator: "; ")
  }
}
