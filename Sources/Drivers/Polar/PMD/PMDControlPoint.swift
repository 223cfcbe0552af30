// Commands of the PMD control point, and its answers.

public import Bluetooth
public import Wearable

extension PMD {
  /// A command. Only one may be outstanding, and notifications of both characteristics must be enabled before the
  /// first.
  ///
  ///     op (1)  parameters
  public enum Command: Sendable, Hashable {
    /// Asks for the settings that a measurement offers.
    case settings(MeasurementType, Delivery)
    /// Asks for the settings that a measurement offers in SDK mode.
    case fullSettings(MeasurementType, Delivery)
    /// Starts a measurement. Parameters are its settings, followed by the security entry if a recording is encrypted.
    case start(MeasurementType, Delivery, parameters: [UInt8])
    /// Stops a live stream or a recording, whichever runs.
    case stop(MeasurementType)
    /// Asks which measurements run.
    case measurementStatus
    case sdkModeStatus
    case triggerStatus
    case setTriggerMode(TriggerMode)
    case setTrigger(MeasurementType, Trigger)

    /// Switches SDK mode, which ends every live stream. The wearable refuses while a stream or a recording runs.
    public static func sdkMode(_ isOn: Bool) -> Command {
      isOn ? .start(.sdkMode, .online, parameters: []) : .stop(.sdkMode)
    }

    /// - Parameter secret: key of a recording; live streams are not encrypted.
    /// - Throws: the first setting with a value that is wider than the setting.
    public static func start(
      _ type: MeasurementType, _ delivery: Delivery, _ selection: Selection, secret: Secret? = nil
    ) throws(Selection.DoesNotFit) -> Command {
      .start(type, delivery, parameters: try selection.encode() + (secret?.encode() ?? []))
    }

    /// The query for the settings of a measurement; nil for a measurement without settings.
    public static func settingsQuery(_ type: MeasurementType, _ delivery: Delivery, isFull: Bool) -> Command? {
      guard type.hasSettings else { return nil }
      return isFull ? .fullSettings(type, delivery) : .settings(type, delivery)
    }

    /// Op code on the air.
    public var op: UInt8 {
      switch self {
      case .settings: 1
      case .start: 2
      case .stop: 3
      case .fullSettings: 4
      case .measurementStatus: 5
      case .sdkModeStatus: 6
      case .triggerStatus: 7
      case .setTriggerMode: 8
      case .setTrigger: 9
      }
    }

    /// Whether the command is a query, which changes no state.
    public var isQuestion: Bool {
      switch self {
      case .settings, .fullSettings, .measurementStatus, .sdkModeStatus, .triggerStatus: true
      case .start, .stop, .setTriggerMode, .setTrigger: false
      }
    }

    public func encode() -> [UInt8] {
      switch self {
      case .settings(let type, let delivery), .fullSettings(let type, let delivery):
        [op, type.rawValue | delivery.rawValue]
      case .start(let type, let delivery, let parameters): [op, type.rawValue | delivery.rawValue] + parameters
      case .stop(let type): [op, type.rawValue]
      case .measurementStatus, .sdkModeStatus, .triggerStatus: [op]
      case .setTriggerMode(let mode): [op, mode.rawValue]
      case .setTrigger(let type, let trigger): [op] + trigger.encode(type)
      }
    }
  }

  /// Result of a command.
  public enum Status: UInt8, Sendable, Hashable, CaseIterable {
    case success = 0
    case invalidOpCode = 1
    case invalidMeasurementType = 2
    case notSupported = 3
    case invalidLength = 4
    case invalidParameter = 5
    /// The measurement already runs, or does not run. Also if the same type streams and is to be recorded.
    case alreadyInState = 6
    case invalidResolution = 7
    case invalidSampleRate = 8
    case invalidRange = 9
    case invalidMTU = 10
    case invalidNumberOfChannels = 11
    case invalidState = 12
    case inCharger = 13
    /// Free memory is below the wearable's reserve.
    case diskFull = 14

    /// Text for messages to people.
    public var text: String {
      switch self {
      case .success: "success"
      case .invalidOpCode: "an unknown command"
      case .invalidMeasurementType: "an unknown kind of measurement"
      case .notSupported: "not supported"
      case .invalidLength: "a command of the wrong length"
      case .invalidParameter: "an invalid parameter"
      case .alreadyInState: "already in that state"
      case .invalidResolution: "an invalid resolution"
      case .invalidSampleRate: "an invalid sample rate"
      case .invalidRange: "an invalid range"
      case .invalidMTU: "an unfit MTU"
      case .invalidNumberOfChannels: "an invalid number of channels"
      case .invalidState: "not in its present state"
      case .inCharger: "not while it is charging"
      case .diskFull: "its memory is full"
      }
    }
  }

