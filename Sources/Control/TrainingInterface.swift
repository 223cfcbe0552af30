// The methods of `io.hearth.Hub` about trainings that the hub makes of heart rates, and their document.

public import EventLoop
internal import Health
public import Hub
public import HubProtocol
public import Reasons
internal import RingStore
internal import Vitals

/// What the control socket needs of a hub for trainings.
@LoopActor
public protocol TrainingService {
  /// Durable when they return.
  func beginTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot
  func endTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot
}

extension HubInterface {
  /// nil if the method is none of these.
  func performTraining(_ call: VarlinkCall) async throws(VarlinkError) -> JSON? {
    guard call.member == "TrainingBegin" || call.member == "TrainingEnd" else { return nil }
    let begins = call.member == "TrainingBegin"
    var parameters = Parameters(call.parameters)
    let name = try parameters.text("name")
    try parameters.end()
    let what = "\(begins ? "begin" : "end") a training of \(harmless(name))"
    return try await changed(what, of: name) { () async throws(HearthError) in
      let training = begins ? try await service.beginTraining(name) : try await service.endTraining(name)
      if !begins { noteAccess("TrainingEnd", to: training) }
      return ["effort": JSON(encoding: EffortDocument(training))]
    }
  }

  /// Whoever is told of a training is told of the heart rates that it is made of.
  private func noteAccess(_ method: String, to training: TrainingSnapshot) {
    guard let until = training.ended,
      let id = service.wearableRecords().first(where: { $0.retiredAt == nil && $0.name == training.wearable })?.id
    else { return }
    noteAccess(method, of: id, series: [.training], since: training.began, until: until)
  }
}

extension EffortDocument {
  public init(_ training: TrainingSnapshot) {
    let effort = training.effort
    func seconds(_ microseconds: Int64) -> Double { Double(microseconds / 1000) / 1000 }
    func tenth(_ value: Double?) -> Double? { value.map { ($0 * 10).rounded() / 10 } }
    self.init(
      device: training.wearable, origin: effort.origin.name, begins: training.began.rfc3339,
      ends: training.ended?.rfc3339, lengthS: seconds(effort.length), activeS: seconds(effort.active),
      knownS: seconds(effort.known), zonesS: effort.zones.map { $0.all.map(seconds) },
      meanHeartRate: tenth(effort.meanRate), highestHeartRate: effort.highestRate,
      caloriesKcal: tenth(effort.kilocalories), caloriesKnownS: seconds(effort.energyKnown),
      extrapolated: effort.isExtrapolated)
  }
}
