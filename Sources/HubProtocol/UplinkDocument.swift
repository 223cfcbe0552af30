// Interface of hearth-uplink, the program beside the daemon that carries rows to a broker: its report.

/// `io.hearth.Uplink`, on a socket of its own.
public enum UplinkInterface {
  /// Name of the interface.
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
    # backlog_rows: rows that are not confirmed.
    # backlog_hours: since when, as hours; null: not known. bytes_per_second, rows_per_second: of the last minute.
    # in_flight: messages that are not acknowledged. ignored: messages that arrived and were dropped.
    # unsaid_rows: rows with numbers too long to be sent exactly. corrupt_chunks: chunks that the store could not read.
    # lost_rows: rows that the store gave up before they were confirmed, ever.
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

    # Sends everything from a time on once more, as batches with the number of the order. Refused (H9008) if the
    # time is ahead or an order is being carried out.
    method Resend(from: string) -> (resend: Resend)

    error Refused (code: string, area: string, sentence: string, detail: string, effect: string, next: string)
    """
}

/// Report of hearth-uplink; times in RFC 3339, nil: unknown.
public struct UplinkDocument: Codable, Sendable, Hashable {
  /// Repetition of rows by order.
  public struct Resend: Codable, Sendable, Hashable {
    /// Number of the repetition.
    public var number: UInt64
    /// Time of the first row.
    public var from: String
    /// Begin of the repetition.
    public var began: String
    /// End; nil: not ended.
    public var ended: String?
    /// Rows given to the broker so far.
    public var rows: Int
    /// Number of rows that the broker has acknowledged.
    public var acknowledged: Int
    /// Reason why it failed; nil: it did not.
    public var failure: TroubleDocument?

    /// A repetition that begins.
    public init(number: UInt64, from: String, began: String) {
      (self.number, self.from, self.began, rows, acknowledged) = (number, from, began, 0, 0)
    }
  }

  /// Version of the document.
  public var schema = "io.hearth.uplink/1"
  /// Version of the program.
  public var version = ""
  /// Name of the hub.
  public var hub = ""
  /// Group of the topics.
  public var group = ""
  /// Address of the broker.
  public var broker = ""
  /// True with TLS.
  public var secure = false
  /// True while connected.
  public var connected = false
  /// Begin of the connection.
  public var connectedSince: String?
  /// Version of MQTT in use; nil: not connected.
  public var `protocol`: String?
  /// Failed attempts in a row.
  public var tries = 0
  /// Time of the next attempt.
  public var nextTry: String?
  /// Identity of the store.
  public var store: String?
  /// Rows that the hub has, and that are not confirmed.
  public var backlogRows: Int?
  /// Age of the backlog in hours.
  public var backlogHours: Double?
  /// Rows per second, of the last minute.
  public var rowsPerSecond = 0.0
  /// Bytes per second, of the last minute.
  public var bytesPerSecond = 0.0
  /// Limit in bits per second, if any.
  public var limitBits: Int?
  /// Time of the last acknowledgement.
  public var lastAcknowledged: String?
  /// Number of rows sent.
  public var rowsSent = 0
  /// Rows acknowledged by the broker.
  public var rowsAcknowledged = 0
  /// Rows confirmed to the hub.
  public var rowsConfirmed = 0
  /// Number of messages sent.
  public var messagesSent = 0
  /// Number of bytes sent.
  public var bytesSent = 0
  /// Messages without an acknowledgement.
  public var inFlight = 0
  /// Bytes of these messages.
  public var inFlightBytes = 0
  /// Rows with numbers that are too long to be sent exactly.
  public var unsaidRows = 0
  /// Chunks that the store could not read.
  public var corruptChunks = 0
  /// Number of live values sent.
  public var liveValues = 0
  /// Messages that arrived and were dropped.
  public var ignored = 0
  /// Rows that the store deleted before they were sent, ever.
  public var lostRows = 0
  /// Time of the first lost row.
  public var lostFrom: String?
  /// Time of the last lost row.
  public var lostTo: String?
  /// Repetition by order, if any.
  public var resend: Resend?
  /// Present troubles.
  public var troubles: [TroubleDocument] = []

  /// A report without figures.
  public init() {}
}
