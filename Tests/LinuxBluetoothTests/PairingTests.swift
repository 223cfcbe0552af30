import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

/// A record as the kernel makes it, for the strap unless told otherwise.
func longTermKey(
  _ address: BluetoothAddress = BluetoothAddress(value: 0xF0F1_F2F3_F401, kind: .leRandom), kind: UInt8 = 2,
  central: UInt8 = 1, size: UInt8 = 16
) -> LongTermKey {
  LongTermKey(
    address.managementBytes + [kind, central, size] + [UInt8](repeating: 0, count: 10)
      + [UInt8](repeating: 0xA5, count: 16))!
}

private let key = longTermKey(strap)
private let identityKey = [UInt8](repeating: 0x3C, count: 16)
private let random = BluetoothAddress(value: 0x4A01_0203_0405, kind: .leRandom)

/// A link with a security level that is being raised.
@LoopActor
private final class Bonding {
  let setting: FakeSetting
  let controller: FakeController
  var requests: [PairingRequest] = []
  var keys: [BondKeys] = []
  /// On which links they were made.
  var links: [BluetoothAddress] = []
  var verdict = KeyVerdict.kept
  var failures: [LinkError] = []
  var ends: [LinkError] = []
  private(set) var outcome: Result<Void, LinkError>?
  private(set) var task: Task<Void, Never>?

  init(_ setting: FakeSetting, _ controller: FakeController) {
    self.setting = setting
    self.controller = controller
    setting.radio.onPairingRequest = { [weak self] in self?.requests.append($0) }
    setting.radio.onKeys = { [weak self] link, keys in
      self?.links.append(link)
      self?.keys.append(keys)
      return self?.verdict ?? .kept
    }
    setting.radio.onPairingFailed = { [weak self] _, error in self?.failures.append(error) }
  }

  var bearer: FakeBearer { setting.kernel.bearers[setting.kernel.bearers.count - 1] }
  var error: LinkError? { if case .failure(let error) = outcome { error } else { nil } }
  var isSecure: Bool { if case .success = outcome { true } else { false } }

  func begin() {
    let bearer = bearer
    bearer.onClosed = { [weak self] in self?.ends.append($0) }
    task = setting.loop.spawn {
      do throws(LinkError) {
        try await self.setting.radio.secure(bearer)
        self.outcome = .success(())
      } catch {
        self.outcome = .failure(error)
      }
    }
  }

  func refusal(of bearer: any Bearer) async -> LinkError? {
    do throws(LinkError) {
      try await setting.radio.secure(bearer)
      return nil
    } catch {
      return error
    }
  }

  func emit(_ code: UInt16, _ parameters: [UInt8]) { setting.kernel.emit(code, 0, parameters) }
  func pass(_ time: Duration = .milliseconds(100)) async throws { try await setting.pass(time) }
  func commands(_ opcode: UInt16) -> [[UInt8]] {
    setting.kernel.commands.filter { $0.opcode == opcode }.map(\.parameters)
  }
}

