import { randomUUID } from 'node:crypto'
import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk'
import { checkText } from '../../app/operations/act/post.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import { handOver } from '../../app/operations/hand-over.ts'
import type { Acts } from '../../app/operations/operations.ts'
import { acceptLine } from '../../app/text/accept-line.ts'
import type { RunNow } from '../../app/views/window/run-now.ts'
import { openRunWindow } from '../../app/views/window/run-window.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { askAcceptance, askApproval, askQuestion } from './ask-user.ts'
import type { Client } from './client.ts'
import { promptText } from './prompt-text.ts'
import type { Room } from './room.ts'
import { invalid } from './rpc-error.ts'
import { createRunScreen, infoOf } from './run-screen.ts'
import type { StoredSession } from './session-file.ts'
import { choose, type SessionOptions, workOptions } from './session-options.ts'
import { startWork } from './start-work.ts'
import { createTurn, type Turn } from './turn.ts'
import { type Standing, type Watch, watchRun } from './watch-run.ts'

interface ClientSessionOptions {
  readonly id: string
  readonly room: Room
  readonly client: Client
  readonly stored: StoredSession
  readonly onBug: (error: unknown) => void
}

/** A conversation of a client: the Runs that were started in it, in order. */
export interface ClientSession {
  readonly room: Room
  options(): SessionOptions
  choose(choice: { readonly id: string; readonly value: unknown }, models: readonly string[]): Promise<void>
  /** Resumes the stored session; with `tell`, sends the client its whole history first. */
  recall(options: { readonly tell: boolean }): Promise<void>
  prompt(prompt: readonly ContentBlock[], cancelled: AbortSignal): Promise<PromptResponse>
  /** Pauses the work of the session. */
  cancel(): Promise<void>
  /** Ends the session because its client has gone. The work continues. */
  leave(): Promise<void>
}

