import EventLoop
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("What is remembered of recordings that are to be restarted")
struct PolarRenewalNoteTests {
  @LoopActor
  private func renewals(_ text: String, _ remembered: String? = nil) throws -> (Conversation, PolarRenewals) {
    let conversation = try Conversation(.measurements, text)
    if let remembered { conversation.link.takeOver(["renewals": remembered], PolarDriver()) }
    return (conversation, PolarRenewals(conversation.link, try #require(PMD.Client(conversation.link))))
  }

  @Test("all that a sensor records at once reads back")
  func roundTrip() throws {
    try onLoop { _ async throws in
      let (conversation, renewals) = try renewals("")
      let all = [
        PolarRenewals.Renewal(
          .ppg, PMD.Selection([.sampleRate: 55, .resolution: 22, .channels: 4]), wasEncrypted: true),
        PolarRenewals.Renewal(
          .acc, PMD.Selection([.sampleRate: 416, .resolution: 16, .range: 16, .channels: 3]), wasEncrypted: true),
        PolarRenewals.Renewal(.ppi, PMD.Selection(), wasEncrypted: true),
        PolarRenewals.Renewal(
          .gyro, PMD.Selection([.sampleRate: 416, .resolution: 16, .range: 2000, .channels: 3]), wasEncrypted: false),
        PolarRenewals.Renewal(
          .magnetometer, PMD.Selection([.sampleRate: 100, .resolution: 16, .rangeMilliUnit: 4_900_000, .channels: 3]),
          wasEncrypted: false),
        PolarRenewals.Renewal(.offlineHR, PMD.Selection(), wasEncrypted: false),
      ]
      try renewals.note(all)
      #expect(Set(renewals.pending) == Set(all))
      try renewals.note([PolarRenewals.Renewal(.acc, PMD.Selection([.sampleRate: 52]), wasEncrypted: false)])
      try renewals.forget([.ppg, .ppi, .gyro, .magnetometer, .pressure])
      #expect(
        renewals.pending
          == [all[1], all[5]].map {
            PolarRenewals.Renewal(
              $0.type, $0.type == .acc ? PMD.Selection([.sampleRate: 52]) : $0.selection, wasEncrypted: false)
          })
      try renewals.forget([.acc, .offlineHR])
      #expect(conversation.link.memory.entries.isEmpty)
    }
  }

  @Test(
    "an invalid renewal gives nil",
    arguments: [
      "", ":", "2", "2:", "2:52", "2:52/16/8//x", "2:52/16/8//3/1", "9:////", "300:////", "x:////", "2:-1////",
      "2:4294967296////",
    ])
  func nonsense(_ word: String) throws {
    try onLoop { _ async throws in
      let (_, renewals) = try renewals("", word + " 3:////")
      #expect(renewals.pending.map(\.type) == [.ppi])
    }
  }

  @Test("what was encrypted is not begun in the clear, and waits for its key")
  func withoutKey() throws {
    try onLoop { _ async throws in
      let (conversation, renewals) = try renewals("", "2!:52/16/8//3")
      await #expect(
        throws: VisitTrouble.busy(what: "its key is not there any more, and it was encrypted", retryAfter: nil)
      ) {
        try await renewals.begin(try #require(renewals.pending.first))
      }
      #expect(renewals.pending.count == 1 && conversation.link.written.isEmpty)
    }
  }

  @Test("what the wearable does not take at all is not tried again; what it does not take now is")
  func refused() throws {
    try onLoop { _ async throws in
      let (conversation, renewals) = try renewals(
        """
        write FB005C81 0283
        notify FB005C81 F002830E
        write FB005C81 0283
        notify FB005C81 F0028303
        """, "3:////")
      let renewal = try #require(renewals.pending.first)
      await #expect(throws: VisitTrouble.busy(what: "start of ppi: its memory is full", retryAfter: nil)) {
        try await renewals.begin(renewal)
      }
      #expect(renewals.pending == [renewal])
      await #expect(throws: VisitTrouble.self) { try await renewals.begin(renewal) }
      #expect(renewals.pending.isEmpty && conversation.left == 0)
    }
  }
}
