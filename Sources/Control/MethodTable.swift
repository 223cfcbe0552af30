// What the server of io.hearth.Hub implements, area by area, and the table in which it looks a call up.
//
// Made by `HubProtocol/generate` from io.hearth.Hub.varlink. Do not edit.
// swift-format-ignore-file

internal import EventLoop
internal import HubProtocol

@LoopActor
protocol HubMethods {
  func status(_ parameters: Methods.Status.Parameters) async throws -> Methods.Status.Reply
  func devices(_ parameters: Methods.Devices.Parameters) async throws -> Methods.Devices.Reply
  func device(_ parameters: Methods.Device.Parameters) async throws -> Methods.Device.Reply
  func watch(_ parameters: Methods.Watch.Parameters) async throws -> Methods.Watch.Reply?
  func clock(_ parameters: Methods.Clock.Parameters) async throws -> Methods.Clock.Reply
  func radio(_ parameters: Methods.Radio.Parameters) async throws -> Methods.Radio.Reply
  func radioPlan(_ parameters: Methods.RadioPlan.Parameters) async throws -> Methods.RadioPlan.Reply
  func radioRecover(_ parameters: Methods.RadioRecover.Parameters) async throws
  func lights(_ parameters: Methods.Lights.Parameters) async throws -> Methods.Lights.Reply
  func locate(_ parameters: Methods.Locate.Parameters) async throws
  func configShow(_ parameters: Methods.ConfigShow.Parameters) async throws -> Methods.ConfigShow.Reply
}

@LoopActor
protocol PauseMethods {
  func pause(_ parameters: Methods.Pause.Parameters) async throws -> Methods.Pause.Reply
  func resume(_ parameters: Methods.Resume.Parameters) async throws -> Methods.Resume.Reply
  func mutes(_ parameters: Methods.Mutes.Parameters) async throws -> Methods.Mutes.Reply
  func mute(_ parameters: Methods.Mute.Parameters) async throws -> Methods.Mute.Reply
  func unmute(_ parameters: Methods.Unmute.Parameters) async throws -> Methods.Unmute.Reply
}

@LoopActor
protocol LiveMethods {
  func live(_ parameters: Methods.Live.Parameters) async throws -> Methods.Live.Reply?
  func measure(_ parameters: Methods.Measure.Parameters) async throws -> Methods.Measure.Reply?
  func measureStop(_ parameters: Methods.MeasureStop.Parameters) async throws
  func measureVitals(_ parameters: Methods.MeasureVitals.Parameters) async throws -> Methods.MeasureVitals.Reply?
  func measureVitalsStart(_ parameters: Methods.MeasureVitalsStart.Parameters) async throws
  func measureVitalsStop(_ parameters: Methods.MeasureVitalsStop.Parameters) async throws
  func measureVitalsTerminate(_ parameters: Methods.MeasureVitalsTerminate.Parameters) async throws
}

@LoopActor
protocol EnrolmentMethods {
  func enrollOpen(_ parameters: Methods.EnrollOpen.Parameters) async throws -> Methods.EnrollOpen.Reply
  func enrollList(_ parameters: Methods.EnrollList.Parameters) async throws -> Methods.EnrollList.Reply
  func enrollAccept(_ parameters: Methods.EnrollAccept.Parameters) async throws -> Methods.EnrollAccept.Reply
  func enrollClose(_ parameters: Methods.EnrollClose.Parameters) async throws
  func rename(_ parameters: Methods.Rename.Parameters) async throws -> Methods.Rename.Reply
  func forget(_ parameters: Methods.Forget.Parameters) async throws -> Methods.Forget.Reply
  func eraseSet(_ parameters: Methods.EraseSet.Parameters) async throws -> Methods.EraseSet.Reply
  func listenSet(_ parameters: Methods.ListenSet.Parameters) async throws -> Methods.ListenSet.Reply
  func absenceSet(_ parameters: Methods.AbsenceSet.Parameters) async throws -> Methods.AbsenceSet.Reply
  func pairings(_ parameters: Methods.Pairings.Parameters) async throws -> Methods.Pairings.Reply
  func pairAnswer(_ parameters: Methods.PairAnswer.Parameters) async throws
}

