import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drydock, StateReader } from '../compose.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { Event } from '../domain/event.ts'
import { limits } from '../domain/limits.ts'
import { isEnded, type Run } from '../domain/run.ts'
import type { Story } from '../domain/story.ts'
import { attend, toLine } from './attend.ts'
import type { CommonOptions, Context } from './context.ts'
import { findRun, isTask, isUnfinished } from './find-run.ts'
import { formatBytes } from './format-bytes.ts'
import { open } from './open.ts'
import { paintDiff } from './paint-diff.ts'
import type { Screen } from './screen.ts'
import { statusTable } from './status-table.ts'
import { advance, createStoryline, formatElapsed, type Storyline } from './storyline.ts'

/** Opens the state for reading, beside whoever owns it. */
async function reading<T>(drydock: Drydock, read: (records: StateReader | null) => Promise<T>): Promise<T> {
  const records = drydock.openRecords()
  try {
    return await read(records)
  } finally {
    await records?.close()
  }
}

export async function status(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const connection = await drydock.connect({ change: () => {}, gone: () => {} })
  connection?.close()
  return reading(drydock, async (records) => {
    const runs =
      id === undefined
        ? ((await records?.machines({ kind: 'run' })) as readonly Run[] | undefined)
        : [await findRun(records, id)]
    if (!records || !runs || runs.length === 0) {
      context.output.say('No runs yet. Start one: drydock task "…"')
      return 0
    }
    const sizes = id === undefined ? await drydock.sizes() : null
    const lines = await Promise.all(runs.map((run) => describe(records, run, connection !== null)))
    const state = sizes !== null && { state_bytes: sizes }
    for (const line of lines) context.output.emit({ type: 'status', ...line, ...state })
    if (context.output.json) return 0
    context.output.say(statusTable(context.output.screen, lines))
    if (sizes !== null) context.output.say(context.output.screen.paint('faint', stateSize(drydock.state, sizes)))
    return 0
  })
}

/** The largest parts of the state first. */
function stateSize(folder: string, sizes: Readonly<Record<string, number>>): string {
  const parts = Object.entries(sizes).toSorted(([, a], [, b]) => b - a)
  const all = parts.reduce((sum, [, bytes]) => sum + bytes, 0)
  const largest = parts.slice(0, 3).map(([name, bytes]) => `${name} ${formatBytes(bytes)}`)
  return `\nState: ${formatBytes(all)} in ${folder} (${largest.join(', ')}; smaller with: drydock gc)`
}

/** State as people see it: derived from the machines and from whether somebody works on them. */
async function describe(records: StateReader, run: Run, owned: boolean) {
  const story = (await records.machine(`${run.id}/task`)) as Story | null
  const totals = await records.totals(run.id)
  const unfinished = !isEnded(run.state) && run.state !== 'ERROR'
  const request = run.data.request
  return {
    run: run.id,
    kind: request.kind,
    state: unfinished && !owned ? 'INTERRUPTED' : run.state,
    story: story?.state ?? null,
    attempt: story ? Math.min(story.data.failures.loops + 1, limits.verifyLoops) : null,
    verdict: verdictOf(run),
    title: titleOf(run),
    branch: run.state === 'DONE' ? run.data.branch : null,
    error: run.data.error?.message ?? null,
    ...totals,
  }
}

/** Of a verification that has ended: what `drydock verify` was asked for. */
function verdictOf({ data: { request, answer } }: Run): string | null {
  const told = request.kind === 'verify' && typeof answer === 'object' && answer !== null && 'status' in answer
  return told ? String(answer.status) : null
}

