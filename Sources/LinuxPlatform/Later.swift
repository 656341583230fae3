import Dispatch

/// The next turn of the main loop.
public enum Later {
  public static func run(_ work: @escaping () -> Void) { DispatchQueue.main.async { work() } }
}
