public import Scheduling

/// `clock_trust`: what it takes for the wall clock to be believed. Until then no calendar due is made.
public enum ClockTrust: String, Hashable, Sendable, CaseIterable {
  /// It has passed the newest due in the ledger, or it is synchronised.
  case floor
  /// It has been synchronised in this boot, by NTP for example.
  case synchronized
  /// It is believed as it is.
  case none
}

/// Why the wall clock is not believed.
public enum ClockDoubt: Hashable, Sendable {
  /// It shows a time before a due that has been decided already.
  case behind(newest: WallTime)
  case unsynchronized
}
