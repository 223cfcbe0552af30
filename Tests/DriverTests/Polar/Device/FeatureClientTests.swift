import EventLoop
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Word for word, the switches of a Polar wearable's radio", .serialized)
struct FeatureClientTests {
  private static let database = GATTDatabase.made(of: [
    GATTServiceDefinition(
      Polar.FeatureConfiguration.service,
      [
        GATTCharacteristicDefinition(Polar.FeatureConfiguration.features, .read),
        GATTCharacteristicDefinition(Polar.FeatureConfiguration.controlPoint, [.write, .notify]),
      ])
  ])

  @Test func `are read, asked for, turned and read back`() throws {
    try onLoop { _ in
      let conversation = try Conversation(
        Self.database,
        """
        read 6217FF4C 8100
        write 6217FF4D 09
        notify 6217FF4D F0090100
        write 6217FF4D 0801
        notify 6217FF4D F00801
        write 6217FF4D 09
        notify 6217FF4D F0090101
        """)
      let client = try #require(Polar.FeatureClient(conversation.link))
      #expect(try await client.readFeatures() == [.broadcast, .multiConnection])
      #expect(try await client.set(.multiConnection, to: true))
      #expect(conversation.left == 0)
    }
  }

  @Test func `are left alone if they are as wanted, and if the wearable does not have them`() throws {
    try onLoop { _ in
      let conversation = try Conversation(
        Self.database,
        """
        write 6217FF4D 02
        notify 6217FF4D F0020101
        write 6217FF4D 0F
        notify 6217FF4D F00F02
        """)
      let client = try #require(Polar.FeatureClient(conversation.link))
      #expect(try await client.set(.broadcast, to: true))
      #expect(try await client.set(.sensorInitiatedSecurity, to: false) == false)
      #expect(conversation.left == 0)
    }
  }

  @Test func `pass over what answers an earlier command, and noise`() throws {
    try onLoop { _ in
      let conversation = try Conversation(
        Self.database,
        """
        write 6217FF4D 0B
        notify 6217FF4D F0090101
        notify 6217FF4D 0B
        notify 6217FF4D F00B0100
        """)
      let client = try #require(Polar.FeatureClient(conversation.link))
      #expect(try await client.isOn(.antPlus) == false)
    }
  }

  @Test func `are given up after 30 seconds of silence`() throws {
    try onLoop { _ in
      let conversation = try Conversation(Self.database, "write 6217FF4D 0C")
      let client = try #require(Polar.FeatureClient(conversation.link))
      let before = conversation.link.now
      await #expect(throws: VisitTrouble.silent(what: "a value")) { try await client.ask(.askSecurityMode) }
      #expect(conversation.link.now - before >= Duration.seconds(30).wholeNanoseconds)
    }
  }

  @Test func `are not there on a wearable without the service`() throws {
    try onLoop { _ in
      let conversation = try Conversation(GATTDatabase.made(of: []), "")
      #expect(Polar.FeatureClient(conversation.link) == nil)
    }
  }
}
