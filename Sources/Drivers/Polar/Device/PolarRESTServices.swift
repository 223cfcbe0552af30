// What stands in the JSON of the wearable's own REST interface, which is served as files.

public import Bluetooth
internal import JSONText
public import Wearable

extension Polar {
  /// Bounds of the documents: the largest that are known have some hundred bytes.
  static let documentLimit = 64 * 1024

  /// `/REST/SERVICE.API`: name and path of each service.
  public struct RESTServices: Sendable, Hashable {
    public static let path = "/REST/SERVICE.API"

    public let paths: [String: String]

    /// Entries that are no text are left out.
    ///
    /// - Throws: `outOfRange` for what is no such document.
    public init(_ document: RawBytes) throws(DecodeError) {
      let json = try parse(document)
      guard let services = json["services"]?.members else { throw .outOfRange }
      paths = texts(services)
    }
  }

  /// One service: what it tells, and how it is asked.
  public struct RESTService: Sendable, Hashable {
    /// What can be subscribed to.
    public let events: [String]
    public let endpoints: [String]
    /// Name of a command and the template of its path, with `event=`, `resend=`, `details=[]`, `triggers=[]` or `endpoint=` to be filled.
    public let commands: [String: String]
    /// By event; empty where the event has none.
    public let details: [String: [String]]
    public let triggers: [String: [String]]

    /// Entries of other forms are left out.
    ///
    /// - Throws: `outOfRange` for what is no JSON object.
    public init(_ document: RawBytes) throws(DecodeError) {
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

  /// Whether the wearable records sleep.
  public enum SleepRecording {
    public static let service = "/REST/SLEEP.API"
    /// Written with `emptyBody`: from then on events come.
    public static let subscribePath = service + "?cmd=subscribe&event=sleep_recording_state&details=[enabled]"
    /// Written with `emptyBody`.
    public static let stopPath = service + "?cmd=post&endpoint=stop_sleep_recording"
    public static let emptyBody = Array("{}".utf8)

    /// What an event says of it: the events of one notification in order, the last counts.
    ///
    /// - Parameter isCompressed: as the notification says; such events are gzip or zlib.
    /// - Returns: nil if none of them is about sleep.
    /// - Throws: `outOfRange` for an event that cannot be unpacked or is no JSON object.
    public static func state(of events: [[UInt8]], isCompressed: Bool) throws(DecodeError) -> Bool? {
      var state: Bool?
      for event in events {
        let json = try parse(try text(of: event, isCompressed: isCompressed))
        guard json.members != nil else { throw .outOfRange }
        switch json["sleep_recording_state"]?["enabled"] {
        case .integer(let number): state = number != 0
        case .bool(let isOn): state = isOn
        default: break
        }
      }
      return state
    }

    /// The JSON text of an event.
    public static func text(of event: [UInt8], isCompressed: Bool) throws(DecodeError) -> [UInt8] {
      guard isCompressed else { return event }
      switch event.withUnsafeBytes({ bytes in Result { () throws(Inflation.Defect) in try Inflation.inflate(bytes, limit: documentLimit) } }) {
      case .success(let text): return text
      case .failure: throw .outOfRange
      }
    }
  }

  private static func parse(_ document: RawBytes) throws(DecodeError) -> JSON {
    guard document.count <= documentLimit else { throw .outOfRange }
    return try parse(Array(document))
  }

  private static func parse(_ document: [UInt8]) throws(DecodeError) -> JSON {
    if document.isEmpty { throw .empty }
    do throws(JSONError) { return try JSON.parse(document) } catch { throw .outOfRange }
  }

  private static func texts(_ members: [JSON.Member]) -> [String: String] {
    var texts: [String: String] = [:]
    for member in members { if let text = member.value.text { texts[member.key] = text } }
    return texts
  }
}

extension JSON {
  fileprivate var members: [Member]? {
    if case .object(let members) = self { return members }
    return nil
  }

  fileprivate var texts: [String]? {
    if case .array(let items) = self { return items.compactMap(\.text) }
    return nil
  }
}
