// Axis of numbers: positions and labels of its marks.

/// Axis with marks at 1, 2 or 5 times a power of ten; all values lie between the lowest and the highest mark.
public struct NumberAxis: Sendable, Equatable {
  /// Value of the lowest mark; `low < high`.
  public let low: Double
  /// Value of the highest mark.
  public let high: Double
  /// Difference of the values of two marks, above 0.
  public let step: Double
  private let decimals: Int

  /// Limit beyond which a Double has no digits left between two marks.
  private static let limit = 1e15
  /// Limit below which powers of ten have no digits left.
  private static let least = 1e-100

  /// - Parameters:
  ///   - low, high: range of values, in either order; NaN counts as 0. For a single value the axis shows its
  ///     surroundings.
  ///   - marks: approximate number of steps, at least 1.
  public init(from low: Double, to high: Double, marks: Int) {
    func bounded(_ value: Double) -> Double {
      value.isFinite ? Swift.min(Swift.max(value, -Self.limit), Self.limit) : 0
    }
    var bottom = Swift.min(bounded(low), bounded(high))
    var top = Swift.max(bounded(low), bounded(high))
    let size = Swift.max(abs(bottom), abs(top))
    // Nearly equal values get a margin of a tenth of their size, at most 1, and of 1 around zero.
    if top - bottom <= Swift.max(size * 1e-9, Self.least) {
      let around = size <= Self.least ? 1 : Swift.min(1, size / 10)
      (bottom, top) = (bottom - around, top + around)
    }
    let rough = (top - bottom) / Double(Swift.max(1, marks))
    var power = 1.0
    var decimals = 0
    while power * 10 <= rough { power *= 10 }
    while power > rough {
      power /= 10
      decimals += 1
    }
    // Rounds to the nearest of 1, 2, 5 and 10, with their geometric means as limits.
    let step = power * (rough < power * 1.414 ? 1 : rough < power * 3.162 ? 2 : rough < power * 7.071 ? 5 : 10)
    self.step = step
    self.low = (bottom / step).rounded(.down) * step
    let reached = (top / step).rounded(.up) * step
    self.high = reached > self.low ? reached : self.low + step
    // A step of ten such powers needs one digit less.
    self.decimals = Swift.max(0, step >= power * 9.99 ? decimals - 1 : decimals)
  }

  /// Marks, the lowest first.
  public var marks: [Double] {
    let count = Int(((high - low) / step).rounded())
    return (0...Swift.max(1, count)).map { low + Double($0) * step }
  }

  /// `120`, `36.5`: with as many decimals as the step has.
  public func label(_ mark: Double) -> String { Self.text(mark, decimals) }

  /// Position from 0 at the lowest mark to 1 at the highest.
  public func place(_ value: Double) -> Double { Swift.min(Swift.max((value - low) / (high - low), 0), 1) }

  /// Number with this many decimals, rounded; without Foundation.
  static func text(_ value: Double, _ decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    guard let scaled = Int64(exactly: (value * scale).rounded()) else { return "\(value)" }
    let sign = scaled < 0 ? "-" : ""
    if decimals == 0 { return "\(sign)\(scaled.magnitude)" }
    let digits = "\(scaled.magnitude)"
    let padded = String(repeating: "0", count: Swift.max(0, decimals + 1 - digits.count)) + digits
    return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }
}
