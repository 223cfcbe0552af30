import Bluetooth
import EventLoop
import Testing

/// What a conversation cannot say: how the client behaves as an object.
@Suite("A GATT client and its owner")
struct GATTClientTests {
  @Test("an owner that comes late still hears, once, that the link had ended")
  func lateOwner() throws {
    let ends = try VirtualLoop.run { loop in
      let bearer = ScriptedBearer()
      let client = GATTClient(bearer, loop: loop)
      bearer.end(.linkLost)
      let ends = Ends()
      client.onClosed = { ends.errors.append($0) }
      client.onClosed = { ends.errors.append($0) }
      return ends.errors
    }
    #expect(ends == [.closed(.linkLost)])
  }

  @Test("an owner that closes in the middle of a value or of the end itself gets no further call")
  func closingFromCallbacks() throws {
    try VirtualLoop.run { loop in
      let bearer = ScriptedBearer()
      let client = GATTClient(bearer, loop: loop)
      let ends = Ends()
      client.onClosed = { error in
        ends.errors.append(error)
        client.close(immediately: true)
      }
      bearer.end(.peerClosed)
      bearer.end(.linkLost)
      #expect(ends.errors == [.closed(.peerClosed)])

      let served = ServedBearer(
        GATTServer([GATTServiceDefinition(0x180D, [GATTCharacteristicDefinition(0x2A37, .notify)])]))
      let other = GATTClient(served, loop: loop)
      let database = try await other.open()
      let values = Ends()
      try await other.subscribe(try #require(database.characteristic(0x2A37, in: 0x180D))) { _ in
        values.errors.append(.cancelled)
        other.close(immediately: false)
      }
      for _ in 0..<3 { served.deliver([0x1B, 0x03, 0x00, 0x00, 0x48]) }
      #expect(values.errors.count == 1)
    }
  }

  @Test("a client that is let go leaves no objects behind, its timers included")
  func letGo() throws {
    try VirtualLoop.run { loop in
      let bearer = ScriptedBearer()
      weak var gone: GATTClient?
      do {
        let client = GATTClient(bearer, loop: loop)
        gone = client
        let task = loop.spawn { _ = try? await client.read(3) }
        try await loop.sleep(for: .seconds(1))
        client.close(immediately: false)
        await task.value
      }
      try await loop.sleep(for: .seconds(60))
      #expect(gone == nil)
      #expect(bearer.takeSent() == [0x0A, 0x03, 0x00])
      bearer.deliver([0x0B, 0x41])
    }
  }

  @Test("a whole wearable is discovered as it was defined")
  func discovery() throws {
    let vendor = BluetoothUUID(high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
    try VirtualLoop.run { loop in
      let bearer = ServedBearer(
        GATTServer(
          [
            GATTServiceDefinition(
              0x180D,
              [GATTCharacteristicDefinition(0x2A37, .notify), GATTCharacteristicDefinition(0x2A38, .read, value: [1])]),
            GATTServiceDefinition(
              vendor,
              [
                GATTCharacteristicDefinition(
                  vendor, [.read, .write, .indicate], value: [UInt8](repeating: 5, count: 512))
              ]),
          ], ownMTU: 100))
      let client = GATTClient(bearer, loop: loop)
      let database = try await client.open()
      #expect(client.mtu == 100)
      #expect(database.services.map(\.uuid) == [0x180D, vendor])
      #expect(database.services.map(\.handles) == [1...6, 7...10])
      let location = try #require(database.characteristic(0x2A38, in: 0x180D))
      #expect(location.properties == .read && location.configurationHandle == nil)
      #expect(try await client.read(location.valueHandle) == [1])
      let long = try #require(database.characteristic(vendor, in: vendor))
      #expect(try await client.read(long.valueHandle) == [UInt8](repeating: 5, count: 512))
      let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
      try await client.write(long.valueHandle, value)
      #expect(bearer.server.value(of: vendor) == value)
      #expect(client.cache?.database == database)
      #expect(database.characteristic(0x2A37, in: vendor) == nil)
    }
  }
}

@LoopActor
private final class Ends {
  var errors: [GATTError] = []
}
