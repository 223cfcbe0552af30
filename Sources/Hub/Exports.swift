// The values of the hub, for whoever knows the hub.

@_exported public import HubModel
