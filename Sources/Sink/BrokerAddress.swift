// Host and port of a broker.

/// Host and port of a broker.
public struct BrokerAddress: Sendable, Hashable {
  /// Name or address of the host.
  public let host: String
  /// TCP port, 1 to 65,535.
  public let port: Int

  /// An address of host and port.
  public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  /// Parses `broker-1:1883`, `[2001:db8::1]:8883`; surrounding blanks are ignored.
  init?(_ text: String) {
    let word = text.drop { $0 == " " }
    guard let colon = word.lastIndex(of: ":") else { return nil }
    var rest = word[word.index(after: colon)...]
    while rest.last == " " { rest.removeLast() }
    guard !rest.isEmpty, rest.allSatisfy({ $0.isASCII && $0.isNumber }), let port = Int(rest),
      (1...65_535).contains(port)
    else { return nil }
    var host = word[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard (1...255).contains(host.utf8.count), !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
      return nil
    }
    self.init(host: String(host), port: port)
  }

  var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
