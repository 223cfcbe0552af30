// Connection of a socket to a host name. The name lookup blocks as long as the system's resolver does, so only a
// program without other tasks at that time may use it.

internal import CLinux
internal import Glibc

/// Non-blocking socket that is connecting to one of the addresses of `host`.
///
/// - Parameter turn: selects the address: the next one after each failure.
func dial(_ host: String, _ port: Int, turn: Int) -> Result<Int32, DialDefect> {
  var hints = addrinfo()
  hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  hints.ai_flags = AI_ADDRCONFIG
  var list: UnsafeMutablePointer<addrinfo>?
  let status = getaddrinfo(host, "\(port)", &hints, &list)
  if status != 0 { return .failure(DialDefect(words: String(cString: gai_strerror(status)))) }
  defer { freeaddrinfo(list) }
  var addresses: [UnsafeMutablePointer<addrinfo>] = []
  var next = list
  while let address = next, addresses.count < 16 {
    addresses.append(address)
    next = address.pointee.ai_next
  }
  if addresses.isEmpty { return .failure(DialDefect(words: "the name has no address")) }
  let address = addresses[turn % addresses.count].pointee
  let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  let descriptor = socket(address.ai_family, flags, 0)
  if descriptor < 0 { return .failure(DialDefect(words: String(cString: strerror(errno)))) }
  // Acknowledgements are small and must not wait for each other.
  var yes: Int32 = 1
  setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  if connect(descriptor, address.ai_addr, address.ai_addrlen) != 0, errno != EINPROGRESS {
    let words = String(cString: strerror(errno))
    close(descriptor)
    return .failure(DialDefect(words: words))
  }
  return .success(descriptor)
}

struct DialDefect: Error {
  let words: String
}
