// The services of a wearable's REST interface, as it lists them. The hub knows the one it uses by its path: read here
// for the vectors.

import Bluetooth
import JSONText
import Wearable

@testable import PolarFamily

extension Polar {
  /// `/REST/SERVICE.API`: name and path of each service.
  struct RESTServices: Sendable, Hashable {
    static let path = "/REST/SERVICE.API"

    let paths: [String: String]

    /// Entries that are no text are left out.
    ///
    /// - Throws: `outOfRange` for what is no such document.
    init(_ document: RawBytes) throws(DecodeError) {
      let json = try parse(document)
      guard let services = json["services"]?.members else { throw .outOfRange }
      paths = texts(services)
    }
  }

  /// A service: its content, and how to request it.
  struct RESTService: Sendable, Hashable {
    /// What can be subscribed to.
    let events: [String]
    let endpoints: [String]
    /// Name of a command and the template of its path, with `event=`, `resend=`, `details=[]`, `triggers=[]` or
    /// `endpoint=` to be filled.
    let commands: [String: String]
    /// By event; empty for an event without details.
    let details: [String: [String]]
    let triggers: [String: [String]]

    /// Entries of other forms are left out.
    ///
    /// - Throws: `outOfRange` for what is no JSON object.
    init(_ document: RawBytes) throws(DecodeError) {
      let json = try parse(document)
      guard json.members != nil else { throw .outOfRange }
      let events = json["events"]?.texts ?? []
      self.events = events
      endpoints = json["endpoints"]?.texts ?? []
      commands = texts(json["cmd"]?.members ?? [])
      var details: [String: [String]] = [:]
      var triggers: [String: [String]] = [:]
      for event in events {
        details[event] = json[event]?["details"]?.texts ?? []
        triggers[event] = json[event]?["triggers"]?.texts ?? []
      }
      self.details = details
      self.triggers = triggers
    }
  }

  private static func parse(_ document: RawBytes) throws(DecodeError) -> JSON {
    guard document.count <= documentLimit else { throw .outOfRange }
    return try parse(Array(document))
  }

  private static func texts(_ members: [JSON.Member]) -> [String: String] {
    var texts: [String: String] = [:]
    for member in members { if let text = member.value.text { texts[member.key] = text } }
    return texts
  }
}

extension JSON {
  fileprivate var texts: [String]? {
    if case .array(let items) = self { return items.compactMap(\.text) }
    return nil
  }
}
