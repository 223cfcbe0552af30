// Memory that a start and the moves of the journal leave behind goes back to the kernel.

import EventLoop

/// Keeps a daemon small that runs for months.
@LoopActor
enum KeptSmall {
  /// As often as the journal is moved into the rings. What a move needed lies between what stays: without this the
  /// heap of a hub with forty straps grew from 3 to 9 MB in two hours.
  private static let rest: Duration = .seconds(1800)

  /// Forgets the code that only the start needed, and from then on gives back free heap each half hour.
  static func begin(_ loop: any Loop) {
    loop.schedule(after: ProgramCode.settled) { ProgramCode.forget() }
    giveBack(loop)
  }

  private static func giveBack(_ loop: any Loop) {
    loop.schedule(after: rest) {
      Heap.giveBack()
      giveBack(loop)
    }
  }
}
