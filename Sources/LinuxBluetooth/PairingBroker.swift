// Pairing and keys: who asks, who answers, what comes of it, and which keys the kernel is given.
//
// A pairing that we wanted and that fails says nothing on the link's socket, which then neither sends nor becomes
// writable again. What tells is the management channel (Authentication Failed), the controller (a refused encryption)
// or the clock, and whichever is first ends the link. A pairing that only the wearable wanted leaves the link as it
// was. A key that does not fit ends every link.

import Bluetooth
import EventLoop
import Glibc
import Logging

@LoopActor
final class PairingBroker {
  /// The kernel gives a pairing 30 s between two steps. Later than that nothing will tell any more.
  private static let patience: Duration = .seconds(35)
  /// The keys of one pairing are told in one moment of the kernel's, which a busy machine may stretch.
  private static let moment: Duration = .milliseconds(50)
  /// The kernel opens its pairing channel a moment after ours, and until then cannot raise anything: half a second of
  /// moments.
  private static let readinessTries = 10
  /// From the encrypted link to the last key: a few connection events for each.
  private static let distribution: Duration = .seconds(5)
  /// More bonds than a hub serves, and fewer records than a frame holds.
  private static let bondLimit = 512
  /// Passkeys are six decimal digits.
  private static let digits: ClosedRange<UInt32> = 0...999_999

  private struct Request {
    /// As the kernel named the wearable, and wants it named in the reply.
    let address: BluetoothAddress
    let kind: PairingRequest.Kind
  }

  /// What becomes of raising a link's security; nil inside: it is encrypted.
  private struct Securing {
    let end: Answer<LinkError?>
    let keys: Answer<LinkError?>
    /// There was a key to begin with, so that nothing is paired anew.
    let isKnown: Bool
  }

  private let loop: any Loop
  private let channel: ManagementChannel
  private let counters: RadioCounters
  private let logger: Logger
  private(set) var keys: [BluetoothAddress: BondKeys] = [:]
  private var requests: [BluetoothAddress: Request] = [:]
  private var securing: [BluetoothAddress: Securing] = [:]
  private var collection = KeyCollection()
  /// Whose keys came in this moment, kept or not.
  private var told: Set<BluetoothAddress> = []
  private var collecting: LoopTimer?
  private var collectingSince = Instant(nanoseconds: 0)
  /// The random address under which a link was made, by the identity that pairing gave it.
  private var randomAddresses: [BluetoothAddress: BluetoothAddress] = [:]
  /// Links that were encrypted: what ends them later says nothing of their keys.
  private var encrypted: Set<BluetoothAddress> = []
  /// What was found out about a link that is to end for it.
  private var verdicts: [BluetoothAddress: LinkError] = [:]
  /// The adapter that serves; nil while none does.
  var index: UInt16?
  /// The open link of this address.
  var bearer: @LoopActor (BluetoothAddress) -> (any RadioBearer)? = { _ in nil }
  /// The kernel's lists are to be loaded anew.
  var onKeysChanged: @LoopActor () -> Void = {}
  var onRequest: (@LoopActor (PairingRequest) -> Void)?
  var onKeys: (@LoopActor (BondKeys) -> Void)?
  var onFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?

  init(loop: any Loop, channel: ManagementChannel, counters: RadioCounters, logger: Logger) {
    self.loop = loop
    self.channel = channel
    self.counters = counters
    self.logger = logger
  }

  /// The lists for the kernel, in order of address.
  var identityKeys: [IdentityKey] {
    ordered.compactMap { bond in bond.identityKey.map { IdentityKey(address: bond.address, key: $0) } }
  }
  var longTermKeys: [LongTermKey] { ordered.flatMap(\.longTermKeys) }
  private var ordered: [BondKeys] { keys.values.sorted { $0.address < $1.address } }

  /// The address an open link was made with, for an address the kernel names.
  func linkAddress(_ address: BluetoothAddress) -> BluetoothAddress { randomAddresses[address] ?? address }

  func setKeys(_ list: [BondKeys]) {
    keys = [:]
    for bond in list.prefix(Self.bondLimit) {
      let sound = bond.sound
      if sound.longTermKeys.count < bond.longTermKeys.count { counters.keysRefused += 1 }
      if !sound.longTermKeys.isEmpty || sound.identityKey != nil { keys[sound.address] = sound }
    }
    onKeysChanged()
  }

  // MARK: Raising security

