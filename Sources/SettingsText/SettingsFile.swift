// Reading a settings file as bytes: which files may be read, up to which size, and the errors.

internal import Glibc
package import Reasons

/// The folder of a file: `.` for a bare name.
package func folder(of file: String) -> String {
  guard let slash = file.lastIndex(of: "/") else { return "." }
  return slash == file.startIndex ? "/" : String(file[..<slash])
}

/// The bytes of a regular file, at most one more than `YAMLReader.sizeLimit`.
package func contents(of file: String) throws(HearthError) -> [UInt8] {
  // Without O_NONBLOCK a FIFO in its place would block the daemon for ever.
  let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  if descriptor < 0 { throw HearthError(.configUnreadable, "\(file): \(errorText(errno))") }
  defer { close(descriptor) }
  var status = stat()
  if fstat(descriptor, &status) != 0 { throw HearthError(.configUnreadable, "\(file): \(errorText(errno))") }
  if status.st_mode & S_IFMT != S_IFREG { throw HearthError(.configUnreadable, "\(file): not a regular file") }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 64 << 10)
  while bytes.count <= YAMLReader.sizeLimit {
    let count = read(descriptor, &buffer, buffer.count)
    if count == 0 { break }
    if count < 0 {
      if errno == EINTR { continue }
      throw HearthError(.configUnreadable, "\(file): \(errorText(errno))")
    }
    bytes += buffer.prefix(count)
  }
  return bytes
}

package func errorText(_ code: Int32) -> String {
  switch code {
  case ENOENT: "no such file"
  case EACCES, EPERM: "not allowed"
  case EISDIR: "a folder, not a file"
  default: String(cString: strerror(code))
  }
}
