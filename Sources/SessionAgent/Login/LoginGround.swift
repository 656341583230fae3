/// What a new session needs of this machine: the lock, a place in the cache and on disk, and that it stays up.
struct LoginGround {
  let lock: SessionLock
  let publication: Publication
  let file: ReservedFile
  let stay: AnyObject?
}
