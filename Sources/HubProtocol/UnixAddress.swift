// Addresses of UNIX sockets.

internal import Glibc

/// A socket address in the file system.
package struct UnixAddress {
  private var address = sockaddr_un()

  /// Nil for an empty path, one with a zero byte, or one of more than 107 bytes.
  package init?(_ path: String) {
    let bytes = Array(path.utf8)
    if bytes.isEmpty || bytes.contains(0) || bytes.count >= MemoryLayout.size(ofValue: address.sun_path) { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  package func connect(_ descriptor: Int32) -> Int32 { with { Glibc.connect(descriptor, $0, $1) } }
  package func bind(_ descriptor: Int32) -> Int32 { with { Glibc.bind(descriptor, $0, $1) } }

  private func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
