import { constants } from 'node:os'
import type { Drydock } from '../../../app/drydock.ts'
import { takeResults } from '../../../app/hub/take-result.ts'
import { type Views, viewsOf } from '../../../app/operations/views-of.ts'
import type { HubAccess } from '../../../app/state-access.ts'
import { follow } from '../../../app/wait/follow.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Event } from '../../../domain/event.ts'
import { limits } from '../../../domain/limits.ts'
import { type Outcome, outcomeOfQuestion, outcomeOfResult } from '../../../domain/run/outcome.ts'
import { pauseSignals } from '../../../domain/run/pause-cause.ts'
import type { Result } from '../../../domain/run/result.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { thisProcess } from '../../door/host.ts'
import { keyboardOf } from '../../screen/ask-line.ts'
import { emitLastLine } from '../../screen/last-line.ts'
import { outcomeLine } from '../../screen/outcome-line.ts'
import { isAttended, type Output } from '../../screen/output.ts'
import { printResult } from '../../screen/print-result.ts'
import { createProgress, type Progress } from '../../screen/progress.ts'
import { asJson, describeQuestion, replyLine } from '../../screen/question.ts'
import { createStoryline } from '../../screen/storyline.ts'
import { sayRecorded } from '../recording/record.ts'
import { type Delivery, deliverSpec } from './deliver-spec.ts'
import { createInterviewer } from './interviewer.ts'

/** What a caller may want of the attending beside its result. */
export interface AttendOptions {
  readonly human?: HumanOptions
  /** Called with each result once it is printed. */
  readonly onResult?: (result: Result) => void
  /** Where the spec of an interview goes. */
  readonly delivery?: Delivery
  /** File into which the Run is recorded, as far as it came. */
  readonly record?: string | undefined
  /** Serves the dashboard meanwhile; null when it cannot. */
  readonly dashboard?: (drydock: Drydock) => Promise<{ close(): Promise<void> } | null>
}

export interface Attending extends AttendOptions {
  readonly drydock: Drydock
  readonly runs: readonly string[]
  readonly after: number
  readonly coders: number
  readonly own: boolean
  readonly command?: string
  /** Ends with exit code 6 when nothing goes on without a human, or a human has paused it. */
  readonly noWait: boolean
  /** The same for a question, also where a pause is waited for. */
  readonly endsAtQuestion: boolean
  /** Every Run is worked on that nobody has paused. */
  readonly all?: boolean
  /** No model is called: nothing but these Runs is worked on, whoever asks for more. */
  readonly only?: boolean
  /** False where a Run that is ended anyway is not paused by Ctrl-C. */
  readonly holds?: boolean
}

/** Who answers what a Run asks, where its model is a recording. */
export interface HumanOptions {
  /** A person answers, not the recorded one. */
  readonly interactive?: boolean
  /** How long a question stays visible before the recorded human answers it. */
  readonly delayMs?: number
}

/**
 * Follows Runs on the screen to their results. The first Ctrl-C pauses them and ends with the steps
 * that are under way, the second ends at once. A terminal that is closed (SIGHUP) and a supervisor
 * that ends the process (SIGTERM) mean the same.
 */
export async function attend(context: Context, attending: Attending): Promise<number> {
  const specs: unknown[] = []
  const exitCode = await followToEnd(context, attending, (spec) => specs.push(spec))
  const { own, delivery = own ? {} : undefined } = attending
  if (delivery) for (const spec of specs) await deliverSpec(context, spec, delivery)
  return exitCode
}

