// What a driver is: data about a family of wearables, and pure functions from bytes to samples. A driver has no socket, no clock, no
// disk and no sleep.

public import Bluetooth
internal import EventLoop
public import Health

/// What an advertiser says about itself, merged over its advertisements and scan responses.
public struct Sighting: Sendable {
  public let address: BluetoothAddress
  /// Cleaned: valid UTF-8, no control characters, at most 64 bytes; nil if it gives none.
  public let name: String?
  public let services: [BluetoothUUID]
  /// Company identifier and payload.
  public let manufacturerData: [(company: UInt16, data: [UInt8])]

  public init(address: BluetoothAddress, name: String?, services: [BluetoothUUID], manufacturerData: [(company: UInt16, data: [UInt8])] = []) {
    self.address = address
    self.name = name
    self.services = services
    self.manufacturerData = manufacturerData
  }
}

/// A driver's claim on an advertiser.
public struct Recognition: Sendable, Equatable {
  /// The kind for people, for example `HR strap`.
  public let kind: String
  /// The highest priority wins; two drivers with equal priority on one sighting is a bug the conformance kit finds.
  public let priority: Int

  public init(kind: String, priority: Int) {
    self.kind = kind
    self.priority = priority
  }
}

/// Why a value was not decoded. The classes are those of the vectors; the value is dropped and counted, the link stays.
public enum DecodeError: String, Error, Sendable, CaseIterable {
  case empty
  case truncated
  case outOfRange = "out_of_range"
  case segmentGap = "segment_gap"
  case noFirstSegment = "no_first_segment"
}

/// Where decoded values go, in the order in which they were measured. Calls must not be kept beyond the decode call.
public protocol SampleSink: AnyObject {
  func append(_ sample: Sample)
  /// Several values of one moment, of a series that is a vector: as many as it has components.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>)
  /// The wearable says that it holds something new to fetch: its next visit comes sooner.
  func noteNewItem()
  /// An item of any layout, see `Series.layout`: as many values as it has, and bytes where it has some.
  ///
  /// - Parameter ago: nanoseconds from its own time (of a waveform, that of its first sample) to when the value came, by the wearable's clock. What
  ///   exceeds a minute is not of the value that came, but of a clock that was set: then it counts as a minute.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64)
  /// The same of a value whose own time the wearable tells. What the air held up is not taken for measured late: from the times of many values the
  /// hub learns how the wearable's clock runs beside its own.
  ///
  /// - Parameter stamp: nanoseconds on the wearable's clock, from whichever beginning, to which `ago` counts.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64, stamp: UInt64)
  /// The value was used although something was odd about it (such as trailing bytes); counted per wearable.
  func noteAnomaly(_ what: StaticString)
}

extension SampleSink {
  public func noteNewItem() {}
  public func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64, stamp: UInt64) {
    append(series, values: values, bytes: bytes, ago: ago)
  }
}

/// A characteristic the hub should listen to once the wearable is connected.
public struct LiveSource: Sendable, Hashable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID
  public enum Mode: Sendable, Hashable {
    /// Subscribe by notification or indication, whichever the characteristic offers.
    case subscribe
    /// Read once at each connect.
    case read
    /// Subscribe where offered, and read at each connect in any case.
    case readAndSubscribe
  }
  public let mode: Mode
  /// What follows where the wearable lacks it, or refuses it.
  public enum Need: Sendable, Hashable {
    /// Skipped in silence where it is missing, counted where it is refused.
    case optional
    /// At least one of the driver's alternatives must be served, or the visit fails as for a required one.
    case alternative
    /// Without it the visit fails, with `gattMissing` where it is not there.
    case required
  }
  public let need: Need
  public var isRequired: Bool { need == .required }
  /// Place of the profile that reads it among those of its driver: what a decoder of several profiles goes by. 0 where
  /// one decoder reads all.
  public let profile: Int

  /// The most values a second that make sense over a longer time. What exceeds it is dropped and counted, and a wearable that goes on is
  /// hung up: values that look right but come a hundred times too often would wear out the card. The default is twice what a heart at
  /// its fastest (300 beats a minute) could give.
  public let valuesPerSecond: Int

  public init(service: BluetoothUUID, characteristic: BluetoothUUID, mode: Mode, isRequired: Bool, valuesPerSecond: Int = 10) {
    self.init(service, characteristic, mode, isRequired ? .required : .optional, 0, valuesPerSecond)
  }

  private init(
    _ service: BluetoothUUID, _ characteristic: BluetoothUUID, _ mode: Mode, _ need: Need, _ profile: Int,
    _ valuesPerSecond: Int
  ) {
    self.service = service
    self.characteristic = characteristic
    self.mode = mode
    self.need = need
    self.profile = profile
    self.valuesPerSecond = valuesPerSecond
  }

  /// The same source, needed otherwise.
  public func with(_ need: Need) -> LiveSource {
    LiveSource(service, characteristic, mode, need, profile, valuesPerSecond)
  }

  /// The same source, read by another profile of its driver.
  public func read(by profile: Int) -> LiveSource {
    LiveSource(service, characteristic, mode, need, profile, valuesPerSecond)
  }
}

