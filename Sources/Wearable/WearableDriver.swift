// Definition of a driver: data about a family of wearables, and pure functions from bytes to samples. A driver has no
// socket, clock, disk or timer.

public import Bluetooth
internal import EventLoop
public import Health

/// Content of an advertiser, merged over its advertisements and scan responses.
public struct ScanResult: Sendable {
  /// Address of the advertiser.
  public let address: BluetoothAddress
  /// Cleaned: valid UTF-8, no control characters, at most 64 bytes; nil without a name.
  public let name: String?
  /// Advertised services, in the order in which they were first heard.
  public let services: [BluetoothUUID]
  /// Company identifier and payload.
  public let manufacturerData: [(company: UInt16, data: [UInt8])]

  /// Merged advertisements of one device.
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

/// Claim of a driver on an advertiser.
public struct Recognition: Sendable, Equatable {
  /// Kind for display, for example `HR strap`.
  public let kind: String
  /// The highest priority wins. Equal priorities of two drivers for one sighting are a defect that the conformance kit
  /// finds.
  public let priority: Int

  /// A claim; the highest `priority` wins.
  public init(kind: String, priority: Int) {
    self.kind = kind
    self.priority = priority
  }
}

/// Reason why a value was not decoded, in the classes of the test vectors. The value is dropped and counted; the link
/// stays.
public enum DecodeError: String, Error, Sendable, CaseIterable {
  case empty
  case truncated
  case outOfRange = "out_of_range"
  case segmentGap = "segment_gap"
  case noFirstSegment = "no_first_segment"
}

/// Sink for decoded values, in the order of measurement. Arguments must not be kept beyond the decode call.
public protocol SampleSink: AnyObject {
  /// Arrival of the value being decoded, ns, monotonic; nil: unknown.
  var arrivedAt: Int64? { get }
  func append(_ sample: Sample)
  /// Declares that the values appended next in this decode call are one reading with its own time. For sources that
  /// keep their values (`LiveSource.isKept`); called before all appended values.
  ///
  /// - Parameters:
  ///   - own: time of the reading; nil if the reading has no time.
  ///   - mark: identical for each repetition of the reading; nil if it cannot be distinguished from others.
  func beginReading(_ own: OwnTime?, _ mark: ReadingMark?)
  /// Appends several values of one moment, for a vector series: as many as it has components.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>)
  /// Reports that the wearable has a new item to fetch: its next visit comes sooner.
  func noteNewItem()
  /// Reports whether an exercise session is running.
  func noteExercise(_ isOn: Bool)
  /// Reports skin contact for the values that follow. A sensor without detection never calls this.
  func noteContact(_ isOnSkin: Bool)
  /// Reports whether the wearable has sent all its data over this link. A drained wearable gives its slot to others,
  /// unless a request for it is waiting.
  func noteDrained(_ isDrained: Bool)
  /// Appends an item of any layout, see `Series.layout`: its values, and bytes if the layout has them.
  ///
  /// - Parameter ago: ns from the item's own time (for a waveform, that of its first sample) to the arrival of the
  ///   value, by the wearable's clock. More than a minute means that the clock was set, and counts as a minute.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64)
  /// Appends an item with a time stamp of the wearable. A delay on the air then does not shift its time: from many
  /// values the hub learns how the wearable's clock runs beside its own.
  ///
  /// - Parameter stamp: time on the wearable's clock, ns, with any origin, to which `ago` counts.
  func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64, stamp: UInt64)
  /// Reports that a value was used although it was odd (such as trailing bytes), or dropped because it is impossible.
  /// Counted for each wearable.
  func noteAnomaly(_ what: StaticString)
  /// Reports a fact among values that may change while they arrive. Rare: it may allocate.
  func learn(_ fact: WearableFact)
  /// Requests a write over the same link. Rare: it may allocate. The answer is not reported; later values show the
  /// effect.
  func ask(_ write: LiveWrite)
}

/// Write that a decoder requests for the sources that it reads, with response.
public struct LiveWrite: Sendable, Hashable {
  /// Service of the characteristic.
  public let service: BluetoothUUID
  /// Characteristic to be written.
  public let characteristic: BluetoothUUID
  /// Bytes to be written.
  public let value: [UInt8]

  /// A write with response.
  public init(service: BluetoothUUID, characteristic: BluetoothUUID, value: [UInt8]) {
    self.service = service
    self.characteristic = characteristic
    self.value = value
  }
}

extension SampleSink {
  /// nil: the sink does not know.
  public var arrivedAt: Int64? { nil }
  /// Has no effect.
  public func noteNewItem() {}
  /// Has no effect.
  public func beginReading(_ own: OwnTime?, _ mark: ReadingMark?) {}
  /// Has no effect.
  public func noteExercise(_ isOn: Bool) {}
  /// Has no effect.
  public func noteContact(_ isOnSkin: Bool) {}
  /// Has no effect.
  public func noteDrained(_ isDrained: Bool) {}
  /// Has no effect.
  public func learn(_ fact: WearableFact) {}
  /// Has no effect.
  public func ask(_ write: LiveWrite) {}
  /// Ignores the time stamp.
  public func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64, stamp: UInt64) {
    append(series, values: values, bytes: bytes, ago: ago)
  }
}

