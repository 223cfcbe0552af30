// What checkers and scenarios read of a simulated insole, and how they change its files and its clock.

public import Bluetooth
import EventLoop
import Simulation

extension VirtualInsole {
  /// Existing files, by id.
  public var files: [InsoleFile] { memory.files }
  /// Erased files, oldest first.
  public var erasedFiles: [InsoleFile] { memory.erased }
  /// Used memory in bytes.
  public var usedMemory: Int { memory.used }
  /// Whether a recording session is open, paused or not. Without room in the memory it has no file.
  public var isRecording: Bool { session != nil }
  /// Status word as hosts read it: the error bits, and one bit of 25 to 29 for the state (idle sets no bit). Bit 30 is
  /// set once a host has connected since the last start.
  public var statusWord: UInt32 {
    errorBits | state.bits | (everConnected ? 0x4000_0000 : 0)
  }
  /// Time since the last start.
  public var uptime: Duration { world.loop.now - bootedAt }
  /// Time on its clock, seconds since 1970.
  public var deviceEpoch: UInt32 { clock.epoch(at: world.loop.now) }
  /// Management frames that no hub should send.
  public var forbiddenFrames: [String] { smp.forbidden }
  /// Handle of a characteristic's value; nil: it has no such characteristic.
  public func handle(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) -> UInt16? {
    database.handle(InsolePlace(service: service, characteristic: characteristic))
  }
  /// Adds a closed file with these bytes, and announces it like a boot.
  public func put(file id: UInt8, _ bytes: [UInt8]) {
    memory.put(id, bytes, at: world.loop.now)
    announceAtBoot()
  }
  /// Sets the clock as another device would.
  public func setClock(_ epoch: UInt32) {
    clock.set(Int64(epoch), at: world.loop.now)
    clock.forget(before: world.loop.now)
  }
}
