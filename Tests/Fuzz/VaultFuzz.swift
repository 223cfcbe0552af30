// libFuzzer harness: the beginning of a sealed file of bonds, and the bundle that was sealed. Compiled together with
// Sources/Vault by ./run.

func fuzzVault(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  if let header = try? SealHeader(input) {
    precondition(
      header.parameters.areBearable && header.bytes.elementsEqual(input.prefix(SealHeader.size)),
      "another beginning than it was")
  }
  if let header = try? SealHeader(SealHeader.magic + [1, 1, 0, 0] + input) {
    precondition(header.parameters.areBearable)
  }
  if let bundle = BondBundle(input) { precondition(bundle.bytes == input, "another bundle than it was") }
  return 0
}
