// Return of memory to the kernel after the start and after moves of the journal.

import EventLoop

/// Keeps the memory of a long-running daemon small.
@LoopActor
enum KeptSmall {
  /// Interval equal to that of moves from the journal into the rings. Memory of a move lies between long-lived
  /// allocations. Without this the heap of a hub with forty straps grew from 3 to 9 MB in two hours.
  private static let rest: Duration = .seconds(1800)

  /// Drops the code that only the start needed, and from then on returns free heap each half hour.
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
