// libFuzzer harness: the files of Polar's wearables, and gzip around them. Compiled together with Sources/Drivers/Polar
// by ./run.

import Bluetooth
import Health
import PolarMessages
import Wearable

private let files = [
  "/U/0/20260408/ACT/ASAMPL0.BPB", "/U/0/20260408/DSUM/DSUM.BPB", "/U/0/AUTOS/AUTOS000.BPB", "/U/0/20260408/NR/NR.BPB",
  "/U/0/20260408/SLEEP/SLEEPRES.BPB",
  "/U/0/20260408/NSTRESUL/NSTRCONT.BPB", "/U/0/20260408/SKINTEMP/TEMPCONT.BPB",
  "/U/0/20260408/SPO2TEST/083906/SPO2TRES.BPB",
  "/U/0/20260408/E/163020/TSESS.BPB", "/U/0/20260408/E/163020/00/BASE.BPB", "/U/0/20260408/E/163020/00/SAMPLES.BPB",
  "/U/0/20260408/E/163020/00/SAMPLES2.GZB", "/U/0/20260408/E/163020/00/ROUTE.BPB",
  "/U/0/20260408/E/163020/00/ROUTE2.BPB", "/U/0/S/PHYSDATA.BPB",
  "/U/0/20260408/E/163020/00/SAMPLES.GZB",
].map { path in
  guard let file = PolarFile(path: path) else { preconditionFailure("a path that is known") }
  return file
}

private let starts = [nil, Int64.max, Int64.min, 1_775_606_400_000_000]

/// The first byte says which file it is (4 bits) and when its exercise began (2 bits), the rest is its content.
public func fuzzPolarFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 0, let start else { return 0 }
  let content = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
  let file = files[Int(start[0]) % files.count]
  // Differences are as hostile without the gzip around them, which random bytes seldom are.
  if file.kind == .exerciseSamples2, let samples = try? PbExerciseSamples2(wire: content) {
    check(.samples2(samples), file, content, starts[Int(start[0] >> 4 & 3)])
  }
  guard let contents = try? FileContents(file, content) else { return 0 }
  check(contents, file, content, starts[Int(start[0] >> 4 & 3)])
  return 0
}

private func check(_ contents: FileContents, _ file: PolarFile, _ bytes: RawBytes, _ start: Int64?) {
  contents.append(of: file, bytes, exerciseStart: start, to: CountingSink(file.kind.series))
  precondition(!contents.summary.isEmpty)
}

private final class CountingSink: ItemSink {
  private let series: [Series]
  init(_ series: [Series]) { self.series = series }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    precondition(self.series.contains(series), "a series that is not announced")
    precondition(values.count == series.layout.valueCount && (bytes.isEmpty || series.layout.hasBytes))
    if series.layout == .interval { precondition(values[0] > 0, "an interval without length") }
  }
  func noteAnomaly(_ what: StaticString) {}
}
