import Foundation
import HubProtocol
import Reasons
import Testing

@testable import EventLoop
@testable import hearth

/// Files of a scheduled export against a hub that gains and loses rows, with runs that end at any step.
@Suite("Files of a scheduled export")
struct DeliveryTests {
  @Test(
    "whichever step a run ends at, the next ones lose no row and write none twice", arguments: DeliveryRun.Step.allCases
  )
  func cut(_ step: DeliveryRun.Step) throws {
    for after in 0..<4 {
      let bench = try DeliveryBench()
      bench.settings.size = 800
      for ring in 0..<3 { bench.hub.grow(ring, 7) }
      if step == .settle {
        #expect(throws: CutOff.self) { try bench.run(cut: (.rename, after)) }
        #expect(throws: CutOff.self) { try bench.run(cut: (.settle, 0)) }
      } else {
        #expect(throws: CutOff.self) { try bench.run(cut: (step, step == .end ? 0 : after)) }
      }
      bench.hub.grow(1, 4)
      bench.hub.evict(2, 3)
      try bench.run()
      try bench.account()
      #expect(bench.everything == bench.names, "no draft is left")
      let state = try bench.memory.load()
      #expect(state.delivered.isEmpty && state.pending == nil && state.ranAt == VirtualLoop.morning)
    }
  }

  @Test(
    "in any order of growth, eviction, broken runs and a receiver that takes files away, the account is right",
    arguments: 0..<60)
  func anyOrder(_ seed: Int) throws {
    var random = DeliveryDice(UInt64(seed))
    let bench = try DeliveryBench()
    bench.settings.size = 400 + random.below(3000)
    bench.hub.page = 1 + random.below(9)
    for _ in 0..<40 {
      switch random.below(6) {
      case 0, 1: bench.hub.grow(random.below(3), random.below(12))
      case 2: bench.hub.evict(random.below(3), random.below(8))
      case 3: try bench.take()
      case 4: try bench.run()
      default:
        let step = DeliveryRun.Step.allCases[random.below(DeliveryRun.Step.allCases.count)]
        do { try bench.run(cut: (step, random.below(4))) } catch is CutOff {}
      }
    }
    try bench.run()
    try bench.account()
  }

  @Test("a file that a receiver took before it was confirmed is not made again")
  func takenAway() throws {
    let bench = try DeliveryBench()
    bench.hub.grow(0, 3)
    #expect(throws: CutOff.self) { try bench.run(cut: (.confirm, 0)) }
    try bench.take()
    #expect(try bench.run() == DeliveryRun.Outcome())
    bench.hub.grow(0, 1)
    #expect(try bench.run().rows == 1)
    try bench.account()
  }

  @Test("nothing new: no file and no draft, and the hub is asked all the same")
  func nothing() throws {
    let bench = try DeliveryBench()
    #expect(try bench.run() == DeliveryRun.Outcome())
    #expect(bench.everything == [])
    bench.hub.grow(0, 2)
    #expect(try bench.run().rows == 2)
    #expect(try bench.run() == DeliveryRun.Outcome())
    #expect(bench.everything == ["gym-archive-000001-20261121T100000Z.ndjson"], "\(bench.everything)")
  }

  @Test("each file of csv has its head; what is no row is not in it")
  func csv() throws {
    let bench = try DeliveryBench(.csv)
    bench.settings.size = 300
    bench.hub.grow(0, 12)
    bench.hub.evict(0, 2)
    bench.hub.corrections = [CorrectionDocument(device: "strap-01", enrolment: 1, from: "a", to: "b", wearer: "Ada")]
    let outcome = try bench.run()
    #expect(outcome.files.count == 2 && outcome.rows == 10, "\(outcome)")
    var values: [Substring] = []
    for (_, text) in try bench.all() {
      let lines = text.split(separator: "\n")
      #expect(lines.first?.hasPrefix("device,address,series,time,value") == true, "\(lines.first ?? "")")
      values += lines.dropFirst().map { $0.split(separator: ",")[4] }
    }
    #expect(values == (2...11).map { "\($0)" })
    #expect(try bench.memory.load().gone == 2)
    bench.hub.corrections = [CorrectionDocument(device: "strap-01", enrolment: 1, from: "a", to: "b", wearer: "Bob")]
    #expect(try bench.run() == DeliveryRun.Outcome())
  }

