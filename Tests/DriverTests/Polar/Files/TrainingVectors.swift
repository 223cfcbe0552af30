// The vectors of trainings and exercises, as values.

import Foundation
import Health
import PolarMessages

@testable import DriverTestSupport
@testable import PolarFamily

extension FileVectorTests {
  static func training(_ input: [String: Value]) throws -> [String: Value]? {
    switch input["op"]?.text {
    case "list":
      var device = PocketFiles(input)
      var found: [(path: String, size: UInt64)] = []
      walk("/U/0/", &device, &found)
      var sessions = TrainingReference.references(of: found)
      if input["from"] != nil, input["to"] != nil {
        // Empty between days in the wrong order.
        let (from, to) = (try day(input, "from"), try day(input, "to"))
        sessions = sessions.filter { from <= $0.day && $0.day <= to }
      }
      return ["sessions": .list(sessions.map(reference)), "count": Value(sessions.count)]
    case "file":
      guard let name = input["name"]?.text, let bytes = input["data"]?.bytes else { return nil }
      let folder = "/U/0/20250101/E/101200/" + (name == "TSESS.BPB" ? "" : "00/")
      return try content(PocketFiles.contents(folder + name, bytes))
    default: return nil
    }
  }

  private static func walk(_ folder: String, _ device: inout PocketFiles, _ found: inout [(path: String, size: UInt64)])
  {
    for entry in device.list(folder) ?? []
    where !entry.name.isEmpty && folder.utf8.count < 256 && TrainingReference.isOnTheWay(entry.name) {
      if entry.name.hasSuffix("/") {
        walk(folder + entry.name, &device, &found)
      } else {
        found.append((folder + entry.name, entry.size))
      }
    }
  }

  private static func reference(_ session: TrainingReference) -> Value {
    let exercises = session.exercises.map { exercise in
      let files = exercise.files.map { (String($0.path.split(separator: "/").last ?? ""), Value($0.size)) }
      return Value.object([
        "index": Value(exercise.index), "folder": Value(exercise.folder), "files": .object(Dictionary(files) { $1 }),
      ])
    }
    let start = session.day.midnight.map { PolarMoment(microseconds: $0 + Int64(session.timeOfDay) * 1_000_000) }
    return .object([
      "path": Value(session.session.path), "start": text(start), "size": Value(session.size),
      "exercises": .list(exercises),
    ])
  }

  private static func content(_ contents: FileContents) throws -> [String: Value]? {
    switch contents {
    case .session(let session): self.session(session)
    case .base(let base): self.base(base)
    case .samples(let samples): self.samples(samples)
    case .samples2(let samples):
      [
        "lists": .list(
          samples.exerciseIntervalledSample2List.map { list in
            .object([
              "type": PolarDefinitions.name(list.sampleType), "intervalMs": Value(list.recordingIntervalMs),
              "heartRate": Self.list(list.heartRateSamples),
              "cadence": Self.list(list.cadenceSamples), "speed": Self.list(list.speedSamples),
              "distance": Self.list(list.distanceSamples),
              "forwardAcceleration": Self.list(list.forwardAccelerationSamples),
              "accelerationMad": Self.list(list.accelerationMadSamples),
            ])
          })
      ]
    case .route(let route):
      [
        "duration": list(route.duration), "latitude": list(route.latitude), "longitude": list(route.longitude),
        "altitude": list(route.gpsAltitude),
        "satellites": list(route.satelliteAmount), "firstLocationTime": utc(route.firstLocationTime.microseconds),
      ]
    case .route2(let route):
      [
        "syncPoints": .list(
          route.syncPoint.map {
            .object([
              "index": Value($0.index), "latitude": Value($0.location.latitude),
              "longitude": Value($0.location.longitude), "altitude": Value($0.altitude),
              "time": utc($0.gpsDateTime.microseconds), "coordinateGranularity": Value($0.coordinateGranularity),
              "timestampGranularity": Value($0.timestampGranularity),
              "altitudeGranularity": Value($0.altitudeGranularity),
            ])
          }),
        "latitudeDeltas": list(route.latitude), "longitudeDeltas": list(route.longitude),
        "altitudeDeltas": list(route.altitude),
        "timestampDeltas": list(route.timestamp), "satellites": list(route.satelliteAmount),
      ]
    default: nil
    }
  }

