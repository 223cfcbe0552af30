// Interface of hearth-uplink, the program beside the daemon that carries rows to a broker: its report.

/// `io.hearth.Uplink`, on a socket of its own.
public enum UplinkInterface {
  public static let name = "io.hearth.Uplink"
  /// The path in hearth-uplink.service.
  public static let socket = "/run/hearth-uplink/uplink.sock"

  package static let text = """
    # What a hub's uplink does: rows of the store to a message broker. Times are RFC 3339 in UTC; what is unknown is
    # null.
    interface io.hearth.Uplink

    # Why something is not as it should be. Codes are stable: `hearth explain H9001`.
    type Trouble (code: string, area: string, sentence: string, detail: string, effect: string, next: string)

    # An order to send again. rows: given to the broker so far. ended: null while it runs. failure: why it ended early.
    type Resend (
      number: int, from: string, began: string, ended: ?string, rows: int, acknowledged: int, failure: ?Trouble
    )

    # broker: host and port. protocol: MQTT 5, MQTT 3.1.1; null: not connected.
    # backlog_rows: that nobody confirmed.
    # backlog_hours: since when, as hours; null: not known. bytes_per_second, rows_per_second: of the last minute.
    # in_flight: messages that are not acknowledged. ignored: messages that arrived and were dropped.
    # unsaid_rows: whose numbers are too long to be sent exactly. corrupt_chunks: that the store could not read.
    # lost_rows: that the store gave up before anybody had them, ever.
    type Uplink (
      schema: string,
      version: string,
      hub: string,
      group: string,
      broker: string,
      secure: bool,
      connected: bool,
      connected_since: ?string,
      protocol: ?string,
      tries: int,
      next_try: ?string,
      store: ?string,
      backlog_rows: ?int,
      backlog_hours: ?float,
      rows_per_second: float,
      bytes_per_second: float,
      limit_bits: ?int,
      last_acknowledged: ?string,
      rows_sent: int,
      rows_acknowledged: int,
      rows_confirmed: int,
      messages_sent: int,
      bytes_sent: int,
      in_flight: int,
      in_flight_bytes: int,
      unsaid_rows: int,
      corrupt_chunks: int,
      live_values: int,
      ignored: int,
      lost_rows: int,
      lost_from: ?string,
      lost_to: ?string,
      resend: ?Resend,
      troubles: []Trouble
    )

    method Status() -> (uplink: Uplink)

    # Sends everything from a time on once more, as batches with the number of the order. Refused (H9008) where the
    # time is ahead or an order is being carried out.
    method Resend(from: string) -> (resend: Resend)

    error Refused (code: string, area: string, sentence: string, detail: string, effect: string, next: string)
    """
}

public struct UplinkDocument: Codable, Sendable, Hashable {
  public struct Resend: Codable, Sendable, Hashable {
    public var number: UInt64
    public var from: String
    public var began: String
    public var ended: String?
    public var rows: Int
    public var acknowledged: Int
    public var failure: TroubleDocument?

    public init(number: UInt64, from: String, began: String) {
      (self.number, self.from, self.began, rows, acknowledged) = (number, from, began, 0, 0)
    }
  }

  public var schema = "io.hearth.uplink/1"
  public var version = ""
  public var hub = ""
  public var group = ""
  public var broker = ""
  public var secure = false
  public var connected = false
  public var connectedSince: String?
  public var `protocol`: String?
  public var tries = 0
  public var nextTry: String?
  public var store: String?
  public var backlogRows: Int?
  public var backlogHours: Double?
  public var rowsPerSecond = 0.0
  public var bytesPerSecond = 0.0
  public var limitBits: Int?
  public var lastAcknowledged: String?
  public var rowsSent = 0
  public var rowsAcknowledged = 0
  public var rowsConfirmed = 0
  public var messagesSent = 0
  public var bytesSent = 0
  public var inFlight = 0
  public var inFlightBytes = 0
  public var unsaidRows = 0
  public var corruptChunks = 0
  public var liveValues = 0
  public var ignored = 0
  public var lostRows = 0
  public var lostFrom: String?
  public var lostTo: String?
  public var resend: Resend?
  public var troubles: [TroubleDocument] = []

  public init() {}
}
