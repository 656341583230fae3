/// Something outside of a file that the file names and that has to be there once it is used.
public enum Reference: Hashable, Sendable {
  /// The account that a job's runs become.
  case runsAs(String)
  /// Somebody who may have a token, by name or number.
  case user(String)
  case group(String)
  case folder(String)
  /// A path, or a name to look up in `searchPath` (nil: the usual one), for `user` (nil: the daemon's own).
  case program(String, searchPath: String?, user: String?)
  case file(String)
  /// A file that only its owner may read. Its path is not to be repeated: people put the secret itself there.
  case secret(String)
  /// A systemd credential.
  case credential(String)
}

/// What became of looking for a ``Reference``. The phrases end a message that begins with the key.
public enum Sighting: Hashable, Sendable {
  case found
  /// It is not there, or not as it has to be.
  case missing(String)
  /// This process can't tell.
  case hidden(String)
}

/// Looks for what files name, on the machine that they are for.
public typealias Lookout = (Reference) -> Sighting
