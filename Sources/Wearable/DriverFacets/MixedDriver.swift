// Families in which some wearables store data and most only send live values.

/// Driver of wearables that differ in what they store. Only a link shows whether a wearable has data to fetch, by
/// whether there is a session. Until then it is linked like those with live values only, as its stream would be lost
/// otherwise. Without this facet all wearables of a family are alike.
public protocol MixedDriver: WearableDriver {}