  @Test("a correction is a line of ndjson, also without a row")
  func correction() throws {
    let bench = try DeliveryBench()
    bench.hub.corrections = [CorrectionDocument(device: "strap-01", enrolment: 1, from: "a", to: "b", wearer: "Ada")]
    let outcome = try bench.run()
    #expect(outcome.rows == 0 && outcome.files.count == 1)
    #expect(try bench.text(bench.names.first ?? "").hasPrefix(#"{"correction":{"#))
  }

  @Test("a draft that somebody deleted before it had its name is written again, under its number")
  func draftGone() throws {
    let bench = try DeliveryBench()
    bench.hub.grow(0, 3)
    #expect(throws: CutOff.self) { try bench.run(cut: (.rename, 0)) }
    #expect(bench.everything.count == 1 && bench.names.isEmpty)
    try FileManager.default.removeItem(at: bench.to.appendingPathComponent(bench.everything.first ?? ""))
    #expect(try bench.run().rows == 3)
    try bench.account()
  }

  @Test("drafts of a killed run go, and files of others stay")
  func others() throws {
    let bench = try DeliveryBench()
    let others = [".gym-archive-notes.part", ".other-000001-x.part", "gym-archive-000041-x.ndjson", "notes.txt"]
    for name in others + [".gym-archive-000042-x.ndjson.part"] {
      try Data("x".utf8).write(to: bench.to.appendingPathComponent(name))
    }
    bench.hub.grow(0, 1)
    #expect(try bench.run().files == ["gym-archive-000042-20261121T100000Z.ndjson"])
    #expect(bench.everything.filter { !$0.hasPrefix("gym-archive-000042") } == others)
  }

  @Test("another store has other rows at the same places")
  func anotherStore() throws {
    let bench = try DeliveryBench()
    bench.hub.grow(0, 3)
    #expect(throws: CutOff.self) { try bench.run(cut: (.confirm, 0)) }
    bench.hub.store = "fedcba9876543210"
    #expect(try bench.run().rows == 3)
  }

  @Test("a hub that names no places, and a broken state, are refused; no file is made")
  func refused() throws {
    let bench = try DeliveryBench()
    bench.hub.grow(0, 1)
    let run = ExportRun(LineOutput(isCSV: false), .init(), isNDJSON: true)
    let ask = bench.hub.connect()
    let delivery = DeliveryRun(
      bench.settings, DeliveryFolder(path: bench.to.path, stem: "gym-archive-"), bench.memory, run,
      now: VirtualLoop.morning, writer: { [form = bench.settings.form] in try form.output(zone: { .utc }, to: $0) })
    let malformed = #expect(throws: HearthError.self) {
      try delivery.carry { confirms in
        var reply = ask(confirms)
        reply.store = nil
        return reply
      }
    }
    #expect(malformed?.reason == .controlMalformed && bench.everything == [])
    for text in ["", "{}", "[", #"{"schema":"io.hearth.delivery-state/1"}"#] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: bench.memory.path))
      let error = #expect(throws: HearthError.self) { try bench.run() }
      #expect(error?.reason == .storeInputOutput && bench.everything == [], "\(text)")
    }
  }

  @Test("a state is read as it was written")
  func state() throws {
    let bench = try DeliveryBench()
    bench.hub.grow(0, 3)
    #expect(throws: CutOff.self) { try bench.run(cut: (.rename, 0)) }
    bench.memory.keep("H4008 store: no room", at: VirtualLoop.morning)
    let state = try bench.memory.load()
    #expect(state.pending?.name == "gym-archive-000001-20261121T100000Z.ndjson" && state.number == 1)
    #expect(state.failure == "H4008 store: no room" && state.failedAt == VirtualLoop.morning && state.ranAt == nil)
    #expect(DeliveryState(state.json.compact) == state)
  }
}

/// Numbers that a seed decides.
struct DeliveryDice {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}
