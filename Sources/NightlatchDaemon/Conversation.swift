import ControlProtocol
import LinuxPlatform

/// One client's calls: each is answered before the next is looked at, since a reply does not say which call
/// it is for (varlink.org, "Wire protocol").
final class Conversation {
  let connection: Connection
  private let serve: (Caller) -> Void
  private var waiting: [ControlProtocol.Request] = []
  private var isAnswering = false
  private var isServing = false

  /// A client that has so many calls ahead of their answers is up to nothing good.
  private static let mostWaiting = 64

  /// One call and its way back.
  struct Caller {
    let request: ControlProtocol.Request
    let conversation: Conversation

    var peer: PeerCredentials { conversation.connection.peer }
    /// Nobody waits for the answer of one who has gone.
    var isThere: Bool { conversation.connection.isOpen }

    func answer(_ reply: ControlReply) {
      if !request.isOneway { conversation.answer(reply) }
    }
  }

  init(_ connection: Connection, serve: @escaping (Caller) -> Void) {
    self.connection = connection
    self.serve = serve
  }

  func received(_ request: ControlProtocol.Request) {
    guard waiting.count < Self.mostWaiting else { return connection.close() }
    waiting.append(request)
    serveNext()
  }

  private func serveNext() {
    guard !isServing else { return }
    isServing = true
    while !isAnswering, connection.isOpen, !waiting.isEmpty {
      let request = waiting.removeFirst()
      isAnswering = !request.isOneway
      serve(Caller(request: request, conversation: self))
    }
    isServing = false
  }

  private func answer(_ reply: ControlReply) {
    if let frame = reply.frame { connection.send(frame) } else { connection.close() }
    isAnswering = false
    serveNext()
  }
}
