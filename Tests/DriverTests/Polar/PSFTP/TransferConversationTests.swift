import EventLoop
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Word for word, Polar's file transfer", .serialized)
struct TransferConversationTests {
  @LoopActor
  private func conversation(_ text: String, mtu: Int = 23) throws -> (Conversation, PSFTPClient) {
    let conversation = try Conversation(PocketTransfer.layout, text)
    conversation.link.mtu = mtu
    return (conversation, PSFTPClient(conversation.link))
  }

  @LoopActor
  private func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
    do throws(VisitTrouble) { try await body() } catch { return error }
    return nil
  }

  @Test("a file is asked for in two packets of the smallest link and comes in three")
  func get() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        command FB005C51 061E000800121A2F552F302F3230323530323032
        command FB005C51 132F452F3136333032302F30302F
        notify FB005C51 06AA
        notify FB005C51 17BBCC
        notify FB005C51 23
        """)
      #expect(try await client.get("/U/0/20250202/E/163020/00/") == [0xAA, 0xBB, 0xCC] && conversation.left == 0)
    }
  }

  @Test("a missing file gives nil, and so does what the wearable does not have")
  func nothing() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        command FB005C51 020600080012022F41
        notify FB005C51 006700
        command FB005C51 020480
        notify FB005C51 00C900
        """)
      #expect(try await client.get("/A") == nil)
      #expect(try await client.clockReading() == nil && conversation.left == 0)
    }
  }

  @Test("a sync is asked for, begun and ended in the order of the guideline, also after its phase failed")
  func sync() throws {
    try onLoop { _ async throws in
      let bracket = """
        command FB005C51 020D80
        notify FB005C51 000000
        write FB005C53 0208
        write FB005C53 0200
        command FB005C51 020600080312022F41
        notify FB005C51 00CA00
        write FB005C53 02010801
        write FB005C53 0209
        """
      let (conversation, client) = try conversation(bracket)
      let failure = await trouble { () throws(VisitTrouble) in
        _ = try await client.inSync { () throws(VisitTrouble) in try await client.remove("/A") }
      }
      #expect(failure == .busy(what: "removing /A: it is busy", retryAfter: .seconds(60)) && conversation.left == 0)
    }
  }

  @Test("a wearable in a training is not synced: no request follows its answer")
  func busy() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation("command FB005C51 020D80\nnotify FB005C51 00CA00")
      let failure = await trouble { () throws(VisitTrouble) in try await client.startSync() }
      #expect(
        failure == .busy(what: "asking for a sync: it is busy", retryAfter: .seconds(60)) && conversation.left == 0)
    }
  }

  @Test("a file is written with every fifth packet acknowledged")
  func put() throws {
    try onLoop { _ async throws in
      // 6 + 2 bytes of head, 100 of content, 19 a packet.
      let (conversation, client) = try conversation(
        """
        command FB005C51 060600080112022F41\(String(repeating: "55", count: 11))
        command FB005C51 17\(String(repeating: "55", count: 19))
        command FB005C51 27\(String(repeating: "55", count: 19))
        command FB005C51 37\(String(repeating: "55", count: 19))
        write FB005C51 47\(String(repeating: "55", count: 19))
        command FB005C51 53\(String(repeating: "55", count: 13))
        notify FB005C51 000000
        """)
      try await client.put("/A", [UInt8](repeating: 0x55, count: 100))
      #expect(conversation.left == 0)
    }
  }

  @Test("a piece is merged into a file as it would be written, and what the wearable refuses is reported")
  func merge() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        command FB005C51 020600080212022F41BBCC
        notify FB005C51 000000
        command FB005C51 020600080212022F41
        notify FB005C51 00CD00
        """)
      try await client.merge("/A", [0xBB, 0xCC])
      #expect(await trouble { () throws(VisitTrouble) in try await client.merge("/A", []) } != nil)
      #expect(conversation.left == 0)
    }
  }

  @Test("a lost packet of a file: the rest is stopped, waited for, and the file asked for again")
  func lost() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        command FB005C51 020600080012022F41
        notify FB005C51 06AA
        notify FB005C51 27CC
        notify FB005C51 33DD
        write FB005C51 000000
        command FB005C51 020600080012022F41
        notify FB005C51 06AA
        notify FB005C51 13BB
        """)
      #expect(try await client.get("/A") == [0xAA, 0xBB] && conversation.left == 0)
      #expect(conversation.link.notes == ["a packet was lost: reading /A again"])
    }
  }

  @Test(
    "a reset says what is meant by it, and the link may drop over it",
    arguments: [
      (PSFTP.Reset.factoryDefaults, "0800"), (.factoryDefaultsKeepingBond, "08001801"), (.restart, "08001000"),
      (.warehouseSleep, "08011001"),
      (.turnOff, "08011000"),
    ])
  func reset(_ reset: PSFTP.Reset, _ parameters: String) throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation("write FB005C53 0202\(parameters)")
      try await client.reset(reset)
      #expect(conversation.left == 0)
      conversation.link.endsAt = 0
      try await client.reset(reset)
    }
  }

  @Test("an exercise of a strap is started with its name, asked about and stopped")
  func recording() throws {
    try onLoop { _ async throws in
      let (conversation, client) = try conversation(
        """
        command FB005C51 020E800810120218011A0161
        notify FB005C51 000000
        command FB005C51 021080
        notify FB005C51 020801120161
        command FB005C51 020F80
        notify FB005C51 000000
        """)
      try await client.startRecording(.intervals, name: "a")
      let status = try await client.recordingStatus()
      #expect(status.isRecording && status.name == "a")
      try await client.stopRecording()
      #expect(conversation.left == 0)
      #expect(
        await trouble { () throws(VisitTrouble) in
          try await client.startRecording(.heartRate(everySeconds: 1), name: "")
        } != nil)
    }
  }
}
