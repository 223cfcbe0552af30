// The recording of sleep, over the wearable's own REST interface, which is served as files.

internal import JSONText
public import Wearable

extension Polar {
  /// Bounds of the documents: the largest that are known have some hundred bytes.
  static let documentLimit = 64 * 1024

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
      switch event.withUnsafeBytes({ bytes in
        Result { () throws(Inflation.Defect) in try Inflation.inflate(bytes, limit: documentLimit) }
      }) {
      case .success(let text): return text
      case .failure: throw .outOfRange
      }
    }
  }

  static func parse(_ document: [UInt8]) throws(DecodeError) -> JSON {
    if document.isEmpty { throw .empty }
    do throws(JSONError) { return try JSON.parse(document) } catch { throw .outOfRange }
  }
}

extension JSON {
  var members: [Member]? {
    if case .object(let members) = self { return members }
    return nil
  }
}
