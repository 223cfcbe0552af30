// Facts about the wearer on a wearable with the User Data Service. After consent, values that differ from the known
// ones are written and read back.

import Bluetooth
import EventLoop
import Health
import StateCodec
import Wearable

/// Writes only the facts that the hub knows of the present wearer. Each wearer is a user with values of its own. These
/// values are deleted if the wearer asked for that and the wearable was taken off.
@LoopActor
final class UserDataClient {
  private let link: any WearableLink
  private let control: GATTCharacteristic
  private let answers = Inbox(limit: 4)

  /// Timeout of an answer. By the specification a procedure ends within 30 s; after a silence of half of that it will
  /// not.
  private static let patience: Duration = .seconds(15)
  /// Timeout of the right answer after an unexpected one.
  private static let rest: Duration = .seconds(2)

  /// nil without the service, or if its control point cannot answer.
  init?(_ link: any WearableLink) {
    guard let control = link.database.characteristic(UserData.controlPoint, in: UserData.service),
      control.properties.contains(.write), control.properties.contains(.indicate)
    else { return nil }
    (self.link, self.control) = (link, control)
  }

  /// Writes or deletes the facts. A refusal is noted, and the visit goes on.
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
    // Without known facts, only if the wearable would otherwise show another wearer's values as theirs.
    guard !known.isEmpty || link.remembered(UserDataUsers.self) != nil, try await consents(wearer.number) else {
      return
    }
    var isChanged = false
    for (content, characteristic) in known where characteristic.properties.isSuperset(of: [.read, .write]) {
      do throws(VisitTrouble) { if try await change(characteristic, content) { isChanged = true } } catch {
        // A refusal of one value does not affect the others.
        guard case .refused = error else { throw error }
        link.note("the wearer's \(content.field): \(error)")
      }
    }
    if isChanged { try await countChange() }
  }

  /// Deletes the values of a former wearer.
  private func takeOff(_ wearer: UInt32) async throws(VisitTrouble) {
    guard var users = link.remembered(UserDataUsers.self), let user = users.user(of: wearer) else { return }
    try await link.subscribe(control, into: answers)
    // For a user without a number no values were written.
    switch user.index == UserData.unknownUser ? .refused : try await consent(of: user) {
    case .given:
      guard try await ask(.deleteData)?.result == .success else {
        return link.note("it does not delete the values of a wearer")
      }
    case .refused: break
    case .unclear: return link.note("it does not say which person its values are of: those of a wearer are not deleted")
    }
    users.forget(wearer)
    try link.remember(users)
  }

  /// - Returns: whether the value differed and was written.
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

  /// Increments the change counter, for other clients of the wearable.
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
    else { return link.note("its count of changes cannot be read") }
    var next: [UInt8] = []
    next.append(littleEndian: count &+ 1)
    try await link.write(increment, next)
  }

  // MARK: Consent

  private enum Consent {
    case given
    /// The wearable forgot the user, or another hub's user has the number.
    case refused
    /// The answer is not understood; no new user is registered for that.
    case unclear
  }

  private func consent(of user: UserDataUsers.User) async throws(VisitTrouble) -> Consent {
    guard user.index != UserData.unknownUser else { return .unclear }
    return switch try await ask(.consent(index: user.index, user.consent))?.result {
    case .success: .given
    case .notAuthorised, .invalidParameter, .failed: .refused
    case .operationUnsupported, nil: .unclear
    }
  }

  /// Registers the wearer if the wearable does not know them, and selects their values.
  private func consents(_ wearer: UInt32) async throws(VisitTrouble) -> Bool {
    try await link.subscribe(control, into: answers)
    var users = link.remembered(UserDataUsers.self) ?? UserDataUsers()
    if let user = users.user(of: wearer) {
      switch try await consent(of: user) {
      case .given: return true
      case .unclear:
        link.note("it does not say which person its values are of: no facts are written")
        return false
      case .refused: users.forget(wearer)
      }
    }
    let code = UInt16(truncatingIfNeeded: (link.hubTime.monotonic / 1000) % 10_000)
    let answer = try await ask(.register(consent: code))
    if let result = answer?.result, result != .success {
      link.note("it registers no wearer")
      return false
    }
    // Without a number there is no consent. The user is stored anyway, so that later visits do not register another
    // one.
    let index = answer?.result == nil ? nil : answer?.index
    let user = UserDataUsers.User(wearer: wearer, index: index ?? UserData.unknownUser, consent: code)
    users.add(user)
    try link.remember(users)
    if try await consent(of: user) == .given { return true }
    link.note("it does not say under which number it registered a wearer: no facts are written")
    return false
  }

  /// - Returns: nil if the answer is not understood, or is to another request.
  private func ask(_ request: UserData.Request) async throws(VisitTrouble) -> UserData.Response? {
    answers.removeAll()
    try await link.writeOnce(control) { () throws(VisitTrouble) in request.bytes }
    var patience = Self.patience
    // As many answers as may wait, and one more.
    for _ in 0...answers.limit {
      do throws(VisitTrouble) {
        let bytes = try await link.next(from: answers, within: patience)
        let response = bytes.withUnsafeBytes { try? UserData.Response($0) }
        if let response, response.request == request.code { return response }
        patience = Self.rest
      } catch {
        guard case .silent = error else { throw error }
        if patience == Self.rest { break }
        throw .unsupported("it does not answer for its user")
      }
    }
    link.note("an answer for its user that is not understood")
    return nil
  }
}

/// Users that this hub registered on a wearable, with their consent codes.
struct UserDataUsers: RememberedState {
  static let name = "user-data"

  struct User: Sendable, Hashable {
    let wearer: UInt32
    let index: UInt8
    let consent: UInt16
  }

  /// Maximum wearers of one wearable; beyond that the oldest is dropped. As many as have an index of one digit.
  static let limit = 10
  private(set) var users: [User] = []

  init() {}

  var isEmpty: Bool { users.isEmpty }
  func user(of wearer: UInt32) -> User? { users.first { $0.wearer == wearer } }
  mutating func forget(_ wearer: UInt32) { users.removeAll { $0.wearer == wearer } }

  mutating func add(_ user: User) {
    // A number that was assigned again no longer belongs to its former user.
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
