// Which values of a body scale are parts of one measurement.

/// The measurement of which a value came last, as far as it came.
///
/// Body Composition Service 1.0, section 3.2.1.1: a measurement that does not fit into one value comes in several. Each
/// has bit 12 set and the same body fat, time and user; each optional value is in one of them. Some scales leave the
/// bit out in the last part.
struct CompositionParts: Sendable {
  private let first: BodyCompositionMeasurement
  private var fields: UInt16
  private var isOpen: Bool
  /// Its user was told.
  var userIsTold = false
  /// When it was measured, which only its first part may tell.
  let time: DateTime?

  /// - Parameter time: its own, or that of the weight that was told just before.
  init(_ first: BodyCompositionMeasurement, at time: DateTime?) {
    (self.first, fields, isOpen, self.time) = (first, first.fields, first.goesOn, time)
  }

  /// Takes the next value as a part.
  ///
  /// - Returns: it is one. Else it begins a measurement of its own: of another body, or with a value once more that
  ///   came already.
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
