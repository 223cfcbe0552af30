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
  /// The kernel opens its pairing channel a moment after ours, and until then cannot raise anything.
  private static let readiness = (tries: 10, pause: Duration.milliseconds(50))
  /// Keys may be told after the end of their link, which comes over another socket.
  private static let afterlife: Duration = .seconds(1)
  /// What becomes of raising a link's security; nil inside: it is encrypted.
  private struct Securing {
    let end: Answer<LinkError?>
    let keys: Answer<LinkError?>
    /// There was a key to begin with, so that nothing is paired anew.
    let isKnown: Bool
  }

  private let means: AdapterMeans
  /// All keys that the hub has.
  private(set) var keys = BondList()
  private let questions: PairingQuestions
  private var securing: [BluetoothAddress: Securing] = [:]
  private let intake: KeyIntake
  private var links = PairedLinks()
  /// The adapter that serves; nil while none does.
  var index: UInt16?
  var surroundings = PairingSurroundings()
  var onRequest: (@LoopActor (PairingRequest) -> Void)?
  var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)?
  var onFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?

  init(_ means: AdapterMeans) {
    self.means = means
    let (loop, channel, counters) = (means.loop, means.channel, means.counters)
    intake = KeyIntake(loop: loop, counters: counters)
    questions = PairingQuestions(channel: channel, counters: counters, logger: means.logger)
    intake.isLink = { [weak self] in self?.isLink($0) ?? false }
    intake.onPaired = { [weak self] in self?.paired($0, $1) }
    intake.onStray = { [weak self] in self?.surroundings.onKeysChanged() }
  }

  /// The address an open link was made with, for an address the kernel names.
  func linkAddress(_ address: BluetoothAddress) -> BluetoothAddress {
    // A wearable may give any identity: a link that was made under that very address goes first.
    surroundings.bearer(address) == nil ? links.randomAddresses[address] ?? address : address
  }

  /// The address under which the kernel has an open link now.
  func kernelAddress(of link: BluetoothAddress) -> BluetoothAddress {
    guard let identity = links.randomAddresses.first(where: { $0.value == link })?.key,
      surroundings.bearer(identity) == nil
    else {
      return link
    }
    return identity
  }

  func setKeys(_ list: [BondKeys]) {
    means.counters.keysRefused += keys.replace(with: list)
    surroundings.onKeysChanged()
  }

  // MARK: Raising security

  func secure(_ bearer: any RadioBearer) async throws(LinkError) {
    let address = bearer.address
    if let level = bearer.securityLevel, level >= 2, !links.unbonded.contains(address) { return }
    if securing[address] != nil { throw .system(errno: EALREADY) }
    let attempt = Securing(end: Answer(loop: means.loop), keys: Answer(loop: means.loop), isKnown: hasKey(address))
    securing[address] = attempt
    defer { securing[address] = nil }
    if !attempt.isKnown { try await prepareToPair(address, attempt) }
    bearer.onSecured = { attempt.end.give(nil) }
    var code = bearer.raiseSecurity()
    for _ in 0..<Self.readiness.tries where code == EINVAL {
      // Nothing to do, or nothing to do it with, or not yet: then the kernel remembers the level and begins by itself
      // what it just refused.
      if let level = bearer.securityLevel, level >= 2 { attempt.end.give(nil) }
      if !attempt.end.isGiven { try? await means.loop.sleep(for: Self.readiness.pause) }
      code = attempt.end.isGiven ? 0 : bearer.raiseSecurity()
    }
    // A link that is ending has no pairing channel either (smp_conn_security): no verdict on the wearable's key.
    if code != 0 { throw LinkTrouble.whileConnected(code) }
    guard var failure = await outcome(of: attempt.end, within: Self.patience) else {
      throw failed(address, .authenticationFailed)
    }
    if failure == nil, !attempt.isKnown {
      // Encrypted without a key to keep: the next link would be refused, or paired anew.
      failure = await outcome(of: attempt.keys, within: KeyIntake.distribution) ?? .keyNotGiven
    }
    if let failure { throw failed(address, failure) }
  }

  /// What has to be so before a Pairing Request goes out.
  private func prepareToPair(_ address: BluetoothAddress, _ attempt: Securing) async throws(LinkError) {
    // No key can be kept under an address that nothing resolves.
    if address.permanence == .unresolvable { throw failed(address, .keyNotGiven) }
    if onRequest == nil { throw failed(address, .authenticationFailed) }
    let isReady = await surroundings.becomeBondable()
    if attempt.end.isGiven, let end = await outcome(of: attempt.end, within: .zero), let end { throw end }
    if !isReady { throw .system(errno: EOPNOTSUPP) }
  }

  /// Nil if there was none in time.
  private func outcome(of answer: Answer<LinkError?>, within limit: Duration) async -> LinkError?? {
    await withTaskCancellationHandler {
      if Task.isCancelled { return LinkError?.some(.aborted) }
      return await answer.wait(until: means.loop.now + limit)
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await answer.give(LinkError.aborted) }
    }
  }

  private func hasKey(_ link: BluetoothAddress) -> Bool { keys.canEncrypt(kernelAddress(of: link)) }

  /// Ends the link of a pairing or encryption that failed, and tells whoever waits and the hub.
  private func fail(_ address: BluetoothAddress, _ error: LinkError) {
    guard let bearer = surroundings.bearer(address), links.verdicts[address] == nil else { return }
    links.verdicts[address] = error
    securing[address]?.end.give(error)
    securing[address]?.keys.give(error)
    if error.isOfSecurity { tell(address, error) }
    bearer.terminate(error)
  }

  private func failed(_ address: BluetoothAddress, _ error: LinkError) -> LinkError {
    fail(address, error)
    return error
  }

  private func tell(_ address: BluetoothAddress, _ error: LinkError) {
    means.counters.pairingsFailed += 1
    questions.forget(address)
    onFailed?(address, error)
  }

  /// The controller says how encrypting ended.
  func encryptionChanged(_ address: BluetoothAddress, _ status: UInt8) {
    switch status {
    case 0: links.encrypted.insert(address)
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
    if !links.encrypted.contains(address) { encryptionChanged(address, 0x3D) }
  }

  /// What the end of a link means, with what is known of its security.
  func refine(_ address: BluetoothAddress, _ meaning: LinkError) -> LinkError {
    if let verdict = links.verdicts[address] { return verdict }
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
    questions.forget(address)
    links.encrypted.remove(address)
    links.unbonded.remove(address)
    links.late.insert(address)
    means.loop.schedule(after: Self.afterlife) { [weak self] in self?.links.late.remove(address) }
    for (identity, random) in links.randomAddresses where random == address { links.randomAddresses[identity] = nil }
    securing[address]?.end.give(meaning)
    securing[address]?.keys.give(meaning)
    let wasTold = links.verdicts.removeValue(forKey: address) != nil
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
      } else if surroundings.bearer(link) != nil {
        // Only the wearable wanted it, and its link is as it was.
        tell(link, .authenticationFailed)
      }
    case .newIdentityKey(let isToBeKept, let random, let key):
      if random.value != 0, random != key.address, surroundings.bearer(random) != nil {
        links.randomAddresses[key.address] = random
      }
      intake.take(key, random: random, isToBeKept: isToBeKept)
    case .newLongTermKey(let isToBeKept, let key): intake.take(key, isToBeKept: isToBeKept)
    default: break
    }
  }

  private func ask(_ address: BluetoothAddress, _ kind: PairingRequest.Kind) {
    let link = linkAddress(address)
    guard questions.note(link, address, kind) else { return }
    // A pairing that could not be kept is none.
    guard let onRequest, surroundings.isBondable(), link.permanence != .unresolvable else { return answer(link, .no) }
    if !hasKey(link) { links.unbonded.insert(link) }
    onRequest(PairingRequest(address: link, kind: kind))
  }

  func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) {
    if let index { questions.answer(address, answer, index: index) }
  }

  private func isLink(_ address: BluetoothAddress) -> Bool {
    surroundings.bearer(address) != nil || links.late.contains(address)
  }

  /// The hub says whether keys are kept, before anything relies on them. What it refuses is taken out of the kernel.
  private func paired(_ link: BluetoothAddress, _ bond: BondKeys?) {
    // What is no key, of a bond that is there already, changes nothing.
    guard let bond else { return hasKey(link) ? () : unkept(link, .keyNotGiven) }
    switch onKeys?(link, bond) ?? .refused(.keyNotGiven) {
    case .refused(let error): unkept(link, error)
    case .kept:
      // Until the hub gives its list, an adapter that is initialised anew gets these as well.
      keys.keep(bond)
      links.unbonded.remove(link)
      securing[link]?.keys.give(nil)
    }
  }

  private func unkept(_ link: BluetoothAddress, _ error: LinkError) {
    surroundings.onKeysChanged()
    // Only the wearable wanted it, and its link is as it was; one that lied is ended.
    let isHarmless = error == .keyNotGiven && securing[link] == nil
    guard let bearer = surroundings.bearer(link), !isHarmless else { return tell(link, error) }
    // The kernel has the link under the address that was given; it must not be reached by that.
    if error == .identityClaimed, let handle = bearer.linkHandle { surroundings.hangUp(handle) }
    fail(link, error)
  }

  func forget(_ address: BluetoothAddress) async {
    keys.forget(address)
    surroundings.bearer(linkAddress(address))?.terminate(.aborted)
    guard let index else { return }
    do throws(ManagementError) {
      try await means.channel.perform(.unpair(address), index: index, timeout: ManagementChannel.queuedTimeout)
    } catch {
      if error != .refused(.notPaired) {
        means.logger.info("keys of \(address) could not be removed from the kernel: \(error)")
      }
    }
  }

  /// No adapter serves: what it asked and began is over.
  func adapterGone() {
    index = nil
    questions.forgetAll()
    links.adapterGone()
  }
}