  func secure(_ bearer: any RadioBearer) async throws(LinkError) {
    if let level = bearer.securityLevel, level >= 2 { return }
    let address = bearer.address
    if securing[address] != nil { throw .system(errno: EALREADY) }
    let attempt = Securing(end: Answer(loop: loop), keys: Answer(loop: loop), isKnown: hasKey(address))
    securing[address] = attempt
    defer { securing[address] = nil }
    bearer.onSecured = { attempt.end.give(nil) }
    var code = bearer.raiseSecurity()
    for _ in 0..<Self.readinessTries where code == EINVAL {
      // Nothing to do, or nothing to do it with, or not yet: then the kernel remembers the level and begins by itself
      // what it just refused.
      if let level = bearer.securityLevel, level >= 2 { attempt.end.give(nil) }
      if !attempt.end.isGiven { try? await loop.sleep(for: Self.moment) }
      code = attempt.end.isGiven ? 0 : bearer.raiseSecurity()
    }
    // A link that is ending has no pairing channel either (smp_conn_security): no verdict on the wearable's key.
    if code != 0 { throw LinkTrouble.whileConnected(code) }
    guard var failure = await outcome(of: attempt.end, within: Self.patience) else {
      fail(address, .authenticationFailed)
      throw .authenticationFailed
    }
    // What was paired is kept when the keys are told; a wearable that gives none to keep is none the less encrypted.
    if failure == nil, !attempt.isKnown { failure = await outcome(of: attempt.keys, within: Self.distribution) ?? nil }
    guard let failure else { return }
    bearer.terminate(failure)
    throw failure
  }

