// libFuzzer harness: the files of Polar's wearables, and gzip around them. Compiled together with Sources/Drivers by ./run.

import Bluetooth
import Health
import PolarMessages
import Wearable

private let paths = [
  "/U/0/20260408/ACT/ASAMPL0.BPB", "/U/0/20260408/DSUM/DSUM.BPB", "/U/0/AUTOS/AUTOS000.BPB", "/U/0/20260408/NR/NR.BPB", "/U/0/20260408/SLEEP/SLEEPRES.BPB",
  "/U/0/20260408/NSTRESUL/NSTRCONT.BPB", "/U/0/20260408/SKINTEMP/TEMPCONT.BPB", "/U/0/20260408/SPO2TEST/083906/SPO2TRES.BPB",
  "/U/0/20260408/E/163020/TSESS.BPB", "/U/0/20260408/E/163020/00/BASE.BPB", "/U/0/20260408/E/163020/00/SAMPLES.BPB",
  "/U/0/20260408/E/163020/00/SAMPLES2.GZB", "/U/0/20260408/E/163020/00/ROUTE.BPB", "/U/0/20260408/E/163020/00/ROUTE2.BPB", "/U/0/S/PHYSDATA.BPB",
  "/U/0/20260408/E/163020/00/SAMPLES.GZB",
]

/// The first byte says which file it is, the rest is its content.
public func fuzzPolarFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 0, let start else { return 0 }
  let content = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
  guard let file = PolarFile(path: paths[Int(start[0]) % paths.count]) else { preconditionFailure("a path that is known") }
  // Differences are as hostile without the gzip around them, which random bytes seldom are.
  if file.kind == .exerciseSamples2, let samples = try? PbExerciseSamples2(wire: content) { check(.samples2(samples), file, content) }
  guard let contents = try? FileContents(file, content) else { return 0 }
  check(contents, file, content)
  return 0
}

private func check(_ contents: FileContents, _ file: PolarFile, _ bytes: RawBytes) {
  for start in [nil, Int64.max, Int64.min, 1_775_606_400_000_000] {
    let sink = CountingSink(file.kind.series)
    contents.append(of: file, bytes, exerciseStart: start, to: sink)
  }
  precondition(!contents.summary.isEmpty)
}

private final class CountingSink: ItemSink {
  private let series: [Series]
  init(_ series: [Series]) { self.series = series }

  func append(_ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool) {
    precondition(self.series.contains(series), "a series that is not announced")
    precondition(values.count == series.layout.valueCount && (bytes.isEmpty || series.layout.hasBytes))
    if series.layout == .interval { precondition(values[0] > 0, "an interval without length") }
  }
  func noteAnomaly(_ what: StaticString) {}
}