@Suite("Pairing and keys")
struct PairingTests {
  private func bonding(
    _ peer: BluetoothAddress = strap, keys: [BondKeys] = [], _ body: @escaping @LoopActor (Bonding) async throws -> Void
  ) throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let bonding = Bonding(setting, setting.plugIn())
      setting.radio.setKeys(keys)
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(await setting.connect(peer) == nil)
      try await body(bonding)
    }
  }

  @Test("are possible only while a person answers: bondable, with keyboard and display")
  func modes() throws {
    try bonding { bonding in
      #expect(bonding.controller.current.contains(.bondable))
      #expect(bonding.controller.inputOutput == 4)
      bonding.setting.radio.onPairingRequest = nil
      try await bonding.pass()
      #expect(!bonding.controller.current.contains(.bondable))
      #expect(bonding.controller.inputOutput == 3)
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      try await bonding.pass()
      #expect(bonding.commands(0x001D) == [strap.managementBytes])
    }
  }

  @Test("by Just Works ask, are answered once, and end with the keys in hand")
  func justWorks() throws {
    try bonding { bonding in
      bonding.begin()
      try await bonding.pass()
      #expect(bonding.bearer.raised == 1)
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      #expect(bonding.requests == [PairingRequest(address: strap, kind: .justWorks)])
      bonding.setting.radio.answer(strap, .passkey(1))
      bonding.setting.radio.answer(strap, .yes)
      bonding.setting.radio.answer(strap, .no)
      try await bonding.pass()
      #expect(bonding.commands(0x001C) == [strap.managementBytes])
      #expect(bonding.commands(0x001D).isEmpty)
      bonding.bearer.encrypt()
      try await bonding.pass()
      #expect(bonding.outcome == nil, "the keys are not told yet")
      bonding.emit(0x000A, [1] + key.record)
      try await bonding.pass()
      #expect(bonding.isSecure)
      #expect(bonding.keys == [BondKeys(address: strap, longTermKeys: [key])])
      #expect(bonding.failures.isEmpty)
    }
  }

  @Test("ask for what is typed, compared and shown; a passkey of seven digits is no answer")
  func digits() throws {
    try bonding { bonding in
      bonding.begin()
      bonding.emit(0x0010, strap.managementBytes)
      bonding.setting.radio.answer(strap, .yes)
      bonding.setting.radio.answer(strap, .passkey(1_000_000))
      #expect(bonding.commands(0x001E).isEmpty)
      bonding.setting.radio.answer(strap, .passkey(999_999))
      bonding.emit(0x000F, strap.managementBytes + [0] + word(123_456))
      bonding.setting.radio.answer(strap, .no)
      bonding.emit(0x0017, strap.managementBytes + word(42) + [0])
      bonding.emit(0x0017, strap.managementBytes + word(42) + [1])
      bonding.setting.radio.answer(strap, .yes)
      #expect(bonding.requests.map(\.kind) == [.passkey, .compare(123_456), .show(42)])
      try await bonding.pass()
      #expect(bonding.commands(0x001E) == [strap.managementBytes + word(999_999)])
      #expect(bonding.commands(0x001D) == [strap.managementBytes])
      #expect(bonding.commands(0x001C).isEmpty)
    }
  }

  @Test("that fail are known from the kernel's event: the socket is silent; the link is ended once")
  func failed() throws {
    try bonding { bonding in
      bonding.begin()
      try await bonding.pass()
      bonding.emit(0x0011, strap.managementBytes + [5])
      bonding.emit(0x0011, strap.managementBytes + [5])
      try await bonding.pass()
      #expect(bonding.error == .authenticationFailed)
      #expect(bonding.failures == [.authenticationFailed])
      #expect(bonding.ends == [.authenticationFailed])
      #expect(bonding.bearer.isClosed)
      #expect(bonding.commands(0x0014).count == 1)
    }
  }

  @Test("without a reported end are given up after 35 s; cancelled ones at once")
  func unanswered() throws {
    try bonding { bonding in
      bonding.begin()
      try await bonding.pass(.milliseconds(34_900))
      #expect(bonding.outcome == nil)
      try await bonding.pass(.milliseconds(200))
      #expect(bonding.error == .authenticationFailed)
      #expect(bonding.failures == [.authenticationFailed])
      #expect(bonding.bearer.isClosed)
    }
    try bonding { bonding in
      bonding.begin()
      try await bonding.pass()
      bonding.task?.cancel()
      try await bonding.pass(.milliseconds(1))
      #expect(bonding.error == .aborted)
      #expect(bonding.bearer.isClosed)
    }
  }

  @Test("are not needed if the link is encrypted, and impossible if the kernel lacks the means")
  func nothingToDo() throws {
    try bonding { bonding in
      bonding.bearer.level = 2
      bonding.begin()
      try await bonding.pass()
      #expect(bonding.isSecure && bonding.bearer.raised == 0)
    }
    try bonding { bonding in
      bonding.bearer.securityAnswer = EINVAL
      bonding.begin()
      try await bonding.pass()
      #expect(bonding.outcome == nil, "a fresh link's pairing channel may come a moment later")
      try await bonding.pass(.seconds(1))
      #expect(bonding.error == .system(errno: EINVAL), "that says nothing of the wearable, and is tried again soon")
      #expect(bonding.failures.isEmpty)
    }
    try bonding(keys: [BondKeys(address: strap, longTermKeys: [key])]) { bonding in
      bonding.bearer.securityAnswer = EINVAL
      bonding.begin()
      try await bonding.pass()
      bonding.bearer.securityAnswer = 0
      try await bonding.pass()
      bonding.bearer.encrypt()
      try await bonding.pass()
      #expect(bonding.isSecure)
    }
  }

  @Test(
    """
    that the kernel begins by itself after it refused to are waited for like any other: to their keys, or to their \
    failure
    """,
    arguments: [true, false])
  func late(succeeds: Bool) throws {
    try bonding { bonding in
      bonding.bearer.securityAnswer = EINVAL
      bonding.begin()
      try await bonding.pass(.milliseconds(20))
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      bonding.setting.radio.answer(strap, succeeds ? .yes : .no)
      if succeeds { bonding.bearer.level = 2 } else { bonding.emit(0x0011, strap.managementBytes + [5]) }
      try await bonding.pass()
      if succeeds {
        #expect(bonding.outcome == nil, "the keys are not told yet")
        bonding.emit(0x000A, [1] + key.record)
        try await bonding.pass()
        #expect(bonding.isSecure && bonding.keys.count == 1)
      } else {
        #expect(bonding.error == .authenticationFailed)
        #expect(bonding.ends == [.authenticationFailed])
      }
    }
  }

  @Test("with a known key wait only for encryption")
  func known() throws {
    try bonding(keys: [BondKeys(address: strap, longTermKeys: [key])]) { bonding in
      bonding.begin()
      try await bonding.pass()
      bonding.bearer.encrypt()
      try await bonding.pass(.milliseconds(1))
      #expect(bonding.isSecure)
      #expect(bonding.requests.isEmpty)
    }
  }

  static let endings: [(String, Bool, LinkError)] = [
    ("the controller: key missing", true, .keyMissing), ("the controller: wrong key", true, .keyMissing),
    ("the controller: another failure", true, .authenticationFailed),
    ("the controller: nothing can be read", true, .keyMissing),
    ("the kernel: authentication", true, .keyMissing), ("the kernel: authentication", false, .authenticationFailed),
    ("the kernel: no such errno", true, .keyMissing), ("the kernel: no such errno", false, .authenticationFailed),
    ("the wearable hangs up", true, .peerClosed),
  ]

  @Test("that end with the link say why: a key the wearable lost is not a refused pairing", arguments: endings)
  func ends(_ how: String, _ isKnown: Bool, _ expected: LinkError) throws {
    try bonding(keys: isKnown ? [BondKeys(address: strap, longTermKeys: [key])] : []) { bonding in
      bonding.begin()
      try await bonding.pass()
      switch how {
      case "the controller: key missing": bonding.setting.kernel.say("04 08 04 06 4000 00")
      case "the controller: wrong key": bonding.setting.kernel.say("04 08 04 3D 4000 00")
      case "the controller: another failure": bonding.setting.kernel.say("04 08 04 1F 4000 00")
      case "the controller: nothing can be read": bonding.setting.kernel.say("04 05 04 00 4000 3D")
      case "the kernel: authentication": bonding.bearer.end(EACCES)
      case "the kernel: no such errno": bonding.bearer.end(ENOSYS)
      default: bonding.bearer.end(ECONNRESET)
      }
      try await bonding.pass()
      #expect(bonding.error == expected)
      #expect(bonding.ends == [expected])
      #expect(bonding.failures == (expected == .peerClosed ? [] : [expected]))
      #expect(bonding.requests.isEmpty)
    }
  }

  @Test(
    "that lose encryption with the link are a lost link, which is no evidence about the wearable",
    arguments: ["02", "08", "13", "16", "22", "3E"])
  func lostWithTheLink(status: String) throws {
    for keys in [[], [BondKeys(address: strap, longTermKeys: [key])]] {
      try bonding(keys: keys) { bonding in
        bonding.begin()
        try await bonding.pass()
        bonding.setting.kernel.say("04 08 04 \(status) 4000 00")
        try await bonding.pass()
        #expect(bonding.outcome == nil, "the end of the link says it")
        bonding.bearer.end(ETIMEDOUT)
        try await bonding.pass()
        #expect(bonding.error == .linkLost)
        #expect(bonding.ends == [.linkLost])
        #expect(bonding.failures.isEmpty)
      }
    }
  }

  @Test("of a wearable with a random address give its identity, and later events of that link find it")
  func identity() throws {
    try bonding(random) { bonding in
      bonding.begin()
      try await bonding.pass()
      bonding.bearer.encrypt()
      bonding.emit(0x0018, [1] + random.wireBytes + strap.managementBytes + identityKey)
      bonding.emit(0x000A, [1] + key.record)
      try await bonding.pass()
      #expect(bonding.isSecure)
      #expect(bonding.keys == [BondKeys(address: strap, longTermKeys: [key], identityKey: identityKey)])
      bonding.emit(0x0010, strap.managementBytes)
      #expect(bonding.requests.last?.address == random, "asked under the address the link was made with")
      bonding.setting.radio.answer(random, .no)
      try await bonding.pass()
      #expect(bonding.commands(0x001F) == [strap.managementBytes], "and answered under the one the kernel uses")
      bonding.emit(0x0011, strap.managementBytes + [5])
      #expect(bonding.failures == [.authenticationFailed])
    }
  }

  @Test("that only the wearable wanted leave its link as it was when they fail")
  func notWanted() throws {
    try bonding { bonding in
      bonding.bearer.onClosed = { bonding.ends.append($0) }
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      bonding.setting.radio.answer(strap, .no)
      bonding.emit(0x0011, strap.managementBytes + [5])
      try await bonding.pass()
      #expect(bonding.failures == [.authenticationFailed])
      #expect(bonding.ends.isEmpty && !bonding.bearer.isClosed)
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      #expect(bonding.requests.count == 2, "it may ask again")
    }
  }

  static let mismatches: [(how: String, end: LinkError, isTold: Bool)] = [
    ("the wearable has no key", .keyMissing, true), ("the wearable has another key", .keyMissing, true),
    ("the kernel: authentication", .keyMissing, true),
    ("a packet that was broken later", .system(errno: ENOSYS), false),
  ]

  @Test(
    "with a wrong key end also a link that the wearable wanted encrypted, and say so once", arguments: mismatches)
  func mismatch(_ how: String, _ expected: LinkError, _ isTold: Bool) throws {
    try bonding(keys: [BondKeys(address: strap, longTermKeys: [key])]) { bonding in
      bonding.bearer.onClosed = { bonding.ends.append($0) }
      switch how {
      case "the wearable has no key": bonding.setting.kernel.say("04 08 04 06 4000 00")
      case "the wearable has another key": bonding.setting.kernel.say("04 05 04 00 4000 3D")
      case "the kernel: authentication": bonding.bearer.end(EACCES)
      default:
        bonding.setting.kernel.say("04 08 04 00 4000 01")
        bonding.setting.kernel.say("04 05 04 00 4000 3D")
        bonding.bearer.end(ENOSYS)
      }
      try await bonding.pass()
      #expect(bonding.ends == [expected])
      #expect(bonding.failures == (isTold ? [expected] : []))
    }
  }

  @Test("that another program took from the kernel are given back to it")
  func taken() throws {
    try bonding(keys: [BondKeys(address: strap, longTermKeys: [key])]) { bonding in
      bonding.controller.longTermKeys = []
      bonding.emit(0x0016, strap.managementBytes)
      try await bonding.pass()
      #expect(bonding.controller.longTermKeys == [key.record])
    }
  }

  @Test(
    "come in any order and twice, and those of debug kind, of no size, of no wearable or not to be kept are refused")
  func collected() throws {
    try bonding { bonding in
      bonding.emit(0x000A, [1] + longTermKey(strap, kind: 0, central: 0).record)
      bonding.emit(0x000A, [1] + longTermKey(strap, kind: 0, central: 1).record)
      bonding.emit(0x000A, [1] + longTermKey(strap, kind: 0, central: 1).record)
      bonding.emit(0x0018, [1] + [0, 0, 0, 0, 0, 0] + strap.managementBytes + identityKey)
      try await bonding.pass()
      #expect(bonding.keys.count == 1)
      #expect(bonding.keys.first?.longTermKeys.count == 2)
      #expect(bonding.keys.first?.identityKey == identityKey)
      for refused in [
        longTermKey(strap, kind: 4), longTermKey(strap, kind: 9), longTermKey(strap, size: 3), longTermKey(random),
        longTermKey(strap, central: 2),
      ] {
        bonding.emit(0x000A, [1] + refused.record)
      }
      bonding.emit(0x000A, [0] + key.record)
      bonding.emit(0x0018, [1] + [0, 0, 0, 0, 0, 0] + strap.managementBytes + [UInt8](repeating: 0, count: 16))
      try await bonding.pass()
      #expect(bonding.keys.count == 1)
      #expect(bonding.setting.counter("keys.refused") == 7)
    }
  }

  @Test("belong together however slowly they come: an identity waits for its key")
  func slow() throws {
    try bonding { bonding in
      bonding.begin()
      try await bonding.pass()
      bonding.bearer.encrypt()
      bonding.emit(0x0018, [1] + [0, 0, 0, 0, 0, 0] + strap.managementBytes + identityKey)
      try await bonding.pass(.seconds(1))
      #expect(bonding.keys.isEmpty && bonding.outcome == nil)
      bonding.emit(0x000A, [1] + key.record)
      try await bonding.pass()
      #expect(bonding.isSecure)
      #expect(bonding.keys == [BondKeys(address: strap, longTermKeys: [key], identityKey: identityKey)])
    }
  }

  @Test(
    """
    are given to the kernel whole, identities first, one load at a time, at every initialisation and change; unsound \
    ones never
    """
  )
  func loaded() throws {
    let bond = BondKeys(
      address: strap, longTermKeys: [key, longTermKey(strap, kind: 4), longTermKey(random)], identityKey: identityKey)
    try bonding(keys: [bond, BondKeys(address: random, longTermKeys: [longTermKey(random)])]) { bonding in
      #expect(bonding.controller.longTermKeys == [key.record])
      #expect(bonding.controller.identityKeys == [strap.managementBytes + identityKey])
      for _ in 0..<5 { bonding.setting.radio.setKeys([]) }
      bonding.setting.radio.setKeys([BondKeys(address: strap, longTermKeys: [key])])
      try await bonding.pass()
      #expect(bonding.controller.longTermKeys == [key.record])
      #expect(bonding.controller.identityKeys.isEmpty)
      #expect(bonding.commands(0x0013).count == 2, "six changes, one load")
      bonding.setting.kernel.setPower(bonding.controller, false)
      try await bonding.pass(.seconds(5))
      #expect(bonding.commands(0x0013).count == 3)
      let loads = bonding.setting.opcodes().filter { $0 == 0x0013 || $0 == 0x0030 }
      #expect(loads == [0x30, 0x13, 0x30, 0x13, 0x30, 0x13])
    }
  }

  @Test("that were just made survive a power cycle before the hub has said what it keeps")
  func unsaved() throws {
    try bonding { bonding in
      bonding.emit(0x000A, [1] + key.record)
      try await bonding.pass()
      bonding.setting.kernel.setPower(bonding.controller, false)
      try await bonding.pass(.seconds(5))
      #expect(bonding.controller.longTermKeys == [key.record])
    }
  }

  @Test("are forgotten in the kernel, with the link")
  func forgotten() throws {
    try bonding(keys: [BondKeys(address: strap, longTermKeys: [key])]) { bonding in
      var ends: [LinkError] = []
      bonding.bearer.onClosed = { ends.append($0) }
      await bonding.setting.radio.forgetKeys(of: strap)
      #expect(bonding.commands(0x001B) == [strap.managementBytes + [1]])
      #expect(ends == [.aborted])
      bonding.setting.radio.setKeys([])
      bonding.setting.kernel.setPower(bonding.controller, false)
      try await bonding.pass(.seconds(5))
      #expect(bonding.controller.longTermKeys.isEmpty)
    }
  }

  // MARK: A pairing that leaves no key is none

  @Test("begin when the kernel has acknowledged that it bonds, and not before: else their request has no bonding flag")
  func bondable() throws {
    try bonding { bonding in
      bonding.setting.radio.onPairingRequest = nil
      try await bonding.pass()
      // What a hub does with one that refuses a value: questions are answered from now on, and the link is encrypted.
      bonding.setting.radio.onPairingRequest = { bonding.requests.append($0) }
      bonding.begin()
      for _ in 0..<20 where bonding.bearer.raised == 0 { try await bonding.pass(.microseconds(500)) }
      #expect(bonding.bearer.raised == 1)
      #expect(bonding.controller.current.contains(.bondable) && bonding.controller.inputOutput == 4)
      #expect(bonding.commands(0x0009).last == [1])
    }
  }

  @Test("end as they were last wanted, however quickly a person comes to answer and leaves")
  func restless() throws {
    try bonding { bonding in
      for number in 0..<7 {
        let answers: (@LoopActor (PairingRequest) -> Void)? = { bonding.requests.append($0) }
        bonding.setting.radio.onPairingRequest = number % 2 == 0 ? nil : answers
        try await bonding.pass(.microseconds(300))
      }
      try await bonding.pass()
      #expect(!bonding.controller.current.contains(.bondable) && bonding.controller.inputOutput == 3)
      bonding.setting.radio.onPairingRequest = { bonding.requests.append($0) }
      try await bonding.pass()
      #expect(bonding.controller.current.contains(.bondable) && bonding.controller.inputOutput == 4)
    }
  }

  @Test("are not begun by a kernel that refuses to bond, and by one that another program made refuse are begun again")
  func notBondable() throws {
    try bonding { bonding in
      bonding.controller.current.remove(.bondable)
      bonding.emit(0x0006, word(bonding.controller.current.rawValue))
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      #expect(bonding.requests.isEmpty, "its request had no bonding flag")
      bonding.controller.refusals[0x0009] = .permissionDenied
      #expect(await bonding.refusal(of: bonding.bearer) == .system(errno: EOPNOTSUPP))
      #expect(bonding.bearer.raised == 0 && bonding.failures.isEmpty)
      bonding.controller.refusals = [:]
      bonding.begin()
      try await bonding.pass()
      #expect(bonding.bearer.raised == 1 && bonding.controller.current.contains(.bondable))
    }
  }

  @Test(
    "that encrypt the link and leave no key, or none to keep, have failed, and their link ends",
    arguments: ["nothing is told", "a key for this link alone", "the hub refuses it"])
  func withoutKey(_ how: String) throws {
    try bonding { bonding in
      bonding.verdict = .refused(.keyNotGiven)
      bonding.begin()
      try await bonding.pass()
      bonding.bearer.encrypt()
      if how != "nothing is told" { bonding.emit(0x000A, [how == "the hub refuses it" ? 1 : 0] + key.record) }
      try await bonding.pass(.seconds(6))
      #expect(bonding.error == .keyNotGiven)
      #expect(bonding.failures == [.keyNotGiven] && bonding.ends == [.keyNotGiven])
      #expect(bonding.controller.longTermKeys.isEmpty)
    }
  }

  @Test("of the wearable's own wish that leave no key leave the link, and do not pass for a bond afterwards")
  func withoutKeyUnasked() throws {
    try bonding { bonding in
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      bonding.setting.radio.answer(strap, .yes)
      (bonding.bearer.level, bonding.bearer.securityAnswer) = (2, EINVAL)
      bonding.emit(0x000A, [0] + key.record)
      try await bonding.pass()
      #expect(bonding.failures == [.keyNotGiven] && !bonding.bearer.isClosed)
      bonding.begin()
      try await bonding.pass(.seconds(6))
      #expect(bonding.error == .keyNotGiven)
    }
  }

  @Test("are refused under an address that no key resolves, whatever wants them")
  func unresolvable() throws {
    let address = BluetoothAddress(value: 0x0A01_0203_0405, kind: .leRandom)
    try bonding(address) { bonding in
      bonding.emit(0x000F, address.managementBytes + [1, 0, 0, 0, 0])
      try await bonding.pass()
      #expect(bonding.requests.isEmpty && bonding.commands(0x001D) == [address.managementBytes])
      bonding.begin()
      try await bonding.pass()
      #expect(bonding.error == .keyNotGiven && bonding.bearer.raised == 0)
    }
  }

  @Test("that change while the adapter is being initialised are in the kernel when it serves")
  func changedMeanwhile() throws {
    try bonding { bonding in
      bonding.setting.radio.onPairingRequest = nil
      try await bonding.pass()
      bonding.setting.kernel.setPower(bonding.controller, false)
      let before = bonding.commands(0x0013).count
      for _ in 0..<4000 where bonding.commands(0x0013).count == before { try await bonding.pass(.milliseconds(1)) }
      // Between the loading of the keys and the end of the initialisation.
      try await bonding.pass(.milliseconds(2))
      #expect(bonding.setting.radio.state != .ready)
      bonding.setting.radio.setKeys([BondKeys(address: strap, longTermKeys: [key])])
      bonding.setting.radio.onPairingRequest = { bonding.requests.append($0) }
      try await bonding.pass(.seconds(1))
      #expect(bonding.setting.radio.state == .ready)
      #expect(bonding.controller.longTermKeys == [key.record])
      #expect(bonding.controller.current.contains(.bondable) && bonding.controller.inputOutput == 4)
      bonding.setting.radio.setKeys([])
      try await bonding.pass()
      #expect(bonding.controller.longTermKeys.isEmpty)
    }
  }

  // MARK: Keys belong to the link on which they were made

  @Test("that give another's address are of the link they came on; refused, they are out of the kernel, and it ends")
  func claimed() throws {
    let good = BondKeys(address: strap, longTermKeys: [key], identityKey: [UInt8](repeating: 0x11, count: 16))
    try bonding(random, keys: [good]) { bonding in
      bonding.verdict = .refused(.identityClaimed)
      bonding.begin()
      try await bonding.pass()
      let thief = LongTermKey(strap.managementBytes + [2, 1, 16] + [UInt8](repeating: 0x66, count: 26))!
      bonding.controller.longTermKeys.append(thief.record)
      bonding.controller.identityKeys = [strap.managementBytes + identityKey]
      bonding.bearer.encrypt()
      bonding.emit(0x0018, [1] + random.wireBytes + strap.managementBytes + identityKey)
      bonding.emit(0x000A, [1] + thief.record)
      try await bonding.pass()
      #expect(bonding.links == [random] && bonding.keys.map(\.address) == [strap])
      #expect(bonding.error == .identityClaimed)
      #expect(bonding.failures == [.identityClaimed] && bonding.ends == [.identityClaimed])
      #expect(bonding.controller.longTermKeys == [key.record])
      #expect(bonding.controller.identityKeys == [strap.managementBytes + (good.identityKey ?? [])])
      #expect(bonding.commands(0x0014) == [strap.managementBytes], "as the kernel calls that link now")
    }
  }

  @Test("that give the address of another open link leave that link alone: its questions, its keys and its end")
  func claimedOpen() throws {
    try bonding(random) { bonding in
      bonding.verdict = .refused(.identityClaimed)
      #expect(await bonding.setting.connect(strap) == nil)
      let (claimant, owner) = (bonding.setting.kernel.bearers[0], bonding.setting.kernel.bearers[1])
      claimant.onClosed = { bonding.ends.append($0) }
      bonding.emit(0x0018, [1] + random.wireBytes + strap.managementBytes + identityKey)
      bonding.emit(0x000F, strap.managementBytes + [1, 0, 0, 0, 0])
      #expect(bonding.requests.map(\.address) == [strap])
      bonding.emit(0x000A, [1] + key.record)
      try await bonding.pass()
      #expect(bonding.links == [random])
      #expect(bonding.ends == [.identityClaimed] && claimant.isClosed && !owner.isClosed)
      #expect(bonding.commands(0x0014) == [random.managementBytes])
      #expect(bonding.setting.kernel.hciCommands == [[0x01, 0x06, 0x04, 3, 0x40, 0, 0x13]], "by its handle")
    }
  }

  @Test("of no link are not kept, and taken out of the kernel")
  func stray() throws {
    try bonding { bonding in
      bonding.controller.longTermKeys = [longTermKey(random).record]
      bonding.emit(0x0018, [1] + random.wireBytes + strap.managementBytes + identityKey)
      bonding.emit(0x000A, [1] + longTermKey(random).record)
      try await bonding.pass()
      #expect(bonding.keys.isEmpty && bonding.controller.longTermKeys.isEmpty)
    }
  }

  @Test("that are reported a moment after the end of their link are kept")
  func afterTheEnd() throws {
    try bonding { bonding in
      bonding.bearer.end(ECONNRESET)
      bonding.emit(0x000A, [1] + key.record)
      try await bonding.pass()
      #expect(bonding.keys.count == 1)
    }
  }

  @Test("without an open link, or twice at once, are refused")
  func misuse() throws {
    try bonding { bonding in
      bonding.begin()
      try await bonding.pass()
      let first = bonding.bearer
      #expect(await bonding.refusal(of: first) == .system(errno: EALREADY))
      bonding.bearer.encrypt()
      bonding.emit(0x000A, [1] + key.record)
      try await bonding.pass()
      #expect(bonding.isSecure)
      first.close(immediately: true)
      #expect(await bonding.refusal(of: first) == .system(errno: ENOTCONN))
    }
  }
}
