import EventLoop
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Word for word, Polar's measurement service", .serialized)
struct PMDConversationTests {
  @LoopActor
  private func conversation(_ text: String) throws -> (Conversation, PMD.Client) {
    let conversation = try Conversation(.measurements, text)
    return (conversation, try #require(PMD.Client(conversation.link)))
  }

  @LoopActor
  private func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
    do throws(VisitTrouble) { try await body() } catch { return error }
    return nil
  }

  @Test("a stream is asked for its settings, started with some of them, and stopped; its factor is the answer's")
  func stream() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        read FB005C81 0F0500
        write FB005C81 0102
        notify FB005C81 F0010200000002340068000101100002010800040103
        write FB005C81 0202000134000101100002010800040103
        notify FB005C81 F00202000005010000803F
        write FB005C81 0302
        notify FB005C81 F003020000
        """)
      #expect(try await client.features().online == [.ecg, .acc])
      let settings = try await client.settings(.acc, .online)
      #expect(settings.values[.sampleRate] == [52, 104])
      let stream = try await client.start(.acc, .online, settings.choosing([.sampleRate: 60]))
      #expect(stream == PMD.StreamSettings(sampleRate: 52, factor: 1))
      try await client.stop(.acc)
      #expect(conversation.left == 0)
    }
  }

  @Test("an answer in several packets is put together, past what belongs to no question")
  func several() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        write FB005C81 0101
        notify FB005C81 F003020000
        notify FB005C81 0102
        notify FB005C81 F00101000100013700
        notify FB005C81 F0010100000101
        notify FB005C81 1600
        """)
      let settings = try await client.settings(.ppg, .online)
      #expect(settings.values == [.sampleRate: [55]], "the value of the resolution is not there")
      #expect(conversation.link.notes.last == "settings of ppg that could be read in part")
      #expect(client.takeEnded() == [.acc] && conversation.left == 0)
    }
  }

  @Test("a wearable on its charger is busy; what it does not have is not asked for again")
  func refusals() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        write FB005C81 0203
        notify FB005C81 F002030D
        write FB005C81 0203
        notify FB005C81 F0020303
        write FB005C81 0303
        notify FB005C81 F0030306
        write FB005C81 06
        notify FB005C81 F0
        write FB005C81 06
        notify FB005C81 F00600
        """)
      let charging = await trouble { () throws(VisitTrouble) in
        _ = try await client.start(.ppi, .online, PMD.Selection())
      }
      #expect(charging == .busy(what: "start of ppi: not while it is charging", retryAfter: nil))
      let missing = await trouble { () throws(VisitTrouble) in
        _ = try await client.start(.ppi, .online, PMD.Selection())
      }
      #expect(missing == .unsupported("start of ppi: not supported"))
      try await client.stop(.ppi)
      let cut = await trouble { () throws(VisitTrouble) in _ = try await client.isInSDKMode() }
      #expect(cut != nil, "an answer that never comes whole")
      let malformed = await trouble { () throws(VisitTrouble) in _ = try await client.isInSDKMode() }
      #expect(malformed == .unsupported("an answer to command 6 that is malformed") && conversation.left == 0)
    }
  }

  @Test(
    """
    a stream with its factor behind an unknown setting is ended: its numbers would be other numbers; a recording says \
    them itself
    """
  )
  func factor() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        write FB005C81 0202
        notify FB005C81 F0020200000701AABB05010000803F
        write FB005C81 0302
        notify FB005C81 F003020000
        write FB005C81 0202
        notify FB005C81 F00202000005010000003F0701AABB
        write FB005C81 0282
        notify FB005C81 F0028200000701AABB
        write FB005C81 0202
        notify FB005C81 F00202
        """)
      let unread = await trouble { () throws(VisitTrouble) in
        _ = try await client.start(.acc, .online, PMD.Selection())
      }
      #expect(unread == .unsupported("start of acc: settings that cannot be read"))
      #expect(try await client.start(.acc, .online, PMD.Selection()).factor == 0.5)
      _ = try await client.start(.acc, .offline, PMD.Selection())
      let cut = await trouble { () throws(VisitTrouble) in _ = try await client.start(.acc, .online, PMD.Selection()) }
      #expect(cut == .framing("an answer to command 2 that is malformed"), "nobody knows whether it began")
      #expect(conversation.left == 0)
    }
  }

  @Test("a recording has ended when the wearable says so, not at the order to end")
  func recording() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        write FB005C81 028E
        notify FB005C81 F0028E0000
        write FB005C81 030E
        notify FB005C81 F0030E0000
        write FB005C81 05
        notify FB005C81 F0050000008E
        write FB005C81 05
        notify FB005C81 F0050000000E
        """)
      _ = try await client.start(.offlineHR, .offline, PMD.Selection())
      try await client.stopRecording(.offlineHR)
      #expect(conversation.left == 0)
    }
  }

  @Test("SDK mode is on also if it was before")
  func sdkMode() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        write FB005C81 0209
        notify FB005C81 F0020906
        write FB005C81 06
        notify FB005C81 F00609000001
        """)
      try await client.setSDKMode(true)
      #expect(try await client.isInSDKMode() && conversation.left == 0)
    }
  }

  @Test("triggers: the mode, then every kind that is listed, on or off, then what became of it")
  func triggers() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        write FB005C81 0801
        notify FB005C81 F008000000
        write FB005C81 07
        notify FB005C81 F0070000000100020003010500
        write FB005C81 090002
        notify FB005C81 F009020000
        write FB005C81 09010300
        notify FB005C81 F009030000
        write FB005C81 090005
        notify FB005C81 F009050000
        write FB005C81 07
        notify FB005C81 F0070000000100020103000005
        """)
      let status = try await client.setTriggers(.systemStart, [.ppi: .enabled([])])
      #expect(
        status.mode == .systemStart && status.triggers.keys.sorted { $0.rawValue < $1.rawValue } == [.acc, .ppi, .gyro])
      #expect(
        status.triggers[.ppi] == .some(.some(PMD.Settings())) && status.triggers[.acc] == .some(nil)
          && conversation.left == 0)
    }
  }
}
