// Choice of the adapter for a link, and the adapter of each open link.

import Bluetooth
import EventLoop

@LoopActor
final class PoolLinks {
  let loop: any Loop
  let listening: ListeningRule
  private(set) var members: [PoolMember] = []
  private var ears = Ears()
  var keys = HomedKeys()
  /// See `Radio.slotsKept`.
  var slotsKept: (@LoopActor (BluetoothAddress) -> [Int])?
  /// Wearables with an attempt in progress.
  private var wanted: Set<BluetoothAddress> = []
  /// Adapter numbers of attempts in progress.
  private var attempts: [BluetoothAddress: Int] = [:]
  /// Adapter number of each wearable's last link; with `lastLimit` entries only those of open links stay.
  private var lastPlaces: [BluetoothAddress: Int] = [:]

  init(_ loop: any Loop, _ listening: ListeningRule) {
    self.loop = loop
    self.listening = listening
  }

  func add(_ member: PoolMember) { members.append(member) }

  /// Reports dropped because another adapter had already reported the event.
  var repeated: UInt64 { ears.repeated }

  /// The advertisement to report; nil: another adapter reported it.
  func heard(_ advertisement: Advertisement, at place: Int) -> Advertisement? {
    members.count == 1 ? advertisement : ears.take(advertisement, at: place)
  }

  // MARK: Making

  /// See `RadioPool.connect`.
  func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    if wanted.contains(address) || carrier(of: address) != nil { throw .taken }
    wanted.insert(address)
    defer { wanted.remove(address) }
    var tried: Set<Int> = []
    var failure: LinkError?
    while let member = choose(for: address, besides: tried) {
      tried.insert(member.place)
      do throws(LinkError) {
        return try await connect(to: address, deadline: deadline, parameters: parameters, over: member)
      } catch {
        failure = error
        if !mayGoOn(after: error, of: member, to: address, until: deadline) { throw error }
      }
    }
    if let failure, failure != .slotsFull || members.count == 1 { throw failure }
    throw whyNobody(for: address)
  }

  private func connect(
    to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters, over member: PoolMember
  ) async throws(LinkError) -> any Bearer {
    member.attempts += 1
    attempts[address] = member.place
    defer {
      member.attempts -= 1
      attempts[address] = nil
    }
    let bearer = try await member.radio.connect(to: address, deadline: deadline, parameters: parameters)
    member.reached(address)
    if lastPlaces.count >= Self.lastLimit { lastPlaces = lastPlaces.filter { carrier(of: $0.key) != nil } }
    lastPlaces[address] = member.place
    return bearer
  }

  /// Limit: more than are enrolled.
  private static let lastLimit = 1024

  /// Shortest time in which another adapter may hear a wearable and make its link: two advertisements a second apart
  /// and the creation of the link.
  private static let anotherTry: Duration = .seconds(3)

  private func mayGoOn(after error: LinkError, of member: PoolMember, to address: BluetoothAddress, until end: Instant)
    -> Bool
  {
    if Task.isCancelled { return false }
    switch error {
    case .slotsFull, .attemptsFull, .adapterGone: return true
    case .timedOut, .failedToEstablish, .system:
      member.missed(address, loop.now)
      return end - loop.now >= Self.anotherTry
    default: return false
    }
  }

  /// The adapter for the next attempt; nil: no adapter has room.
  private func choose(for address: BluetoothAddress, besides tried: Set<Int>) -> PoolMember? {
    if members.count == 1 { return tried.isEmpty ? members[0] : nil }
    let now = loop.now
    let kept = slotsKept?(address) ?? []
    let offers = members.filter { !tried.contains($0.place) && mayServe($0, address) }.map { member in
      let place = member.place
      var offer = member.offer(
        to: address, loudness: ears.loudness(of: address, at: place, now), wasLast: lastPlaces[address] == place, now)
      if kept.indices.contains(place) { offer.kept = kept[place] }
      return offer
    }
    let spared = listening.spared(among: members)
    return AdapterOffer.best(of: offers, sparing: spared?.place).map { members[$0.place] }
  }

  private func mayServe(_ member: PoolMember, _ address: BluetoothAddress) -> Bool {
    guard member.isReady, keys.admits(member, for: address, among: members) else { return false }
    return member !== listener || keys.isBonded(address)
  }

  /// The adapter that only listens, by the configuration.
  var listener: PoolMember? { listening.listener(among: members) }

  /// Whether the whole radio is full, or only the adapters that this wearable can use. In the second case other
  /// wearables need not wait.
  private func whyNobody(for address: BluetoothAddress) -> LinkError {
    let serving = members.filter { $0.isReady && $0 !== listener }
    if serving.isEmpty { return .adapterGone }
    let able = members.filter { mayServe($0, address) }
    if able.isEmpty { return .bondedElsewhere }
    return able.elementsEqual(serving, by: ===) ? .slotsFull : .bondedSlotsFull
  }

  // MARK: Finding

  /// The adapter that has the wearable's link.
  func carrier(of address: BluetoothAddress) -> PoolMember? {
    members.first { $0.radio.parameters(of: address) != nil }
  }

  /// See `Radio.place`.
  func place(of address: BluetoothAddress) -> AdapterPlace? {
    if members.count == 1 { return nil }
    let bond: AdapterPlace.Bond =
      switch keys.home(of: address, among: members) {
      case .anywhere: .none
      case .at(let home): home.isReady ? .at(home.place) : .absent
      case .missing: .absent
      }
    return AdapterPlace(
      current: carrier(of: address)?.place ?? attempts[address], last: lastPlaces[address], bond: bond)
  }

  /// The adapter of the wearable's last link.
  func last(of address: BluetoothAddress) -> PoolMember? { lastPlaces[address].map { members[$0] } }
}
