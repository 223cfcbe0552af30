// Topics, parts, calendars, lines of COPY and waiting: the pure parts of a sink.

import CivilTime
import EventLoop
import MQTTWire
import Reasons
import Testing

@testable import Sink
@testable import UplinkMessages

@Suite("Runs of ordinals")
struct StretchTests {
  @Test("are joined if they touch, within a ring")
  func joins() {
    #expect(joined([[1, 10, 12], [1, 0, 4], [2, 5, 9], [1, 5, 9]]) == [[1, 0, 12], [2, 5, 9]])
    #expect(joined([[1, 0, 9], [1, 2, 3], [1, 11, 11]]) == [[1, 0, 9], [1, 11, 11]])
    #expect(joined([]).isEmpty)
  }
}

@Suite("What a message means")
struct TakenTests {
  private func taken(_ topic: String, _ payload: [UInt8], part: SinkPart = .all) -> String {
    switch Taken(topic: topic, payload: payload, isRetained: false, part: part) {
    case .batch(let taken): "batch \(taken.hub.group) \(taken.hub.name) \(taken.batch.rows)"
    case .word(let hub, .born(let birth), _): "born \(hub.name) \(birth ?? 999)"
    case .word(let hub, .died(let birth), _): "died \(hub.name) \(birth ?? 999)"
    case .word(let hub, .status(_, let isOffline), _): "status \(hub.name) \(isOffline)"
    case .quarantined(let aside): "aside \(aside.cause)"
    case .nothing: "nothing"
    }
  }

