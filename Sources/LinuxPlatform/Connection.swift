import Glibc

/// One client of a ``ControlListener``: messages end with a zero byte in both directions, as Varlink has
/// them.
public final class Connection {
  public enum Ending: Equatable, Sendable {
    /// The peer closed it.
    case closedByPeer
    /// We did.
    case closed
    /// A message longer than the limit.
    case messageTooLong
    /// It does not read what it asked for.
    case peerTooSlow
    case failed(errno: Int32)
  }

  public let peer: PeerCredentials
  /// Called with each message, without its zero byte.
  public var onMessage: ((ArraySlice<UInt8>) -> Void)?
  /// Called once.
  public var onEnd: ((Ending) -> Void)?
  var onRemoved: (() -> Void)?

  public var isOpen: Bool { reader != nil }

  private static let messagesInTurn = 16

  private var reader: FileSource?
  private var writer: FileSource?
  private var frames: FrameBuffer
  private var unsent: [UInt8] = []
  /// What of `unsent` has gone already.
  private var sent = 0
  private let unsentLimit: Int
  private var isTurnPlanned = false

  init(owning fd: Int32, peer: PeerCredentials, limits: ControlListener.Limits) {
    self.peer = peer
    unsentLimit = limits.unsent
    frames = FrameBuffer(limit: limits.message)
    reader = FileSource(owning: fd, onReadable: { [weak self] in self?.readable() })
  }

  /// Sends a message, without its zero byte; what the socket does not take at once is kept and sent when
  /// it can be. A peer that lets too much pile up is disconnected.
  public func send(_ message: some Collection<UInt8>) {
    guard isOpen else { return }
    unsent += message
    unsent.append(0)
    flush()
    if isOpen, unsent.count - sent > unsentLimit { end(.peerTooSlow) }
  }

  public func close() { end(.closed) }

  private func readable() {
    if !isTurnPlanned { turn() }
  }

  /// Reads on until there is nothing left, since a socket that was hung up is reported only once more; but
  /// only a few messages in one turn of the loop, since a client may send thousands.
  private func turn() {
    guard passMessages(), isOpen else { return planTurn() }
    guard receive() else { return }
    _ = passMessages()
    planTurn()
  }

  private func planTurn() {
    guard isOpen else { return }
    isTurnPlanned = true
    Later.run { [weak self] in
      self?.isTurnPlanned = false
      self?.turn()
    }
  }

  /// False when there may be more messages.
  private func passMessages() -> Bool {
    for _ in 0..<Self.messagesInTurn {
      guard isOpen, let message = frames.next() else {
        if isOpen, frames.isTooLong { end(.messageTooLong) }
        return true
      }
      onMessage?(message)
    }
    return false
  }

  /// False when there is nothing to be had now, or ever again.
  private func receive() -> Bool {
    guard let reader else { return false }
    var outcome = (count: 0, errno: Int32(0))
    withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { buffer in
      outcome.count = read(reader.fd, buffer.baseAddress, buffer.count)
      outcome.errno = errno
      if outcome.count > 0 { frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<outcome.count])) }
    }
    if outcome.count == 0 { end(.closedByPeer) }
    if outcome.count < 0 && outcome.errno != EAGAIN { end(.failed(errno: outcome.errno)) }
    return outcome.count > 0
  }

  private func flush() {
    guard let reader else { return }
    while sent < unsent.count {
      let count = unsent[sent...].withUnsafeBytes {
        Glibc.send(reader.fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno == EAGAIN ? waitUntilWritable(reader.fd) : end(.failed(errno: errno))
      }
      sent += count
    }
    unsent.removeAll(keepingCapacity: unsent.capacity <= 64 * 1024)
    sent = 0
    writer?.cancel()
    writer = nil
  }

  /// The write source has a descriptor of its own, so that each source closes exactly one.
  private func waitUntilWritable(_ fd: Int32) {
    if sent > 1 << 20 {
      unsent.removeFirst(sent)
      sent = 0
    }
    guard writer == nil else { return }
    let copy = fcntl(fd, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return end(.failed(errno: errno)) }
    writer = FileSource(owning: copy, onWritable: { [weak self] in self?.flush() })
  }

  private func end(_ ending: Ending) {
    guard let reader else { return }
    self.reader = nil
    shutdown(reader.fd, Int32(SHUT_RDWR))
    reader.cancel()
    writer?.cancel()
    writer = nil
    unsent = []
    let (report, remove) = (onEnd, onRemoved)
    (onMessage, onEnd, onRemoved) = (nil, nil, nil)
    remove?()
    report?(ending)
  }
}