  private static func session(_ session: PbTrainingSession) -> [String: Value] {
    [
      "model": Value(session.modelName), "deviceId": Value(session.deviceID), "start": text(session.start.moment),
      "end": text(session.end.moment),
      "durationMs": Value(session.duration.milliseconds), "distance": Value(session.distance),
      "calories": Value(session.calories),
      "hrAverage": Value(session.heartRate.average), "hrMaximum": Value(session.heartRate.maximum),
      "sport": Value(session.sport.value),
      "latitude": Value(session.latitude), "longitude": Value(session.longitude),
      "exerciseCount": Value(session.exerciseCount),
      "name": Value(session.sessionName.text), "note": Value(session.note.text), "place": Value(session.place.text),
      "feeling": Value(session.feeling),
      "benefit": PolarDefinitions.name(session.benefit), "startTrigger": PolarDefinitions.name(session.startTrigger),
      "cardioLoad": Value(session.cardioLoad.exerciseLoad), "muscleLoad": Value(session.muscleLoad),
    ]
  }

  private static func base(_ base: PbExerciseBase) -> [String: Value] {
    [
      "start": text(base.start.moment), "durationMs": Value(base.duration.milliseconds),
      "sport": Value(base.sport.value), "distance": Value(base.distance),
      "calories": Value(base.calories), "ascent": Value(base.ascent), "descent": Value(base.descent),
      "latitude": Value(base.latitude),
      "longitude": Value(base.longitude), "place": Value(base.place), "walkingDistance": Value(base.walkingDistance),
      "walkingDurationMs": Value(base.walkingDuration.milliseconds), "runningIndex": Value(base.runningIndex.value),
      "muscleLoad": Value(base.muscleLoad),
      "deviceLocation": PolarDefinitions.name(base.deviceLocation), "lastModified": utc(base.lastModified.microseconds),
    ]
  }

  private static func samples(_ samples: PbExerciseSamples) -> [String: Value] {
    [
      "intervalMs": Value(samples.recordingInterval.milliseconds), "interval": Value(samples.recordingInterval.seconds),
      // Straps record one of the two: intervals if there are any.
      "heartRate": list(samples.hasRrSamples ? samples.beatIntervals : samples.heartRateSamples),
      "rr": list(samples.beatIntervals),
      "cadence": list(samples.cadenceSamples), "altitude": list(samples.altitudeSamples),
      "temperature": list(samples.temperatureSamples),
      "speed": list(samples.speedSamples), "distance": list(samples.distanceSamples),
      "strideLength": list(samples.strideLengthSamples),
      "forwardAcceleration": list(samples.forwardAcceleration),
    ]
  }

  // MARK: Exercises that the hub starts

  static func exercise(_ input: [String: Value]) throws -> [String: Value]? {
    let bytes = input["bytes"]?.bytes ?? []
    switch input["op"]?.text {
    case "startResult":
      let result = try PbPftpStartDmExerciseResult(wire: bytes)
      return ["result": Value(name(result.result)), "path": Value(result.folder)]
    case "status": return ["dataMergeRunning": .bool(try PbPftpGetExerciseStatusResult(wire: bytes).isDataMergeRunning)]
    case "samples":
      guard case .samples(let samples) = try PocketFiles.contents("/1/SAMPLES.BPB", bytes) else { return nil }
      return self.samples(samples)
    case "startParams":
      guard let sport = input["sport"]?.integer else { return nil }
      return ["bytes": Value(bytes: try PbPFtpStartDmExerciseParams(sport: try UInt64(vector: sport)).wire())]
    case "stopParams":
      return ["bytes": Value(bytes: try PbPFtpStopExerciseParams(save: input["save"]?.isTrue == true).wire())]
    default: return nil
    }
  }

  private static func name(_ result: PbPftpStartDmExerciseResult.PbStartDmExerciseResult) -> String {
    switch result {
    case .resultOther: "other"
    case .resultSuccess: "success"
    case .resultExeOngoing: "exerciseOngoing"
    case .resultLowBattery: "lowBattery"
    case .resultSdkMode: "sdkMode"
    case .resultUnknownSport: "unknownSport"
    }
  }
}
