// libFuzzer harness: advertisements and names. Compiled together with Sources/Bluetooth by ./run.

func fuzzAdvertisingData(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  var data = AdvertisingData(bytes)
  precondition(data.services.count <= AdvertisingData.maximumServices)
  precondition(data.manufacturerData.count <= AdvertisingData.maximumDataEntries)
  precondition(data.serviceData.count <= AdvertisingData.maximumDataEntries)
  if let name = data.name { check(name) }
  if let text = String(cleaning: bytes) { check(text) }
  // Hearing the same again may count more faults, never more facts.
  let once = data
  data.merge(bytes)
  precondition(Set(data.services) == Set(once.services))
  precondition(Set(data.manufacturerData.map(\.company)) == Set(once.manufacturerData.map(\.company)))
  return 0
}

private func check(_ text: String) {
  precondition(!text.isEmpty && text.utf8.count <= String.cleanedLimit)
  precondition(
    text.unicodeScalars.allSatisfy {
      $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
    })
  // Clean text stays as it is.
  precondition(Array(text.utf8).withUnsafeBytes { String(cleaning: $0) } == text)
}
