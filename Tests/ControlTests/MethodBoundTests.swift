import Health
import Hub
import HubProtocol
import Testing
import Wearable

@testable import Control

@Suite("What the interface says of its methods")
struct MethodBoundTests {
  private static func range(_ name: String, _ bounds: [Bound]) -> ClosedRange<Int>? {
    bounds.first { $0.name == name }.map { Int($0.range.lowerBound)...Int($0.range.upperBound) }
  }

  @Test("bounds of parameters are those that the hub itself has")
  func bounds() {
    let body = Methods.WearerBody.bounds
    #expect(Self.range("height_cm", body) == BodyFacts.heights && Self.range("weight_kg", body) == BodyFacts.weights)
    #expect(Self.range("maximum_heart_rate", body) == BodyFacts.maximumHeartRates)
    #expect(Self.range("resting_heart_rate", body) == BodyFacts.restingHeartRates)
    #expect(Self.range("vo2_max", body) == BodyFacts.vo2Maxima)
    #expect(Self.range("sleep_goal_minutes", body) == BodyFacts.sleepGoals)
    #expect(Self.range("seconds", Methods.MeasureVitals.bounds) == VitalsOrder.lengths)
    #expect(Self.range("seconds", Methods.MeasureVitalsStart.bounds) == VitalsOrder.lengths)
    #expect(Self.range("interval_s", Methods.Measure.bounds) == MeasurementOrder.intervals)
    #expect(Self.range("limit_s", Methods.Measure.bounds) == MeasurementOrder.limits)
    let monitoring = Methods.MonitoringSet.bounds
    #expect(Self.range("maximum_heart_rate", monitoring) == MonitoringOrder.maximumHeartRates)
    #expect(Self.range("rates", Methods.OrdersSet.bounds) == 1...WearableOrders.fastestRate)
    #expect(Self.range("limit", Methods.Items.bounds) == 1...ItemPage.limit)
    #expect(Self.range("limit", Methods.ExportNext.bounds) == 1...HubInterface.pageSize)
    #expect(Methods.SyncNow.bounds.map(\.count) == [SyncRequest.wordLimit])
    #expect(Methods.BondImport.bounds.map(\.count) == [BondKeysDocument.atOnce])
    #expect(Methods.Act.bounds.map(\.count) == [WearableAction.argumentLimit])
  }
}
