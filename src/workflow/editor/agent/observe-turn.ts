import { withoutKey } from '../../../agents/prompts/guidance.ts'
import type { EventData, NewEvent } from '../../../domain/event.ts'
import type { Lane } from '../../../domain/lane/lane.ts'
import { limits } from '../../../domain/limits.ts'
import { observedBy } from '../../../domain/observed.ts'
import type { Redact } from '../../../domain/secrets/redact.ts'
import { capText } from '../../../domain/text.ts'
import { actAfter } from '../../../ports/act-after.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AgentUpdate } from '../../../ports/coding-agent.ts'
import type { ToolExecution } from '../../../ports/rows.ts'
import type { Transaction } from '../../../ports/store.ts'

export interface Observing {
  readonly lane: Lane
  readonly name: string
  /** Number of the turn's first observed call: an interrupted turn already has some. */
  readonly from: number
  readonly clock: Clock
  readonly redact: Redact
  readonly transact: (work: (tx: Transaction) => Promise<void>) => Promise<void>
}

export interface Observer {
  take(update: AgentUpdate): void
  /** Stores the remaining calls; calls without an end are stored as unfinished. */
  end(): Promise<void>
}

type ToolUpdate = Extract<AgentUpdate, { type: 'tool' }>
type Write = (tx: Transaction) => Promise<void>

/**
 * Stores the reported actions of a foreign agent while it works: in few commits of several updates
 * each, and at most as many of one turn as a reader can take.
 */
export function createObserver(observing: Observing): Observer {
  const { lane, name, clock, redact, transact } = observing
  const begun = new Map<string, { readonly index: number; readonly startedAt: Date; last: ToolUpdate }>()
  const ended = new Set<string>()
  let next = observing.from
  let kept = 0
  let waiting: Write[] = []
  let cancelStore: (() => void) | null = null
  let storing = Promise.resolve()
  const shown = (text: string) => capText(withoutKey(redact(text), lane.data.humanKey), limits.agentTurn.textChars)

  function store(): void {
    cancelStore?.()
    cancelStore = null
    const writes = waiting
    waiting = []
    if (writes.length === 0) return
    storing = storing
      .then(() =>
        transact(async (tx) => {
          for (const write of writes) await write(tx)
        }),
      )
      // Another process has taken the lane, which ends the turn.
      .catch(() => undefined)
  }

  function add(write: Write): void {
    kept += 1
    if (kept > limits.agentTurn.observed) return
    waiting.push(kept === limits.agentTurn.observed ? tellFull : write)
    if (waiting.length >= limits.agentTurn.batch) store()
    else cancelStore ??= actAfter(clock, { ms: limits.agentTurn.batchMs }, store)
  }

  function tellFull(tx: Transaction): Promise<void> {
    const text = 'It says more in this turn than is kept.'
    const data = { lane: lane.data.key, agent: name, kind: 'said', text } as const
    return tx.appendEvent(eventOf(lane, { type: 'agent_update', data }))
  }

  function tell({ kind, text }: Words): void {
    if (text.trim() === '') return
    const data = { lane: lane.data.key, agent: name, kind, text: shown(text) }
    add((tx) => tx.appendEvent(eventOf(lane, { type: 'agent_update', data })))
  }

  function takeTool(update: ToolUpdate): void {
    if (ended.has(update.id)) return
    const call = begun.get(update.id) ?? { index: next, startedAt: clock.now(), last: update }
    if (!begun.has(update.id)) next += 1
    call.last = update
    begun.set(update.id, call)
    if (update.status === 'completed' || update.status === 'failed') finish(update.id)
  }

  function finish(id: string): void {
    const call = begun.get(id)
    if (call === undefined) return
    begun.delete(id)
    ended.add(id)
    const execution = rowOf(observing, call, shown)
    const { turn, tool, success: ok, index: observed } = execution
    const data = { lane: lane.data.key, turn, tool, ok, observed }
    add(async (tx) => {
      await tx.finishTool(execution)
      await tx.appendEvent(eventOf(lane, { type: 'tool', data }))
    })
  }

  return {
    take(update) {
      if (update.type === 'tool') takeTool(update)
      else tell(wordsOf(update))
    },
    async end() {
      for (const id of [...begun.keys()]) finish(id)
      store()
      await storing
    },
  }
}

type Words = Pick<EventData['agent_update'], 'kind' | 'text'>

function wordsOf(update: Exclude<AgentUpdate, ToolUpdate>): Words {
  switch (update.type) {
    case 'said':
    case 'thought':
      return { kind: update.type, text: update.text }
    case 'plan':
      return { kind: 'plan', text: update.entries.map(({ text, status }) => `${status}: ${text}`).join('\n') }
    case 'permission':
      return { kind: 'permission', text: `${update.title}: ${update.answer}` }
    case 'refused':
      return { kind: 'refused', text: update.method }
    default:
      throw new Error(`unknown update ${update satisfies never}`)
  }
}

function eventOf({ run, story }: Lane, event: Pick<NewEvent, 'type' | 'data'>): NewEvent {
  return { run, story, ...event } as NewEvent
}

interface CallObservation {
  readonly index: number
  readonly startedAt: Date
  readonly last: ToolUpdate
}

function rowOf(
  { lane, name, clock }: Observing,
  { index, startedAt, last }: CallObservation,
  shown: (text: string) => string,
): ToolExecution {
  const { title, kind, paths, input, output, status } = last
  const now = clock.now()
  return {
    session: lane.run,
    lane: lane.id,
    story: lane.story,
    turn: lane.data.turn,
    index,
    callId: last.id.slice(0, 200),
    agent: observedBy(name),
    tool: kind,
    expectation: null,
    arguments: {
      title: shown(title),
      ...(paths.length > 0 && { paths: paths.slice(0, limits.eventPaths).map(shown) }),
      ...(input !== null && { input: shown(input) }),
    },
    startedAt: startedAt.toISOString(),
    finishedAt: now.toISOString(),
    durationMs: now.getTime() - startedAt.getTime(),
    result: output === null ? '' : shown(output),
    success: status === 'completed' ? true : status === 'failed' ? false : null,
  }
}
