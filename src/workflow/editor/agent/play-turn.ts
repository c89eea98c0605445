import { join } from 'node:path'
import { warningFor } from '../../../agents/prompts/limit-warning.ts'
import type { Lane, LaneStop } from '../../../domain/lane/lane.ts'
import type { Message, ToolCall } from '../../../domain/lane/message.ts'
import { limits } from '../../../domain/limits.ts'
import { isHeld } from '../../../domain/run/run.ts'
import { actAfter } from '../../../ports/act-after.ts'
import type { AgentFailure, AgentSession, TurnEnd } from '../../../ports/coding-agent.ts'
import { StaleVersion, type Transaction } from '../../../ports/store.ts'
import { newsFor } from '../../chat/post-message.ts'
import { load, requireStory } from '../../machines.ts'
import type { StepDependencies } from '../../step-dependencies.ts'
import type { StoryDependencies } from '../../story/dependencies.ts'
import { snapshotDiff, snapshotStory } from '../../story/snapshot.ts'
import type { AgentLane, AgentTurn, TurnOutcome } from './agent-turn.ts'
import type { AgentDependencies } from './dependencies.ts'
import type { AgentSettings } from './foreign-agents.ts'
import { createObserver } from './observe-turn.ts'
import { openTurnGateway } from './turn-gateway.ts'
import { createTurnGuard } from './turn-guard.ts'
import { promptOf } from './turn-prompt.ts'
import { lastSession, nextObserved, repliesSeen } from './turn-records.ts'
import { agentSandbox, workspaceLook } from './turn-sandbox.ts'
import { createTurnTools } from './turn-tools.ts'
import { watchTurn } from './watch-turn.ts'

/**
 * Plays one turn of a foreign agent: a process in its own sandbox, one prompt, and the end of both.
 * All its processes have ended when this returns, so the files no longer change.
 */
export async function playTurn(deps: AgentDependencies, playing: AgentLane, signal: AbortSignal): Promise<AgentTurn> {
  const { lane, run, name } = playing
  const { foreign, clock, redact } = deps
  const [settings, stored, news, before, from] = await Promise.all([
    foreign.settings(name),
    deps.laneMessages.of(lane.id),
    newsFor(deps.store, lane),
    lastSession(deps.store, lane),
    nextObserved(deps.store, lane),
  ])
  const warning = warningFor(lane.data)
  const added: readonly Message[] = [news?.text ?? null, warning].flatMap((text) =>
    text === null ? [] : [{ role: 'user', text }],
  )
  const diff = before.session === null && !before.isInterrupted ? '' : await diffSoFar(deps, lane, signal)
  const turn = createTurn(deps, playing)
  await using closing = new AsyncDisposableStack()
  closing.defer(turn.over)

  const { home, sockets } = await foreign.homes.open(lane.id)
  const countsTools = settings.provider === null
  const seen = await repliesSeen(deps.store, lane, { begunAt: before.begunAt, countsTools, observed: from })
  const guard = createTurnGuard({
    lane,
    seen,
    countsTools,
    onStop: turn.stop,
    look: workspaceLook(deps, playing, signal),
  })
  const tools = join(sockets, 't')
  const { transact, accepted: onAccepted } = turn
  const own = createTurnTools(deps, { lane, run, transact, onAccepted, onTooMany: () => turn.stop('tool_calls') })
  const server = await foreign.tools.open({ socket: tools, ...own })
  closing.defer(() => server.close())
  const gateway = await openTurnGateway(deps, {
    lane,
    provider: settings.provider,
    folder: sockets,
    onCall: guard.asks,
    onRefused: guard.refused,
    onObstacle: turn.obstructed,
  })
  closing.defer(() => gateway.close())
  const { sandbox, folder } = await agentSandbox(deps, { ...playing, settings }, signal)
  const { command, model, files, credentials, authentication } = settings
  const program = { name, command, model, files, credentials, authentication }
  const starting = { ...program, sandbox, home, gateway: gateway.socket, tools }
  const gone = new AbortController()
  const ends = AbortSignal.any([signal, gone.signal, turn.signal])
  const opening = foreign.agents.open({ ...starting, session: before.session }, ends)
  // A step that takes the workspace before this one knows that the turn is over waits for the end
  // of the turn.
  const leave = deps.sandboxes.join(folder, async () => {
    gone.abort()
    const begun = await opening.catch(() => null)
    if (begun?.ok) await begun.session.close()
  })
  closing.defer(leave)
  const opened = await opening.catch((error: unknown) => {
    if (signal.aborted || !turn.signal.aborted) throw error
    return null
  })
  const nothing = { session: before.session, added, heard: news?.upTo ?? null, text: '', counts: guard.counts() }
  if (opened === null) return { ...nothing, end: turn.ended({ type: 'ended', reason: 'cancelled', text: '' }) }
  if (!opened.ok) return { ...nothing, end: turn.ended({ type: 'failed', failure: opened.failure }) }
  const { session } = opened
  closing.defer(() => session.close())
  // Announced once a turn: otherwise repeated kill -9 at each commit would prevent any progress.
  if (before.begunAt === null) await announce(turn.transact, { lane, name, credentials }, session)
  const observer = createObserver({ lane, name, from, clock, redact, transact: turn.transact })
  const saying = { lane, messages: [...stored, ...added], isInterrupted: before.isInterrupted, diff }
  const text = promptOf({ ...saying, isLoaded: session.isLoaded })
  turn.prompted()
  const watched = watchTurn(deps.live, lane, `agent:${name}`)
  closing.defer(watched.end)
  const end = await session.prompt(
    text,
    (update) => {
      observer.take(update)
      guard.take(update)
      watched.take(update)
    },
    AbortSignal.any([signal, turn.signal]),
  )
  // Ends the agent's processes before its turn is evaluated.
  await session.close()
  await own.end()
  await gateway.close()
  await observer.end()
  signal.throwIfAborted()
  return {
    session: session.id,
    added,
    heard: news?.upTo ?? null,
    counts: guard.counts(),
    text: end.type === 'ended' ? end.text : '',
    end: turn.ended(end, gateway.obstacle()),
  }
}