async function followToEnd(context: Context, attending: Attending, onSpec: (answer: unknown) => void): Promise<number> {
  const { terminal, output } = context
  const { host = thisProcess } = terminal
  const { drydock, runs } = attending
  const stop = new AbortController()
  const progress = createProgress(terminal, { json: output.json })
  const note = (text: string) => {
    progress.clear()
    output.note(text)
  }
  // A hub does the work, with or without this terminal.
  const works = attending.own && drydock.atHub === null
  const recorded = works && !attending.human?.interactive
  const holds = works && attending.holds !== false
  // Without a terminal, or if nobody is waited for, the questions are printed instead.
  const asks = attending.own && !attending.noWait && !attending.endsAtQuestion && !output.json
  const keyboard = asks ? keyboardOf(terminal) : null
  const interviewer = keyboard && createInterviewer(context, { drydock, keyboard, hush: progress.hush, stop })
  let owner = false
  let held = false
  let told = false
  /** Messages that are shown with their question by now. */
  const asked = new Set<string>()
  const interrupt = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) {
      if (holds && !held)
        note('Stopped before the pause was stored: the run continues as soon as anybody resumes anything.')
      return host.exit(128 + constants.signals[signal])
    }
    progress.end()
    note(drydock.atHub ? farewellTo(drydock.atHub, attending) : farewell({ ...attending, holds, owner }))
    stop.abort(signal)
  }
  for (const signal of pauseSignals) host.on(signal, interrupt)
  const dashboard = await attending.dashboard?.(drydock)
  const unfollow = drydock.atHub?.followedBy({ note, stop: stop.signal })
  try {
    if (attending.after > 0) await recallCrews(await viewsOf(drydock), runs, progress)
    const { exitCode } = await follow(drydock, {
      ...attending,
      interviewer,
      humanDelayMs: recorded ? (attending.human?.delayMs ?? 0) : null,
      stop: stop.signal,
      gone: host.gone,
      onNote: note,
      onOwner() {
        owner = true
      },
      ...(holds && {
        onHeld() {
          held = true
        },
      }),
      onEvent(event) {
        // Results come last, once it is sure that they are the last word.
        if (event.type !== 'result') output.emit(toLine(event))
        if (interviewer?.tells(event) !== true) progress.show(event)
        if (event.type === 'escalation' && !output.json) asked.add(event.data.id)
        if (event.type !== 'result') host.shown(event.id)
      },
      async onResults(results) {
        progress.end()
        told = true
        const failure = await takeResults(drydock, [...results.keys()])
        for (const run of runs) {
          const result = results.get(run)
          if (!result) continue
          const outcome = outcomeOfResult(result)
          if (isShort(output, result)) output.note(inShort(outcome, result))
          // Who is told more about it afterwards needs only the end of a log.
          else printResult(output, run, result, attending.onResult && limits.report.firstGateLines)
          output.emit({ type: 'result', run, ...result, outcome })
          attending.onResult?.(result)
          if (result.kind === 'interview' && result.status === 'DONE') onSpec(result.answer)
        }
        // What came of it is told first, wherever its branch may be.
        if (failure !== null) throw failure.error
      },
      onWaiting(open) {
        progress.end()
        output.emit({ type: 'waiting', escalations: open.map(asJson) })
        for (const each of open)
          output.note(asked.has(each.message.id) ? `  ${replyLine(each.message.id)}` : `${describeQuestion(each)}\n`)
        const why = attending.noWait ? '' : ' Without a terminal it waits only with --wait.'
        output.note(
          `${outcomeLine(output.screen, outcomeOfQuestion)}\nAnswer as shown above, then continue with: drydock ${drydock.atHub ? 'watch' : 'resume'}${why && `\n${why.trim()}`}`,
        )
      },
    })
    interviewer?.check()
    if (stop.signal.aborted && !told) await emitLastLine(output, await viewsOf(drydock), runs)
    return exitCode
  } catch (error) {
    // Who does not wait for the hub to come back has been told how to follow again.
    if (stop.signal.aborted && error instanceof DrydockError && error.code === 'hub_unreachable') return 130
    throw error
  } finally {
    unfollow?.()
    await interviewer?.end()
    progress.end()
    await dashboard?.close()
    for (const run of attending.record === undefined ? [] : runs) {
      note(
        await sayRecorded({ ...(await viewsOf(drydock)), repository: drydock.repository }, run, attending.record ?? ''),
      )
    }
    for (const signal of pauseSignals) host.off(signal, interrupt)
  }
}

/**
 * A program has the result itself; people are told what they can do where it goes no further
 * without them.
 */
function isShort({ json }: Output, { status }: Result): boolean {
  return json && status !== 'PAUSED'
}

function inShort({ code, sentence }: Outcome, { error }: Result): string {
  const said = `${code}: ${sentence}`
  return error === undefined ? said : `drydock: ${error.message}\n${error.todo}`
}

function farewellTo({ url }: HubAccess, { runs }: Pick<Attending, 'runs'>): string {
  const again = `drydock watch${runs.length === 1 ? ` ${runs[0]}` : ''} --hub ${url}`
  return `No longer following. The run goes on at the hub. Follow it again with: ${again}`
}

function farewell({
  own,
  owner,
  holds,
  runs,
}: Pick<Attending, 'own' | 'holds' | 'runs'> & { readonly owner: boolean }): string {
  if (!own) return 'No longer watching. The run itself is unchanged.'
  if (!holds)
    return 'Stopping after the current steps; nothing is lost. Ctrl-C again stops at once. Continue with: drydock resume'
  const goOn = `Continue with: drydock resume${runs.length === 1 ? ` ${runs[0]}` : ''}`
  return owner
    ? `Stopping: paused. The current steps have ${limits.owner.stopMs / 1_000} s to end (Ctrl-C again stops at once). ${goOn}`
    : `No longer following. The run is paused. ${goOn}`
}

/** Whom a command waits for: without a terminal nobody is there who could answer a question. */
export function waiting({ terminal }: Context, { wait }: CommonOptions): Pick<Attending, 'noWait' | 'endsAtQuestion'> {
  return { noWait: wait === false, endsAtQuestion: !(wait ?? isAttended(terminal)) }
}

/** An event as `--json` prints it; an escalation has the id of its message, which is answered. */
export function toLine({ type, run, id, at, story, data, actor }: Event): object {
  const asks = type === 'escalation'
  const by = actor !== undefined && { actor }
  return { type, run, id, at, ...((asks || story !== null) && { story }), ...by, ...data }
}

/** Recalls the stories of crews, whose earlier events are not shown again. */
async function recallCrews(views: Pick<Views, 'crews'>, runs: readonly string[], progress: Progress): Promise<void> {
  const { crews } = await views.crews({ runs: runs.join(',') })
  for (const { run, state, stories, questions, tokens, cost_usd: costUsd } of crews) {
    const storyline = createStoryline()
    for (const { id, ...now } of stories) storyline.stories.set(id, now)
    for (const question of questions) storyline.questions.add(question)
    progress.recall(run, Object.assign(storyline, { kind: 'spec', state, tokens, costUsd }))
  }
}