  /// Nil if there was none in time.
  private func outcome(of answer: Answer<LinkError?>, within limit: Duration) async -> LinkError?? {
    await withTaskCancellationHandler {
      if Task.isCancelled { return LinkError?.some(.aborted) }
      return await answer.wait(until: loop.now + limit)
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await answer.give(LinkError.aborted) }
    }
  }

  private func hasKey(_ address: BluetoothAddress) -> Bool { keys[address].map { !$0.longTermKeys.isEmpty } ?? false }

  /// Ends the link of a pairing or encryption that failed, and tells whoever waits and whoever wants to know.
  private func fail(_ address: BluetoothAddress, _ error: LinkError) {
    guard let bearer = bearer(address), verdicts[address] == nil else { return }
    verdicts[address] = error
    securing[address]?.end.give(error)
    securing[address]?.keys.give(error)
    tell(address, error)
    bearer.terminate(error)
  }

  private func tell(_ address: BluetoothAddress, _ error: LinkError) {
    counters.pairingsFailed += 1
    requests[address] = nil
    onFailed?(address, error)
  }

  /// The controller says how encrypting ended.
  func encryptionChanged(_ address: BluetoothAddress, _ status: UInt8) {
    switch status {
    case 0: encrypted.insert(address)
    // HCI 0x06: the wearable has no key for us. 0x3D: it has another one.
    case 0x06, 0x3D: fail(address, hasKey(address) ? .keyMissing : .authenticationFailed)
    // Errors of a link that is over: unknown connection, time-outs, terminated by either side, never established. The
    // end of the link follows and says what it means.
    case 0x02, 0x08, 0x13...0x16, 0x22, 0x3E: break
    default: fail(address, .authenticationFailed)
    }
  }

  /// What was sent under one key came out wrong under the other. Of a link that was encrypted before it is a broken or
  /// forged packet.
  func decryptionFailed(_ address: BluetoothAddress) {
    if !encrypted.contains(address) { encryptionChanged(address, 0x3D) }
  }

  /// What the end of a link means, with what is known of its security.
  func refine(_ address: BluetoothAddress, _ meaning: LinkError) -> LinkError {
    if let verdict = verdicts[address] { return verdict }
    return switch meaning {
    // Refused without a pairing: the wearable did not accept the key.
    case .authenticationFailed where securing[address]?.isKnown ?? hasKey(address): .keyMissing
    // A key that does not fit has no errno of its own (HCI 0x3D falls to ENOSYS, as others do).
    case .system(ENOSYS) where securing[address] != nil: hasKey(address) ? .keyMissing : .authenticationFailed
    default: meaning
    }
  }

  /// A link is over.
  func ended(_ address: BluetoothAddress, _ meaning: LinkError) {
    requests[address] = nil
    encrypted.remove(address)
    for (identity, random) in randomAddresses where random == address { randomAddresses[identity] = nil }
    securing[address]?.end.give(meaning)
    securing[address]?.keys.give(meaning)
    let wasTold = verdicts.removeValue(forKey: address) != nil
    if !wasTold, meaning == .keyMissing || meaning == .authenticationFailed { tell(address, meaning) }
  }

  // MARK: What the kernel asks and tells

  func handle(_ event: ManagementEvent) {
    switch event {
    case .confirmationRequest(let address, let isPlain, let value): ask(address, isPlain ? .justWorks : .compare(value))
    case .passkeyRequest(let address): ask(address, .passkey)
    case .passkeyNotification(let address, let digits): ask(address, .show(digits))
    case .authenticationFailed(let address, let status):
      let link = linkAddress(address)
      if status == .notPaired {
        // The kernel's word for a key that the other side lacks.
        fail(link, .keyMissing)
      } else if securing[link] != nil {
        fail(link, .authenticationFailed)
      } else if bearer(link) != nil {
        // Only the wearable wanted it, and its link is as it was.
        tell(link, .authenticationFailed)
      }
    case .newIdentityKey(let isToBeKept, let random, let key):
      if random.value != 0, random != key.address, bearer(random) != nil { randomAddresses[key.address] = random }
      collect(key.address) { isToBeKept && collection.add(key) }
    case .newLongTermKey(let isToBeKept, let key):
      if let address = key.address { collect(address) { isToBeKept && collection.add(key) } }
    default: break
    }
  }

  private func ask(_ address: BluetoothAddress, _ kind: PairingRequest.Kind) {
    let link = linkAddress(address)
    // Shown digits are told again with each one that is typed, and any event may come twice.
    if requests[link]?.kind == kind { return }
    counters.pairingRequests += 1
    requests[link] = Request(address: address, kind: kind)
    if let onRequest { onRequest(PairingRequest(address: link, kind: kind)) } else { answer(link, .no) }
  }

  func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) {
    guard let request = requests[address], let index else { return }
    let reply: ManagementCommand
    switch (request.kind, answer) {
    case (.justWorks, .yes), (.compare, .yes): reply = .confirm(request.address, true)
    case (.justWorks, .no), (.compare, .no): reply = .confirm(request.address, false)
    case (.passkey, .passkey(let number)) where Self.digits.contains(number): reply = .passkey(request.address, number)
    case (.passkey, .no): reply = .passkey(request.address, nil)
    default: return  // no answer to what was asked
    }
    requests[address] = nil
    if answer == .no { counters.pairingsRefused += 1 }
    channel.send(reply, index: index) { [logger] outcome in
      if case .failure(let error) = outcome { logger.info("\(reply.name) for \(address): \(error)") }
    }
  }

  private func collect(_ address: BluetoothAddress, _ add: () -> Bool) {
    if add() { counters.keysReceived += 1 } else { counters.keysRefused += 1 }
    told.insert(address)
    if let collecting { loop.cancel(collecting) } else { collectingSince = loop.now }
    waitForMore()
  }

  private func waitForMore() { collecting = loop.schedule(after: Self.moment) { [weak self] in self?.hand() } }

  /// Hands on what came together. An identity whose key is not there yet is waited for.
  private func hand() {
    collecting = nil
    for bond in collection.take() {
      // Until the hub says what it keeps, an adapter that is initialised anew gets these as well.
      if keys.count < Self.bondLimit { keys[bond.address] = bond }
      onKeys?(bond)
    }
    if loop.now - collectingSince >= Self.distribution { collection = KeyCollection() }
    let addresses = told.filter { collection.keys[$0] == nil }
    told.subtract(addresses)
    for address in addresses { securing[linkAddress(address)]?.keys.give(nil) }
    if !collection.keys.isEmpty { waitForMore() }
  }

  func forget(_ address: BluetoothAddress) async {
    keys[address] = nil
    bearer(linkAddress(address))?.terminate(.aborted)
    guard let index else { return }
    do throws(ManagementError) {
      try await channel.perform(.unpair(address), index: index, timeout: ManagementChannel.queuedTimeout)
    } catch {
      if error != .refused(.notPaired) {
        logger.info("keys of \(address) could not be removed from the kernel: \(error)")
      }
    }
  }

  /// No adapter serves: what it asked and began is over.
  func adapterGone() {
    index = nil
    requests = [:]
    randomAddresses = [:]
    encrypted = []
  }
}