export function createClientSession({ id, room, client, stored, onBug }: ClientSessionOptions): ClientSession {
  const { drydock, files } = room
  let { runs, options } = stored
  const window = openRunWindow(drydock)
  const screen = createRunScreen({ window, client, repository: drydock.repository })
  let turn: Turn | null = null
  /** The turn, set once its request is stored. Until then, a Run at rest does not end the turn. */
  let begun: Turn | null = null
  /** The stored turn at the time of the last look at the Run. */
  let looked: Turn | null = null
  let watch: Watch | null = null
  const say = (text: string) =>
    client.update({
      sessionUpdate: 'agent_message_chunk',
      messageId: randomUUID(),
      content: { type: 'text', text: `${text}\n\n` },
    })

  async function follow(run: string): Promise<Watch> {
    if (watch?.run === run && !watch.isOver()) return watch
    await watch?.stop()
    watch = watchRun({
      room,
      window,
      run,
      look() {
        // Facts that were read while the request was not yet stored say nothing about it.
        looked = begun
        return screen.show(run)
      },
      take: (standing, now) => take(looked === begun ? begun : null, standing, now),
      onFailure(error) {
        if (turn === null) onBug(error)
        else turn.fail(error)
      },
    })
    return watch
  }

  /** Runs an operation on the watched Run. */
  async function give(does: (acts: Acts) => ReturnType<Acts['post']>): Promise<void> {
    const { run, command } = await does(await actsOf(drydock))
    const watching = await follow(run)
    if (command !== undefined) watching.expect(command)
  }

  /** Reacts to the state of the Run. Returns false when the watch is no longer needed. */
  function take(mine: Turn | null, standing: Standing, now: RunNow | null): boolean {
    if (mine === null) return standing !== 'rests' || turn !== null
    if (standing === 'abandoned') mine.close(sayAbandoned)
    if (now === null) return true
    const acceptances = now.acceptable.map(({ id: finding }) => `accept/${finding}`)
    mine.keepOnly(new Set([...now.open.map(({ message }) => message.id), ...acceptances]))
    if (mine.isCancelled()) return true
    askUser(mine, standing, now)
    if (mine.isAsking()) return true
    if (standing === 'rests') mine.end('end_turn')
    if (standing === 'waits') mine.close(() => sayHowToAnswer(now))
    return true
  }

  function askUser(mine: Turn, standing: Standing, now: RunNow): void {
    for (const asked of now.open) {
      mine.ask(asked.message.id, async (signal) => {
        const how = acceptLine(asked.message, asked.findings)
        await say([asked.message.content.trimEnd(), how].filter(Boolean).join('\n\n'))
        const ask = asked.decisions.includes('approve') ? askApproval : askQuestion
        const text = await ask(client, asked, signal)
        if (text !== null) await answer(asked.message.id, text)
      })
    }
    const left = now.acceptable.filter((found) => !mine.wasAsked(`accept/${found.id}`))
    if (standing === 'rests' && left.length > 0)
      mine.ask(`accept/${left[0]?.id}`, (signal) => accept(mine, now, signal))
  }

  /**
   * Answers a question. Somebody else may have answered first; the user is then told that the
   * answer was not used.
   */
  async function answer(message: string, text: string): Promise<void> {
    try {
      await (await actsOf(drydock)).reply({ id: message, text })
    } catch (error) {
      if (!(error instanceof DrydockError)) throw error
      await say(`${error.message} ${error.todo}`)
    }
  }

  /** Asks about one finding at a time, and then accepts all approved ones together. */
  async function accept(mine: Turn, { run, acceptable }: RunNow, signal: AbortSignal): Promise<void> {
    const ids: string[] = []
    for (const found of acceptable) {
      mine.ask(`accept/${found.id}`, async () => {})
      if (await askAcceptance(client, found, signal)) ids.push(found.id)
      if (signal.aborted) return
    }
    if (ids.length > 0) await give((acts) => acts.accept({ run, findings: ids }))
  }

  function sayHowToAnswer({ open }: RunNow): Promise<void> {
    return say(
      open[0]?.decisions.includes('approve')
        ? 'It waits for you. With your next prompt, say what to change, or `approve`, or `stop`.'
        : 'It waits for your answer to the question above. Answer with your next prompt.',
    )
  }

  function sayAbandoned(): Promise<void> {
    return say(
      `The work does not go on: the process that should do it ends at once. What it said is in ${drydock.state}/acp.log. Nothing is lost.`,
    )
  }

  async function begin(mine: Turn, text: string): Promise<void> {
    const run = runs.at(-1)
    const isThere = run !== undefined && ((await window.now(run)) !== null || (await window.isPending(run)))
    const now = isThere ? await window.now(run) : null
    if (!isThere || (now?.ended && !now.stuck)) return start(mine, text)
    await follow(run)
    if (now?.stuck) await give((acts) => acts.retry({ run, guidance: checkText(text) }))
    else {
      const [asked] = now?.open ?? []
      if (asked !== undefined) await answer(asked.message.id, text)
      else await give((acts) => acts.post({ run, story: null, text }))
      await allowMore(run, now)
      if (now?.stopped) await give((acts) => acts.resume({ run }))
    }
  }

  /** Raises the budget of an existing Run if the user has chosen a larger one. */
  async function allowMore(run: string, now: RunNow | null): Promise<void> {
    if (!now?.budget || options.budget === undefined) return
    const runUsd = Number(options.budget) - now.budget.runUsd
    if (runUsd > 0) await give((acts) => acts.budget({ run, run_usd: runUsd, story_usd: 0, run_tokens: 0 }))
  }

  async function start(mine: Turn, text: string): Promise<void> {
    const work = { mode: options.mode, text, options: workOptions(room.options, options) }
    const { key, command } = await startWork(drydock, work)
    if (mine.isCancelled()) return mine.end('cancelled')
    runs = [...runs, command.run]
    await save()
    await client.update(infoOf(text))
    await handOver(drydock, key, command)
    const watching = await follow(command.run)
    watching.expect(key)
    watching.work()
    // The turn was cancelled while there was nothing to pause yet.
    if (mine.isCancelled()) await pause(command.run)
  }

  const save = () => files.write(id, { runs, options, deleted: false })

  async function cancel(): Promise<void> {
    turn?.cancel()
    const run = runs.at(-1)
    const paused = run !== undefined && (await goesOn(run)) && (await pause(run))
    if (turn === null) return
    if (paused) await say('Paused: the current steps still end. Nothing is lost. To continue, send a prompt.')
    turn.end('cancelled')
  }

  async function pause(run: string): Promise<true> {
    const acts = await actsOf(drydock)
    await acts.pause({ run }).catch((error: unknown) => {
      // The Run may have come to rest by itself in the meantime.
      if (!(error instanceof DrydockError && error.code === 'already_done')) throw error
    })
    return true
  }

  /** True if there is work to pause; a Run that waits for an answer does nothing anyway. */
  async function goesOn(run: string): Promise<boolean> {
    const now = await window.now(run)
    if (now === null) return window.isPending(run)
    return !now.atRest && !now.stopped && now.outcome.code !== 'WAITS_FOR_YOU'
  }

  return {
    room,
    options: () => options,
    async choose(choice, models) {
      options = choose(options, choice, models)
      if (runs.length > 0) await save()
    },
    async recall({ tell }) {
      for (const run of runs) await screen.recall(run, { tell })
      const run = runs.at(-1)
      if (run !== undefined) await follow(run)
    },
    async prompt(prompt, cancelled) {
      if (turn !== null) throw invalid('A prompt of this session is in progress. Cancel it, or wait for its end.')
      const text = promptText(prompt, drydock.repository)
      const mine = createTurn(() => watch?.ring())
      turn = mine
      const abort = () => void cancel().catch(mine.fail)
      cancelled.addEventListener('abort', abort, { once: true })
      try {
        await begin(mine, text)
        begun = mine
        watch?.ring()
        return { stopReason: await mine.over }
      } finally {
        cancelled.removeEventListener('abort', abort)
        turn = null
        begun = null
      }
    },
    cancel,
    async leave() {
      turn?.end('cancelled')
      await watch?.stop()
      await window.close()
    },
  }
}
