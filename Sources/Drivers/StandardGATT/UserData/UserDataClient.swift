// The wearer's body on a wearable with the User Data Service: consent, then what the hub knows and the wearable has
// otherwise, written and read back.

import Bluetooth
import EventLoop
import Health
import StateCodec
import Wearable

/// Writes what the hub knows of the person who wears it now, and nothing else. Each wearer is a user with values of
/// its own. They are deleted where the wearer said so and the wearable is on nobody any more.
@LoopActor
final class UserDataClient {
  private let link: any WearableLink
  private let control: GATTCharacteristic
  private let answers = Inbox(limit: 4)

  /// A procedure is over after 30 s by the specification; one that says nothing for half of it will not.
  private static let patience: Duration = .seconds(15)

  /// nil where it has none, or its control point does not answer.
  init?(_ link: any WearableLink) {
    guard let control = link.database.characteristic(UserData.controlPoint, in: UserData.service),
      control.properties.contains(.write), control.properties.contains(.indicate)
    else { return nil }
    (self.link, self.control) = (link, control)
  }

  /// Whatever it refuses is noted, and costs the visit nothing.
  func tellWearer() async throws(VisitTrouble) {
    do throws(VisitTrouble) {
      if let wearer = link.orders.wearer {
        try await tell(wearer)
      } else if let wearer = link.orders.takeOff {
        try await takeOff(wearer)
      }
    } catch {
      switch error {
      case .refused, .unsupported: link.note("the wearer's body: \(error)")
      default: throw error
      }
    }
  }

  private func tell(_ wearer: WearerBody) async throws(VisitTrouble) {
    let known = UserData.known(wearer.facts, on: link.today).compactMap { content in
      link.database.characteristic(content.field.characteristic, in: UserData.service).map { (content, $0) }
    }
    // Of whom nothing is known: only where another's values would be shown as theirs.
    guard !known.isEmpty || link.remembered(UserDataUsers.self) != nil, try await consents(wearer.number) else {
      return
    }
    var isChanged = false
    for (content, characteristic) in known where characteristic.properties.isSuperset(of: [.read, .write]) {
      if try await change(characteristic, content) { isChanged = true }
    }
    if isChanged { try await countChange() }
  }

  /// Deletes the values of one who wore it.
  private func takeOff(_ wearer: UInt32) async throws(VisitTrouble) {
    guard var users = link.remembered(UserDataUsers.self), let user = users.user(of: wearer) else { return }
    try await link.subscribe(control, into: answers)
    if try await ask(.consent(index: user.index, user.consent))?.result == .success,
      try await ask(.deleteData)?.result != .success
    {
      return link.note("it does not delete the values of a wearer")
    }
    users.forget(wearer)
    try link.remember(users)
  }

  /// - Returns: it was another, and is this now.
  private func change(_ characteristic: GATTCharacteristic, _ wanted: UserData.Content) async throws(VisitTrouble)
    -> Bool
  {
    func shown() async throws(VisitTrouble) -> UserData.Content? {
      let bytes = try await link.read(characteristic)
      return bytes.withUnsafeBytes { try? UserData.Content(wanted.field, $0) }
    }
    if try await shown()?.value == wanted.value { return false }
    try await link.write(characteristic, wanted.bytes)
    if try await shown()?.value == wanted.value { return true }
    link.note("it does not take the wearer's \(wanted.field)")
    return false
  }

  /// Tells others who share the wearable that something changed.
  private func countChange() async throws(VisitTrouble) {
    guard let increment = link.database.characteristic(UserData.changeIncrement, in: UserData.service),
      increment.properties.isSuperset(of: [.read, .write])
    else { return }
    let bytes = try await link.read(increment)
    guard
      let count = bytes.withUnsafeBytes({ bytes in
        var reader = ByteReader(bytes)
        return reader.u32()
      })
    else { return }
    var next: [UInt8] = []
    next.append(littleEndian: count &+ 1)
    try await link.write(increment, next)
  }

  // MARK: Consent

  /// Registers this wearer where the wearable does not know them, and lets their values be the ones that are shown.
  private func consents(_ wearer: UInt32) async throws(VisitTrouble) -> Bool {
    try await link.subscribe(control, into: answers)
    var users = link.remembered(UserDataUsers.self) ?? UserDataUsers()
    if let user = users.user(of: wearer) {
      let answer = try await ask(.consent(index: user.index, user.consent))
      if answer?.result == .success { return true }
      // It forgot them, or another hub's user has this place.
      users.forget(wearer)
    }
    let consent = UInt16(truncatingIfNeeded: (link.hubTime.monotonic / 1000) % 10_000)
    guard let answer = try await ask(.register(consent: consent)), answer.result == .success, let index = answer.index
    else {
      link.note("it registers no wearer")
      return false
    }
    users.add(UserDataUsers.User(wearer: wearer, index: index, consent: consent))
    try link.remember(users)
    return try await ask(.consent(index: index, consent))?.result == .success
  }

  private func ask(_ request: UserData.Request) async throws(VisitTrouble) -> UserData.Response? {
    answers.removeAll()
    try await link.writeOnce(control) { () throws(VisitTrouble) in request.bytes }
    do throws(VisitTrouble) {
      let bytes = try await link.next(from: answers, within: Self.patience)
      return bytes.withUnsafeBytes { try? UserData.Response($0) }
    } catch {
      guard case .silent = error else { throw error }
      throw .unsupported("it does not answer for its user")
    }
  }
}

/// Whom this hub registered on a wearable, and under which consent.
struct UserDataUsers: RememberedState {
  static let name = "user-data"

  struct User: Sendable, Hashable {
    let wearer: UInt32
    let index: UInt8
    let consent: UInt16
  }

  /// Wearers of one wearable; the one who was added first gives way. As many as have an index of one digit.
  static let limit = 10
  private(set) var users: [User] = []

  init() {}

  var isEmpty: Bool { users.isEmpty }
  func user(of wearer: UInt32) -> User? { users.first { $0.wearer == wearer } }
  mutating func forget(_ wearer: UInt32) { users.removeAll { $0.wearer == wearer } }

  mutating func add(_ user: User) {
    // A place that was given anew is nobody else's any more.
    users.removeAll { $0.wearer == user.wearer || $0.index == user.index }
    users.append(user)
    if users.count > Self.limit { users.removeFirst() }
  }

  func write(to fields: inout FieldWriter) {
    for user in users {
      fields.put(1) { nested in
        nested.put(1, user.wearer)
        nested.put(2, user.index)
        nested.put(3, user.consent)
      }
    }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() {
      if tag != 1 { continue }
      var nested = fields.nested
      var wearer: UInt32?
      var index: UInt8?
      var consent: UInt16?
      while let tag = nested.next() {
        switch tag {
        case 1: nested.read(&wearer)
        case 2: nested.read(&index)
        case 3: nested.read(&consent)
        default: break
        }
      }
      guard nested.isWhole, let wearer, let index, let consent else { return nil }
      add(User(wearer: wearer, index: index, consent: consent))
    }
  }
}
