// The state of enrolment as a value: whether wearables may join, and the candidates.

public import Bluetooth
public import EventLoop

/// Ways in which wearables may join.
public enum EnrolmentMode: String, Sendable, CaseIterable {
  /// Mode in which no wearable may join.
  case closed
  /// Operators open a window; near wearables may be accepted while it is open.
  case window
  /// Every recognised wearable joins by itself.
  case all
}

/// State of enrolment: the open window and the wearables that could be enrolled.
public struct EnrolmentSnapshot: Sendable {
  /// Unknown wearable that could be enrolled.
  public struct Candidate: Sendable {
    /// `A`, `B`, … stable while the window is open.
    public var letter: String
    /// Name as advertised, cleaned; the address if it advertises no name.
    public var name: String
    /// Address that it advertises.
    public var address: BluetoothAddress
    /// Kind that a driver recognised, for example `HR strap`.
    public var kind: String
    /// Signal strength in dBm; nil: unknown.
    public var rssi: Int?
    /// Whether `rssi` is at or above `nearRSSI`; false if it is unknown. Only near candidates can be accepted.
    public var isNear: Bool
    /// The name it would get, for example `strap-04`.
    public var proposedName: String
    /// A candidate with all its fields.
    public init(
      letter: String, name: String, address: BluetoothAddress, kind: String, rssi: Int?, isNear: Bool,
      proposedName: String
    ) {
      self.letter = letter
      self.name = name
      self.address = address
      self.kind = kind
      self.rssi = rssi
      self.isNear = isNear
      self.proposedName = proposedName
    }
  }
  /// Mode of the configuration.
  public var mode: EnrolmentMode
  /// End of the open window; nil: closed.
  public var openUntil: WallTime?
  /// Seconds until the window closes; nil: it is closed.
  public var secondsLeft: Int?
  /// A candidate is near at or above this, in dBm.
  public var nearRSSI: Int
  /// Candidates that are heard, in the order of their letters. Empty while the window is closed, except in mode `all`.
  public var candidates: [Candidate]
  /// A state of enrolment; by default the window is closed and no candidate is heard.
  public init(
    mode: EnrolmentMode, openUntil: WallTime? = nil, secondsLeft: Int? = nil, nearRSSI: Int,
    candidates: [Candidate] = []
  ) {
    self.mode = mode
    self.openUntil = openUntil
    self.secondsLeft = secondsLeft
    self.nearRSSI = nearRSSI
    self.candidates = candidates
  }
}