/// A fact about the wearable itself that was read, for the registry and for people.
public enum WearableFact: Sendable, Hashable {
  case manufacturer(String)
  case model(String)
  case serialNumber(String)
  case firmware(String)
  case hardware(String)
  case software(String)
  case bodyLocation(String)
}

/// A family of wearables. Conforming types are values without state; per-link state lives in the `LiveDecoder`.
public protocol WearableDriver: Sendable {
  /// Stable identity in the registry, for example `heart-rate`.
  var id: String { get }
  func recognise(_ sighting: Sighting) -> Recognition?
  /// Reads what the wearable measures out of its advertisements, without a link; nil where it says nothing there. One for each wearable, for as long as it
  /// is enrolled.
  func makeListener() -> (any AdvertisementListener)?
  /// Everything that it may listen to and read, of whichever wearable, in this order.
  var liveSources: [LiveSource] { get }
  /// What to listen to and read of a wearable with this database, in this order. Without saying so all of it. What a
  /// driver leaves out is not asked for; what it names and the wearable lacks is dealt with by its `need`.
  func liveSources(in database: GATTDatabase) -> [LiveSource]
  /// A fresh decoder for one link, which reads whatever of `liveSources` that brings.
  func makeDecoder() -> any LiveDecoder
  /// What it can do, as data: the scheduler plans with it, people read it.
  var capabilities: Capabilities { get }
  /// Where it takes a connection profile; nil if it does not.
  var profileCharacteristic: ProfileCharacteristic? { get }
  /// Services whose characteristics it wants written one after the other, with a pause between. Whoever writes them over a link, a session or the hub itself,
  /// is held to it.
  var writePaces: [WritePace] { get }
  var pairing: PairingNeed { get }
  /// What it measures is lost while it has no link, whatever else it keeps: where adapters are full it waits for its turn and not for its next visit.
  /// Without saying so true of what keeps nothing.
  var needsLink: Bool { get }
  /// Known misbehaviour and what is done about it.
  var quirks: [Quirk] { get }
  /// Drivers, by their ids, of which this one does everything for a wearable that it claims, and more. What was enrolled under one of them moves to this one once it
  /// has said over a link what it is.
  var extends: Set<String> { get }
  /// Features that `WearableOrders.switchedOff` may name.
  var switches: [WearableSwitch] { get }
  /// Settings that `WearableOrders.settings` may name, in an order for people.
  func settings(of wearable: KnownWearable) -> [WearableSetting]
  /// Live series that `WearableOrders.streams` may name: what its session begins by order, and nothing that comes by itself. nil: whatever the kind has. Without saying
  /// so none.
  func streams(of wearable: KnownWearable) -> [Series]?
  /// Live series whose rate `WearableOrders.rates` may name, and the rates, slowest first. None: the wearable says only over a link which it has.
  func rates(of wearable: KnownWearable) -> [Series: [WearableRate]]
  /// Why a secret (`WearableOrders.secret`) is not for this one of its family, to be read after its name: `cannot encrypt what it records`. nil where it has a
  /// use for one, or where nobody knows before it was asked.
  func secretRefusal(for known: KnownWearable) -> String?
  /// What its clock shows (µs since 1970) when it has lost its time: whatever is before was measured by no clock of this kind. nil: nobody knows.
  var clockBeginning: Int64? { get }
  /// Its clock shows the time of a zone, not Greenwich's.
  var showsLocalTime: Bool { get }
  /// The stages of a visit over an open link; nil for wearables that hold nothing and have no state: they are only listened to.
  @LoopActor func makeSession(_ link: any WearableLink) -> (any WearableSession)?
}

