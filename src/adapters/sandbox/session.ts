import { lineSplitter } from '../../domain/line-splitter.ts'
import type { InfraError } from '../../domain/verification/verdict.ts'
import {
  type RunnerReply,
  type RunnerRequest,
  SandboxEnded,
  type SandboxResult,
  type SandboxSession,
} from '../../ports/sandbox.ts'
import type { RunnerLine, RunnerSetup } from './runner/protocol.ts'
import { parseAnswer } from './runner-replies.ts'
import type { StartedSandbox } from './start.ts'
import { toolbox } from './toolbox.ts'
import { createTurns } from './turns.ts'
import { type SpaceWatch, watchSpace } from './watch-space.ts'

const mostReplyChars = 64 * 1_048_576
/**
 * The time that the runner may take to answer an abort before the sandbox is killed. On a machine
 * that is busy with tests, a process may wait for several seconds.
 */
const graceMs = 15_000
const makeSpace = 'Delete what you do not need of what it wrote, before anything else.'

export interface SessionInput {
  /** Starts a sandbox with the runner in it. */
  start(): Promise<SandboxResult<StartedSandbox>>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Program and arguments inside, to which a command's text is appended. */
  readonly shell: readonly string[]
  /** Host folders that a command can fill. */
  readonly writable: readonly string[]
  /** The reason why the runner did not start, derived from its error output. */
  failure(words: string): InfraError
}

/** A long-lived sandbox with the runner inside. */
export async function openSession(input: SessionInput, signal: AbortSignal): Promise<SandboxResult<SandboxSession>> {
  signal.throwIfAborted()
  const { cwd, env, shell, writable, failure } = input
  const sandbox = await input.start()
  if (!sandbox.ok) return sandbox
  const session = createSession(sandbox.value, writable)
  signal.addEventListener('abort', sandbox.value.kill, { once: true })
  if (signal.aborted) sandbox.value.kill()
  const refusal = await session.start({ cwd, env, shell, ripgrep: toolbox.ripgrep })
  signal.removeEventListener('abort', sandbox.value.kill)
  if (signal.aborted) await session.close()
  signal.throwIfAborted()
  return refusal === null ? { ok: true, value: session } : { ok: false, error: failure(refusal) }
}

/** Requests that change nothing, and may run at the same time. */
const sharing: ReadonlySet<RunnerRequest['op']> = new Set(['read', 'hash', 'list', 'search', 'state', 'git', 'look'])

interface Waiting {
  readonly op: RunnerRequest['op']
  /** Null if the sandbox has ended without a reply. */
  readonly resolve: (reply: RunnerReply<RunnerRequest['op']> | null) => void
}

function createSession(sandbox: StartedSandbox, writable: readonly string[]) {
  const { stdin, stdout, gone, kill } = sandbox
  let onReady: (() => void) | null = null
  const waiting = new Map<number, Waiting>()
  const turns = createTurns()
  let lastId = 0
  let isGone = false
  let because = ''
  /** Watches the disk once a command has run in the background. */
  let beside: SpaceWatch | null = null
  const ended = gone.then(() => {
    isGone = true
    beside?.stop()
    for (const { resolve } of waiting.values()) resolve(null)
  })

  // A failed write needs no handling, since `gone` reports the runner's end.
  stdin?.on('error', () => undefined)
  const onOverflow = () => giveUp('a reply is too long')
  stdout?.setEncoding('utf8').on('data', lineSplitter({ maxChars: mostReplyChars, onLine: take, onOverflow }))

  function take(line: string): void {
    if (onReady !== null) {
      onReady()
      onReady = null
      return
    }
    if (because !== '') return
    const answer = parseAnswer(line, waiting)
    // Other code inside writes in the runner's place, so no further line can be trusted.
    if (answer === null) {
      giveUp('something inside spoke in place of the runner')
      return
    }
    waiting.get(answer.id)?.resolve(answer.reply)
    waiting.delete(answer.id)
  }

  function giveUp(reason: string): void {
    because ||= reason
    kill()
  }

  function tell(line: RunnerLine | RunnerSetup): void {
    stdin?.write(`${JSON.stringify(line)}\n`)
  }

  /** The error output of a runner that did not start; null if it did. */
  async function start(setup: RunnerSetup): Promise<string | null> {
    const ready = new Promise<null>((resolve) => {
      onReady = () => resolve(null)
    })
    tell(setup)
    const failed = gone.then((end) => (end.spawned ? sandbox.complaint().trim() : end.error.message))
    return Promise.race([ready, failed])
  }

  async function ask(request: RunnerRequest, signal: AbortSignal): Promise<RunnerReply<RunnerRequest['op']>> {
    signal.throwIfAborted()
    if (isGone) throw goneError()
    lastId += 1
    const id = lastId
    const answered = new Promise<RunnerReply<RunnerRequest['op']> | null>((resolve) => {
      waiting.set(id, { op: request.op, resolve })
    })
    const late = () => giveUp('its runner did not answer in time')
    let grace: NodeJS.Timeout | undefined
    const abort = () => {
      tell({ abort: id })
      grace ??= setTimeout(late, graceMs)
    }
    const space = watchSpace(request.op === 'run' ? writable : [], abort)
    if (request.op === 'start')
      beside ??= watchSpace(writable, () => giveUp('a command in the background took the disk'))
    const time = timeOf(request)
    const overdue = time === null ? undefined : setTimeout(late, time + graceMs)
    signal.addEventListener('abort', abort)
    try {
      tell({ id, request })
      const reply = await answered
      signal.throwIfAborted()
      const taken = space.taken()
      if (taken !== null) return { ok: false, code: 'disk_full', message: `${taken}. ${makeSpace}` }
      if (reply === null) throw goneError()
      return reply
    } finally {
      clearTimeout(grace)
      clearTimeout(overdue)
      space.stop()
      signal.removeEventListener('abort', abort)
    }
  }

  function goneError(): SandboxEnded {
    return new SandboxEnded(because || sandbox.complaint().trim())
  }

  return {
    start,
    ended,
    /**
     * The type is right, since `parseAnswer` validates the reply with the schema of the request's
     * `op`.
     */
    request<R extends RunnerRequest>(request: R, signal: AbortSignal): Promise<RunnerReply<R['op']>> {
      const answer = turns.take({ alone: !sharing.has(request.op) }, () => ask(request, signal), signal)
      return answer as Promise<RunnerReply<R['op']>>
    },
    async close(): Promise<void> {
      kill()
      await gone
    },
  }
}

/** The time limit of a request in milliseconds; null for one that only its caller ends. */
function timeOf(request: RunnerRequest): number | null {
  switch (request.op) {
    case 'run':
      return request.timeoutMs
    case 'look':
      return request.waitMs
    case 'start':
      return 0
    default:
      return null
  }
}