/// Characteristic that the hub should subscribe to or read after connecting.
public struct LiveSource: Sendable, Hashable {
  /// Service of the characteristic.
  public let service: BluetoothUUID
  /// Characteristic that sends or holds the values.
  public let characteristic: BluetoothUUID
  /// Way to get its values.
  public enum Mode: Sendable, Hashable {
    /// Subscribe by notification or indication, whichever the characteristic offers.
    case subscribe
    /// Read once at each connection.
    case read
    /// Subscribe if offered, and read at each connection in any case.
    case readAndSubscribe
  }
  /// Way to get the values.
  public let mode: Mode
  /// Consequence if the wearable lacks or refuses the source.
  public enum Need: Sendable, Hashable {
    /// Skipped silently if missing, counted if refused.
    case optional
    /// Need that at least one of the driver's alternatives must be served, or the visit fails as for a required one.
    case alternative
    /// Need without which the visit fails, with `gattMissing` if it is absent.
    case required
  }
  /// Consequence if it is missing.
  public let need: Need
  /// True if a wearable without it is not served.
  public var isRequired: Bool { need == .required }
  /// Index of the profile that reads it, for a decoder of several profiles; 0 if one decoder reads all.
  public let profile: Int

  /// Highest plausible average of values per second. Values above it are dropped and counted, and a wearable that
  /// continues is disconnected. A hundredfold rate would wear out the card. The default is twice the rate of the
  /// fastest heart (300 beats per minute).
  public let valuesPerSecond: Int
  /// Whether the wearable keeps each value until it is confirmed, and otherwise offers it again. An indication is then
  /// confirmed only when the value is durable.
  public let isKept: Bool

  /// A source; `valuesPerSecond` bounds its rate.
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

  /// The same source with another need.
  public func with(_ need: Need) -> LiveSource {
    LiveSource(service, characteristic, mode, need, profile, valuesPerSecond, isKept)
  }

  /// The same source, read by another profile of its driver.
  public func read(by profile: Int) -> LiveSource {
    LiveSource(service, characteristic, mode, need, profile, valuesPerSecond, isKept)
  }
}

/// Fact about the wearable itself, for the registry and for display.
public enum WearableFact: Sendable, Hashable {
  case manufacturer(String)
  case model(String)
  case serialNumber(String)
  case firmware(String)
  case hardware(String)
  case software(String)
  case bodyLocation(String)
  /// 64 bits that identify the unit, in hexadecimal.
  case systemID(String)
  /// Source of the vendor id, vendor, product, version.
  case productID(String)
  /// Charging state, and problems of the battery.
  case charging(String)
  /// Values that it measures, or claims to, but that the hub does not store, and why.
  case notServed(String)
}

/// Family of wearables. Conforming types are values without state; the state of a link is in the `LiveDecoder`.
///
/// This protocol is mandatory for every driver. Abilities of some families have their own protocols (`DriverFacets`,
/// listed in NOTES.md). What a driver does not declare is refused.
public protocol WearableDriver: Sendable {
  /// Stable identity in the registry, for example `heart-rate`.
  var id: String { get }
  func recognise(_ scanResult: ScanResult) -> Recognition?
  /// Sources for any wearable of the family, in order of use.
  var liveSources: [LiveSource] { get }
  /// Sources for a wearable with this database, in order of use; all by default. A source that the driver leaves out is
  /// not requested. A source that the wearable lacks is handled by its `need`.
  func liveSources(in database: GATTDatabase) -> [LiveSource]
  /// Makes a new decoder for one link, for all of its `liveSources`.
  func makeDecoder() -> any LiveDecoder
  /// Capabilities as data, for the scheduler and for display.
  var capabilities: Capabilities { get }
  var pairing: PairingNeed { get }
  /// Makes the session for an open link. nil for wearables without stored data or state: they only send live values.
  @LoopActor func makeSession(_ link: any WearableLink) -> (any WearableSession)?
}

extension WearableDriver {
  /// Returns the sources, whatever the database.
  public func liveSources(in database: GATTDatabase) -> [LiveSource] { liveSources }
}

/// Whether links to a wearable are encrypted.
public enum PairingNeed: String, Sendable, Hashable {
  /// A pairing request of the wearable is refused.
  case never
  /// Pairs if the wearable asks for it during its enrolment, or if its key was lost by agreement. Everything works
  /// without.
  case welcome
  /// Pairs during the enrolment if the wearable refuses a request without encryption. What works without is unknown
  /// before.
  case whereRefused
  /// Need: no request works without encryption.
  case required
}

/// Decodes values of one link. Called only on the loop thread; must not allocate per notification on its hot paths.
public protocol LiveDecoder: AnyObject {
  /// Begins with the wearable's database, before any source is subscribed; again if it changes under a link.
  func begin(_ database: GATTDatabase)
  /// The same, with what is already known of the wearable.
  func begin(_ database: GATTDatabase, of known: KnownWearable)
  /// Decodes a notified, indicated or read value of a live source.
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError)
  /// Fact in a value, for sources that carry one.
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact?
  /// Capabilities that the wearable announced over this link, by its database and by values read. nil: this decoder
  /// cannot determine them, or has not begun.
  var announced: WearableCapabilities? { get }
}

extension LiveDecoder {
  /// Has no effect.
  public func begin(_ database: GATTDatabase) {}
  /// Ignores earlier knowledge.
  public func begin(_ database: GATTDatabase, of known: KnownWearable) { begin(database) }
  /// nil: the decoder does not know.
  public var announced: WearableCapabilities? { nil }
}
