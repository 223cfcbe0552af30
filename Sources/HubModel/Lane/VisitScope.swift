// Scope of a visit: everything, or some phases.

/// Data that a visit should fetch.
package enum VisitScope: Equatable {
  /// Scope of all that visits collect unrequested, or everything. Left out are phases that a sync fetched shortly
  /// before, and phases that visits leave out by order.
  case allBut(Set<String>, leftOut: Set<String> = [])
  /// Some phases, as far as they were fetched.
  case phases(Set<String>)

  package static let all = VisitScope.allBut([])
}
