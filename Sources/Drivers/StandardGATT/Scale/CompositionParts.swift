// Assembly of a body scale's measurement from several values.

/// The last measurement, as far as it was received.
///
/// Body Composition Service 1.0, section 3.2.1.1: a measurement that does not fit into one value comes in several. Each
/// has bit 12 set and the same body fat, time and user; each optional value is in one of them. Some scales omit the bit
/// in the last part.
struct CompositionParts: Sendable {
  private let first: BodyCompositionMeasurement
  private var fields: UInt16
  private var isOpen: Bool
  /// The user was stored.
  var userIsTold = false
  /// Time of the measurement, which may be in the first part only.
  let time: DateTime?

  /// - Parameter time: its own, or that of a weight just before it.
  init(_ first: BodyCompositionMeasurement, at time: DateTime?) {
    (self.first, fields, isOpen, self.time) = (first, first.fields, first.goesOn, time)
  }

  /// Takes the next value as a part.
  ///
  /// - Returns: whether it is one. Otherwise it begins another measurement: of another body, or with a value that was
  ///   already received.
  mutating func take(_ next: BodyCompositionMeasurement) -> Bool {
    guard isOpen, next.isImperial == first.isImperial, fields & next.fields == 0,
      next.bodyFat == first.bodyFat || next.bodyFat.value == nil, agrees(next.time, first.time),
      agrees(next.user, first.user)
    else { return false }
    fields |= next.fields
    isOpen = next.goesOn
    return true
  }

  private func agrees<Value: Equatable>(_ next: Value?, _ first: Value?) -> Bool {
    next == nil || first == nil || next == first
  }
}
