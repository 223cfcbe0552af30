// A program to be killed: fills a store as fast as its pace allows and prints what is durable.
//
//     store-torture PATH SIZE BYTES SEED
//
// Every sample's value is its own sequence number, so that whoever reads the store can tell loss, repetition and disorder. Lines printed:
//
//     open N      the store is open; the first sample of this life has number N
//     durable N   everything up to N is durable
//     name N      the wearable's record says N, durable

import EventLoop
import Glibc
import Health
import RingStore

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}

@LoopActor
func torture(_ loop: EpollLoop, _ arguments: [String]) async throws {
  guard arguments.count == 5, let size = Int(arguments[2]), let bytes = Int(arguments[3]), var seed = UInt64(arguments[4]) else {
    say("usage: store-torture PATH SIZE BYTES SEED")
    return
  }
  let options = StoreOptions(path: arguments[1], sizeBytes: size, commitEvery: .milliseconds(3), commitBytes: bytes)
  let store = try Store.open(options, loop: loop, disk: DiskThread())
  let status = store.status
  var number = Int64(status.samples + status.evictedSamples)
  say("open \(number + 1)")
  store.onCommit = { say("durable \($0.throughSequence)") }
  var record = store.wearables.first
  if record == nil { record = try await store.enrol(name: "victim", addressValue: 1, addressKind: 1, driver: "d", kind: "k") }
  while true {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    for _ in 0..<(1 + seed >> 33 % 200) {
      number += 1
      store.append(WearableID(number: UInt32(number % 7 + 1)), .rrInterval, number, origin: .live, at: loop.now)
    }
    if seed >> 40 % 8 == 0, var changed = record {
      changed.facts["number"] = String(number)
      try await store.update(changed)
      record = changed
      say("name \(number)")
    }
    try await loop.sleep(for: .microseconds(Int64(seed >> 45 % 2000)))
  }
}

let arguments = CommandLine.arguments
do {
  try EpollLoop.run { loop in try await torture(loop, arguments) }
} catch {
  say("failed: \(error)")
  exit(1)
}
