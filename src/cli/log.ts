import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Drydock, StateReader } from '../compose.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { Event } from '../domain/event.ts'
import { hasCrew } from '../domain/run/run.ts'
import type { CommonOptions, Context } from './context.ts'
import { findWork } from './find-run.ts'
import { open } from './open.ts'
import { reading } from './reading.ts'
import { advance } from './screen/advance.ts'
import type { Screen } from './screen/screen.ts'
import { createStoryline, formatElapsed, type Storyline } from './screen/storyline.ts'
import { createTranscript, type Spoken } from './screen/transcript.ts'
import { toLine } from './start/attend.ts'

interface LogOptions {
  /** Whole messages, arguments and results. */
  readonly verbose?: boolean
  /** Only one conversation, or those whose names begin so. */
  readonly lane?: string
}

/** What happened in a Run, and what its agents said and did; or the log of one verification. */
export async function log(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & LogOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const { output } = context
  return reading(drydock, async (records) => {
    if (id !== undefined && /^run_\d{8}_\d{6}_\w+$/.test(id)) {
      const text = await verificationLog(drydock, records, id)
      output.emit({ type: 'log', run_id: id, text })
      if (!output.json) output.say(output.screen.clean(text.replace(/\n$/, '')))
      return 0
    }
    const { run, isMeant } = await whatIsMeant(records, id, options.lane)
    const storyline = createStoryline()
    const transcript = records && createTranscript(records)
    for await (const event of eventsOf(records, run)) {
      const spoken = (await transcript?.of(event)) ?? null
      if (!isMeant(event)) {
        advance(storyline, event)
        continue
      }
      output.emit({ ...toLine(event), ...(options.verbose && spoken && { said: spoken.whole }) })
      if (output.json) continue
      const lines = formatEvent(output.screen, { storyline, event, spoken, verbose: options.verbose === true })
      if (lines !== '') output.say(lines)
    }
    return 0
  })
}

interface Meant {
  readonly run: string
  isMeant(event: Event): boolean
}

/** A Run, a story of it, or a lane: `<run>/<lane>`, as well as `--lane <lane>`. */
async function whatIsMeant(
  records: StateReader | null,
  id: string | undefined,
  lane: string | undefined,
): Promise<Meant> {
  const named = id === undefined || lane !== undefined ? null : await records?.machine(id)
  if (named?.kind === 'lane') return ofLane(named.run, id?.slice(named.run.length + 1) ?? '')
  const { run, story } = await findWork(records, id)
  if (lane !== undefined) {
    await checkLane(records, run.id, lane)
    return ofLane(run.id, lane)
  }
  const only = hasCrew(run) ? (story?.story ?? null) : null
  return { run: run.id, isMeant: (event) => only === null || event.story === only }
}

function ofLane(run: string, lane: string): Meant {
  return {
    run,
    isMeant: ({ data }) => 'lane' in data && (data.lane === lane || data.lane.startsWith(`${lane}/`)),
  }
}

async function checkLane(records: StateReader | null, run: string, lane: string): Promise<void> {
  const lanes = ((await records?.machines({ kind: 'lane', run })) ?? []).map(({ id }) => id.slice(run.length + 1))
  if (lanes.some((each) => each === lane || each.startsWith(`${lane}/`))) return
  throw new DrydockError('not_found', `${run} has no lane "${lane}".`, {
    todo: lanes.length === 0 ? 'It has none yet.' : `It has: ${lanes.join(', ')}`,
  })
}

async function verificationLog(drydock: Drydock, records: StateReader | null, runId: string): Promise<string> {
  const verification = await records?.verification(runId)
  const file = join(drydock.artifacts, 'runs', runId, 'logs', 'combined.log')
  const text = verification ? await readFile(file, 'utf8').catch(() => verification.tailLog) : null
  if (text !== null) return stripVTControlCharacters(text)
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

interface Told {
  readonly storyline: Storyline
  readonly event: Event
  readonly spoken: Spoken | null
  readonly verbose: boolean
}

/**
 * When it happened, by the clock and since the beginning; what it is; and its data in short. Empty
 * for a turn in which nothing was said.
 */
function formatEvent(screen: Screen, { storyline, event, spoken, verbose }: Told): string {
  const milestone = advance(storyline, event)
  const clock = new Date(event.at).toTimeString().slice(0, 8)
  const time = `${clock} ${formatElapsed(Date.parse(event.at) - (storyline.since ?? 0)).padStart(6)}  `
  const line = (words: readonly (string | null | undefined)[]) =>
    screen.fit(words.filter(Boolean).join(' '), time.length)
  if (milestone === null && spoken !== null) {
    const story = event.story === 'task' ? null : event.story
    const told = spoken.lines.flatMap(({ text, notes }) => [
      `${screen.paint('faint', time)}${line([story, text])}`,
      ...(verbose ? [] : notes.map((note) => `${indent}  ${screen.fit(note, indent.length + 2)}`)),
    ])
    return [...told, ...(verbose ? spoken.whole.map((part) => wholeText(screen, part)) : [])].join('\n')
  }
  const { story = '', text: what, detail = '' } = milestone ?? { text: event.type, detail: describeData(event) }
  return `${screen.paint('faint', time)}${screen.paint(milestone?.tone ?? 'faint', line([story, what, detail]))}`
}

const indent = ' '.repeat(17)

function wholeText(screen: Screen, { name, text }: Spoken['whole'][number]): string {
  const lines = screen.prose(text.trimEnd(), indent.length + 2).split('\n')
  const body = lines.map((each) => `${indent}  ${each}`.trimEnd())
  return [`${indent}${screen.paint('strong', screen.clean(name))}`, ...body].join('\n')
}

function describeData({ type, data }: Event): string {
  if (type === 'run') return data.title.split('\n')[0] ?? ''
  if (type === 'result') return data.status
  if (type === 'lane') return data.lane
  return Object.entries(data)
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([key, value]) => `${key}=${String(value).split('\n')[0]?.slice(0, 80)}`)
    .join(' ')
}
