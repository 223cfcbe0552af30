// LEDs on the header: output lines of a GPIO chip, through libgpiod.

internal import CGPIO
public import EventLoop
internal import Glibc
public import Reasons

/// Holds the lines of a board. Meanwhile no other process can take them.
@LoopActor
public final class GPIOPins: LightPins {
  /// LEDs of the board.
  public let lamps: Set<Lamp>
  /// True if the board has a dimmer.
  public let canDim: Bool
  /// The first failure to set a line: the chip was unplugged or its driver failed. The LEDs then no longer show the
  /// state.
  public private(set) var trouble: HearthError?

  /// LEDs in the order of the lines taken.
  private let order: [Lamp]
  private var lines: TakenLines?

  /// Takes the lines of `board`, with all LEDs dark.
  ///
  /// - Throws:
  ///   - H7001: no chip with one of the labels, or access is denied.
  ///   - H7002: a line is missing. H7003: a line is in use or cannot be driven.
  ///   - H7004: the board lists no chip or no LED.
  public init(_ board: Board) throws(HearthError) {
    order = Lamp.allCases.filter { board.lines[$0] != nil }
    lamps = Set(order)
    if order.isEmpty || board.chipLabels.isEmpty {
      throw HearthError(.lightsBoardUnknown, "board \(board.name) lists no \(order.isEmpty ? "lamp" : "chip")")
    }
    canDim = board.dimmer != nil
    lines = try Self.take(board, order.compactMap { board.lines[$0] } + (board.dimmer.map { [$0] } ?? []))
  }

  /// Switches an LED.
  public func set(_ lamp: Lamp, _ on: Bool) {
    if let index = order.firstIndex(of: lamp) { set(index, on, lamp.name) }
  }

  /// Sets the level of the dimmer's line, which follows those of the LEDs. No effect without a dimmer. The first
  /// failure becomes `trouble`.
  public func dim(_ on: Bool) {
    if canDim { set(order.count, on, "the dimmer") }
  }

  private func set(_ index: Int, _ on: Bool, _ what: String) {
    guard let lines else { return }
    let error = hearth_gpio_set(lines.pointer, index, on)
    if error != 0, trouble == nil {
      trouble = HearthError(.lightsLineBusy, "line of \(what) cannot be set: \(Self.message(error))")
    }
  }

  /// Releases the lines.
  public func close() { lines = nil }

  /// Tries the chips in order. The first one present decides: if its line is missing or busy, that is the error.
  private static func take(_ board: Board, _ specifications: [Board.LineSpec]) throws(HearthError) -> TakenLines {
    var denied: Int32 = 0
    for label in board.chipLabels {
      let result = request(label, specifications)
      let line = specifications.indices.contains(Int(result.line)) ? specifications[Int(result.line)].name : "a line"
      switch result.status {
      case HEARTH_GPIO_OK:
        if let pointer = result.lines { return TakenLines(pointer) }
        throw HearthError(.lightsChipMissing, "chip \(label) gave no lines")
      case HEARTH_GPIO_NO_CHIP:
        if result.error != 0 { denied = result.error }
      case HEARTH_GPIO_NO_LINE:
        throw HearthError(.lightsLineMissing, "chip \(label) has no line \(line) (board \(board.name))")
      case HEARTH_GPIO_BUSY:
        throw HearthError(
          .lightsLineBusy, "\(line) of chip \(label) is in use by another program (board \(board.name))")
      default:
        throw HearthError(
          .lightsLineBusy, "\(line) of chip \(label) cannot be driven: \(message(result.error)) (board \(board.name))")
      }
    }
    let labels = board.chipLabels.joined(separator: " or ")
    let why = denied == 0 ? "" : "; a chip may not be opened: \(message(denied))"
    throw HearthError(.lightsChipMissing, "no GPIO chip is labelled \(labels) (board \(board.name))\(why)")
  }

  private static func request(_ label: String, _ specifications: [Board.LineSpec]) -> hearth_gpio_result {
    let names = specifications.map { strdup($0.name) }
    defer { for name in names { free(name) } }
    let lines = zip(names, specifications).map { hearth_gpio_line(name: UnsafePointer($0), active_low: $1.activeLow) }
    return hearth_gpio_take(label, lines, lines.count)
  }

  static func message(_ error: Int32) -> String { String(cString: strerror(error)) }
}

/// Lines held through the C shim; released with the last reference.
private final class TakenLines {
  let pointer: OpaquePointer
  init(_ pointer: OpaquePointer) { self.pointer = pointer }
  deinit { hearth_gpio_release(pointer) }
}