  @Test("is given by its topic")
  func topics() {
    let batch = TestBatch().bytes
    #expect(taken("hearth/1/north/gym-a/rows", batch) == "batch north gym-a 3")
    #expect(taken("hearth/1/north/gym-b/rows", batch) == "aside it names another hub than its topic")
    #expect(taken("hearth/1/north/gym-a/rows", [1, 2, 3]).hasPrefix("aside "))
    #expect(taken("hearth/2/north/gym-a/rows", batch) == "nothing")
    #expect(taken("hearth/1/north/gym-a/heads/7", TestBatch(runs: []).bytes) == "batch north gym-a 0")
    #expect(taken("hearth/1/north/gym-a/heads/7", batch) == "aside rows on the topic of heads")
    #expect(taken("hearth/1/north/gym-a/heads/7", []) == "nothing", "what a broker no longer keeps")
    #expect(taken("hearth/1/north/gym-b/heads/7", batch).hasPrefix("aside "))
    #expect(taken("hearth/1/north/gym-a/rows/more", batch) == "nothing")
    #expect(taken("hearth/1/north/gym-a/status", Array(#"{"state":"offline"}"#.utf8)) == "status gym-a true")
    #expect(
      taken("hearth/1/north/gym-a/status", Array(#"{ "a": 1, "state" : "online" }"#.utf8)) == "status gym-a false")
    #expect(taken("hearth/1/north/gym-a/status", Array("no JSON".utf8)) == "nothing")
    let spaced = TestBatch(hub: "gym a/b.c").bytes
    #expect(taken("hearth/1/north/gym_a_b_c/rows", spaced) == "batch north gym_a_b_c 3")
  }

  @Test("of Sparkplug only the number of the birth is looked at")
  func births() {
    // metric 2: name 1 "bdSeq", alias 2, datatype 4, long_value 11
    let payload = bytes(timestamp: 1, metrics: [("other", 3), ("bdSeq", 42)])
    #expect(taken("spBv1.0/north/NBIRTH/gym-a", payload) == "born gym-a 42")
    #expect(taken("spBv1.0/north/NDEATH/gym-a", payload) == "died gym-a 42")
    #expect(taken("spBv1.0/north/NBIRTH/gym-a", [0xFF, 0xFF]) == "born gym-a 999")
    #expect(taken("spBv1.0/north/NDATA/gym-a", payload) == "nothing")
  }

  private func bytes(timestamp: UInt64, metrics: [(String, UInt64)]) -> [UInt8] {
    var payload = ProtoBytes()
    payload.number(1, timestamp)
    for (name, value) in metrics {
      var metric = ProtoBytes()
      metric.text(1, name)
      metric.number(4, 8)
      metric.number(11, value)
      payload.block(2, metric.bytes)
    }
    return payload.bytes
  }

  @Test("each hub is of exactly one part")
  func parts() throws {
    let parts = try (1...3).map { try #require(SinkPart("\($0)/3")) }
    var counts = [0, 0, 0]
    for number in 0..<300 {
      let takers = parts.indices.filter { parts[$0].takes(HubName(group: "g", name: "hub-\(number)")) }
      #expect(takers.count == 1)
      counts[takers.first ?? 0] += 1
    }
    #expect(counts.allSatisfy { $0 > 60 })
    for text in ["0/3", "4/3", "1/65", "1", "a/b", "1/2/3", ""] { #expect(SinkPart(text) == nil) }
  }
}

@Suite("The sink's own texts")
struct SinkTextTests {
  @Test("ordinals of rows with corrected times are kept as stretches without a gap")
  @LoopActor
  func stretches() {
    #expect(RowRetiming.stretches([]) == [])
    #expect(RowRetiming.stretches([1, 2, 3, 5, 9, 10]) == [1...3, 5...5, 9...10])
    #expect(RowRetiming.stretches([0, .max]) == [0...0, .max ... .max])
  }

  @Test("moments are civil times of UTC")
  func moments() {
    let moments: [(Int64, String)] = [
      (0, "1970-01-01 00:00:00Z"), (-1, "1969-12-31 23:59:59.999999Z"),
      (1_709_210_096_000_005, "2024-02-29 12:34:56.000005Z"), (-62_135_596_800_000_000, "0001-01-01 00:00:00Z"),
      (253_402_300_799_999_999, "9999-12-31 23:59:59.999999Z"),
    ]
    for (microseconds, text) in moments { #expect(momentText(microseconds) == text) }
    #expect(monthOf(day: 0) == 1970 * 12)
    #expect(monthOf(day: -1) == 1969 * 12 + 11)
  }

  @Test("a line of COPY has every column")
  func lines() throws {
    var run = TestRun()
    (run.gaps, run.ends, run.data) = ([2, 0], [60_000_000, 1, 2], [[0xAB], [], [0x5C]])
    (run.width, run.widths, run.numbers) = (0, [1, 2, 0], [60, -120, 7])
    run.exponent = 1
    let read = try #require(try RowBatch(reading: TestBatch(runs: [run.bytes]).bytes).runs.first)
    var bytes: [UInt8] = []
    appendLines(read, RowNumbers(ring: 5, trait: 6, wearer: nil), batch: 1, to: &bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(
      lines == [
        "1\t5\t10\t2025-11-24 16:00:00Z\t\\N\t6\t60000000\t\\N\t\\N\t6\t\\N\t\\\\xab\tf",
        "1\t5\t13\t2025-11-24 16:00:01Z\t\\N\t6\t1\t2\t\\N\t\\N\t{-6,0.7}\t\\\\x\tf",
        "1\t5\t14\t2025-11-24 16:00:02Z\t\\N\t6\t2\t\\N\t\\N\t\\N\t\\N\t\\\\x5c\tf",
      ])
  }

  @Test("lists of SQL keep every character")
  func lists() {
    #expect(sqlArray([]) == "{}")
    #expect(sqlArray(["a", "b\"c", "d\\e", "", "NULL", "{,}"]) == #"{"a","b\"c","d\\e","","NULL","{,}"}"#)
    #expect(addressText(0) == "")
    #expect(addressText(0xA1B2_C3D4_E50F) == "A1:B2:C3:D4:E5:0F")
  }

  @Test("brokers are given as host and port")
  func addresses() {
    #expect(BrokerAddress("broker:1883") == BrokerAddress(host: "broker", port: 1883))
    #expect(BrokerAddress(" [2001:db8::1]:8883") == BrokerAddress(host: "2001:db8::1", port: 8883))
    for text in ["broker", "broker:", ":1883", "broker:0", "broker:65536", "a:b:1", "broker:+1", "a b:1"] {
      #expect(BrokerAddress(text) == nil)
    }
  }

  @Test("every question says what it answers, and which persons it may be about")
  func questions() {
    #expect(SinkQuestion.all.count == 10)
    for question in SinkQuestion.all {
      #expect(question.abstract.contains("whom: "))
      #expect(SinkSchema.text(timescale: false).contains("FUNCTION hearth.\(question.name)("))
    }
    #expect(SinkSchema.text(timescale: true).contains("create_hypertable"))
    #expect(!SinkSchema.text(timescale: false).contains("create_hypertable"))
  }

  @Test(
    "codes of the sink name the next step",
    arguments: [
      Reason.sinkBroker, .sinkDatabase, .sinkBatchRefused, .sinkGap,
    ])
  func codes(reason: Reason) {
    #expect(reason.text.area == "sink")
    #expect(!reason.text.next.isEmpty)
  }

  @Test("a schema of another version is distinguished from one that is newer")
  func schemas() {
    #expect(SinkSchema.trouble("\(SinkSchema.version)") == nil)
    #expect(SinkSchema.trouble("1")?.words.hasSuffix("hearth-sink schema --apply") == true)
    #expect(SinkSchema.trouble("99")?.words.hasSuffix("a newer hearth-sink") == true)
    #expect(SinkSchema.trouble(nil)?.words.hasSuffix("--apply") == true)
  }

  @Test("waiting doubles up to its bound, and is never in step")
  func backoff() {
    var backoff = Backoff(first: .seconds(1), last: .seconds(30))
    #expect((0..<7).map { _ in backoff.next(1) } == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    backoff.succeeded()
    #expect(backoff.next(0) == .milliseconds(500))
  }
}

@Suite("The inbox")
struct InboxTests {
  private func delivery(_ identifier: UInt16, _ size: Int) -> Delivery {
    Delivery(
      message: MQTTMessage(topic: "t", payload: [UInt8](repeating: 0, count: size), identifier: identifier),
      connection: 1)
  }

  @Test("keeps order and counts bytes")
  func order() {
    var inbox = Inbox()
    for number in 1...5000 { inbox.append(delivery(UInt16(number), 1)) }
    #expect(inbox.count == 5000 && inbox.bytes == 5000)
    for number in 1...5000 { #expect(inbox.next()?.message.identifier == UInt16(number)) }
    #expect(inbox.isEmpty && inbox.bytes == 0 && inbox.next() == nil)
  }

  @Test("is full at its bound, and forgets what its broker hands out again")
  func full() {
    var inbox = Inbox()
    inbox.append(delivery(1, Inbox.byteLimit))
    inbox.append(delivery(0, 3))
    #expect(inbox.isFull)
    inbox.forgetUnacknowledged()
    #expect(!inbox.isFull && inbox.count == 1 && inbox.bytes == 3)
  }
}

@Suite("Settings of a sink")
struct SinkSettingsTests {
  private func settings(_ text: String) throws -> SinkSettings {
    let path = "/tmp/hearth-sink-test-\(UInt64.random(in: 0 ... .max)).yaml"
    try write(text, to: path)
    defer { remove(path) }
    return try SinkSettings(file: path)
  }

  @Test("are read with their defaults")
  func read() throws {
    let settings = try settings(
      "broker:\n  address: a:1,b:2\n  group: sinks\n  part: 2/3\n  tls: true\ndatabase:\n  quarantine: 5\n")
    #expect(settings.broker.addresses.map(\.text) == ["a:1", "b:2"])
    #expect(settings.broker.group == "sinks" && settings.broker.part.text == "2/3" && settings.broker.isSecure)
    #expect(settings.database.quarantine == 5 && settings.database.groupRows == 50_000)
  }

  @Test(
    "are refused with their place",
    arguments: [
      "broker:\n  adress: a:1\n", "broker:\n  address: nowhere\n", "broker:\n  part: 4/3\n", "broker: [1]\n",
    ])
  func refuse(text: String) {
    #expect(throws: HearthError.self) { try settings(text) }
  }
}
