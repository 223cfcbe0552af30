// Memory that harnesses use again for every input. Compiled together with each room by ./run.

/// Bytes that end together with their memory. Reading one byte too many triggers the address sanitizer, as with memory
/// of their own, but without an allocation for each input.
final class HarnessMemory {
  private let memory: UnsafeMutableRawBufferPointer

  /// - Parameter limit: bytes of the longest.
  init(limit: Int) { memory = .allocate(byteCount: limit, alignment: 8) }

  deinit { memory.deallocate() }

  /// The bytes at the end of the memory, for the caller to write, until the next call.
  func last(_ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory.suffix(count))
  }

  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let copy = last(bytes.count)
    copy.copyMemory(from: bytes)
    return UnsafeRawBufferPointer(copy)
  }
}
