// Whether a text holds another. The standard library's search brings its regular expressions with it: a megabyte of
// each program, for a comparison of bytes.

extension StringProtocol {
  /// Whether the bytes of `part` are somewhere in these, one behind the other. True for an empty one.
  ///
  /// Bytes are compared, so for letters beyond ASCII both have to be composed in the same way. As many steps as the
  /// product of the lengths: for names and lines, not for files.
  public func holds(_ part: String) -> Bool {
    let (own, sought) = (Array(utf8), Array(part.utf8))
    if sought.count > own.count { return false }
    return (0...own.count - sought.count).contains { own[$0...].starts(with: sought) }
  }
}
