/// What keeps the machine from sleeping and shutting down while a token is on its way.
///
/// This module knows no bus: whoever runs the agent says how.
public struct MachineHold {
  public enum Answer {
    /// It stays up for as long as the object lives. Nil: nobody here can hold it up, and nobody must.
    case granted(AnyObject?)
    /// Sleep or shutdown is announced: nothing may be begun now.
    case refused
  }

  let take: () -> Answer

  public init(take: @escaping () -> Answer) { self.take = take }

  public static var none: MachineHold { MachineHold { .granted(nil) } }
}
