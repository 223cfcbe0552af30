import Bluetooth
import CivilTime
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("The wearer's body on a wearable of standard services", .serialized)
struct UserDataTests {
  private static let body: BodyFacts = {
    var facts = BodyFacts()
    facts.born = LocalDate(year: 1990, month: 5, day: 17)
    facts.sex = .female
    (facts.height, facts.weight) = (178, 70)
    return facts
  }()

  @LoopActor
  private func link(_ scale: PocketScale, _ wearer: UInt32 = 7) -> ScriptedLink {
    let link = scale.link
    link.orders.wearer = WearerBody(number: wearer, Self.body)
    return link
  }

  @Test("is registered with consent once, written if it is another, read back, and the change is counted")
  func written() throws {
    try onLoop { _ in
      let scale = PocketScale()
      let link = link(scale)
      let user = try #require(UserDataClient(link))
      try await user.tellWearer()
      #expect(scale.values[0x2A98] == [0xB0, 0x36] && scale.values[0x2A8E] == [178, 0] && scale.values[0x2A8C] == [1])
      #expect(scale.values[0x2A85] == [0xC6, 7, 5, 17] && scale.values[0x2A99] == [1, 0, 0, 0])
      #expect(scale.users.count == 1 && link.notes.isEmpty)
      // The hub must not write what it does not know.
      #expect(scale.values[0x2A92] == [60])
      try await user.tellWearer()
      #expect(scale.users.count == 1 && scale.values[0x2A99] == [1, 0, 0, 0])
    }
  }

  @Test("of an unknown body is a user of its own, and is never shown the values of another")
  func unknown() throws {
    try onLoop { _ in
      let scale = PocketScale()
      let link = link(scale)
      let user = try #require(UserDataClient(link))
      try await user.tellWearer()
      link.orders.wearer = WearerBody(number: 8)
      try await user.tellWearer()
      #expect(scale.users.count == 2 && scale.current == 2)
    }
  }

  @Test("is deleted if its wearer said so and no longer wears it")
  func takenOff() throws {
    try onLoop { _ in
      let scale = PocketScale()
      let link = link(scale)
      let user = try #require(UserDataClient(link))
      try await user.tellWearer()
      link.orders.wearer = nil
      try await user.tellWearer()
      #expect(scale.deleted.isEmpty)
      link.orders.takeOff = 7
      for _ in 0..<2 { try await user.tellWearer() }
      #expect(scale.deleted == [1] && link.memory[UserDataUsers.self] == nil)
    }
  }

  @Test("of another wearer is another user's, and the first is found again")
  func another() throws {
    try onLoop { _ in
      let scale = PocketScale()
      let link = link(scale)
      let user = try #require(UserDataClient(link))
      try await user.tellWearer()
      link.orders.wearer = WearerBody(number: 8, Self.body)
      try await user.tellWearer()
      link.orders.wearer = WearerBody(number: 7, Self.body)
      try await user.tellWearer()
      #expect(scale.users.count == 2 && scale.current == 1)
    }
  }

  @Test("is registered again if the wearable has lost its users, and no field is written without consent")
  func forgotten() throws {
    try onLoop { _ in
      let scale = PocketScale()
      let link = link(scale)
      let user = try #require(UserDataClient(link))
      try await user.tellWearer()
      scale.users = []
      try await user.tellWearer()
      #expect(scale.users.count == 1)
      scale.users = []
      scale.isFull = true
      let before = scale.values
      link.orders.wearer?.facts.weight = 80
      try await user.tellWearer()
      #expect(scale.values == before && link.notes == ["it registers no wearer"])
    }
  }

  @Test("that is unknown is not sent, and one that does not answer costs no other value")
  func nobody() throws {
    try onLoop { _ in
      let scale = PocketScale()
      let link = scale.link
      let user = try #require(UserDataClient(link))
      try await user.tellWearer()
      #expect(link.written.isEmpty)
      link.orders.wearer = WearerBody(number: 7, Self.body)
      scale.isMute = true
      try await user.tellWearer()
      #expect(link.notes.count == 1)
    }
  }

  @Test("with an unknown answer is left alone: no second user, and no field of another is written or deleted")
  func notUnderstood() throws {
    try onLoop { _ in
      for form in Self.unknown(of: [0x20, 2, 1]) {
        let scale = PocketScale()
        let link = link(scale)
        let user = try #require(UserDataClient(link))
        try await user.tellWearer()
        scale.worded = { $0[1] == 2 ? form : $0 }
        link.orders.wearer?.facts.weight = 80
        let before = scale.values
        for _ in 0..<3 { try await user.tellWearer() }
        #expect(scale.users.count == 1 && scale.values == before, "\(form)")
        #expect(link.notes.contains { $0.hasPrefix("it does not say which person its values are of") }, "\(form)")
        // Not forgotten as if it were deleted.
        (link.orders.wearer, link.orders.takeOff) = (nil, 7)
        try await user.tellWearer()
        #expect(scale.deleted.isEmpty && link.memory[UserDataUsers.self]?.user(of: 7) != nil, "\(form)")
        scale.worded = { $0 }
        try await user.tellWearer()
        #expect(scale.deleted == [1] && link.memory[UserDataUsers.self] == nil, "\(form)")
      }
    }
  }

