import EventLoop
import Health
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Word for word, the live streams that people ordered", .serialized)
struct PolarLiveTests {
  /// An idle H10 is asked for its ECG, and gives it.
  private static let strapWithECG = """
    read FB005C81 0F0500
    write FB005C81 05
    notify FB005C81 F0050000000002
    write FB005C81 0100
    notify FB005C81 F0010000000001820001010E00
    write FB005C81 02000001820001010E00
    notify FB005C81 F002000000

    """

  /// A Verity Sense that is not in SDK mode, and its acceleration.
  private static let senseLook = """
    read FB005C81 0F6E62
    write FB005C81 06
    notify FB005C81 F00600000000

    """
  private static let senseACC = """
    write FB005C81 0102
    notify FB005C81 F001020000000134000101100002010800040103

    """

  @LoopActor
  private func talk(_ model: String, _ streams: Set<Series>, rates: [Series: Int] = [:], _ text: String) throws -> (
    Conversation, PolarLive
  ) {
    let conversation = try Conversation(.measurements, text)
    conversation.link.known.advertisedName = "Polar \(model) 1234567C"
    conversation.link.orders.streams = streams
    conversation.link.orders.rates = rates
    return (conversation, PolarLive(conversation.link, try #require(PMD.Client(conversation.link))))
  }

  /// `ecg running 130`, a line for each stream.
  @LoopActor
  private func state(_ live: PolarLive) -> [String] {
    live.rows.map { row in
      ([row.name] + row.fields.filter { ["state", "rate_hz", "mode"].contains($0.name) }.map(\.value)).joined(
        separator: " ")
    }
  }

  @LoopActor
  private func field(_ name: String, _ live: PolarLive) -> String? {
    live.rows.first?.fields.first { $0.name == name }?.value
  }

  @LoopActor
  private func endStream(_ types: [UInt8], _ conversation: Conversation) throws {
    conversation.link.notify(try #require(conversation.database.characteristic(PMD.controlPoint)), [1] + types)
  }

  @LoopActor
  private func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
    do throws(VisitTrouble) { try await body() } catch { return error }
    return nil
  }

  /// A frame of ECG: two samples.
  private func decodeECG(_ live: PolarDecoder, second: UInt64, into sink: RecordingSink) -> DecodeError? {
    let frame = PMD.Frame.encode(
      .ecg, time: 800_000_000_000_000_000 + second * 1_000_000_000, frameType: 0, isCompressed: false,
      [1, 0, 0, 2, 0, 0])
    if case .failure(let error) = live.outcome(PolarDriver.frames, frame, sink) { return error }
    return nil
  }

  @Test("several begin with the rates of an everyday link, get faster in the foreground, and stop if the link is idle")
  func profiles() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "H10", [.ecg, .acc, .ppg],
        Self.strapWithECG + """
          write FB005C81 0102
          notify FB005C81 F0010200000004190032006400C800010110000203020004000800
          write FB005C81 0202000132000101100002010800
          notify FB005C81 F002020000
          write FB005C81 0302
          notify FB005C81 F003020000
          write FB005C81 02020001C8000101100002010800
          notify FB005C81 F002020000
          write FB005C81 0300
          notify FB005C81 F003000000
          write FB005C81 0302
          notify FB005C81 F003020000
          """)
      try await live.begin()
      #expect(
        state(live) == ["ecg running 130", "acc running 50", "ppg refused"] && live.attendance != nil
          && live.needsClosing)
      // What runs as it should is left alone.
      try await live.begin()
      try await live.follow(.background)
      try await live.attend()
      try await live.follow(.foreground)
      #expect(state(live) == ["ecg running 130", "acc running 200", "ppg refused"])
      try await live.follow(.idle)
      #expect(
        state(live) == ["ecg waiting", "ppg refused", "acc waiting"] && field("why", live)?.contains("idle") == true)
      #expect(live.attendance == nil && !live.needsClosing && conversation.left == 0)
    }
  }

  @Test("frames become samples once their stream was begun, and are delivered with it")
  func frames() throws {
    try onLoop { _ async throws in
      let (_, live) = try talk("H10", [.ecg], Self.strapWithECG)
      let sink = RecordingSink()
      #expect(
        decodeECG(live.decoder, second: 1, into: sink) == nil && sink.items.isEmpty, "nobody knows what to read it with"
      )
      try await live.begin()
      #expect(
        decodeECG(live.decoder, second: 1, into: sink) == nil
          && sink.items.map(\.values) == [[7_692_308, 2, Waveform.Encoding.int16]])
      // A frame is a sixty-fifth of a second: sixty-four are missing.
      #expect(decodeECG(live.decoder, second: 2, into: sink) == nil && sink.anomalies.count == 1)
      #expect(
        field("frames", live) == "2" && field("gaps", live) == "1" && field("missing_samples", live) == "128"
          && field("malformed", live) == "0")
      // The heart is read as any strap's.
      let beat = try #require(PolarStrapDriver().liveSources.first)
      _ = live.decoder.outcome(beat, [0x16, 72, 0x50, 3], sink)
      #expect(sink.samples == [Sample(.heartRate, 72), Sample(.rrInterval, 848)])
    }
  }

  @Test("a wearable without orders is not asked for streams", arguments: ["OH1", "Vantage V3"])
  func nothing(_ model: String) throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(model, [], "")
      try await live.begin()
      try await live.follow(.foreground)
      try await live.attend()
      #expect(
        conversation.link.requests == 0 && live.attendance == nil && !live.needsClosing && live.decoder.streams == nil)
    }
  }

  @Test("a strap is asked once what was left on, and that is ended: it would go on until its battery is empty")
  func leftOn() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "H10", [],
        """
        read FB005C81 0F0500
        write FB005C81 05
        notify FB005C81 F0050000000042
        write FB005C81 0302
        notify FB005C81 F003020000
        """)
      try await live.begin()
      try await live.begin()
      #expect(conversation.left == 0 && conversation.link.notes.count == 1)
    }
  }

  @Test("one that does not know the question is left in peace")
  func unknownQuestion() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "H10", [],
        """
        read FB005C81 0F0500
        write FB005C81 05
        notify FB005C81 F0050001
        """)
      try await live.begin()
      #expect(conversation.left == 0 && conversation.link.notes.isEmpty)
    }
  }

  @Test("a stream that runs already was begun by another program: it is ended, and begun with settings that are known")
  func alreadyRunning() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "Sense", [.acc],
        Self.senseLook + Self.senseACC + """
          write FB005C81 0202000134000101100002010800040103
          notify FB005C81 F0020206
          write FB005C81 05
          notify FB005C81 F005000000420105
          write FB005C81 0302
          notify FB005C81 F003020000
          write FB005C81 0202000134000101100002010800040103
          notify FB005C81 F00202000005010000803F
          """)
      try await live.begin()
      #expect(state(live) == ["acc running 52"] && conversation.left == 0)
    }
  }

  @Test("what is recorded cannot stream: it is said, and the recording goes on")
  func recording() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "Sense", [.acc],
        Self.senseLook + Self.senseACC + """
          write FB005C81 0202000134000101100002010800040103
          notify FB005C81 F0020206
          write FB005C81 05
          notify FB005C81 F00500000082
          """)
      try await live.begin()
      #expect(
        state(live) == ["acc waiting"] && field("why", live)?.contains("recorded") == true && conversation.left == 0)
      #expect(!live.needsClosing && conversation.link.notes.count == 1)
    }
  }

  @Test("what the wearable refuses is not asked for again over this link, unless people ask again")
  func refused() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "OH1", [.ppi],
        """
        read FB005C81 0F0E00
        write FB005C81 0203
        notify FB005C81 F0020303
        write FB005C81 0203
        notify FB005C81 F002030000
        """)
      try await live.begin()
      #expect(state(live) == ["ppi refused"])
      try await conversation.link.settle(for: .seconds(30))
      try await live.attend()
      #expect(state(live) == ["ppi refused"])
      try await live.begin()
      #expect(state(live) == ["ppi running"] && conversation.left == 0)
    }
  }

  @Test("one that is charging is tried again, ever later")
  func charging() throws {
    try onLoop { _ async throws in
      let refusal = "write FB005C81 0203\nnotify FB005C81 F002030D\nwrite FB005C81 05\nnotify FB005C81 F00500000003\n"
      let (conversation, live) = try talk("OH1", [.ppi], "read FB005C81 0F0E00\n" + refusal + refusal + refusal)
      try await live.begin()
      let first = conversation.left
      try await live.attend()
      let second = conversation.left
      try await live.attend()
      #expect(first == 8 && second == 4 && conversation.left == 4, "the second pause is 10 s")
      try await conversation.link.settle(for: .seconds(11))
      try await live.attend()
      #expect(conversation.left == 0 && state(live) == ["ppi waiting"])
    }
  }

  @Test("a stream that the wearable ends is restarted, at once and then ever later; ends of others change nothing")
  func ended() throws {
    try onLoop { _ async throws in
      let start = "write FB005C81 0203\nnotify FB005C81 F002030000\n"
      let (conversation, live) = try talk("OH1", [.ppi], "read FB005C81 0F0E00\n" + start + start + start)
      try await live.begin()
      try endStream([2, 5], conversation)
      try endStream([], conversation)
      try await live.attend()
      #expect(conversation.left == 4)
      try endStream([3], conversation)
      try await live.attend()
      #expect(conversation.left == 2 && state(live) == ["ppi running"])
      try endStream([3], conversation)
      try await live.attend()
      #expect(conversation.left == 2 && state(live) == ["ppi waiting"] && field("why", live) == "the wearable ended it")
      try await conversation.link.settle(for: .seconds(11))
      try await live.attend()
      #expect(conversation.left == 0 && state(live) == ["ppi running"])
    }
  }

  @Test("a stream that falls silent is ended and restarted")
  func silent() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "H10", [.ecg],
        Self.strapWithECG + """
          write FB005C81 0300
          notify FB005C81 F003000000
          write FB005C81 02000001820001010E00
          notify FB005C81 F002000000
          """)
      try await live.begin()
      for second in 1...4 as ClosedRange<UInt64> {
        try await conversation.link.settle(for: .seconds(30))
        #expect(decodeECG(live.decoder, second: second, into: RecordingSink()) == nil)
        try await live.attend()
      }
      #expect(conversation.left == 4)
      try await conversation.link.settle(for: .seconds(30))
      try await conversation.link.settle(for: .seconds(30))
      try await live.attend()
      #expect(conversation.left == 0 && state(live) == ["ecg running 130"])
    }
  }

  @Test("a rate that only SDK mode gives is had in SDK mode, which ends with the order, and before the hub hangs up")
  func sdkMode() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "Sense", [.acc], rates: [.acc: 100],
        Self.senseLook + Self.senseACC + """
          write FB005C81 0402
          notify FB005C81 F00402000000051A0034006800D000A0010101100002040200040008001000040103
          write FB005C81 05
          notify FB005C81 F00500000002
          write FB005C81 0209
          notify FB005C81 F002090000
          write FB005C81 0202000168000101100002011000040103
          notify FB005C81 F002020000
          write FB005C81 0302
          notify FB005C81 F003020000
          write FB005C81 05
          notify FB005C81 F00500000002
          write FB005C81 0309
          notify FB005C81 F003090000
          """)
      try await live.begin()
      #expect(state(live) == ["acc running 104 sdk"])
      conversation.link.orders.streams = []
      try await live.begin()
      #expect(state(live) == [] && !live.needsClosing && conversation.left == 0)
    }
  }

  @Test("SDK mode waits while something is recorded: the nearest other rate runs meanwhile")
  func sdkModeWaits() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "Sense", [.acc], rates: [.acc: 208],
        Self.senseLook + Self.senseACC + """
          write FB005C81 0402
          notify FB005C81 F00402000000051A0034006800D000A0010101100002040200040008001000040103
          write FB005C81 05
          notify FB005C81 F00500000081
          write FB005C81 0202000134000101100002010800040103
          notify FB005C81 F002020000
          """)
      try await live.begin()
      #expect(state(live) == ["acc running 52"] && conversation.left == 0 && conversation.link.notes.count == 1)
      #expect(field("ordered_hz", live) == "208")
      #expect(
        field("why", live) == "208 Hz needs SDK mode, and what it records keeps the mode in which that began")
    }
  }

  @Test("of two rates, the one that it has in no mode does not say that it waits for SDK mode")
  func obstacleOfOne() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "Sense", [.acc, .ppg], rates: [.acc: 208, .ppg: 60],
        Self.senseLook + """
          write FB005C81 0101
          notify FB005C81 F0010100000001370001011600040104
          write FB005C81 0401
          notify FB005C81 F0040100000001370001011600040104

          """ + Self.senseACC + """
            write FB005C81 0402
            notify FB005C81 F00402000000051A0034006800D000A0010101100002040200040008001000040103
            write FB005C81 05
            notify FB005C81 F00500000081
            write FB005C81 02010001370001011600040104
            notify FB005C81 F002010000
            write FB005C81 0202000134000101100002010800040103
            notify FB005C81 F002020000
            """)
      try await live.begin()
      #expect(state(live) == ["ppg running 55", "acc running 52"] && conversation.left == 0)
      let why = live.rows.map { row in row.fields.first { $0.name == "why" }?.value }
      #expect(
        why == [
          "it has no 60 Hz: this is the nearest",
          "208 Hz needs SDK mode, and what it records keeps the mode in which that began",
        ])
    }
  }

  @Test("the rates at which it records are asked once over a link, unless it did not say them")
  func recordableRates() throws {
    try onLoop { _ async throws in
      let conversation = try Conversation(
        .measurements,
        """
        read FB005C81 0F6E60
        write FB005C81 0182
        notify FB005C81 F001820C00
        read FB005C81 0F6E60
        write FB005C81 0182
        notify FB005C81 F001820000000134000101100002010800040103
        read FB005C81 0F6E60
        """)
      let recorder = PolarRecorder(conversation.link, try #require(PMD.Client(conversation.link)))
      #expect(try await recorder.rates(of: [.acc])[.acc]?.usual == nil)
      for _ in 0..<2 { #expect(try await recorder.rates(of: [.acc])[.acc]?.usual == "52") }
      #expect(conversation.left == 0)
    }
  }

  @Test("a rate that a wearable has in no mode runs at the nearest, and says so")
  func nearest() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "H10", [.ecg], rates: [.ecg: 250], Self.strapWithECG)
      try await live.begin()
      #expect(state(live) == ["ecg running 130"] && conversation.left == 0)
      #expect(field("ordered_hz", live) == "250" && field("why", live) == "it has no 250 Hz: this is the nearest")
    }
  }

  @Test("SDK mode that was left on is ended")
  func sdkModeLeftOn() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "360", [],
        """
        read FB005C81 0F8E62
        write FB005C81 06
        notify FB005C81 F00600000001
        write FB005C81 05
        notify FB005C81 F0050000000102
        write FB005C81 0309
        notify FB005C81 F003090000
        """)
      try await live.begin()
      #expect(conversation.left == 0 && !live.needsClosing)
    }
  }

  @Test("SDK mode in which something is recorded stays, also when the hub hangs up")
  func sdkModeOfARecording() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "360", [],
        """
        read FB005C81 0F8E62
        write FB005C81 06
        notify FB005C81 F00600000001
        write FB005C81 05
        notify FB005C81 F0050000000182
        write FB005C81 05
        notify FB005C81 F0050000000182
        write FB005C81 05
        notify FB005C81 F0050000000182
        """)
      try await live.begin()
      try await live.end()
      #expect(conversation.left == 0)
    }
  }

  @Test("before the hub hangs up every stream is stopped")
  func farewell() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "H10", [.ecg], Self.strapWithECG + "write FB005C81 0300\nnotify FB005C81 F003000000")
      try await live.begin()
      #expect(live.needsClosing)
      try await live.end()
      #expect(!live.needsClosing && conversation.left == 0)
    }
  }

  @Test("one that does not answer is not asked again, until people ask again")
  func noAnswer() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "OH1", [.ppi],
        """
        read FB005C81 0F0E00
        write FB005C81 0203
        write FB005C81 0203
        notify FB005C81 F002030000
        """)
      let silence = await trouble { () throws(VisitTrouble) in try await live.begin() }
      #expect(silence == .silent(what: "a value"))
      try await live.attend()
      try await live.follow(.foreground)
      #expect(conversation.left == 2)
      try await live.begin()
      #expect(state(live) == ["ppi running"] && conversation.left == 0)
    }
  }

  @Test("the rate of old light sensors is what they measure at, not what they say")
  func trueRate() throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk(
        "OH1", [.ppg],
        """
        read FB005C81 0F0E00
        write FB005C81 0101
        notify FB005C81 F0010100000001820001011600
        write FB005C81 02010001820001011600
        notify FB005C81 F002010000
        """)
      try await live.begin()
      #expect(state(live) == ["ppg running 135"] && conversation.left == 0)
    }
  }

  @Test("a link that ends at any request is reported as what it is", arguments: 0..<8)
  func endsAnywhere(_ request: Int) throws {
    try onLoop { _ async throws in
      let (conversation, live) = try talk("H10", [.ecg], Self.strapWithECG)
      conversation.link.endsAt = request
      let ended = await trouble { () throws(VisitTrouble) in try await live.begin() }
      // Two subscriptions, a read and three commands.
      #expect(
        ended == (request < 6 ? .link(.closed(.linkLost)) : nil)
          && state(live) == (request < 6 ? ["ecg waiting"] : ["ecg running 130"]))
    }
  }
}
