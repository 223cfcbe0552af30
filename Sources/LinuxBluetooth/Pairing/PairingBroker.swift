// Pairing and keys: questions, answers, outcomes, and the keys given to the kernel.
//
// A failed pairing of ours leaves no error on the link's socket, which then neither sends nor becomes writable again.
// The failure shows in the management channel (Authentication Failed), the controller (a refused encryption) or a
// timeout. The first of these ends the link. A pairing that only the wearable wanted leaves the link unchanged. A key
// that does not fit ends every link.

import Bluetooth
import EventLoop
import Glibc
import Logging

@LoopActor
final class PairingBroker {
  /// The kernel allows 30 s between two steps of a pairing. After that no event follows.
  private static let patience: Duration = .seconds(35)
  /// The kernel opens its pairing channel a moment after ours, and cannot raise security before.
  private static let readiness = (tries: 10, pause: Duration.milliseconds(50))
  /// Keys may be reported after the end of their link, which comes over another socket.
  private static let afterlife: Duration = .seconds(1)
  /// Raising of a link's security; a nil error means that the link is encrypted.
  private struct Securing {
    let end: Answer<LinkError?>
    let keys: Answer<LinkError?>
    /// Whether there was a key at the start, so that no new pairing is made.
    let isKnown: Bool
  }

  private let means: AdapterMeans
  /// Keys of the hub.
  private(set) var keys = BondList()
  private let questions: PairingQuestions
  private var securing: [BluetoothAddress: Securing] = [:]
  private let intake: KeyIntake
  private var links = PairedLinks()
  /// Index of the adapter in service; nil without one.
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

  /// Address that an open link was made with, for an address that the kernel uses.
  func linkAddress(_ address: BluetoothAddress) -> BluetoothAddress {
    // A wearable may claim any identity, so a link made under that very address has precedence.
    surroundings.bearer(address) == nil ? links.randomAddresses[address] ?? address : address
  }

