// A busy store to be killed, and the program that inspects the result.
//
//     store-torture run PATH SIZE BYTES SEED [calm | fill]
//     store-torture check PATH [--then-write | --plain]
//     store-torture convert PATH STEP
//     store-torture bonds PATH
//     store-torture damage [OPTIONS]
//
// `run` does to a store what a hub does with thirty wearables, as fast as its pace allows, and prints what is durable.
// Calm: 1000 live samples a second. Fill: it fetches until something had to be evicted, then ends. `check` prints what
// is there. Both use the same names, so that they can be compared without knowing their meaning:
//
//     durable NAME N                 everything of NAME up to N is durable, now and for ever
//     has NAME N                     everything of NAME up to N is there
//     receipt N SOURCE ITEMS CURSOR  of `run`: given for a batch; of `check`: kept. The same words for ever
//
// Further lines of `run`:
//
//     open N              the store is open and has N live samples
//     trouble CODE        commits fail; `trouble none`: they succeed again
//     refused NAME CODE   the store did not take a change
//     broken TEXT         the store answered what it must not
//     failed CODE TEXT    it ends by itself, status 1
//
// Further lines of `check`:
//
//     absent              there is no store, or an empty one
//     broken TEXT         something is lost, twice, changed, out of order or damaged
//     wrote N             it then took one more live sample and one more batch; N live samples are there now
//     failed CODE TEXT    it could not be read, or not be written; status 1
//
// `damage` damages stores of its own and prints the result: `Damage/DamageRun.swift`. The words that begin with
// `damage-` run in processes of their own.
//
// `--plain` inspects a store that `run` has not filled: the contents of its items may be anything.

import EventLoop
import Glibc
import Reasons
import RingStore

/// Counts the steps of one thread.
final class Steps: @unchecked Sendable {
  private(set) var count = 0
  func next() -> Int {
    count += 1
    return count
  }
}

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}

let words = CommandLine.arguments
do {
  switch words.count > 2 || words.last == "damage" ? words[1] : "" {
  case "damage":
    guard var run = DamageRun(words.dropFirst(2)) else {
      say("usage: store-torture damage [--pages N] [--bits N] [--seed S] [--only NAMES] [--kind TEXT] [--lines]")
      exit(2)
    }
    if try !run.run() { exit(1) }
  case "damage-make":
    guard words.count == 4, let population = Population(rawValue: words[3]) else { exit(2) }
    try EpollLoop.run { loop in try await Filled.make(population, words[2], loop) }
  case "damage-life":
    try EpollLoop.run { loop in await Life(path: words[2], writes: words.last != "only-read").run(loop) }
  case "damage-look": Look(path: words[2]).run()
  case "run":
    guard (6...7).contains(words.count), let size = Int(words[3]), let bytes = Int(words[4]),
      let seed = UInt64(words[5])
    else { fallthrough }
    var options = StoreOptions(path: words[2], sizeBytes: size, commitEvery: .milliseconds(3), commitBytes: bytes)
    // Every other life is that of a hub without a journal file, as if the disk refused it.
    options.usesJournalFile = seed % 2 == 0
    let pace = words.count > 6 ? words[6] : ""
    try EpollLoop.run { loop in
      let work = try Work(options, loop, seed, isCalm: pace == "calm")
      if pace == "fill" { try await work.fill() } else { try await work.run() }
    }
  case "convert":
    // Of a store of an earlier format: kills itself before the given step, from 1.
    guard words.count == 4, let last = Int(words[3]) else { fallthrough }
    let steps = Steps()
    var options = StoreOptions(path: words[2], sizeBytes: 64 << 20)
    options.conversionProbe = { _ in if steps.next() == last { kill(getpid(), SIGKILL) } }
    try EpollLoop.run { loop in await (try Store.open(options, loop: loop, disk: DiskThread())).close() }
    say("steps \(steps.count)")
  case "bonds":
    // A store at rest with keys that this user may read.
    let reader = try StoreReader(path: words[2])
    say("bonds \(reader.bonds.count) sealed \(reader.bonds.filter(\.isSealed).count)")
    say("keys of \(try reader.bondsWithKeys().count)")
  case "check":
    let option = words.count > 3 ? words[3] : ""
    try EpollLoop.run { loop in
      try await Check(path: words[2], isPlain: option == "--plain").run(loop, thenWrite: option == "--then-write")
    }
  default:
    say(
      """
      usage: store-torture run PATH SIZE BYTES SEED [calm | fill] | store-torture check PATH [--then-write | --plain] \
      | store-torture convert PATH STEP | store-torture bonds PATH | store-torture damage [OPTIONS]
      """)
    exit(2)
  }
} catch {
  let error = error as? HearthError
  say("failed \(error?.reason.code ?? "-") \(error?.detail ?? "")")
  exit(1)
}