  @Test("is reported if the answer is longer, or comes behind one to another request")
  func longer() throws {
    try onLoop { _ in
      for extra in [1, 40] {
        let scale = PocketScale()
        let user = try #require(UserDataClient(link(scale)))
        scale.worded = { $0 + [UInt8](repeating: 0xA5, count: extra) }
        // Behind the number of a registered user.
        try await user.tellWearer()
        scale.worded = { $0[1] == 1 ? $0 : $0 + [UInt8](repeating: 0xA5, count: extra) }
        try await user.tellWearer()
        #expect(scale.values[0x2A98] == [0xB0, 0x36] && scale.users.count == 1)
      }
      let scale = PocketScale()
      scale.early = [0x20, 3, 1]
      let user = try #require(UserDataClient(link(scale)))
      try await user.tellWearer()
      #expect(scale.values[0x2A98] == [0xB0, 0x36] && scale.users.count == 1)
    }
  }

  @Test("is registered once if the wearable does not say under which number, and that is said")
  func withoutNumber() throws {
    try onLoop { _ in
      for form in Self.unknown(of: [0x20, 1, 1]) + [[0x20, 1, 1], [0x20, 1, 1, 0xFF]] {
        let scale = PocketScale()
        let link = link(scale)
        let user = try #require(UserDataClient(link))
        scale.worded = { $0[1] == 1 ? form : $0 }
        let before = scale.values
        try await user.tellWearer()
        #expect(scale.values == before && !link.notes.isEmpty, "\(form)")
        for _ in 0..<3 { try await user.tellWearer() }
        #expect(scale.users.count == 1 && scale.values == before, "\(form)")
        (link.orders.wearer, link.orders.takeOff) = (nil, 7)
        try await user.tellWearer()
        #expect(scale.deleted.isEmpty && link.memory[UserDataUsers.self] == nil, "\(form)")
      }
    }
  }

  @Test("that it refuses in part is sent in all other parts, and one that cannot be read is written")
  func inPart() throws {
    try onLoop { _ in
      let scale = PocketScale()
      let link = link(scale)
      let user = try #require(UserDataClient(link))
      scale.refused = [0x2A80]
      for form in [[], [0], [9, 2, 3], [UInt8](repeating: 0xFF, count: 44)] as [[UInt8]] {
        for field in [0x2A85, 0x2A8E, 0x2A98, 0x2A8C, 0x2A99] as [BluetoothUUID] { scale.values[field] = form }
        try await user.tellWearer()
        #expect(scale.values[0x2A98] == [0xB0, 0x36] && scale.values[0x2A8E] == [178, 0], "\(form)")
        #expect(scale.values[0x2A85] == [0xC6, 7, 5, 17] && scale.values[0x2A8C] == [1], "\(form)")
      }
      #expect(link.notes.contains { $0.hasPrefix("the wearer's age: ") })
      #expect(link.notes.contains("its count of changes cannot be read"))
    }
  }

  /// Empty, cut, and with each byte of an unknown meaning.
  private static func unknown(of right: [UInt8]) -> [[UInt8]] {
    var forms: [[UInt8]] = (0..<right.count).map { Array(right.prefix($0)) }
    for place in right.indices {
      for value: UInt8 in [0, 0x7F, 0xFF] {
        forms.append(right)
        forms[forms.count - 1][place] = value
      }
    }
    return forms
  }
}

/// What a scale with the User Data Service is to a hub.
@LoopActor
private final class PocketScale: LinkPeer {
  var values: [BluetoothUUID: [UInt8]] = [
    0x2A80: [0], 0x2A85: [0, 0, 0, 0], 0x2A8C: [2], 0x2A8E: [0, 0], 0x2A98: [0, 0], 0x2A92: [60], 0x2A99: [0, 0, 0, 0],
  ]
  var users: [UInt16] = []
  private(set) var current = 0
  /// Users with deleted values.
  private(set) var deleted: [Int] = []
  var isFull = false
  var isMute = false
  /// How its control point words its answers.
  var worded: ([UInt8]) -> [UInt8] = { $0 }
  /// What it says in front of each of them.
  var early: [UInt8]?
  /// Characteristics that refuse to be read.
  var refused: Set<BluetoothUUID> = []
  private weak var open: ScriptedLink?
  let database: GATTDatabase

  init() {
    let fields: [BluetoothUUID] = [0x2A80, 0x2A85, 0x2A8C, 0x2A8E, 0x2A98, 0x2A92, 0x2A99]
    database = .made(of: [
      GATTServiceDefinition(
        0x181C,
        fields.map { GATTCharacteristicDefinition($0, [.read, .write]) } + [
          GATTCharacteristicDefinition(0x2A9F, [.write, .indicate])
        ])
    ])
  }

  var link: ScriptedLink {
    let link = ScriptedLink(self)
    open = link
    return link
  }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    if refused.contains(characteristic.uuid) { throw .refused(.readNotPermitted, what: "reading") }
    return values[characteristic.uuid] ?? []
  }
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    guard characteristic.uuid == 0x2A9F else {
      values[characteristic.uuid] = value
      return
    }
    if isMute { return }
    var answer: [UInt8] = [0x20, value[0], 1]
    switch value[0] {
    case 1 where isFull: answer[2] = 4
    case 1:
      users.append(UInt16(value[1]) | UInt16(value[2]) << 8)
      answer.append(UInt8(users.count))
    case 3:
      for field in [0x2A80, 0x2A8C, 0x2A8E, 0x2A98] as [BluetoothUUID] { values[field] = [0, 0] }
      deleted.append(current)
    default:
      let index = Int(value[1])
      let isKnown = users.indices.contains(index - 1) && users[index - 1] == UInt16(value[2]) | UInt16(value[3]) << 8
      if isKnown { current = index } else { answer[2] = 5 }
    }
    if let early { open?.notify(characteristic, early) }
    open?.notify(characteristic, worded(answer))
  }
}
