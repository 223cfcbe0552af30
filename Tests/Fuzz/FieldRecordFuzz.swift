// libFuzzer harness: records with fields against their decoders; what one decodes it must write again so that it reads
// the same. Compiled together with Sources/RingStore by ./run.

import StateCodec

/// The first byte chooses the kind of record; then the key, one byte for its length, then the fields. Layout and
/// checksum are put right, but for one kind of input in 32.
func fuzzFieldRecord(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = StoreInput(start, count)
  let choice = input.u8()
  let key = input.take(Int(input.u8()) % 33)
  var value = Array(input.rest())
  if choice < 0xF8 {
    value.insert(FieldCodec.layout, at: 0)
    var crc = CRC32C()
    value.withUnsafeBytes { crc.update($0) }
    value.append(littleEndian: crc.value)
  }
  value.withUnsafeBytes { value in
    switch choice & 15 {
    case 0: check(Assignment.self, key, value)
    case 1: check(BondRow.self, key, value)
    case 2: check(StoreEvent.self, key, value)
    case 4: check(ExportReader.self, key, value)
    case 5: check(VisitRecord.self, key, value)
    case 6: check(Wearer.self, key, value)
    case 7: check(ReceiptRecord.self, key, value) { $0.receipt == $1.receipt }
    case 8: check(CustodyRecord.self, key, value)
    case 9: check(StateRecord<DriverStates>.self, key, value) { $0.name == $1.name && $0.entry == $1.entry }
    case 3: checkPage(key, value)
    case 10: checkRun(value)
    default: checkWearable(value)
    }
  }
  return 0
}

private func check<R: StoredRecord & Equatable>(
  _ kind: R.Type, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
) {
  check(kind, key, value) { $0 == $1 }
}

private func check<R: StoredRecord>(
  _: R.Type, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ areEqual: (R, R) -> Bool
) {
  let unknown = FieldCodec.unknown(in: value, known: R.tags)
  guard let record = R.decode(key: key, value: value) else { return }
  precondition(record.key.elementsEqual(key), "another key than its own")
  let again = record.encode(unknown: unknown)
  again.withUnsafeBytes { again in
    guard let second = R.decode(key: key, value: again) else { preconditionFailure("does not read what it wrote") }
    precondition(areEqual(record, second) && FieldCodec.unknown(in: again, known: R.tags) == unknown)
  }
}

private func checkRun(_ value: UnsafeRawBufferPointer) {
  guard let mark = RunMark(value) else { return }
  mark.encode().withUnsafeBytes { precondition(RunMark($0) == mark, "does not read what it wrote") }
}

private func checkWearable(_ value: UnsafeRawBufferPointer) {
  guard let record = WearableCodec.decode(WearableID(number: 3), value) else { return }
  WearableCodec.encode(record).withUnsafeBytes { again in
    guard let second = WearableCodec.decode(WearableID(number: 3), again) else {
      preconditionFailure("does not read what it wrote")
    }
    precondition(second == record && second.unknownFields == record.unknownFields)
  }
}

/// A page of bytes of an item that is not whole yet; its checksum is put right.
private func checkPage(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
  guard let (item, offset) = StagedItem.parse(key) else { return }
  precondition(item.prefix + [UInt8](bigEndian: offset) == Array(key), "another key than its own")
  let stored = Cursor.Entry(key: key, value: value)
  if let content = Staged.content(stored, at: offset, storeNumber) { precondition(content.count <= Staged.pageSize) }
  if value.isEmpty || value.count > Staged.pageSize || offset > UInt64(Staged.itemLimit) { return }
  Staged.page(Array(value)[...], at: Int(offset), storeNumber.start(key)).withUnsafeBytes { page in
    let written = Staged.content(Cursor.Entry(key: key, value: page), at: offset, storeNumber)
    precondition(written?.elementsEqual(value) ?? false, "does not read what it wrote")
  }
}
