import AuthModel
import Scheduling

/// What people and programs ask for.
extension Engine {
  mutating func requested(_ id: RequestID, _ request: Request) {
    guard !isStopping else { return reply(id, .refused(.stopping)) }
    switch request {
    case .run(let job): runNow(id, job)
    case .cancel(let records): cancel(id, records)
    case .pause(let job): setPaused(id, job, true)
    case .resume(let job): setPaused(id, job, false)
    case .foreground(let name): foreground(id, name)
    case .refresh(let name):
      wantToken(name)
      reply(id, .done)
    case .networkRestored:
      networkRestored()
      reply(id, .done)
    }
  }

  private mutating func reply(_ id: RequestID, _ result: RequestResult) {
    effects.append(.reply(id, result))
  }

  /// A due for right now, which meets the same gate as any other, also while the job is paused.
  private mutating func runNow(_ id: RequestID, _ job: JobID) {
    guard jobs[job] != nil else { return reply(id, .refused(.noSuchJob(job))) }
    lastRequest = max(now.boot, lastRequest + .microseconds(1))
    let due = Due.request(lastRequest, bootID)
    accept(job, due, now.wall)
    reply(id, .runs([RunID(job: job, due: due)]))
  }

  /// Ends the runs in memory. Whether the others are still in the queue is for the ledger to say: what the
  /// request shows may have been decided meanwhile.
  private mutating func cancel(_ id: RequestID, _ records: [RunRecord]) {
    let open = records.compactMap { runs[$0.id] }
    for run in open { stop(run, .byRequest) }
    let rest = records.filter { $0.state == .deferred && !open.map(\.id).contains($0.id) }
    guard !rest.isEmpty else { return reply(id, .runs(open.map(\.id))) }
    cancelled[id] = open.map(\.id)
    ask(.find(rest.map(\.id), id))
  }

  mutating func found(_ records: [RunRecord], for id: RequestID) {
    let entries = answered(records).filter { $0.state == .deferred }
    for record in entries {
      leftQueue(record)
      conclude(record, as: .cancelled, .byRequest)
    }
    reply(id, .runs((cancelled.removeValue(forKey: id) ?? []) + entries.map(\.id)))
  }

  private mutating func setPaused(_ id: RequestID, _ job: JobID, _ isPaused: Bool) {
    guard var known = jobs[job] else { return reply(id, .refused(.noSuchJob(job))) }
    known.progress.isPaused = isPaused
    jobs[job] = known
    write(.saveProgress(job, known.progress))
    if !isPaused, let name = known.definition.auth.provider {
      drain(name)
      considerPhase(name)
    }
    reply(id, .done)
  }

  private mutating func foreground(_ id: RequestID, _ name: ProviderName?) {
    if let name, providers[name] == nil { return reply(id, .refused(.noSuchProvider(name))) }
    let names = name.map { [$0] } ?? providers.keys.sorted()
    for name in names { wantPhase(name) }
    let running = names.filter { providers[$0]?.isPhaseRunning == true }
    for name in running { providers[name]?.waiting.append(Provider.PhaseWish(request: id, asked: names)) }
    if running.isEmpty { reply(id, .providers(names)) }
  }
}

extension Provider {
  var isPhaseRunning: Bool {
    if case .running = phase { return true }
    return false
  }
}
