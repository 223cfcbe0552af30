// What the radio needs of an operating system. `LinuxKernel` is the real one; tests in virtual time play it.

import Bluetooth
import EventLoop

/// A system call that failed.
struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  let call: String
  let errno: Int32
  var description: String { "\(call): errno \(errno)" }
}

/// Which events a management socket wants to hear. Separate sockets, because a flood of advertisements overruns a
/// receive buffer silently and must not take replies with it.
enum ManagementTraffic: Sendable {
  case commandsAndEvents
  case advertisements
}

/// An open management socket.
@LoopActor
protocol ManagementPort: AnyObject {
  /// Sends one frame; 0, or the errno.
  func send(_ frame: [UInt8]) -> Int32
  /// Delivers what the kernel holds at this moment, now instead of when the loop comes by.
  func drain()
  func close()
}

/// One attempt to open an ATT channel.
@LoopActor
protocol ChannelAttempt: AnyObject {
  /// Runs the attempt to its end. Called once. Cancelling the task aborts it.
  func run() async throws(LinkError) -> any RadioBearer
  /// Ends the attempt with this error at once, unless it ended already.
  func abort(_ error: LinkError)
}

/// A channel as this room needs it: beside PDUs, its link and its security.
@LoopActor
protocol RadioBearer: Bearer {
  /// The controller's number of the link, for as long as the channel is open.
  var linkHandle: UInt16? { get }
  /// 1: plain, 2: encrypted, 3: with a key against eavesdroppers; nil if the channel is gone.
  var securityLevel: UInt8? { get }
  /// Asks for an encrypted link. 0: under way, `onSecured` follows or the channel ends; EINVAL: the kernel has nothing
  /// to do, or nothing to do it with: `securityLevel` tells which. Nothing can be sent meanwhile.
  func raiseSecurity() -> Int32
  /// Called once after `raiseSecurity` gave 0 and the link is encrypted.
  var onSecured: (@LoopActor () -> Void)? { get set }
  /// Ends the channel and its link as if it had ended by itself, with this meaning.
  func terminate(_ meaning: LinkError)
}

/// What an attempt needs to know, and whom it asks and tells.
struct ChannelRequest {
  /// Of the adapter: pins the link to it.
  let local: BluetoothAddress
  let peer: BluetoothAddress
  let deadline: Instant
  /// The meaning of an errno (0: none was given), judged at the moment it came.
  let explain: @LoopActor (_ errno: Int32, _ wasOpen: Bool) -> LinkError
  /// The wearable was heard since the attempt began: the kernel may be connecting it.
  var wasHeard: @LoopActor () -> Bool = { false }
  /// Only advertisements under its address that take no connection were heard since.
  var isMasked: @LoopActor () -> Bool = { false }
  /// The kernel has it: connect(2) was called.
  var begun: @LoopActor () -> Void = {}
  /// The channel is gone, whoever closed it; `immediately` if its owner wants the link dropped at once.
  let ended: @LoopActor (any Bearer, _ immediately: Bool) -> Void
}

/// What to do to a controller that no longer answers.
enum ControllerReset: Sendable {
  /// HCIDEVRESET: HCI Reset and a fresh start of the device, links are dropped.
  case reset
  /// HCIDEVDOWN: the device is closed; the next Set Powered opens it anew.
  case down
  /// HCIDEVUP.
  case up
}

/// How a radio switch (rfkill) keeps an adapter off.
enum RadioBlock: Sendable, Equatable {
  /// Set by software; can be lifted by software.
  case soft
  /// A switch or a pin.
  case hard
}

@LoopActor
protocol RadioKernel: AnyObject {
  func openManagement(
    _ traffic: ManagementTraffic, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort
  /// Listens to a controller's own events about links. EPERM without CAP_NET_RAW.
  func openObserver(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort
  /// Asks a controller whether it answers, and hears nothing but that.
  func openPulse(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort
  func attempt(_ request: ChannelRequest) -> any ChannelAttempt
  /// Begins to watch the radio switches; does nothing where the kernel has none.
  func watchBlocks(changed: @escaping @LoopActor () -> Void)
  /// Whether a switch keeps this adapter off.
  func block(of adapter: String) -> RadioBlock?
  /// Lifts the soft block of this adapter; false if that is not possible.
  func unblock(_ adapter: String) -> Bool
  /// Returns 0 or the errno, when the kernel is done (up to ten seconds with a dead controller), without blocking the
  /// loop.
  func reset(_ index: UInt16, _ how: ControllerReset) async -> Int32
  /// Takes the adapter off its bus and puts it on again, or has that done. Returns 0 or the errno; the adapter comes
  /// back under another number, or never.
  func resetBus(of adapter: AdapterIdentity) async -> Int32
  /// The marks of what may not become a loop (`RecoveryStamps`): empty where there are none, nil where they cannot be
  /// read.
  func readStamps() -> String?
  /// False if they could not be made durable.
  func writeStamps(_ text: String) -> Bool
  /// Process numbers of running bluetoothd.
  func bluetoothDaemons() -> [Int32]
  /// Closes what is open but channels.
  func close()
}