extension WearableDriver {
  public func makeListener() -> (any AdvertisementListener)? { nil }
  public func liveSources(in database: GATTDatabase) -> [LiveSource] { liveSources }
  public var capabilities: Capabilities { [] }
  public var profileCharacteristic: ProfileCharacteristic? { nil }
  public var writePaces: [WritePace] { [] }
  public var pairing: PairingNeed { .never }
  public var needsLink: Bool { capabilities.recorded.isEmpty }
  public var quirks: [Quirk] { [] }
  public var extends: Set<String> { [] }
  public var switches: [WearableSwitch] { [] }
  public func settings(of wearable: KnownWearable) -> [WearableSetting] { [] }
  public func streams(of wearable: KnownWearable) -> [Series]? { [] }
  public func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { [:] }
  public func secretRefusal(for known: KnownWearable) -> String? { "keeps nothing that could be encrypted" }
  public var clockBeginning: Int64? { nil }
  public var showsLocalTime: Bool { false }
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { nil }
}

/// Whether links to a wearable are encrypted.
public enum PairingNeed: String, Sendable, Hashable {
  /// A request of the wearable is refused.
  case never
  /// Where it asks, within its enrolment or with its key lost by agreement; all works without.
  case welcome
  /// Nothing works without.
  case required
}

/// Something a family does that it should not, as data.
public struct Quirk: Sendable, Hashable {
  /// `idle-refused`: stable, for logs and tests.
  public let id: String
  /// Models and firmware it is known of, for people.
  public let affects: String
  public let effect: String
  /// Where this is known from.
  public let source: String

  public init(_ id: String, affects: String, effect: String, source: String) {
    self.id = id
    self.affects = affects
    self.effect = effect
    self.source = source
  }
}

/// A characteristic that takes a connection profile.
///
/// What a wearable does with it is never taken for granted: properties are those of discovery, and the proof is the link, not the value read.
public struct ProfileCharacteristic: Sendable, Hashable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID
  /// One octet for each profile it knows.
  public let codes: [LinkProfile: UInt8]
  /// What the wearable then asks for, where it is known; shown, and checked for legality when the hub starts.
  public let published: [LinkProfile: ConnectionParameters]
  /// How long after connecting it begins to act on a write.
  public let deferral: Duration
  /// How long after a write, or after the deferral, the link may take to change.
  public let patience: Duration

  public init(
    service: BluetoothUUID, characteristic: BluetoothUUID, codes: [LinkProfile: UInt8], published: [LinkProfile: ConnectionParameters] = [:],
    deferral: Duration = .zero, patience: Duration
  ) {
    self.service = service
    self.characteristic = characteristic
    self.codes = codes
    self.published = published
    self.deferral = deferral
    self.patience = patience
  }
}

/// How closely the characteristics of one service may be written.
public struct WritePace: Sendable, Hashable {
  public let service: BluetoothUUID
  /// From the end of one write, or from the begin of the link, to the next write, whichever characteristics they are of.
  public let pause: Duration

  public init(service: BluetoothUUID, pause: Duration) {
    self.service = service
    self.pause = pause
  }
}

/// Hears one wearable's advertisements while it has no link. Called only on the loop thread, for each manufacturer data of each advertisement, heard
/// before or not: must not allocate.
public protocol AdvertisementListener: AnyObject {
  /// - Parameters:
  ///   - company: of the manufacturer data, `data` what follows it.
  ///   - quiet: since its last advertisement before this one, ns: what was heard long ago is no measure for what is new.
  func hear(company: UInt16, _ data: RawBytes, quiet: Int64, into sink: any SampleSink)
}

/// Decodes what one link brings. Called only on the loop thread; must not allocate per notification on its hot paths.
public protocol LiveDecoder: AnyObject {
  /// A notified, indicated or read value of a live source.
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError)
  /// A fact, for sources that carry one.
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact?
}
