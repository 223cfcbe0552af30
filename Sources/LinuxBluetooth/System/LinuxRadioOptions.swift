// Configuration of the radio, and the rule that selects the adapter.

public import Bluetooth

/// Bus of an adapter, in the kernel's numbering (HCI_VIRTUAL …).
public struct AdapterBus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Virtual adapter, such as that of a test (HCI_VIRTUAL).
  public static let virtual = AdapterBus(rawValue: 0)
  /// Adapter on USB: a dongle, or a built-in one (HCI_USB).
  public static let usb = AdapterBus(rawValue: 1)
  /// Adapter on a serial line.
  public static let uart = AdapterBus(rawValue: 3)
  /// Adapter on SDIO (HCI_SDIO).
  public static let sdio = AdapterBus(rawValue: 6)

  private static let names = [
    "virtual", "USB", "PC card", "UART", "RS-232", "PCI", "SDIO", "SPI", "I2C", "SMD", "virtio",
  ]

  public var description: String { Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "bus \(rawValue)" }

  /// `usb`, `uart`, `sdio`, `virtual` … in any case; nil if there is no such bus.
  public init?(_ text: some StringProtocol) {
    let wanted = text.lowercased()
    guard let index = Self.names.firstIndex(where: { $0.lowercased() == wanted }) else { return nil }
    self.init(rawValue: UInt8(index))
  }

  /// USB dongles first: they have the better antenna, share no chip with Wi-Fi and can be reset from outside.
  fileprivate var rank: Int { self == .usb ? 0 : self == .uart ? 1 : 2 }
}

/// Adapter to use. Never by `hciN`: the number changes with every re-enumeration.
public enum AdapterChoice: Sendable, Hashable {
  /// USB before UART before anything else; the lowest address among equals.
  case automatic
  /// The adapter with this address, and no other.
  case address(BluetoothAddress)
  /// The lowest address on this bus.
  case bus(AdapterBus)
  /// An adapter that any of these names and none of them excludes; with exclusions only, any other adapter.
  indirect case any([AdapterChoice])
  /// Any but this one.
  case not(BluetoothAddress)

  /// `auto`, an address such as `AA:BB:CC:00:00:01`, or a bus such as `usb`; nil for anything else.
  public init?(_ text: String) {
    if text.lowercased() == "auto" {
      self = .automatic
    } else if let address = BluetoothAddress(text, kind: .lePublic) {
      self = .address(address)
    } else if let bus = AdapterBus(text) {
      self = .bus(bus)
    } else {
      return nil
    }
  }
}

/// Number of links the hub holds at once.
public enum SlotLimit: Sendable, Hashable {
  /// Starts with `SlotLedger.defaultSlots`, and follows what the controller accepts.
  case learn
  /// Slots, at most this many, 1...64; also lowered when the controller refuses.
  case fixed(Int)
}

/// Options of the radio in the configuration.
public struct LinuxRadioOptions: Sendable, Hashable {
  /// Choice of the adapter that serves.
  public var adapter: AdapterChoice
  /// Lifts a soft block (rfkill) found on the adapter. A hard block is a switch that only a person can move.
  public var unblocksAdapter: Bool
  /// Limit of the links that the hub holds at once.
  public var slots: SlotLimit
  /// Time without advertisements, after there were some, that starts the recovery. At least 10 s.
  public var silence: Duration
  /// Reboots of the machine allowed a day if every other rung failed; 0: never.
  public var rebootsPerDay: Int
  /// File that records those reboots and the daemon's own restarts; nil: neither is ever done.
  public var stampFile: String?
  /// Public address to give the adapter, because bonds were made with it; nil: its own.
  public var address: UInt64?
  /// Adapter to prefer if there are several: keys stored before adapters were recorded belong to it.
  public var preferred: UInt64?
  /// Path at which a helper that may reset USB ports and UARTs is asked; nil: there is no helper.
  public var helperRequest: String?

  /// Options with the defaults of the configuration file.
  public init(
    adapter: AdapterChoice = .automatic, unblocksAdapter: Bool = false, slots: SlotLimit = .learn,
    silence: Duration = .seconds(90), rebootsPerDay: Int = 0, stampFile: String? = nil, helperRequest: String? = nil
  ) {
    self.adapter = adapter
    self.unblocksAdapter = unblocksAdapter
    self.slots = slots
    self.silence = silence
    self.rebootsPerDay = rebootsPerDay
    self.stampFile = stampFile
    self.helperRequest = helperRequest
  }
}

/// Adapter as it is at this moment.
struct AdapterIdentity: Sendable, Hashable {
  let index: UInt16
  /// Public address in the low 48 bits; zero if the controller has none.
  let address: UInt64
  let bus: AdapterBus
  /// Static address that the hub gives a controller without a public address (nRF52840, for example); nil: no such
  /// address.
  var staticAddress: UInt64?

  init(index: UInt16, address: UInt64, bus: AdapterBus, staticAddress: UInt64? = nil) {
    self.index = index
    self.address = address
    self.bus = bus
    self.staticAddress = staticAddress
  }

  var name: String { "hci\(index)" }
  /// Address by which wearables and the kernel know the adapter.
  var bluetoothAddress: BluetoothAddress {
    staticAddress.map { BluetoothAddress(value: $0, kind: .leRandom) }
      ?? BluetoothAddress(value: address, kind: .lePublic)
  }

  /// Whether the address is the default of a chip that was not programmed: wearables cannot distinguish two such hubs
  /// in one room. Broadcom's are the chip's number, as in 43:45:C0:00:1F:AC of Raspberry Pis
  /// (drivers/bluetooth/btbcm.c).
  var hasUnprogrammedAddress: Bool {
    address >> 24 == 0x4343A1 || address >> 32 == 0xAAAA || address >> 40 == 0x43 && address & 0xFFFF == 0x1FAC
  }
}

extension AdapterChoice {
  /// Selects the adapter among those present; nil if none qualifies.
  func select(from present: [AdapterIdentity]) -> AdapterIdentity? { candidates(of: present).first }

  /// Adapters that qualify, the best first.
  func candidates(of present: [AdapterIdentity]) -> [AdapterIdentity] {
    present.filter { admits($0) }.sorted { a, b in
      (a.bus.rank, a.address, a.index) < (b.bus.rank, b.address, b.index)
    }
  }

  private func admits(_ adapter: AdapterIdentity) -> Bool {
    switch self {
    case .automatic: return true
    case .address(let wanted): return adapter.bluetoothAddress.value == wanted.value
    case .not(let unwanted): return adapter.bluetoothAddress.value != unwanted.value
    case .bus(let bus): return adapter.bus == bus
    case .any(let choices):
      var isNamed: Bool?
      for choice in choices {
        if case .not = choice {
          if !choice.admits(adapter) { return false }
        } else {
          isNamed = isNamed == true || choice.admits(adapter)
        }
      }
      return isNamed ?? true
    }
  }
}