@LoopActor
protocol LaneMethods {
  func visits(_ parameters: Methods.Visits.Parameters) async throws -> Methods.Visits.Reply
  func visitNow(_ parameters: Methods.VisitNow.Parameters) async throws -> Methods.VisitNow.Reply
  func visitWatch(_ parameters: Methods.VisitWatch.Parameters) async throws -> Methods.VisitWatch.Reply?
  func syncNow(_ parameters: Methods.SyncNow.Parameters) async throws -> Methods.SyncNow.Reply
  func syncWatch(_ parameters: Methods.SyncWatch.Parameters) async throws -> Methods.SyncWatch.Reply?
  func custody(_ parameters: Methods.Custody.Parameters) async throws -> Methods.Custody.Reply
  func link(_ parameters: Methods.Link.Parameters) async throws -> Methods.Link.Reply
  func linkSet(_ parameters: Methods.LinkSet.Parameters) async throws -> Methods.LinkSet.Reply
}

@LoopActor
protocol OrderMethods {
  func actions(_ parameters: Methods.Actions.Parameters) async throws -> Methods.Actions.Reply
  func act(_ parameters: Methods.Act.Parameters) async throws -> Methods.Act.Reply
  func report(_ parameters: Methods.Report.Parameters) async throws -> Methods.Report.Reply
  func orders(_ parameters: Methods.Orders.Parameters) async throws -> Methods.Orders.Reply
  func ordersSet(_ parameters: Methods.OrdersSet.Parameters) async throws -> Methods.OrdersSet.Reply
  func monitoring(_ parameters: Methods.Monitoring.Parameters) async throws -> Methods.Monitoring.Reply
  func monitoringSet(_ parameters: Methods.MonitoringSet.Parameters) async throws -> Methods.MonitoringSet.Reply
  func secretSet(_ parameters: Methods.SecretSet.Parameters) async throws -> Methods.SecretSet.Reply
}

@LoopActor
protocol AlertMethods {
  func alerts(_ parameters: Methods.Alerts.Parameters) async throws -> Methods.Alerts.Reply
  func alertsSet(_ parameters: Methods.AlertsSet.Parameters) async throws -> Methods.AlertsSet.Reply
  func alertsAcknowledge(_ parameters: Methods.AlertsAcknowledge.Parameters) async throws -> Methods.AlertsAcknowledge.Reply
  func trainingBegin(_ parameters: Methods.TrainingBegin.Parameters) async throws -> Methods.TrainingBegin.Reply
  func trainingEnd(_ parameters: Methods.TrainingEnd.Parameters) async throws -> Methods.TrainingEnd.Reply
}

@LoopActor
protocol PeopleMethods {
  func wearers(_ parameters: Methods.Wearers.Parameters) async throws -> Methods.Wearers.Reply
  func wearerAdd(_ parameters: Methods.WearerAdd.Parameters) async throws -> Methods.WearerAdd.Reply
  func wearerRename(_ parameters: Methods.WearerRename.Parameters) async throws -> Methods.WearerRename.Reply
  func wearerSet(_ parameters: Methods.WearerSet.Parameters) async throws -> Methods.WearerSet.Reply
  func wearerIds(_ parameters: Methods.WearerIds.Parameters) async throws -> Methods.WearerIds.Reply
  func wearerRetire(_ parameters: Methods.WearerRetire.Parameters) async throws -> Methods.WearerRetire.Reply
  func wearerErasePlan(_ parameters: Methods.WearerErasePlan.Parameters) async throws -> Methods.WearerErasePlan.Reply
  func wearerErase(_ parameters: Methods.WearerErase.Parameters) async throws -> Methods.WearerErase.Reply
  func accesses(_ parameters: Methods.Accesses.Parameters) async throws -> Methods.Accesses.Reply
  func wearerBody(_ parameters: Methods.WearerBody.Parameters) async throws -> Methods.WearerBody.Reply
  func assignments(_ parameters: Methods.Assignments.Parameters) async throws -> Methods.Assignments.Reply
  func assign(_ parameters: Methods.Assign.Parameters) async throws -> Methods.Assign.Reply
  func assignmentCorrect(_ parameters: Methods.AssignmentCorrect.Parameters) async throws -> Methods.AssignmentCorrect.Reply
  func assignmentDelete(_ parameters: Methods.AssignmentDelete.Parameters) async throws -> Methods.AssignmentDelete.Reply
}

