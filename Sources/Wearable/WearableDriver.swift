// What a driver is: data about a family of wearables, and pure functions from bytes to samples. A driver has no socket,
// no clock, no disk and no sleep.

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

  public init(
    address: BluetoothAddress, name: String?, services: [BluetoothUUID],
    manufacturerData: [(company: UInt16, data: [UInt8])] = []
  ) {
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
  /// ns, monotonic: when the value came that is being decoded. nil: not known.
  var arrivedAt: Int64? { get }
  func append(_ sample: Sample)
  /// What is appended next, in this call of the decoder, is one reading with a time of its own. For sources whose
  /// values are kept (`LiveSource.isKept`); in front of everything that is appended.
  ///
  /// - Parameters:
  ///   - own: nil where it tells no time.
  ///   - mark: the same whenever and however the reading comes; nil where nothing tells it from another one.
  func beginReading(_ own: OwnTime?, _ mark: ReadingMark?)
  /// Several values of one moment, of a series that is a vector: as many as it has components.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>)
  /// The wearable says that it holds something new to fetch: its next visit comes sooner.
  func noteNewItem()
  /// The wearable says that a session of exercise runs, or that none does.
  func noteExercise(_ isOn: Bool)
  /// What the sensor says of its contact with the skin, in front of what it measured then; one that cannot tell says
  /// nothing.
  func noteContact(_ isOnSkin: Bool)
  /// The wearable says that it has nothing more to tell over this link, or that it has again: one that has not gives
  /// its slot to others, unless somebody waits for it.
  func noteDrained(_ isDrained: Bool)
  /// An item of any layout, see `Series.layout`: as many values as it has, and bytes where it has some.
  ///
  /// - Parameter ago: nanoseconds from its own time (of a waveform, that of its first sample) to when the value came,
  ///   by the wearable's clock. What exceeds a minute is not of the value that came, but of a clock that was set: then
  ///   it counts as a minute.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64)
  /// The same of a value whose own time the wearable tells. What the air held up is not taken for measured late: from
  /// the times of many values the hub learns how the wearable's clock runs beside its own.
  ///
  /// - Parameter stamp: nanoseconds on the wearable's clock, from whichever beginning, to which `ago` counts.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64, stamp: UInt64)
  /// The value was used although something was odd about it (such as trailing bytes), or left out because it cannot be;
  /// counted per wearable.
  func noteAnomaly(_ what: StaticString)
  /// A fact that comes among values and may change while they do. Rare: it may allocate.
  func learn(_ fact: WearableFact)
  /// Something that is to be written over the same link. Rare: it may allocate. What the wearable answers is not told;
  /// it is seen in what it sends then.
  func ask(_ write: LiveWrite)
}

/// What a decoder wants written, with response, for what it listens to.
public struct LiveWrite: Sendable, Hashable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID
  public let value: [UInt8]

  public init(service: BluetoothUUID, characteristic: BluetoothUUID, value: [UInt8]) {
    self.service = service
    self.characteristic = characteristic
    self.value = value
  }
}

extension SampleSink {
  public var arrivedAt: Int64? { nil }
  public func noteNewItem() {}
  public func beginReading(_ own: OwnTime?, _ mark: ReadingMark?) {}
  public func noteExercise(_ isOn: Bool) {}
  public func noteContact(_ isOnSkin: Bool) {}
  public func noteDrained(_ isDrained: Bool) {}
  public func learn(_ fact: WearableFact) {}
  public func ask(_ write: LiveWrite) {}
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

  /// The most values a second that make sense over a longer time. What exceeds it is dropped and counted, and a
  /// wearable that goes on is hung up: values that look right but come a hundred times too often would wear out the
  /// card. The default is twice what a heart at its fastest (300 beats a minute) could give.
  public let valuesPerSecond: Int
  /// Its wearable keeps each value until it is confirmed, forgets it then, and offers it again otherwise: an indication
  /// is confirmed when the value is durable, and not before.
  public let isKept: Bool

