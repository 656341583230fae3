import AuthModel
import Glibc
import JobEngine
import LinuxPlatform
import Scheduling

/// One run's access token on its way from the published file to the run: never in argv, and in the
/// environment only when the job file says so.
final class TokenHandover {
  private(set) var environment: [(name: String, value: String)] = []
  private(set) var files: [(fd: Int32, number: Int32)] = []
  private var folder: String?

  /// The descriptor's number in the run.
  private static let number: Int32 = 3

  /// - Parameter present: the session as published; its token file must be of the same moment.
  init(
    _ token: Launch.Token, _ launch: Launch, folders: Folders, present: Snapshot.Present?
  ) throws(HandoverError) {
    let bytes = try PublishedToken.read(token, folders, present)
    do throws(HandoverError) {
      switch token.delivery {
      case .file: try deliverFile(bytes, launch, folders)
      case .fd: try deliverDescriptor(bytes)
      case .environment(let name): environment = [(name, String(decoding: bytes, as: UTF8.self))]
      }
    } catch {
      discard()
      throw error
    }
  }

  /// What an earlier daemon has made for the run: to be discarded when the run is over.
  init(earlierOf id: RunID, in folders: Folders) { folder = Self.folder(of: id, in: folders) }

  // MARK: - As a file

  private func deliverFile(
    _ bytes: [UInt8], _ launch: Launch, _ folders: Folders
  ) throws(HandoverError) {
    let folder = Self.folder(of: launch.record.id, in: folders)
    let path = "\(folder)/token"
    let owner = try launch.job.user.map { name throws(HandoverError) in try Self.owner(name) }
    FileTree.remove(folder)
    guard mkdir(folder, 0o700) == 0 else { throw .last("create the folder", folder) }
    self.folder = folder
    let fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o400)
    guard fd >= 0 else { throw .last("create the file", path) }
    defer { close(fd) }
    guard Self.write(bytes, to: fd) else { throw .last("write the token to", path) }
    if let owner, geteuid() == 0, owner.uid != 0 {
      guard fchown(fd, owner.uid, owner.gid) == 0 else {
        throw .last("give to the job's user the token file", path)
      }
      // The folder stays ours: what another user puts into it, root would have to remove.
      guard chown(folder, uid_t.max, owner.gid) == 0, chmod(folder, 0o710) == 0 else {
        throw .last("open to the job's user the folder", folder)
      }
    }
    environment = [("NIGHTLATCH_TOKEN_FILE", path)]
  }

  private static func owner(_ name: String) throws(HandoverError) -> Account {
    do { return try Account(named: name) } catch { throw .platform(error) }
  }

  // MARK: - As a descriptor

  private func deliverDescriptor(_ bytes: [UInt8]) throws(HandoverError) {
    do throws(PlatformError) {
      files = [(try MemoryFile.sealed("nightlatch-token", bytes), Self.number)]
    } catch {
      throw .platform(error)
    }
    environment = [("NIGHTLATCH_TOKEN_FD", "\(Self.number)")]
  }

  private static func write(_ bytes: [UInt8], to fd: Int32) -> Bool {
    bytes.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) } == bytes.count
  }

  // MARK: - After

  /// The run has its own copy of the descriptor now.
  func processStarted() {
    for file in files { close(file.fd) }
    files = []
  }

  /// Removes everything that was made for the run, and what a job of our own user has put beside it.
  func discard() {
    processStarted()
    if let folder { FileTree.remove(folder) }
    folder = nil
  }

  private static func folder(of id: RunID, in folders: Folders) -> String { "\(folders.runs)/\(id)" }
}
