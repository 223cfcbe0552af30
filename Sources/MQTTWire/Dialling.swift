// From a host's name to a socket that is under way. Asking for the name waits, as long as the system's resolver does:
// only a program that has nothing else to do in the meantime may use it.

internal import CLinux
internal import Glibc

/// A non-blocking socket that connects to one of the addresses of `host`.
///
/// - Parameter turn: which of them: the next one after a failure.
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
  // Acknowledgements are small and must not wait for one another.
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
