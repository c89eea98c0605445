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

/** Options for attending Runs. */
export interface AttendOptions {
  readonly human?: HumanOptions
  /** Called with each result once it is printed. */
  readonly onResult?: (result: Result) => void
  /** The place for the spec of an interview. */
  readonly delivery?: Delivery
  /** File that receives the recording of the Run, even of an unfinished one. */
  readonly record?: string | undefined
  /** Serves the dashboard during the work; null when that is not possible. */
  readonly dashboard?: (drydock: Drydock) => Promise<{ close(): Promise<void> } | null>
}

export interface Attending extends AttendOptions {
  readonly drydock: Drydock
  readonly runs: readonly string[]
  readonly after: number
  readonly coders: number
  readonly own: boolean
  readonly command?: string
  /** True to end with exit code 6 when the work needs a human, or a human has paused it. */
  readonly noWait: boolean
  /** True to end with exit code 6 when a question is open, even if a pause would be waited for. */
  readonly endsAtQuestion: boolean
  /** True to work on every Run that nobody has paused. */
  readonly all?: boolean
  /** True to work on no other Runs, so that no model is called for them. */
  readonly only?: boolean
  /** False if Ctrl-C should not pause the Run, because it has ended anyway. */
  readonly holds?: boolean
}

/** Options for the human in a recording, who answers a Run's questions. */
export interface HumanOptions {
  /** True if a person answers instead of the recorded human. */
  readonly interactive?: boolean
  /** Milliseconds that a question stays visible until the recorded human answers it. */
  readonly delayMs?: number
}

/**
 * Follows Runs on the screen to their results. The first Ctrl-C pauses them and waits for the
 * current steps, the second ends at once. SIGHUP from a closed terminal and SIGTERM from a
 * supervisor have the effect of Ctrl-C.
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
  // A hub continues the work, with or without this terminal.
  const works = attending.own && drydock.atHub === null
  const recorded = works && !attending.human?.interactive
  const holds = works && attending.holds !== false
  // Without a terminal, or without waiting, prints the questions instead.
  const asks = attending.own && !attending.noWait && !attending.endsAtQuestion && !output.json
  const keyboard = asks ? keyboardOf(terminal) : null
  const interviewer = keyboard && createInterviewer(context, { drydock, keyboard, hush: progress.hush, stop })
  let owner = false
  let held = false
  let told = false
  /** Ids of messages whose question has been shown. */
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
        // Results are printed later, when they are known to be final.
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
          // If more will be printed about the result, the end of its log is enough.
          else printResult(output, run, result, attending.onResult && limits.report.firstGateLines)
          output.emit({ type: 'result', run, ...result, outcome })
          attending.onResult?.(result)
          if (result.kind === 'interview' && result.status === 'DONE') onSpec(result.answer)
        }
        // Reports the result first, even if its branch could not be brought here.
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
    // A person who interrupts the wait for the hub has already been told how to follow again.
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
 * True if the brief form is enough: a program reads the result itself. A paused Run always prints
 * the ways to continue.
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

/** The human input that a command waits for. Without a terminal nobody could answer a question. */
export function waiting({ terminal }: Context, { wait }: CommonOptions): Pick<Attending, 'noWait' | 'endsAtQuestion'> {
  return { noWait: wait === false, endsAtQuestion: !(wait ?? isAttended(terminal)) }
}

/**
 * An event as `--json` prints it. An escalation gets the id of its message, which a reply must
 * name.
 */
export function toLine({ type, run, id, at, story, data, actor }: Event): object {
  const asks = type === 'escalation'
  const by = actor !== undefined && { actor }
  return { type, run, id, at, ...((asks || story !== null) && { story }), ...by, ...data }
}

/** Loads the progress of crews, whose earlier events are not shown again. */
async function recallCrews(views: Pick<Views, 'crews'>, runs: readonly string[], progress: Progress): Promise<void> {
  const { crews } = await views.crews({ runs: runs.join(',') })
  for (const { run, state, stories, questions, tokens, cost_usd: costUsd } of crews) {
    const storyline = createStoryline()
    for (const { id, ...now } of stories) storyline.stories.set(id, now)
    for (const question of questions) storyline.questions.add(question)
    progress.recall(run, Object.assign(storyline, { kind: 'spec', state, tokens, costUsd }))
  }
}
