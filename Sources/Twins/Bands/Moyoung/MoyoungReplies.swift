// Answers of a Moyoung band about its stored data: payloads from its memory, and the measurements in each.

/// Payload to be sent to the hub.
struct MoyoungReply {
  var command: UInt8
  var payload: [UInt8]
  /// Numbers of the measurements that the hub has when all pieces have arrived.
  var items: [Int] = []

  init(_ command: MoyoungCommand, _ payload: [UInt8], items: [Int] = []) {
    (self.command, self.payload, self.items) = (command.rawValue, payload, items)
  }
}

extension MoyoungMemory {
  /// Time on the wire from seconds by the band's clock: local time as if the zone were GMT+8.
  static func wire(_ shown: Int64) -> UInt32 { UInt32(truncatingIfNeeded: max(0, shown - 8 * 3600)) }
  /// Time that the band shows for a time on the wire.
  static func shown(_ wire: UInt32) -> Int64 { Int64(wire) + 8 * 3600 }

  /// Steps, metres, kcal: u24 each, little-endian. Larger numbers are clamped.
  static func totalsBytes(_ totals: Totals) -> [UInt8] {
    [totals.steps, totals.metres, totals.calories].flatMap { number -> [UInt8] in
      let part = min(max(number, 0), 0xFF_FFFF)
      return [UInt8(part & 0xFF), UInt8(part >> 8 & 0xFF), UInt8(part >> 16)]
    }
  }

  /// 50, and 51 with 3 or 4: stage, hour, minute of each; first the argument, if there is one.
  func nightReply(_ command: MoyoungCommand, argument: UInt8?, endingOn day: Int64) -> MoyoungReply {
    let stages = night(endingOn: day)
    let entries = stages.flatMap { stage -> [UInt8] in
      let minute = (stage.shown - stage.shown.floored(by: 86_400) * 86_400) / 60
      return [stage.stage, UInt8(minute / 60), UInt8(minute % 60)]
    }
    return MoyoungReply(command, (argument.map { [$0] } ?? []) + entries, items: stages.compactMap(\.item))
  }

  /// 51 with 1 or 2.
  func stepsReply(argument: UInt8, daysAgo: Int) -> MoyoungReply {
    let totals = totals(daysAgo: daysAgo)
    return MoyoungReply(.askPastDay, [argument] + Self.totalsBytes(totals), items: totals.items)
  }

  /// 53: a quarter of a day; index 0 to 3 today, 4 to 7 yesterday.
  func fiveMinuteReply(_ index: UInt8) -> MoyoungReply {
    let first = Int(index % 4) * 72
    let daysAgo = Int(index / 4)
    return MoyoungReply(
      .askFiveMinuteRates, [index] + (first..<first + 72).map { rate(daysAgo: daysAgo, slot: $0) },
      items: (first..<first + 72).compactMap { rateItem(daysAgo: daysAgo, slot: $0) })
  }

  /// 54: 72 minutes of today; index 0 to 19.
  func minuteReply(_ index: UInt8) -> MoyoungReply {
    let first = Int(index) * 72
    return MoyoungReply(
      .askMinuteRates, [index] + (first..<first + 72).map(minuteRate),
      items: (first..<first + 72).compactMap(minuteItem))
  }

  /// 55: three places of 24 bytes, little-endian: start and end u32, valid seconds u16, place, type, steps and metres
  /// u32, kcal u16, two spare bytes. An empty place is zero but for its number.
  func trainingsReply() -> MoyoungReply {
    var bytes: [UInt8] = []
    for (place, training) in trainings.enumerated() {
      bytes += Self.bytes(training, place: UInt8(place))
    }
    return MoyoungReply(.askTrainings, bytes, items: trainings.compactMap { $0?.item })
  }

  private static func bytes(_ training: Training?, place: UInt8) -> [UInt8] {
    guard let training else { return [UInt8](repeating: 0, count: 10) + [place] + [UInt8](repeating: 0, count: 13) }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: wire(training.start))
    bytes.append(littleEndian: wire(training.end))
    bytes.append(littleEndian: training.valid)
    bytes += [place, training.type]
    bytes.append(littleEndian: training.steps)
    bytes.append(littleEndian: training.metres)
    bytes.append(littleEndian: training.calories)
    return bytes + [0, 0]
  }

  /// 52: 0, the start (u32, little-endian) and the first rates; then 1 and more; then 2. A minute without a rate is 0.
  ///
  /// - Parameter from: number of rates sent before; nil: not even the start was sent.
  /// - Returns: the part, and the number of rates sent including it; nil: the end was sent.
  func trainingPart(from: Int?, size: Int) -> (reply: MoyoungReply, told: Int?)? {
    guard let trainingRates else { return nil }
    var payload: [UInt8] = [from == nil ? 0 : 1]
    if from == nil { payload.append(littleEndian: Self.wire(trainingRates.start)) }
    let rest = trainingRates.rates.dropFirst(from ?? 0).prefix(max(1, size))
    if from != nil, rest.isEmpty { return (MoyoungReply(.trainingRates, [2]), nil) }
    payload += rest.map { $0?.value ?? 0 }
    return (
      MoyoungReply(.trainingRates, payload, items: rest.compactMap { $0?.item }), (from ?? 0) + rest.count
    )
  }
}
