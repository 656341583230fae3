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
  private var waiting: [RunID: [Client]] = [:]

  private struct Pending {
    var client: Client
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
    connection.onMessage = { [weak self, weak connection] message in
      guard let self, let connection else { return }
      self.received(message, from: connection)
    }
  }

  private func received(_ message: ArraySlice<UInt8>, from connection: Connection) {
    let request: ControlProtocol.Request
    do {
      request = try ControlProtocol.Request(decoding: message)
    } catch {
      // Whoever does not speak Varlink gets no answer in it.
      return connection.close()
    }
    let client = Client(connection: connection, isOneway: request.isOneway)
    switch request.call {
    case .failure(let error): client.send(.failure(error))
    case .success(let call): serve(call, client)
    }
  }

  // MARK: - Calls

  private func serve(_ call: ControlCall, _ client: Client) {
    if let reply = ServiceInfo().reply(to: call) { return client.send(reply) }
    if let refusal = daemon.access.refusal(of: call, by: client.connection.peer, in: daemon) {
      return client.send(.failure(refusal))
    }
    switch call {
    case .status, .listJobs, .listQueue, .listRuns, .getRun, .why, .listAuth, .getToken:
      client.send(daemon.answer(call))
    case .runJob(let job, _): ask(.run(job), call, client)
    case .cancel(let selection): cancel(selection, call, client)
    case .pause(let job): ask(.pause(job), call, client)
    case .resume(let job): ask(.resume(job), call, client)
    case .foreground(let provider, let wait): foreground(provider, wait, call, client)
    case .networkRestored: ask(.networkRestored, call, client)
    case .reload: client.send(daemon.reloadReply())
    case .getInfo, .getInterfaceDescription: break  // answered above
    }
  }

  private func ask(_ request: JobEngine.Request, _ call: ControlCall, _ client: Client?) {
    lastRequest += 1
    let id = RequestID(rawValue: lastRequest)
    if let client { pending[id] = Pending(client: client, call: call) }
    daemon.post(.requested(id, request))
  }

  /// What came in before is settled first, so that the ledger shows what is to be cancelled as it is.
  private func cancel(_ selection: ControlCall.CancelSelection, _ call: ControlCall, _ client: Client) {
    daemon.turn()
    switch daemon.openRuns(selection) {
    case .failure(let error): client.send(.failure(error))
    case .success(let records): ask(.cancel(records), call, client)
    }
  }

  private func foreground(_ name: ProviderName?, _ wait: Bool, _ call: ControlCall, _ client: Client) {
    if let name, daemon.engine.view(of: name) == nil {
      return client.send(.failure(daemon.noSuchProvider(name)))
    }
    guard !wait else { return ask(.foreground(name), call, client) }
    ask(.foreground(name), call, nil)
    daemon.turn()
    client.send(daemon.answer(.listAuth(name)))
  }

  // MARK: - Answers

  func answer(_ id: RequestID, _ result: RequestResult) {
    guard let (client, call) = pending.removeValue(forKey: id).map({ ($0.client, $0.call) }) else { return }
    switch result {
    case .refused(let refusal): client.send(.failure(daemon.error(for: refusal)))
    case .done: client.send(.done)
    case .providers(let names): client.send(daemon.providers(names))
    case .runs(let runs): answer(call, runs, client)
    }
  }

  private func answer(_ call: ControlCall, _ runs: [RunID], _ client: Client) {
    if case .runJob(_, let wait) = call, let id = runs.first {
      // The record is in the ledger after this turn; a verdict may come with it.
      waiting[id, default: []].append(client)
      if !wait { Later.run { [weak self] in self?.tellWaiting(id) } }
    } else {
      client.send(.cancelled(runs.map(\.description)))
    }
  }

  func verdict(_ record: RunRecord) { tellWaiting(record.id) }

  private func tellWaiting(_ id: RunID) {
    for client in waiting.removeValue(forKey: id) ?? [] { client.send(daemon.run(id)) }
  }
}

/// One call's way back.
struct Client {
  var connection: Connection
  var isOneway: Bool

  func send(_ reply: ControlReply) {
    guard !isOneway else { return }
    if let frame = reply.frame { connection.send(frame) } else { connection.close() }
  }
}