  /// A packet of an answer.
  ///
  ///     0     `F0`
  ///     1     the command's op
  ///     2     measurement type, as it was sent
  ///     3     status
  ///     4     not 0: another packet follows; only with success, and absent without parameters
  ///     5…    parameters; only with success
  public struct Response: Sendable, Hashable {
    /// First byte of every answer.
    public static let marker: UInt8 = 0xF0

    /// Op code of the command that is answered.
    public let op: UInt8
    /// Measurement type, as received; a `MeasurementType` if known.
    public let typeOctet: UInt8
    /// nil for an unknown status, which is always a refusal.
    public let status: Status?
    /// Status, as received: 0 is success, other numbers are refusals.
    public let statusOctet: UInt8
    /// True if another packet follows.
    public let more: Bool
    /// Bytes behind the status.
    public let parameters: [UInt8]

    /// - Throws: `empty`; `outOfRange` if it is not an answer; `truncated` below four bytes.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      guard let marker = bytes.first else { throw .empty }
      guard marker == Self.marker else { throw .outOfRange }
      guard bytes.count >= 4 else { throw .truncated }
      op = bytes[1]
      typeOctet = bytes[2]
      statusOctet = bytes[3]
      status = Status(rawValue: statusOctet)
      more = status == .success && bytes.count > 4 && bytes[4] != 0
      parameters = status == .success && bytes.count > 5 ? Array(bytes[5...]) : []
    }
  }

  /// Assembles the packets of an answer.
  public struct ResponseAssembler: Sendable {
    /// Longest answer, in bytes. The longest known, seven triggers with all their settings, has 300.
    public static let limit = 4096

    /// Result of one packet.
    public enum Outcome: Sendable, Hashable {
      /// Another packet will follow.
      case more
      /// Bytes that are not an answer to this command.
      case foreign
      case whole(Answer)
      /// Longer than `limit`, or malformed.
      case defective
    }

    /// Complete answer.
    public struct Answer: Sendable, Hashable {
      /// Status; nil: an unknown number.
      public let status: Status?
      /// Status, as received: 0 is success, other numbers are refusals.
      public let statusOctet: UInt8
      /// Parameters of all packets.
      public let parameters: [UInt8]
    }

    private let op: UInt8
    private var parameters: [UInt8] = []

    /// Waits for the answer to a command.
    public init(of command: Command) { op = command.op }

    /// Takes one packet.
    public mutating func take(_ bytes: RawBytes) -> Outcome {
      guard bytes.count >= 2, bytes[0] == Response.marker, bytes[1] == op else { return .foreign }
      guard let packet = try? Response(bytes), parameters.count + packet.parameters.count <= Self.limit else {
        return .defective
      }
      parameters += packet.parameters
      if packet.more { return .more }
      return .whole(
        Answer(
          status: packet.status, statusOctet: packet.statusOctet,
          parameters: packet.status == .success ? parameters : []))
    }
  }

  /// A value that the control point sends.
  public enum Notification: Sendable, Hashable {
    case response(Response)
    /// The wearable itself ended these streams.
    case onlineStopped([MeasurementType])

    /// - Throws: `empty`, `truncated`; `outOfRange` for an unknown command of the wearable.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      guard let first = bytes.first else { throw .empty }
      switch first {
      case Response.marker: self = .response(try Response(bytes))
      case 1: self = .onlineStopped(bytes.dropFirst().compactMap { MeasurementType(octet: $0) })
      default: throw .outOfRange
      }
    }
  }

  /// An octet of the measurement status: bits 0–5 are the type, bits 6 and 7 whether it streams or records.
  public struct MeasurementStatus: Sendable, Hashable {
    /// State of a measurement.
    public enum State: UInt8, Sendable, Hashable {
      case none = 0
      case online = 1
      case offline = 2
      case both = 3

      /// True if it streams.
      public var isOnline: Bool { self == .online || self == .both }
      /// True if it records.
      public var isOffline: Bool { self == .offline || self == .both }
    }

    /// State of a type, as received.
    public let octet: UInt8

    /// A state, as received.
    public init(octet: UInt8) { self.octet = octet }

    /// nil for an unknown type.
    public var type: MeasurementType? { MeasurementType(octet: octet) }
    /// State of the measurement.
    public var state: State { State(rawValue: octet >> 6) ?? .none }

    /// The parameters of an answer to `measurementStatus`. If a type occurs twice, the last state counts. Unknown types
    /// are skipped.
    public static func all(_ parameters: [UInt8]) -> [MeasurementType: State] {
      parameters.map(MeasurementStatus.init(octet:)).reduce(into: [:]) { all, status in
        if let type = status.type { all[type] = status.state }
      }
    }
  }
}
