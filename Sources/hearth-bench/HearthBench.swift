// Benchmarks of the hub, each compared with a reference in the same run on the same machine.

import ArgumentParser

@main
struct HearthBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth-bench",
    abstract:
      """
      Measure the hub: CPU per notification beside C and Python, its store beside SQLite and LMDB, and the footprint \
      of a running daemon.
      """,
    discussion: """
      Build it with board/build or swift build -c release: figures of a debug build mean little.

      hearth-bench decode                 decoders of Polar's frames
      hearth-bench store --big 1500MB     the store, with 1500 MB in it
      """,
    subcommands: [
      Notify.self, StoreBench.self, Footprint.self, NotifyPusher.self, NotifyReceiver.self, StoreContestant.self,
      StoreOpening.self, LoopLoad.self, DecodeBench.self,
      HearBench.self, HostileBench.self, UplinkBench.self,
    ])
}