@LoopActor
protocol StoreMethods {
  func store(_ parameters: Methods.Store.Parameters) async throws -> Methods.Store.Reply
  func storePeek(_ parameters: Methods.StorePeek.Parameters) async throws -> Methods.StorePeek.Reply
  func storeVerify(_ parameters: Methods.StoreVerify.Parameters) async throws -> Methods.StoreVerify.Reply?
  func storePurgePlan(_ parameters: Methods.StorePurgePlan.Parameters) async throws -> Methods.StorePurgePlan.Reply
  func storePurge(_ parameters: Methods.StorePurge.Parameters) async throws -> Methods.StorePurge.Reply
  func storeForgetCursor(_ parameters: Methods.StoreForgetCursor.Parameters) async throws -> Methods.StoreForgetCursor.Reply
  func items(_ parameters: Methods.Items.Parameters) async throws -> Methods.Items.Reply
  func measurements(_ parameters: Methods.Measurements.Parameters) async throws -> Methods.Measurements.Reply
  func daily(_ parameters: Methods.Daily.Parameters) async throws -> Methods.Daily.Reply
  func days(_ parameters: Methods.Days.Parameters) async throws -> Methods.Days.Reply
  func coverage(_ parameters: Methods.Coverage.Parameters) async throws -> Methods.Coverage.Reply
  func events(_ parameters: Methods.Events.Parameters) async throws -> Methods.Events.Reply
}

@LoopActor
protocol ExportMethods {
  func export(_ parameters: Methods.Export.Parameters) async throws -> Methods.Export.Reply?
  func exportNext(_ parameters: Methods.ExportNext.Parameters) async throws -> Methods.ExportNext.Reply?
}

@LoopActor
protocol BondMethods {
  func bondList(_ parameters: Methods.BondList.Parameters) async throws -> Methods.BondList.Reply
  func bondKeys(_ parameters: Methods.BondKeys.Parameters) async throws -> Methods.BondKeys.Reply
  func bondImport(_ parameters: Methods.BondImport.Parameters) async throws -> Methods.BondImport.Reply
  func bondRemove(_ parameters: Methods.BondRemove.Parameters) async throws
  func backupNext(_ parameters: Methods.BackupNext.Parameters) async throws -> Methods.BackupNext.Reply
  func backupTell(_ parameters: Methods.BackupTell.Parameters) async throws
}

typealias AllMethods = HubMethods & PauseMethods & LiveMethods & EnrolmentMethods & LaneMethods & OrderMethods & AlertMethods & PeopleMethods & StoreMethods & ExportMethods & BondMethods

