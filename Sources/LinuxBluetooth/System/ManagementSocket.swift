// Kernel management socket or raw HCI socket on the loop.

import Bluetooth
import CBluetooth
import CLinux
import EventLoop
import Glibc

/// Management socket on the loop.
@LoopActor
final class ManagementSocket: ManagementPort {
  /// The longest event is an advertisement of 1,650 bytes behind a header of 22.
  static let bufferSize = 2048
  /// Events come in bursts when adapters come and go, advertisements in floods: room for about a thousand of them.
  static let receiveBuffer: Int32 = 1 << 20
  /// Datagrams read before other descriptors of the loop get their turn.
  private static let batch = 64

  private let descriptor: Int32
  private let receive: @LoopActor (RawBytes) -> Void
  private let failed: @LoopActor (SystemError) -> Void
  private var watch: Watch?

  /// Takes over an open, non-blocking descriptor.
  init(
    loop: EpollLoop, descriptor: Int32, receive: @escaping @LoopActor (RawBytes) -> Void,
    failed: @escaping @LoopActor (SystemError) -> Void
  ) {
    self.descriptor = descriptor
    self.receive = receive
    self.failed = failed
    watch = loop.watch(descriptor, for: .readable) { [weak self] _ in self?.drain() }
  }

  func send(_ frame: [UInt8]) -> Int32 {
    if watch == nil { return EBADF }
    // Some kernels return 0 though they took the frame. Only a negative result is a failure, and no frame is sent
    // twice.
    let result = frame.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    return result < 0 ? errno : 0
  }

  func drain() {
    withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 8) { buffer in
      for _ in 0..<Self.batch {
        if watch == nil { return }
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
          receive(RawBytes(rebasing: buffer[..<count]))
        } else if count == 0 {
          return fail(ECONNRESET)
        } else if errno == EAGAIN {
          return
        } else if errno != EINTR {
          return fail(errno)
        }
      }
    }
  }

  func close() {
    guard let watch else { return }
    watch.end()
    self.watch = nil
    Glibc.close(descriptor)
  }

  private func fail(_ code: Int32) {
    close()
    failed(SystemError(call: "recv", errno: code))
  }
}
