// The button on the header: an input line of a GPIO chip, watched by the loop.

internal import CGPIO
public import EventLoop
internal import Glibc
public import Reasons

/// Holds the line of a button and tells what presses of it mean.
///
/// A line that never rests (a broken wire beside a motor) wakes the loop once each `ButtonMachine.debounce`, no more:
/// until a level is believed or refuted, edges are not listened to.
@LoopActor
public final class GPIOButton {
  private let loop: EpollLoop
  private let line: HeldLine
  private let onAction: @LoopActor (ButtonAction) -> Void
  private var machine: ButtonMachine
  private var watch: Watch?
  private var timer: LoopTimer?

  /// Takes the button of `board`.
  ///
  /// - Throws: H7001 no chip with one of the labels, H7002 no such line, H7003 it is in use or gives no edges, H7004
  ///   the board has no button.
  public init(_ board: Board, loop: EpollLoop, onAction: @escaping @LoopActor (ButtonAction) -> Void)
    throws(HearthError)
  {
    guard let button = board.button else { throw HearthError(.lightsBoardUnknown, "board \(board.name) has no button") }
    line = try Self.take(button, board)
    self.loop = loop
    self.onAction = onAction
    machine = ButtonMachine(isDown: line.isDown, at: loop.now)
    watch = loop.watch(line.descriptor, for: .readable) { [weak self] _ in self?.look() }
  }

  /// Gives the line back. Nothing is told after it. Idempotent.
  public func close() {
    watch?.end()
    watch = nil
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// The edges only say that something changed; what counts is the level that is found.
  private func look() {
    guard watch != nil else { return }
    if let timer { loop.cancel(timer) }
    timer = nil
    if !line.drain() {
      // The chip is gone: nobody can press what is not there.
      return close()
    }
    for action in machine.advance(isDown: line.isDown, at: loop.now) { onAction(action) }
    // An action may have closed the button.
    guard watch != nil else { return }
    let deadline = machine.deadline
    let isBouncing = deadline.map { $0 - loop.now <= ButtonMachine.debounce } ?? false
    watch?.update(isBouncing ? [] : .readable)
    if let deadline { timer = loop.schedule(at: deadline) { [weak self] in self?.look() } }
  }

  private static func take(_ button: Board.ButtonSpec, _ board: Board) throws(HearthError) -> HeldLine {
    let labels = button.chipLabel.map { [$0] } ?? board.chipLabels
    let what = "button line \(button.line.name)"
    for label in labels {
      let result = button.line.name.withCString {
        hearth_gpio_take_button(label, hearth_gpio_line(name: $0, active_low: button.line.activeLow))
      }
      switch result.status {
      case HEARTH_GPIO_OK:
        if let pointer = result.button { return HeldLine(pointer) }
        throw HearthError(.lightsChipMissing, "chip \(label) gave no line")
      case HEARTH_GPIO_NO_CHIP: continue
      case HEARTH_GPIO_NO_LINE:
        throw HearthError(.lightsLineMissing, "chip \(label) has no \(what) (board \(board.name))")
      case HEARTH_GPIO_BUSY:
        throw HearthError(
          .lightsLineBusy, "\(what) of chip \(label) is in use by another program (board \(board.name))")
      default:
        throw HearthError(
          .lightsLineBusy,
          "\(what) of chip \(label) gives no edges: \(GPIOPins.message(result.error)) (board \(board.name))")
      }
    }
    throw HearthError(
      .lightsChipMissing, "no GPIO chip is labelled \(labels.joined(separator: " or ")) (button of board \(board.name))"
    )
  }
}

/// The line as the shim holds it; given back with the last reference.
private final class HeldLine {
  private let pointer: OpaquePointer
  init(_ pointer: OpaquePointer) { self.pointer = pointer }
  deinit { hearth_gpio_release_button(pointer) }

  var descriptor: Int32 { hearth_gpio_button_descriptor(pointer) }
  /// A line that cannot be read is up.
  var isDown: Bool { hearth_gpio_button_level(pointer) == 1 }
  /// Throws away the edges that wait. False: there will be no more.
  func drain() -> Bool { hearth_gpio_button_drain(pointer) == 0 }
}
