// Outputs for the levels. Only the driver uses them.

public import EventLoop
internal import Glibc

/// LEDs of one board.
@LoopActor
public protocol LightPins: AnyObject {
  /// LEDs of the board. Constant.
  var lamps: Set<Lamp> { get }
  /// Sets one LED. Never blocks or throws: a faulty LED must not disturb the hub.
  func set(_ lamp: Lamp, _ on: Bool)
  /// Whether the board can dim its LEDs.
  var canDim: Bool { get }
  /// Dims all LEDs, or ends the dimming. Never blocks or throws.
  func dim(_ on: Bool)
  /// Releases the LEDs, which are not set afterwards. Idempotent.
  func close()
}

extension LightPins {
  /// False: no dimmer.
  public var canDim: Bool { false }
  /// Has no effect.
  public func dim(_ on: Bool) {}
}

/// Lights of a machine without GPIO: a line of text, redrawn in place if the daemon has a terminal, and not shown
/// otherwise.
@LoopActor
public final class TerminalPins: LightPins {
  /// Every LED of the light language.
  public let lamps = Set(Lamp.allCases)
  private var levels: [Lamp: Bool] = [:]
  private let descriptor: Int32?

  /// - Parameter descriptor: drawn on if it is a terminal, for example standard error; nil: not drawn.
  public init(drawingOn descriptor: Int32? = nil) {
    self.descriptor = descriptor.flatMap { isatty($0) == 1 ? $0 : nil }
  }

  /// Levels of all LEDs as text: `HUB [*]  LINK [*]  STORE [ ]`.
  public var line: String {
    Lamp.allCases.map { "\($0.name) [\(levels[$0] == true ? "*" : " ")]" }.joined(separator: "  ")
  }

  /// Shows the level of an LED.
  public func set(_ lamp: Lamp, _ on: Bool) {
    if levels[lamp] == on { return }
    levels[lamp] = on
    draw("\r\(line)\r")
  }

  /// Ends the line.
  public func close() { draw("\r\n") }

  /// The cursor is left at the start of the line, so that other output begins there. A terminal that is held (Ctrl-S)
  /// accepts no bytes; the line is then skipped, so that the loop never blocks.
  private func draw(_ text: String) {
    guard let descriptor else { return }
    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&ready, 1, 0) == 1, ready.revents & Int16(POLLOUT) != 0 else { return }
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}

/// Pins that record every edge with its time, for tests.
@LoopActor
public final class RecordingPins: LightPins {
  /// Change of a level.
  public struct Edge: Sendable, Equatable {
    /// LED that changed its level.
    public let lamp: Lamp
    /// True: switched on.
    public let on: Bool
    /// Time of the change.
    public let at: Instant
  }

  /// Limit: more edges than three busy LEDs make in a day. At this number the older half is dropped.
  public nonisolated static let edgeLimit = 1_000_000

  /// LEDs of the board.
  public let lamps: Set<Lamp>
  /// Changes so far, the oldest first.
  public private(set) var edges: [Edge] = []
  /// True after `close`.
  public private(set) var isClosed = false
  /// True if it has a dimmer.
  public let canDim: Bool
  /// Values passed to `dim`, in order.
  public private(set) var dimmings: [Bool] = []
  private let loop: any Loop

  /// Pins that record the levels.
  public init(loop: any Loop, lamps: Set<Lamp> = Set(Lamp.allCases), canDim: Bool = false) {
    self.loop = loop
    self.lamps = lamps
    self.canDim = canDim
  }

  /// Records a change of the dimmer.
  public func dim(_ on: Bool) {
    guard !isClosed else { fatalError("dim after close") }
    dimmings.append(on)
  }

  /// Records a change of a level.
  public func set(_ lamp: Lamp, _ on: Bool) {
    guard !isClosed else { fatalError("set after close") }
    if edges.count == Self.edgeLimit { edges.removeFirst(Self.edgeLimit / 2) }
    edges.append(Edge(lamp: lamp, on: on, at: loop.now))
  }

  /// Ends the record; later changes trap.
  public func close() { isClosed = true }
}
