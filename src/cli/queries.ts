import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drydock, StateReader } from '../compose.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { Event } from '../domain/event.ts'
import { limits } from '../domain/limits.ts'
import { hasCrew } from '../domain/run.ts'
import { advance } from './advance.ts'
import { attend, toLine, waiting } from './attend.ts'
import type { CommonOptions, Context } from './context.ts'
import { findRun, findWork, isBuilt, isUnfinished, type Work } from './find-run.ts'
import { open } from './open.ts'
import { paintDiff } from './paint-diff.ts'
import { reading } from './reading.ts'
import type { Screen } from './screen.ts'
import { createStoryline, formatElapsed, type Storyline } from './storyline.ts'

export async function watch(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const run = await reading(drydock, (records) => findRun(records, id, isUnfinished))
  return attend(context, { drydock, runs: [run.id], after: 0, coders: 1, own: false, ...waiting(context, options) })
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
    const { run, story } = await findWork(records, id)
    const only = hasCrew(run) ? (story?.story ?? null) : null
    const storyline = createStoryline()
    for await (const event of eventsOf(records, run.id)) {
      if (only !== null && event.story !== only) {
        advance(storyline, event)
        continue
      }
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
  const { story = '', text: what, detail = '' } = milestone ?? { text: event.type, detail: describeData(event) }
  const words = [story, what, detail]
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
    const work = await findWork(records, id, isBuilt)
    const { from, to } = endsOf(work)
    const { text, truncated } =
      from !== null && to !== null
        ? await drydock.workspaces.diff({ from, to, maxBytes: limits.previewBytes })
        : { text: '', truncated: false }
    const story = hasCrew(work.run) && work.story !== null && { story: work.story.story }
    context.output.emit({ type: 'diff', run: work.run.id, ...story, base: from, sha: to, diff: text, truncated })
    if (context.output.json) return 0
    if (text === '') context.output.note('No change has been kept yet.')
    else context.output.say(paintDiff(context.output.screen, text))
    return 0
  })
}

/** What has been changed: by a story so far, or by all the stories of a crew that are merged. */
function endsOf({ run, story }: Work): { readonly from: string | null; readonly to: string | null } {
  if (story !== null) return { from: story.data.base, to: story.data.snapshot?.sha ?? null }
  return { from: run.data.base, to: hasCrew(run) ? run.data.tip : null }
}
