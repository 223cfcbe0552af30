// What a visit is for: everything, or some phases.

/// What a visit was to bring.
package enum VisitScope: Equatable {
  /// All that visits bring unasked, or all that there is, but for phases that a sync brought shortly before, and
  /// phases that visits leave out by order.
  case allBut(Set<String>, leftOut: Set<String> = [])
  /// These phases, as far as it came.
  case phases(Set<String>)

  package static let all = VisitScope.allBut([])
}
