// Families of which some wearables keep data and most are only listened to.

/// A driver whose wearables differ in what they keep: which of them has something to visit it for shows with a link, by
/// whether there is a session. Until then one is linked like those that are only listened to, as what it streams would
/// be lost. Without this facet all of a family keep data, or none.
public protocol MixedDriver: WearableDriver {}