  public init(
    service: BluetoothUUID, characteristic: BluetoothUUID, mode: Mode, isRequired: Bool, valuesPerSecond: Int = 10,
    isKept: Bool = false
  ) {
    self.init(service, characteristic, mode, isRequired ? .required : .optional, 0, valuesPerSecond, isKept)
  }

  private init(
    _ service: BluetoothUUID, _ characteristic: BluetoothUUID, _ mode: Mode, _ need: Need, _ profile: Int,
    _ valuesPerSecond: Int, _ isKept: Bool
  ) {
    self.service = service
    self.characteristic = characteristic
    self.mode = mode
    self.need = need
    self.profile = profile
    self.valuesPerSecond = valuesPerSecond
    self.isKept = isKept
  }

  /// The same source, needed otherwise.
  public func with(_ need: Need) -> LiveSource {
    LiveSource(service, characteristic, mode, need, profile, valuesPerSecond, isKept)
  }

  /// The same source, read by another profile of its driver.
  public func read(by profile: Int) -> LiveSource {
    LiveSource(service, characteristic, mode, need, profile, valuesPerSecond, isKept)
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
  /// 64 bits that name it among all, in hexadecimal.
  case systemID(String)
  /// Who numbered its vendor, vendor, product, version.
  case productID(String)
  /// Whether it is charging, and what is wrong with its battery.
  case charging(String)
  /// What it measures, or calls so, of which the hub keeps nothing, and why.
  case notServed(String)
}

/// A family of wearables. Conforming types are values without state; per-link state lives in the `LiveDecoder`.
///
/// This is what every driver must say. What only some families have stands in protocols of its own (`DriverFacets`,
/// listed in NOTES.md): a driver declares what it has, and what it does not declare is refused.
public protocol WearableDriver: Sendable {
  /// Stable identity in the registry, for example `heart-rate`.
  var id: String { get }
  func recognise(_ sighting: Sighting) -> Recognition?
  /// Everything that it may listen to and read, of whichever wearable, in this order.
  var liveSources: [LiveSource] { get }
  /// What to listen to and read of a wearable with this database, in this order. Without saying so all of it. What a
  /// driver leaves out is not asked for; what it names and the wearable lacks is dealt with by its `need`.
  func liveSources(in database: GATTDatabase) -> [LiveSource]
  /// A fresh decoder for one link, which reads whatever of `liveSources` that brings.
  func makeDecoder() -> any LiveDecoder
  /// What it can do, as data: the scheduler plans with it, people read it.
  var capabilities: Capabilities { get }
  var pairing: PairingNeed { get }
  /// The stages of a visit over an open link; nil for wearables that hold nothing and have no state: they are only
  /// listened to.
  @LoopActor func makeSession(_ link: any WearableLink) -> (any WearableSession)?
}

extension WearableDriver {
  public func liveSources(in database: GATTDatabase) -> [LiveSource] { liveSources }
}

/// Whether links to a wearable are encrypted.
public enum PairingNeed: String, Sendable, Hashable {
  /// A request of the wearable is refused.
  case never
  /// Where it asks, within its enrolment or with its key lost by agreement; all works without.
  case welcome
  /// Where it refuses a request for want of an encrypted link, within its enrolment: what it serves without is not
  /// known before.
  case whereRefused
  /// Nothing works without.
  case required
}

/// Decodes what one link brings. Called only on the loop thread; must not allocate per notification on its hot paths.
public protocol LiveDecoder: AnyObject {
  /// What the wearable shows, before anything of it is listened to; again where that changes under a link.
  func begin(_ database: GATTDatabase)
  /// The same, with what is known of the wearable already.
  func begin(_ database: GATTDatabase, of known: KnownWearable)
  /// A notified, indicated or read value of a live source.
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError)
  /// A fact, for sources that carry one.
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact?
  /// What the wearable announced over this link, by its database and by what was read of it. Nil: this decoder cannot
  /// tell, or has not begun.
  var announced: WearableCapabilities? { get }
}

extension LiveDecoder {
  public func begin(_ database: GATTDatabase) {}
  public func begin(_ database: GATTDatabase, of known: KnownWearable) { begin(database) }
  public var announced: WearableCapabilities? { nil }
}
