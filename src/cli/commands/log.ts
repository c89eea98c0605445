import type { Installation } from '../../app/installation.ts'
import { type View, type Views, viewsOf } from '../../app/operations/views-of.ts'
import type { StateAccess } from '../../app/state-access.ts'
import { usage } from '../../app/usage.ts'
import { readWholeLog } from '../../app/views/log.ts'
import type { Event } from '../../domain/event.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { advance } from '../screen/advance.ts'
import type { Screen } from '../screen/screen.ts'
import { createStoryline, formatElapsed, type Storyline } from '../screen/storyline.ts'
import { toLine } from './start/attend.ts'

type LogEntries = View<'logEntries'>
type Speech = NonNullable<LogEntries['entries'][number]['spoken']>

interface LogOptions {
  /** True to print messages, arguments and results in full. */
  readonly verbose?: boolean
  /** The lane to show, or a prefix of lane names. */
  readonly lane?: string
  /** The folder to write all files of a verification to. */
  readonly files?: string
}

/**
 * Prints the events of a Run with the words and actions of its agents, or the log of one
 * verification.
 */
export async function log(
  context: Context,
  [id]: readonly string[],
  { verbose = false, lane, files, ...options }: CommonOptions & LogOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const { output } = context
  if (id !== undefined && /^run_\d{8}_\d{6}_\w+$/.test(id)) {
    if (files !== undefined) return writeFiles(context, drydock, { id, folder: files })
    const { text, services, from, problem } = await readWholeLog(drydock, id)
    output.emit({ type: 'log', run_id: id, text, from, ...(services.length > 0 && { services }) })
    if (!output.json) output.say(output.screen.clean(text.replace(/\n$/, '')))
    if (problem !== null) output.note(output.screen.clean(`Only the end is shown. ${problem}`))
    for (const each of services) output.note(output.screen.clean(`${each.text}: ${each.file}`))
    return 0
  }
  if (files !== undefined)
    throw usage('--files is for one verification.', 'Name its run_id, as `drydock log` and `drydock report` show it.')
  const storyline = createStoryline()
  for await (const { event, spoken, meant } of entriesOf(await viewsOf(drydock), { id, lane })) {
    if (!meant) {
      advance(storyline, event)
      continue
    }
    output.emit({ ...toLine(event), ...(verbose && spoken && { said: spoken.whole }) })
    if (output.json) continue
    const lines = formatEvent(output.screen, { storyline, event, spoken, verbose })
    if (lines !== '') output.say(lines)
  }
  return 0
}

interface LogQuery {
  readonly id: string | undefined
  readonly lane: string | undefined
}

async function* entriesOf(views: Views, logged: LogQuery): AsyncGenerator<LogEntries['entries'][number]> {
  for (let after: number | null = 0; after !== null; ) {
    const { entries, next }: LogEntries = await views.logEntries({ ...logged, after })
    yield* entries
    after = next
  }
}

async function writeFiles(
  { output }: Context,
  drydock: Pick<Installation, 'openArtifacts' | 'storedFiles'> & Pick<StateAccess, 'atHub'>,
  { id, folder }: { readonly id: string; readonly folder: string },
): Promise<number> {
  const { exportFiles } = await import('../../app/commands/export-files.ts')
  const { files, from } = await exportFiles(drydock, { runId: id, folder })
  output.emit({ type: 'files', run_id: id, folder, files, from })
  output.say(
    output.screen.clean(`Wrote ${files.length} ${files.length === 1 ? 'file' : 'files'} of ${id} to ${folder}`),
  )
  return 0
}

interface LogLineInput {
  readonly storyline: Storyline
  readonly event: Event
  readonly spoken: Speech | null
  readonly verbose: boolean
}

/** Types of events that other lines already tell; only the verbose log shows them. */
const inOtherWords: readonly Event['type'][] = ['run_state', 'state', 'request', 'scout', 'merge', 'acceptance']

/**
 * Formats an event: its time of day, the time since the start, its name and its data in brief.
 * Empty for events that tell people nothing, such as a turn without words or a move that another
 * line shows.
 */
function formatEvent(screen: Screen, { storyline, event, spoken, verbose }: LogLineInput): string {
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
  if (milestone === null && !verbose && inOtherWords.includes(event.type)) return ''
  const { story = '', text: what, detail = '' } = milestone ?? { text: event.type, detail: describeData(event) }
  return `${screen.paint('faint', time)}${screen.paint(milestone?.tone ?? 'faint', line([story, what, detail, event.actor && `(by ${event.actor})`]))}`
}

const indent = ' '.repeat(17)

function wholeText(screen: Screen, { name, text }: Speech['whole'][number]): string {
  const lines = screen.prose(text.trimEnd(), indent.length + 2).split('\n')
  const body = lines.map((each) => `${indent}  ${each}`.trimEnd())
  return [`${indent}${screen.paint('strong', screen.clean(name))}`, ...body].join('\n')
}

function describeData({ type, data }: Event): string {
  if (type === 'run') return data.title.split('\n')[0] ?? ''
  if (type === 'result') return data.status
  if (type === 'lane') return data.lane
  if (type === 'chat')
    return `message ${data.id} of ${data.agent_id}${data.reply_to ? `, to message ${data.reply_to}` : ''}`
  return Object.entries(data)
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([key, value]) => `${key}=${String(value).split('\n')[0]?.slice(0, 80)}`)
    .join(' ')
}