extension ServedMethod {
  static let all: [String: ServedMethod] = [
    "Status": .answering(Methods.Status.self) { try await $0.status($1) },
    "Devices": .answering(Methods.Devices.self) { try await $0.devices($1) },
    "Device": .answering(Methods.Device.self) { try await $0.device($1) },
    "Pause": .answering(Methods.Pause.self) { try await $0.pause($1) },
    "Resume": .answering(Methods.Resume.self) { try await $0.resume($1) },
    "Mutes": .answering(Methods.Mutes.self) { try await $0.mutes($1) },
    "Mute": .answering(Methods.Mute.self) { try await $0.mute($1) },
    "Unmute": .answering(Methods.Unmute.self) { try await $0.unmute($1) },
    "Live": .answering(Methods.Live.self) { try await $0.live($1) },
    "Watch": .answering(Methods.Watch.self) { try await $0.watch($1) },
    "EnrollOpen": .answering(Methods.EnrollOpen.self) { try await $0.enrollOpen($1) },
    "EnrollList": .answering(Methods.EnrollList.self) { try await $0.enrollList($1) },
    "EnrollAccept": .answering(Methods.EnrollAccept.self) { try await $0.enrollAccept($1) },
    "EnrollClose": .doing(Methods.EnrollClose.self) { try await $0.enrollClose($1) },
    "Rename": .answering(Methods.Rename.self) { try await $0.rename($1) },
    "Forget": .answering(Methods.Forget.self) { try await $0.forget($1) },
    "EraseSet": .answering(Methods.EraseSet.self) { try await $0.eraseSet($1) },
    "ListenSet": .answering(Methods.ListenSet.self) { try await $0.listenSet($1) },
    "AbsenceSet": .answering(Methods.AbsenceSet.self) { try await $0.absenceSet($1) },
    "Visits": .answering(Methods.Visits.self) { try await $0.visits($1) },
    "VisitNow": .answering(Methods.VisitNow.self) { try await $0.visitNow($1) },
    "VisitWatch": .answering(Methods.VisitWatch.self) { try await $0.visitWatch($1) },
    "SyncNow": .answering(Methods.SyncNow.self) { try await $0.syncNow($1) },
    "SyncWatch": .answering(Methods.SyncWatch.self) { try await $0.syncWatch($1) },
    "Custody": .answering(Methods.Custody.self) { try await $0.custody($1) },
    "Link": .answering(Methods.Link.self) { try await $0.link($1) },
    "LinkSet": .answering(Methods.LinkSet.self) { try await $0.linkSet($1) },
    "Clock": .answering(Methods.Clock.self) { try await $0.clock($1) },
    "Radio": .answering(Methods.Radio.self) { try await $0.radio($1) },
    "RadioPlan": .answering(Methods.RadioPlan.self) { try await $0.radioPlan($1) },
    "RadioRecover": .doing(Methods.RadioRecover.self) { try await $0.radioRecover($1) },
    "Pairings": .answering(Methods.Pairings.self) { try await $0.pairings($1) },
    "PairAnswer": .doing(Methods.PairAnswer.self) { try await $0.pairAnswer($1) },
    "Actions": .answering(Methods.Actions.self) { try await $0.actions($1) },
    "Act": .answering(Methods.Act.self) { try await $0.act($1) },
    "Measure": .answering(Methods.Measure.self) { try await $0.measure($1) },
    "MeasureStop": .doing(Methods.MeasureStop.self) { try await $0.measureStop($1) },
    "MeasureVitals": .answering(Methods.MeasureVitals.self) { try await $0.measureVitals($1) },
    "MeasureVitalsStart": .doing(Methods.MeasureVitalsStart.self) { try await $0.measureVitalsStart($1) },
    "MeasureVitalsStop": .doing(Methods.MeasureVitalsStop.self) { try await $0.measureVitalsStop($1) },
    "MeasureVitalsTerminate": .doing(Methods.MeasureVitalsTerminate.self) { try await $0.measureVitalsTerminate($1) },
    "Report": .answering(Methods.Report.self) { try await $0.report($1) },
    "Orders": .answering(Methods.Orders.self) { try await $0.orders($1) },
    "OrdersSet": .answering(Methods.OrdersSet.self) { try await $0.ordersSet($1) },
    "Alerts": .answering(Methods.Alerts.self) { try await $0.alerts($1) },
    "AlertsSet": .answering(Methods.AlertsSet.self) { try await $0.alertsSet($1) },
    "AlertsAcknowledge": .answering(Methods.AlertsAcknowledge.self) { try await $0.alertsAcknowledge($1) },
    "TrainingBegin": .answering(Methods.TrainingBegin.self) { try await $0.trainingBegin($1) },
    "TrainingEnd": .answering(Methods.TrainingEnd.self) { try await $0.trainingEnd($1) },
    "Monitoring": .answering(Methods.Monitoring.self) { try await $0.monitoring($1) },
    "MonitoringSet": .answering(Methods.MonitoringSet.self) { try await $0.monitoringSet($1) },
    "SecretSet": .answering(Methods.SecretSet.self) { try await $0.secretSet($1) },
    "Wearers": .answering(Methods.Wearers.self) { try await $0.wearers($1) },
    "WearerAdd": .answering(Methods.WearerAdd.self) { try await $0.wearerAdd($1) },
    "WearerRename": .answering(Methods.WearerRename.self) { try await $0.wearerRename($1) },
    "WearerSet": .answering(Methods.WearerSet.self) { try await $0.wearerSet($1) },
    "WearerIds": .answering(Methods.WearerIds.self) { try await $0.wearerIds($1) },
    "WearerRetire": .answering(Methods.WearerRetire.self) { try await $0.wearerRetire($1) },
    "WearerErasePlan": .answering(Methods.WearerErasePlan.self) { try await $0.wearerErasePlan($1) },
    "WearerErase": .answering(Methods.WearerErase.self) { try await $0.wearerErase($1) },
    "Accesses": .answering(Methods.Accesses.self) { try await $0.accesses($1) },
    "WearerBody": .answering(Methods.WearerBody.self) { try await $0.wearerBody($1) },
    "Assignments": .answering(Methods.Assignments.self) { try await $0.assignments($1) },
    "Assign": .answering(Methods.Assign.self) { try await $0.assign($1) },
    "AssignmentCorrect": .answering(Methods.AssignmentCorrect.self) { try await $0.assignmentCorrect($1) },
    "AssignmentDelete": .answering(Methods.AssignmentDelete.self) { try await $0.assignmentDelete($1) },
    "Store": .answering(Methods.Store.self) { try await $0.store($1) },
    "StorePeek": .answering(Methods.StorePeek.self) { try await $0.storePeek($1) },
    "StoreVerify": .answering(Methods.StoreVerify.self) { try await $0.storeVerify($1) },
    "StorePurgePlan": .answering(Methods.StorePurgePlan.self) { try await $0.storePurgePlan($1) },
    "StorePurge": .answering(Methods.StorePurge.self) { try await $0.storePurge($1) },
    "StoreForgetCursor": .answering(Methods.StoreForgetCursor.self) { try await $0.storeForgetCursor($1) },
    "Items": .answering(Methods.Items.self) { try await $0.items($1) },
    "Measurements": .answering(Methods.Measurements.self) { try await $0.measurements($1) },
    "Daily": .answering(Methods.Daily.self) { try await $0.daily($1) },
    "Days": .answering(Methods.Days.self) { try await $0.days($1) },
    "Coverage": .answering(Methods.Coverage.self) { try await $0.coverage($1) },
    "Events": .answering(Methods.Events.self) { try await $0.events($1) },
    "Export": .answering(Methods.Export.self) { try await $0.export($1) },
    "ExportNext": .answering(Methods.ExportNext.self) { try await $0.exportNext($1) },
    "Lights": .answering(Methods.Lights.self) { try await $0.lights($1) },
    "Locate": .doing(Methods.Locate.self) { try await $0.locate($1) },
    "ConfigShow": .answering(Methods.ConfigShow.self) { try await $0.configShow($1) },
    "BondList": .answering(Methods.BondList.self) { try await $0.bondList($1) },
    "BondKeys": .answering(Methods.BondKeys.self) { try await $0.bondKeys($1) },
    "BondImport": .answering(Methods.BondImport.self) { try await $0.bondImport($1) },
    "BondRemove": .doing(Methods.BondRemove.self) { try await $0.bondRemove($1) },
    "BackupNext": .answering(Methods.BackupNext.self) { try await $0.backupNext($1) },
    "BackupTell": .doing(Methods.BackupTell.self) { try await $0.backupTell($1) },
  ]
}