  /// Address under which the kernel has an open link now.
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
      // The kernel has no key or no need for it, or is not ready. In the last case it remembers the level and later
      // starts by itself what it just refused.
      if let level = bearer.securityLevel, level >= 2 { attempt.end.give(nil) }
      if !attempt.end.isGiven { try? await means.loop.sleep(for: Self.readiness.pause) }
      code = attempt.end.isGiven ? 0 : bearer.raiseSecurity()
    }
    // A link that is ending has no pairing channel either (smp_conn_security), so this is no verdict on the wearable's
    // key.
    if code != 0 { throw LinkTrouble.whileConnected(code) }
    guard var failure = await outcome(of: attempt.end, within: Self.patience) else {
      throw failed(address, .authenticationFailed)
    }
    if failure == nil, !attempt.isKnown {
      // Encrypted without a key to keep: the next link would be refused, or paired again.
      failure = await outcome(of: attempt.keys, within: KeyIntake.distribution) ?? .keyNotGiven
    }
    if let failure { throw failed(address, failure) }
  }

  /// Checks the conditions for a Pairing Request.
  private func prepareToPair(_ address: BluetoothAddress, _ attempt: Securing) async throws(LinkError) {
    // A key cannot be kept under an address that no key resolves.
    if address.permanence == .unresolvable { throw failed(address, .keyNotGiven) }
    if onRequest == nil { throw failed(address, .authenticationFailed) }
    let isReady = await surroundings.becomeBondable()
    if attempt.end.isGiven, let end = await outcome(of: attempt.end, within: .zero), let end { throw end }
    if !isReady { throw .system(errno: EOPNOTSUPP) }
  }

  /// Nil if there was no outcome in time.
  private func outcome(of answer: Answer<LinkError?>, within limit: Duration) async -> LinkError?? {
    await withTaskCancellationHandler {
      if Task.isCancelled { return LinkError?.some(.aborted) }
      return await answer.wait(until: means.loop.now + limit)
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await answer.give(LinkError.aborted) }
    }
  }

  private func hasKey(_ link: BluetoothAddress) -> Bool { keys.canEncrypt(kernelAddress(of: link)) }

  /// Ends the link after a failed pairing or encryption, and notifies the waiting task and the hub.
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

  /// Called with the controller's status of an encryption.
  func encryptionChanged(_ address: BluetoothAddress, _ status: UInt8) {
    switch status {
    case 0: links.encrypted.insert(address)
    // HCI 0x06: the wearable has no key for us. 0x3D: it has another one.
    case 0x06, 0x3D: fail(address, hasKey(address) ? .keyMissing : .authenticationFailed)
    // Errors of a link that is over: unknown connection, timeouts, terminated by either side, never established. The
    // end of the link follows with its own reason.
    case 0x02, 0x08, 0x13...0x16, 0x22, 0x3E: break
    default: fail(address, .authenticationFailed)
    }
  }

  /// Called if decryption failed because the two sides have different keys. On a link that was encrypted before, it
  /// means a broken or forged packet.
  func decryptionFailed(_ address: BluetoothAddress) {
    if !links.encrypted.contains(address) { encryptionChanged(address, 0x3D) }
  }

  /// Interprets the end of a link together with its security state.
  func refine(_ address: BluetoothAddress, _ meaning: LinkError) -> LinkError {
    if let verdict = links.verdicts[address] { return verdict }
    return switch meaning {
    // Refused without a pairing: the wearable did not accept the key.
    case .authenticationFailed where securing[address]?.isKnown ?? hasKey(address): .keyMissing
    // A key that does not fit has no errno of its own (HCI 0x3D becomes ENOSYS, as other reasons do).
    case .system(ENOSYS) where securing[address] != nil: hasKey(address) ? .keyMissing : .authenticationFailed
    default: meaning
    }
  }

  /// Called when a link ended.
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

  // MARK: Events of the kernel

  func handle(_ event: ManagementEvent) {
    switch event {
    case .confirmationRequest(let address, let isPlain, let value): ask(address, isPlain ? .justWorks : .compare(value))
    case .passkeyRequest(let address): ask(address, .passkey)
    case .passkeyNotification(let address, let digits): ask(address, .show(digits))
    case .authenticationFailed(let address, let status):
      let link = linkAddress(address)
      if status == .notPaired {
        // The kernel's status for a key that the other side lacks.
        fail(link, .keyMissing)
      } else if securing[link] != nil {
        fail(link, .authenticationFailed)
      } else if surroundings.bearer(link) != nil {
        // Only the wearable wanted this pairing; its link is unchanged.
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
    // A pairing without keys that can be kept is refused.
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

  /// Asks the hub whether keys are kept, before they are relied on. Refused keys are deleted from the kernel.
  private func paired(_ link: BluetoothAddress, _ bond: BondKeys?) {
    // An unusable key for an existing bond changes no key.
    guard let bond else { return hasKey(link) ? () : unkept(link, .keyNotGiven) }
    switch onKeys?(link, bond) ?? .refused(.keyNotGiven) {
    case .refused(let error): unkept(link, error)
    case .kept:
      // An adapter initialised before the hub sends its list gets these keys as well.
      keys.keep(bond)
      links.unbonded.remove(link)
      securing[link]?.keys.give(nil)
    }
  }

  private func unkept(_ link: BluetoothAddress, _ error: LinkError) {
    surroundings.onKeysChanged()
    // A pairing that only the wearable wanted leaves the link unchanged; a false identity ends it.
    let isHarmless = error == .keyNotGiven && securing[link] == nil
    guard let bearer = surroundings.bearer(link), !isHarmless else { return tell(link, error) }
    // The kernel has the link under the claimed address, so it must be ended by its handle.
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

  /// Called when no adapter serves: its questions and pairings are over.
  func adapterGone() {
    index = nil
    questions.forgetAll()
    links.adapterGone()
  }
}
