// Operating system interface of the radio. `LinuxKernel` is the real one; tests in virtual time have their own.

import Bluetooth
import EventLoop

/// Failed system call.
struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  let call: String
  let errno: Int32
  var description: String { "\(call): errno \(errno)" }
}

/// Events that a management socket receives. The sockets are separate, because a flood of advertisements silently
/// overruns a receive buffer and must not take replies with it.
enum ManagementTraffic: Sendable {
  case commandsAndEvents
  case advertisements
}

/// Open management socket.
@LoopActor
protocol ManagementPort: AnyObject {
  /// Sends one frame; 0, or the errno.
  func send(_ frame: [UInt8]) -> Int32
  /// Delivers all frames that are pending now, without waiting for the loop.
  func drain()
  func close()
}

/// Attempt to open an ATT channel.
@LoopActor
protocol ChannelAttempt: AnyObject {
  /// Runs the attempt to its end. Called once. Cancelling the task aborts it.
  func run() async throws(LinkError) -> any RadioBearer
  /// Ends the attempt with this error at once, unless it ended already.
  func abort(_ error: LinkError)
}

/// Bearer with its link and its security, for use inside this module.
@LoopActor
protocol RadioBearer: Bearer {
  /// Connection handle of the controller, while the channel is open.
  var linkHandle: UInt16? { get }
  /// 1: not encrypted. 2: encrypted. 3: encrypted with an authenticated key. nil if the channel is gone.
  var securityLevel: UInt8? { get }
  /// Requests an encrypted link. 0: in progress, `onSecured` follows or the channel ends. EINVAL: the link is encrypted
  /// already, or the kernel cannot do it; `securityLevel` shows which. The channel cannot send meanwhile.
  func raiseSecurity() -> Int32
  /// Called once after `raiseSecurity` returned 0 and the link is encrypted.
  var onSecured: (@LoopActor () -> Void)? { get set }
  /// Ends the channel and its link with this error, as if it had ended by itself.
  func terminate(_ meaning: LinkError)
}

/// Inputs and callbacks of an attempt.
struct ChannelRequest {
  /// Address of the adapter: pins the link to it.
  let local: BluetoothAddress
  let peer: BluetoothAddress
  let deadline: Instant
  /// Interprets an errno (0: there was none) at the moment it came.
  let explain: @LoopActor (_ errno: Int32, _ wasOpen: Bool) -> LinkError
  /// Whether the wearable was heard since the attempt began: the kernel may be connecting it.
  var wasHeard: @LoopActor () -> Bool = { false }
  /// Whether only non-connectable advertisements were heard under its address since.
  var isMasked: @LoopActor () -> Bool = { false }
  /// Called when the kernel has the request: connect(2) was called.
  var begun: @LoopActor () -> Void = {}
  /// Called when the channel is gone, whichever side closed it; `immediately` if its owner wants the link dropped at
  /// once.
  let ended: @LoopActor (any Bearer, _ immediately: Bool) -> Void
}

/// Reset of a controller that no longer responds.
enum ControllerReset: Sendable {
  /// HCIDEVRESET: HCI Reset and a fresh start of the device; links are dropped.
  case reset
  /// HCIDEVDOWN: closes the device; the next Set Powered opens it again.
  case down
  /// HCIDEVUP.
  case up
}

/// Kind of switch (rfkill) that keeps an adapter off.
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
  /// Opens a socket for a controller's link events. EPERM without CAP_NET_RAW.
  func openObserver(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort
  /// Opens a socket that probes a controller and receives only responses to commands.
  func openPulse(
    _ index: UInt16, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) throws(SystemError) -> any ManagementPort
  func attempt(_ request: ChannelRequest) -> any ChannelAttempt
  /// Starts to watch the radio switches; has no effect if the kernel has none.
  func watchBlocks(changed: @escaping @LoopActor () -> Void)
  /// Kind of block of this adapter, if a switch keeps it off.
  func block(of adapter: String) -> RadioBlock?
  /// Lifts the soft block of this adapter; false if that is not possible.
  func unblock(_ adapter: String) -> Bool
  /// Resets the controller without blocking the loop. Returns 0 or the errno when the kernel has finished (up to ten
  /// seconds with a dead controller).
  func reset(_ index: UInt16, _ how: ControllerReset) async -> Int32
  /// Removes the adapter from its bus and adds it again, directly or through the helper. Returns 0 or the errno. The
  /// adapter comes back under another index, or never.
  func resetBus(of adapter: AdapterIdentity) async -> Int32
  /// Reads the records that prevent reset loops (`RecoveryStamps`): empty if there are none, nil if they cannot be
  /// read.
  func readStamps() -> String?
  /// Writes the records; false if they could not be made durable.
  func writeStamps(_ text: String) -> Bool
  /// Process numbers of running bluetoothd.
  func bluetoothDaemons() -> [Int32]
  /// Closes everything except channels.
  func close()
}
