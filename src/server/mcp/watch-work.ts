import { done, refuse } from '../../agents/tools/tool.ts'
import type { Installation } from '../../app/installation.ts'
import type { Ownership } from '../../app/ownership.ts'
import type { StateAccess } from '../../app/state-access.ts'
import { momentText } from '../../app/views/history/moment-text.ts'
import { follow } from '../../app/wait/follow.ts'
import type { Event, EventType } from '../../domain/event.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Result } from '../../domain/run/result.ts'
import type { McpOutcome, Waiting } from './mcp-tool.ts'

/** Works on Runs that clients have started, while the server is running. */
export interface WorkWatch {
  /** Waits for the result of a Run, or for its next question. */
  until(run: string, waiting: Waiting): Promise<McpOutcome>
  /** Ends the work after the current steps; `drydock resume` continues it. */
  close(): Promise<void>
}

interface WatchState {
  readonly listeners: Set<Waiting['onProgress']>
  readonly ended: Promise<McpOutcome>
}

/** Types of events that a client receives as progress. */
const told: ReadonlySet<EventType> = new Set(['run_state', 'state', 'verification', 'review', 'merge', 'acceptance'])

export function createWorkWatch(
  drydock: Pick<Installation, 'user' | 'clock' | 'userRepository' | 'model'> &
    Pick<StateAccess, 'openRecords' | 'submit' | 'atHub' | 'connect' | 'ownerFacts'> &
    Pick<Ownership, 'own'>,
): WorkWatch {
  const stop = new AbortController()
  const watched = new Map<string, WatchState>()

  function watch(run: string): WatchState {
    const before = watched.get(run)
    if (before !== undefined) return before
    const listeners: WatchState['listeners'] = new Set()
    const onEvent = (event: Event) => {
      if (event.run !== run || !told.has(event.type)) return
      const text = momentText(event)
      for (const listener of listeners) listener(text)
    }
    const ended = work(run, onEvent).finally(() => watched.delete(run))
    const entry = { listeners, ended }
    watched.set(run, entry)
    return entry
  }

  async function work(run: string, onEvent: (event: Event) => void): Promise<McpOutcome> {
    let open: readonly OpenEscalation[] = []
    const { results } = await follow(drydock, {
      runs: [run],
      after: 0,
      coders: drydock.user.orchestrator.max_coders ?? 1,
      own: true,
      noWait: false,
      endsAtQuestion: true,
      humanDelayMs: null,
      onEvent,
      onNote: () => undefined,
      onWaiting: (questions) => {
        open = questions
      },
      stop: stop.signal,
    })
    return outcomeOf(run, results.get(run) ?? null, open)
  }

  return {
    async until(run, { signal, onProgress }) {
      const { listeners, ended } = watch(run)
      listeners.add(onProgress)
      const left = Promise.withResolvers<McpOutcome>()
      const leave = () => left.resolve(refuse(`${run} continues. \`status\` shows how it is.`))
      signal.addEventListener('abort', leave, { once: true })
      try {
        return await Promise.race([ended, left.promise])
      } finally {
        listeners.delete(onProgress)
        signal.removeEventListener('abort', leave)
      }
    },
    async close() {
      stop.abort('SIGTERM')
      await Promise.allSettled([...watched.values()].map(({ ended }) => ended))
    },
  }
}

function outcomeOf(run: string, result: Result | null, open: readonly OpenEscalation[]): McpOutcome {
  const questions = open.map(({ message }) => ({
    message: message.id,
    story: message.story,
    question: message.content,
  }))
  if (result === null) {
    const structured = { run, status: 'WAITING', questions }
    const text = questions.map(({ message, question }) => `Question ${message}: ${question}`).join('\n\n')
    return { ...done(`${run} waits for an answer.\n\n${text}`), structured }
  }
  const { status, branch, outcome } = result
  const text = [outcome?.sentence ?? status, branch && `Branch: ${branch}`].filter(Boolean).join('\n')
  return { ...done(text), structured: { run, ...result } }
}
