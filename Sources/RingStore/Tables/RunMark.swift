// How the previous run of the hub ended: a mark is set while a run lasts, and records its stop.

public import EventLoop
internal import StateCodec

/// A run of the hub, as the store remembers it.
///
/// A run that was not stopped leaves a mark without `ended`: power was cut or the process was killed.
public struct RunMark: Sendable, Hashable {
  /// Begin of the run.
  public var began: WallTime
  /// The last known moment of the run; other records may be later.
  public var alive: WallTime
  /// The moment of the stop; nil if the run lasts, or ended without a stop.
  public var ended: WallTime?
  /// The machine's boot; nil if the system does not state it.
  public var boot: BootID?
  /// Number of starts that no event has reported yet.
  public var untold: UInt32
  /// Time from which the hub did not run before the first of these starts, if any.
  public var untoldFrom: WallTime?

  /// A run that begins.
  public init(
    began: WallTime, boot: BootID? = nil, untold: UInt32 = 0, untoldFrom: WallTime? = nil
  ) {
    self.began = began
    alive = began
    self.boot = boot
    self.untold = untold
    self.untoldFrom = untoldFrom
  }
}

/// The value of the key "run" of `meta`, a record with fields. Tags: 1 began, 2 alive, 3 ended (i64), 4 boot (16
/// bytes), 5 untold (u32), 6 from (i64).
extension RunMark {
  static let key = Array("run".utf8)
  private static let tags: ClosedRange<UInt8> = 1...6

  /// Loads the mark; nil if it is missing or damaged: the previous run is then unknown.
  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> RunMark? {
    try transaction.get(transaction.tables.meta, key).flatMap { RunMark($0) }
  }

  func put(_ transaction: Transaction) throws(DatabaseFailure) {
    let known = try transaction.get(transaction.tables.meta, Self.key)
    let unknown = known.map { FieldCodec.unknown(in: $0, known: Self.tags) } ?? []
    try transaction.put(transaction.tables.meta, Self.key, encode(unknown: unknown))
  }

  func encode(unknown: [UInt8] = []) -> [UInt8] {
    var fields = FieldWriter()
    fields.put(1, began.microseconds)
    fields.put(2, alive.microseconds)
    if let ended { fields.put(3, ended.microseconds) }
    if let boot { fields.put(4, boot.bytes) }
    if untold > 0 { fields.put(5, untold) }
    if let untoldFrom { fields.put(6, untoldFrom.microseconds) }
    return fields.finish(unknown: unknown)
  }

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard var fields = FieldReader(bytes) else { return nil }
    var times: [UInt8: Int64] = [:]
    var untold: UInt32?
    var boot: BootID?
    while let tag = fields.next() {
      switch tag {
      case 1, 2, 3, 6:
        var time = times[tag]
        fields.read(&time)
        times[tag] = time
      case 4:
        guard let id = BootID(fields.content), boot == nil else {
          fields.refuse()
          continue
        }
        boot = id
      case 5: fields.read(&untold)
      default: break
      }
    }
    guard fields.isWhole, let began = times[1], let alive = times[2] else { return nil }
    func time(_ tag: UInt8) -> WallTime? { times[tag].map { WallTime(microseconds: $0) } }
    self.init(
      began: WallTime(microseconds: began), boot: boot, untold: untold ?? 0, untoldFrom: time(6))
    self.alive = WallTime(microseconds: alive)
    ended = time(3)
  }
}
