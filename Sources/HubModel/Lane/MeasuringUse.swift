// Ordered measurements with a wearable, as far as its link and its turns depend on them.

package import Health

/// Ordered measurements of one wearable. Written by the components that run them.
package struct MeasuringUse {
  /// The series that is measured, or will be; nil: no measurement.
  package var series: Series?
  /// The session was asked to begin.
  package var hasBegun = false
  /// Streams for a session of vital signs; nil: there is no session.
  package var session: Set<Series>?

  package var isAny: Bool { series != nil || session != nil }
}