/** Collects the reason why a turn ends; the first one counts. */
function createTurn(deps: StepDependencies, { lane, run }: AgentLane) {
  const ending = new AbortController()
  let call: ToolCall | null = null
  let stop: LaneStop | null = null
  let isHolding = false
  const waits: (() => void)[] = []

  const stopListening = deps.engine.onCommit(() => void lookForPause().catch(() => undefined))
  async function lookForPause(): Promise<void> {
    if (isHolding || !isHeld(await load(deps.store, 'run', run.id))) return
    isHolding = true
    ending.abort()
  }

  function stopFor(reason: LaneStop): void {
    stop ??= reason
    ending.abort()
  }

  return {
    signal: ending.signal,
    async over() {
      stopListening()
      for (const cancel of waits) cancel()
    },
    prompted(): void {
      waits.push(actAfter(deps.clock, { ms: limits.agentTurn.turnSec * 1_000 }, () => stopFor('turn_time')))
    },
    async transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      return deps.engine.transact(async (tx) => {
        const current = await load(tx, 'lane', lane.id)
        if (current.version !== lane.version) throw new StaleVersion(lane.id, lane.version)
        return work(tx)
      })
    },
    accepted(accepted: ToolCall): void {
      call = accepted
      waits.push(actAfter(deps.clock, { ms: limits.agentTurn.graceMs }, () => ending.abort()))
    },
    stop: stopFor,
    obstructed: () => ending.abort(),
    ended(
      end: TurnEnd | { readonly type: 'failed'; readonly failure: AgentFailure },
      obstacle: Extract<TurnOutcome, { type: 'obstacle' }>['obstacle'] | null = null,
    ): TurnOutcome {
      if (call !== null) return { type: 'accepted', call }
      // Model calls end together with the turn, so its cause comes first.
      if (stop !== null) return { type: 'stopped', stop }
      if (isHolding) return { type: 'held' }
      if (obstacle !== null) return { type: 'obstacle', obstacle }
      return end.type === 'failed' ? end : { type: 'idle' }
    },
  }
}

/**
 * The diff for a session that replaces a lost one. The host can read the files, since the agent's
 * process has not started yet.
 */
async function diffSoFar(deps: StoryDependencies, lane: Lane, signal: AbortSignal): Promise<string> {
  const story = await requireStory(deps.store, lane)
  const kept = await snapshotStory(deps, story, signal, { why: 'its agent starts again' })
  return snapshotDiff(deps, kept.ok ? { ...story.data, ...kept.data } : story.data)
}

/** Stores the session, so that a later process can load it. */
async function announce(
  transact: (work: (tx: Transaction) => Promise<void>) => Promise<void>,
  { lane, name, credentials }: Pick<AgentLane, 'lane' | 'name'> & Pick<AgentSettings, 'credentials'>,
  { id, isLoaded, version }: AgentSession,
): Promise<void> {
  const { run, story } = lane
  const logins = credentials.map(({ at }) => at)
  const data = {
    lane: lane.data.key,
    agent: name,
    version,
    turn: lane.data.turn,
    session: id,
    loaded: isLoaded,
    ...(logins.length > 0 && { credentials: logins }),
  }
  await transact((tx) => tx.appendEvent({ run, story, type: 'agent_session', data }))
}
