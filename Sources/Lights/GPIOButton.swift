// Button on the header: an input line of a GPIO chip, watched by the loop.

internal import CGPIO
public import EventLoop
internal import Glibc
public import Reasons

/// Holds the line of a button and reports the actions of its presses.
///
/// A noisy line, such as a broken wire beside a motor, wakes the loop at most once each `ButtonMachine.debounce`. Edges
/// are ignored until a level is accepted or rejected.
@LoopActor
public final class GPIOButton {
  private let loop: EpollLoop
  private let line: HeldLine
  private let onAction: @LoopActor (ButtonAction) -> Void
  private var machine: ButtonMachine
  private var watch: Watch?
  private var timer: LoopTimer?

  /// Takes the line of the board's button.
  ///
  /// - Throws: H7001 no chip with one of the labels. H7002 no such line. H7003 it is in use or reports no edges. H7004
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

  /// Releases the line. No action is reported afterwards. Idempotent.
  public func close() {
    watch?.end()
    watch = nil
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// An edge only shows a change; the level read now counts.
  private func look() {
    guard watch != nil else { return }
    if let timer { loop.cancel(timer) }
    timer = nil
    if !line.drain() {
      // The chip was removed, and its button with it.
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

/// Line held through the C shim; released with the last reference.
private final class HeldLine {
  private let pointer: OpaquePointer
  init(_ pointer: OpaquePointer) { self.pointer = pointer }
  deinit { hearth_gpio_release_button(pointer) }

  var descriptor: Int32 { hearth_gpio_button_descriptor(pointer) }
  /// Whether the button is pressed; an unreadable line counts as released.
  var isDown: Bool { hearth_gpio_button_level(pointer) == 1 }
  /// Discards pending edges. False: no more will come.
  func drain() -> Bool { hearth_gpio_button_drain(pointer) == 0 }
}
