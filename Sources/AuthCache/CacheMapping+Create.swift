import AuthModel
import Glibc

extension CacheMapping {
  /// Puts a new file that holds `snapshot` in the place of whatever is there, in one step: others
  /// find the old file or the whole new one.
  ///
  /// It is written before it is mapped, so that a full file system is an error and not a SIGBUS.
  static func create(
    _ file: AuthCacheFile, holding snapshot: Snapshot
  ) throws(AuthCacheError) -> CacheMapping {
    let temporary = file.temporaryPath
    unlink(temporary)  // Left by a writer that was killed.
    var step = "create"
    do throws(FileFailure) {
      let flags = O_RDWR | O_CREAT | O_EXCL
      let descriptor = try CacheFileDescriptor(path: temporary, flags: flags, mode: S_IRUSR | S_IWUSR)
      step = "fill"
      try descriptor.write(all: CacheLayout.file(holding: snapshot))
      step = "set its group and mode"
      try descriptor.setAccess(of: file)
      step = "map"
      let mapping = try CacheMapping(descriptor, access: .readWrite)
      step = "rename"
      guard rename(temporary, file.path) == 0 else { throw .last }
      return mapping
    } catch {
      unlink(temporary)
      throw .unwritable(path: file.path, step: step, code: error.code)
    }
  }
}
