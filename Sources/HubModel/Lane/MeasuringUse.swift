// What is measured at a wearable by order, as far as its link and its turns are concerned.

package import Health

/// Measurements that somebody ordered of one wearable. Written by the components that run them.
package struct MeasuringUse {
  /// The series that is measured, or is to be; nil: none.
  package var series: Series?
  /// Its session was told to begin.
  package var hasBegun = false
  /// What a session of vital signs needs streamed; nil: there is no session.
  package var session: Set<Series>?

  package var isAny: Bool { series != nil || session != nil }
}