function titleOf({ data: { request } }: Run): string {
  switch (request.kind) {
    case 'task':
      return request.task.text
    case 'verify':
      return `verify ${request.commit?.slice(0, 12) ?? 'the working tree'}`
    case 'scout':
      return `scout ${request.scout}: ${request.question}`
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

export async function watch(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const run = await reading(drydock, (records) => findRun(records, id, isUnfinished))
  return attend(context, { drydock, runs: [run.id], after: 0, coders: 1, own: false })
}

export async function log(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  return reading(drydock, async (records) => {
    if (id !== undefined && /^run_\d{8}_\d{6}_\w+$/.test(id)) {
      const text = await verificationLog(drydock, records, id)
      context.output.emit({ type: 'log', run_id: id, text })
      if (!context.output.json) context.output.say(context.output.screen.clean(text.replace(/\n$/, '')))
      return 0
    }
    const run = await findRun(records, id)
    const storyline = createStoryline()
    for await (const event of eventsOf(records, run.id)) {
      context.output.emit(toLine(event))
      if (!context.output.json) context.output.say(formatEvent(context.output.screen, storyline, event))
    }
    return 0
  })
}

async function verificationLog(drydock: Drydock, records: StateReader | null, runId: string): Promise<string> {
  const verification = await records?.verification(runId)
  const file = join(drydock.artifacts, 'runs', runId, 'logs', 'combined.log')
  const text = verification ? await readFile(file, 'utf8').catch(() => verification.tailLog) : null
  if (text !== null) return text
  throw new DrydockError('not_found', `There is no log of a verification ${runId}.`, { todo: 'See: drydock log' })
}

async function* eventsOf(records: StateReader | null, run: string): AsyncGenerator<Event> {
  let after = 0
  for (;;) {
    const events = (await records?.events({ run, after, limit: 500 })) ?? []
    if (events.length === 0) return
    yield* events
    after = events.at(-1)?.id ?? after
  }
}

/** When it happened, by the clock and since the beginning; what it is; and its data in short. */
function formatEvent(screen: Screen, storyline: Storyline, event: Event): string {
  const milestone = advance(storyline, event)
  const clock = new Date(event.at).toTimeString().slice(0, 8)
  const time = `${clock} ${formatElapsed(Date.parse(event.at) - (storyline.since ?? 0)).padStart(6)}  `
  const words = milestone ? [milestone.text, milestone.detail ?? ''] : [event.type, describeData(event)]
  const text = screen.fit(words.filter(Boolean).join(' '), time.length)
  return `${screen.paint('faint', time)}${screen.paint(milestone?.tone ?? 'faint', text)}`
}

function describeData({ type, data: { result: _, ...data } }: Event): string {
  if (type === 'run') return String(data.title).split('\n')[0] ?? ''
  if (type === 'result') return String(data.status)
  return Object.entries(data)
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([key, value]) => `${key}=${String(value).split('\n')[0]?.slice(0, 80)}`)
    .join(' ')
}

export async function diff(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  return reading(drydock, async (records) => {
    const run = await findRun(records, id, isTask)
    const story = (await records?.machine(`${run.id}/task`)) as Story | null
    const snapshot = story?.data.snapshot ?? null
    const from = story?.data.base ?? ''
    const { text, truncated } = snapshot
      ? await drydock.workspaces.diff({ from, to: snapshot.sha, maxBytes: limits.previewBytes })
      : { text: '', truncated: false }
    context.output.emit({
      type: 'diff',
      run: run.id,
      base: from || null,
      sha: snapshot?.sha ?? null,
      diff: text,
      truncated,
    })
    if (context.output.json) return 0
    if (text === '') context.output.note('No change has been kept yet.')
    else context.output.say(paintDiff(context.output.screen, text))
    return 0
  })
}

export async function report(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  return reading(drydock, async (records) => {
    const run = await findRun(records, id, isTask)
    const story = (await records?.machine(`${run.id}/task`)) as Story | null
    const summary = story?.data.summary?.text ?? null
    const stuck = summary === null ? (story?.data.stuckReport ?? null) : null
    const verifications = (await records?.verifications(run.id)) ?? []
    context.output.emit({
      type: 'report',
      ...{ run: run.id, state: run.state, summary, stuck_report: stuck, answer: run.data.answer },
      verifications: verifications.map(({ runId, status: verdict, commitSha }) => ({
        run_id: runId,
        status: verdict,
        sha: commitSha,
      })),
    })
    if (context.output.json) return 0
    const answer = run.data.answer === null ? null : JSON.stringify(run.data.answer, null, 2)
    const text = summary ?? stuck ?? answer ?? `${run.id} is ${run.state}: there is no report yet.`
    context.output.say(context.output.screen.prose(text))
    return 0
  })
}
