import AuthModel
import ControlProtocol
import JobEngine
import JobStore
import LinuxPlatform
import Scheduling

/// The control socket's server side: calls in, replies out, in the order of each connection.
///
/// What only reads is answered at once from the engine's views and the ledger. What changes something is a
/// request to the engine, and answered by its effect.
final class ControlServer {
  let daemon: Daemon
  private let listener: ControlListener
  private var lastRequest: UInt64 = 0
  private var pending: [RequestID: Pending] = [:]
  /// Clients that wait for a run to come to an end, or into the queue.
  private var waiting: [RunID: [Conversation.Caller]] = [:]

  private struct Pending {
    var client: Conversation.Caller
    var call: ControlCall
  }

  init(daemon: Daemon, socket: Int32?) throws(PlatformError) {
    self.daemon = daemon
    let hook = Hook()
    listener =
      if let socket {
        ControlListener(owning: socket) { hook.connected($0) }
      } else {
        try ControlListener(
          path: daemon.folders.controlSocket, mode: daemon.folders.mode == .system ? 0o666 : 0o600
        ) { hook.connected($0) }
      }
    hook.connected = { [weak self] in self?.connected($0) }
  }

  /// The listener exists before `self` does.
  private final class Hook { var connected: (Connection) -> Void = { _ in } }

  func close() { listener.cancel() }

  private func connected(_ connection: Connection) {
    let conversation = Conversation(connection) { [weak self] client in
      switch client.request.call {
      case .failure(let error): client.answer(.failure(error))
      case .success(let call): self?.serve(call, client)
      }
    }
    connection.onMessage = { message in
      do {
        conversation.received(try ControlProtocol.Request(decoding: message))
      } catch {
        // Whoever does not speak Varlink gets no answer in it.
        conversation.connection.close()
      }
    }
  }

  // MARK: - Calls

  private func serve(_ call: ControlCall, _ client: Conversation.Caller) {
    if let reply = ServiceInfo().reply(to: call) { return client.answer(reply) }
    if let refusal = daemon.access.refusal(of: call, by: client.peer, in: daemon) {
      return client.answer(.failure(refusal))
    }
    switch call {
    case .status, .listJobs, .listQueue, .listRuns, .getRun, .why, .listAuth:
      client.answer(daemon.answer(call))
    case .getToken: daemon.broker.ask(call, client, of: daemon)
    case .runJob(let job, _): ask(.run(job), call, client)
    case .cancel(let selection): cancel(selection, call, client)
    case .pause(let job): ask(.pause(job), call, client)
    case .resume(let job): ask(.resume(job), call, client)
    case .foreground(let provider, let wait): foreground(provider, wait, call, client)
    case .networkRestored: ask(.networkRestored, call, client)
    case .reload: client.answer(daemon.reloadReply())
    case .getInfo, .getInterfaceDescription: break  // answered above
    }
  }

  private func ask(_ request: JobEngine.Request, _ call: ControlCall, _ client: Conversation.Caller) {
    pending[ask(request)] = Pending(client: client, call: call)
  }

  /// A request whose answer nobody waits for.
  @discardableResult
  func ask(_ request: JobEngine.Request) -> RequestID {
    lastRequest += 1
    let id = RequestID(rawValue: lastRequest)
    daemon.post(.requested(id, request))
    return id
  }

  /// What came in before is settled first, so that the ledger shows what is to be cancelled as it is.
  private func cancel(
    _ selection: ControlCall.CancelSelection, _ call: ControlCall, _ client: Conversation.Caller
  ) {
    daemon.turn()
    switch daemon.openRuns(selection) {
    case .failure(let error): client.answer(.failure(error))
    case .success(let records): ask(.cancel(records), call, client)
    }
  }

  private func foreground(
    _ name: ProviderName?, _ wait: Bool, _ call: ControlCall, _ client: Conversation.Caller
  ) {
    if let name, daemon.engine.view(of: name) == nil {
      return client.answer(.failure(daemon.noSuchProvider(name)))
    }
    guard !wait else { return ask(.foreground(name), call, client) }
    ask(.foreground(name))
    daemon.turn()
    client.answer(daemon.answer(.listAuth(name)))
  }

  // MARK: - Answers

  func answer(_ id: RequestID, _ result: RequestResult) {
    guard let (client, call) = pending.removeValue(forKey: id).map({ ($0.client, $0.call) }) else { return }
    switch result {
    case .refused(let refusal): client.answer(.failure(daemon.error(for: refusal)))
    case .done: client.answer(.done)
    case .providers(let names): client.answer(daemon.providers(names))
    case .runs(let runs): answer(call, runs, client)
    }
  }

  private func answer(_ call: ControlCall, _ runs: [RunID], _ client: Conversation.Caller) {
    if case .runJob(_, let wait) = call, let id = runs.first {
      // The record is in the ledger after this turn; a verdict may come with it.
      waiting[id]?.removeAll { !$0.isThere }
      waiting[id, default: []].append(client)
      if !wait { Later.run { [weak self] in self?.tellWaiting(id) } }
    } else {
      client.answer(.cancelled(runs.map(\.description)))
    }
  }

  func verdict(_ record: RunRecord) { tellWaiting(record.id) }

  private func tellWaiting(_ id: RunID) {
    for client in waiting.removeValue(forKey: id) ?? [] { client.answer(daemon.run(id)) }
  }
}
