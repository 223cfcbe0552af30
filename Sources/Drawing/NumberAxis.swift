// An axis of numbers: where its marks stand, and what is written beside them.

/// Marks at 1, 2 or 5 times a power of ten that hold all values between the lowest and the highest mark.
public struct NumberAxis: Sendable, Equatable {
  /// The lowest and the highest mark; `low < high`.
  public let low: Double
  public let high: Double
  /// From mark to mark.
  public let step: Double
  private let decimals: Int

  /// Beyond it a double has no digits left between two marks.
  private static let limit = 1e15
  /// Below it powers of ten have no digits left.
  private static let least = 1e-100

  /// - Parameters:
  ///   - low, high: what has to be shown, in either order; what is no number counts as 0. Of one value alone the axis
  ///     shows what lies around it.
  ///   - marks: about how many steps, at least 1.
  public init(from low: Double, to high: Double, marks: Int) {
    func bounded(_ value: Double) -> Double {
      value.isFinite ? Swift.min(Swift.max(value, -Self.limit), Self.limit) : 0
    }
    var bottom = Swift.min(bounded(low), bounded(high))
    var top = Swift.max(bounded(low), bounded(high))
    let size = Swift.max(abs(bottom), abs(top))
    // All equal, or as good as: as much around it as it is large, at most 1.
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
    // The nearest of 1, 2, 5 and 10: from one to the next at their geometric mean.
    let step = power * (rough < power * 1.414 ? 1 : rough < power * 3.162 ? 2 : rough < power * 7.071 ? 5 : 10)
    self.step = step
    self.low = (bottom / step).rounded(.down) * step
    let reached = (top / step).rounded(.up) * step
    self.high = reached > self.low ? reached : self.low + step
    // A step of ten such powers needs one digit less.
    self.decimals = Swift.max(0, step >= power * 9.99 ? decimals - 1 : decimals)
  }

  /// All marks, the lowest first.
  public var marks: [Double] {
    let count = Int(((high - low) / step).rounded())
    return (0...Swift.max(1, count)).map { low + Double($0) * step }
  }

  /// `120`, `36.5`: as many digits as the step has.
  public func label(_ mark: Double) -> String { Self.text(mark, decimals) }

  /// From 0 at the lowest mark to 1 at the highest.
  public func place(_ value: Double) -> Double { Swift.min(Swift.max((value - low) / (high - low), 0), 1) }

  /// A number with so many digits behind the point, rounded; without Foundation.
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
