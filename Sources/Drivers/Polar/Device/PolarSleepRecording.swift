// The recording of sleep, over the wearable's REST interface, which is served as files.

internal import JSONText
public import Wearable

extension Polar {
  /// Longest document, in bytes. The largest that are known have a few hundred.
  static let documentLimit = 64 * 1024

  /// Whether the wearable records sleep.
  public enum SleepRecording {
    /// Path of the service.
    public static let service = "/REST/SLEEP.API"
    /// Subscribes to events when `emptyBody` is written to it.
    public static let subscribePath = service + "?cmd=subscribe&event=sleep_recording_state&details=[enabled]"
    /// Stops the recording when `emptyBody` is written to it.
    public static let stopPath = service + "?cmd=post&endpoint=stop_sleep_recording"
    /// Body of a request without parameters.
    public static let emptyBody = Array("{}".utf8)

    /// The state in the events of one notification; the last event with a state counts.
    ///
    /// - Parameter isCompressed: as the notification says; such events are gzip or zlib.
    /// - Returns: nil if no event has a sleep state.
    /// - Throws: `outOfRange` for an event that cannot be decompressed or is not a JSON object.
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
    ///
    /// - Throws: `outOfRange` if the text cannot be decompressed, or has more than 64 KiB.
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
