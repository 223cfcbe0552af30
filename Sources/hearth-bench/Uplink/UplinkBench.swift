// A thousand hubs with one broker: rows a second, and bytes of a row on the wire.

import ArgumentParser
import CMosquitto
import Glibc

/// Simulates hubs with the encoder of the real ones, each with a connection of its own, as fast as the broker
/// acknowledges.
struct UplinkBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uplink",
    abstract: "Publish from many hubs to a broker: rows per second, bytes per row, and processor time.",
    discussion: """
      Each hub has this many worn straps, each with a heart rate per second and the intervals between beats. Each \
      span of --seconds is published in batches of at most --page rows. A fifth batch of the same hub waits for an \
      acknowledgement (QoS 1). Batches do not wait for the clock: the figure is what broker and consumers can take.
      """)

  @Option(help: "Host and port of the broker.") var broker = "127.0.0.1:1883"
  @Option(help: "Number of hubs, each with a connection.") var hubs = 1000
  @Option(help: "Number of straps of each hub.") var wearables = 30
  @Option(help: "Data of each hub, in minutes.") var minutes = 2
  @Option(help: "Seconds of data that a hub publishes at once.") var seconds = 60
  @Option(help: "Rows of a batch at most.") var page = 4096
  @Option(help: "Group in the topics.") var group = "bench"
  @Option(help: "User at the broker.") var user: String?
  @Option(help: "Password of the user.") var password: String?
  @Option(help: "Begin of the data, in seconds since 1970; a given one makes runs equal.") var from: Int?
  @Flag(help: "Only encode, without a broker.") var encode = false

  func validate() throws {
    guard (1...20_000).contains(hubs), (1...200).contains(wearables), (1...100_000).contains(minutes),
      (1...3600).contains(seconds), (1...65_536).contains(page)
    else {
      throw ValidationError(
        "--hubs: 1 to 20000, --wearables: 1 to 200, --minutes: 1 to 100000, --seconds: 1 to 3600, --page: 1 to 65536")
    }
  }

  func run() throws {
    let begin = Int64(from ?? time(nil) - minutes * 60) * 1_000_000
    var played = (1...hubs).map { PlayedHub(number: $0, wearables: wearables, from: begin) }
    let turns = max(1, minutes * 60 / seconds)
    if encode { return try encodeAlone(&played, turns) }
    mosquitto_lib_init()
    try allowDescriptors(hubs + 64)
    let parts = broker.split(separator: ":")
    guard parts.count == 2, let port = Int32(parts[1]) else { throw ValidationError("--broker takes HOST:PORT") }
    var clients = try played.map {
      try PlayedClient(
        hub: $0.name, group: group, host: String(parts[0]), port: port, user: user, password: password)
    }
    defer { for client in clients { client.end() } }
    var queues = [[(bytes: [UInt8], rows: Int)]](repeating: [], count: hubs)
    var left = [Int](repeating: turns, count: hubs)
    var (rows, payload, encoding) = (0, 0, UInt64(0))
    let (began, processor) = (monotonicNow(), processorTime())
    var watched = [pollfd](repeating: pollfd(), count: hubs)
    var kept = began
    while true {
      var isDone = true
      for index in clients.indices {
        while clients[index].isConnected, clients[index].room > 0, !queues[index].isEmpty || left[index] > 0 {
          if queues[index].isEmpty {
            let before = processorTime()
            queues[index] = played[index].batches(seconds, page: page).reversed()
            encoding += processorTime() - before
            left[index] -= 1
          }
          guard let batch = queues[index].popLast() else { continue }
          try clients[index].publish(batch.bytes)
          rows += batch.rows
          payload += batch.bytes.count
        }
        let client = clients[index]
        if left[index] > 0 || !queues[index].isEmpty || client.sent > client.acknowledged { isDone = false }
        let wanted = POLLIN | (mosquitto_want_write(client.client) ? POLLOUT : 0)
        watched[index] = pollfd(fd: client.descriptor, events: Int16(wanted), revents: 0)
      }
      if isDone { break }
      _ = poll(&watched, nfds_t(hubs), 1000)
      for index in clients.indices where watched[index].revents != 0 {
        let what = Int32(watched[index].revents)
        try clients[index].serve(readable: what & ~POLLOUT != 0, writable: what & POLLOUT != 0)
      }
      if monotonicNow() - kept > 1_000_000_000 {
        kept = monotonicNow()
        for client in clients { mosquitto_loop_misc(client.client) }
      }
    }
    let took = Double(monotonicNow() - began) / 1e9
    let used = Double(processorTime() - processor) / 1e9
    let wire = clients.reduce(0) { $0 + $1.wire }
    print("hubs \(hubs), straps \(hubs * wearables), rows \(rows), acknowledged in \(tenths(took)) s")
    print("rows a second \(Int(Double(rows) / took))")
    let (plain, whole) = (Double(payload) / Double(rows), Double(wire) / Double(rows))
    print("bytes a row: payload \(hundredths(plain)), with MQTT's own \(hundredths(whole))")
    print("processor of all hubs \(tenths(used)) s, of it making and encoding rows \(tenths(Double(encoding) / 1e9)) s")
  }

  private func encodeAlone(_ played: inout [PlayedHub], _ turns: Int) throws {
    let began = processorTime()
    var (rows, bytes) = (0, 0)
    for index in played.indices {
      for _ in 0..<turns {
        for batch in played[index].batches(seconds, page: page) {
          rows += batch.rows
          bytes += batch.bytes.count
        }
      }
    }
    let used = Double(processorTime() - began) / 1e9
    print("rows \(rows), bytes a row \(hundredths(Double(bytes) / Double(rows)))")
    print("rows a second of one core, making them included \(Int(Double(rows) / used))")
  }

  /// A connection is a descriptor, and the default limit of a process is 1,024.
  private func allowDescriptors(_ count: Int) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    if limit.rlim_cur >= count { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    if limit.rlim_cur < count {
      throw BenchFailure("this process may have \(limit.rlim_cur) descriptors, not \(count)")
    }
  }

  /// Processor time of all threads of this process, nanoseconds.
  private func processorTime() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  private func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
  private func hundredths(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
