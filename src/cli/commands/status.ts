import type { Installation } from '../../app/installation.ts'
import { type View, viewsOf } from '../../app/operations/views-of.ts'
import type { Ownership } from '../../app/ownership.ts'
import type { StateAccess } from '../../app/state-access.ts'
import { describeStanding } from '../../app/text/blob-standing.ts'
import { usage } from '../../app/usage.ts'
import { changeLine } from '../../app/views/change-of-run.ts'
import { formatBytes } from '../../domain/figures-text.ts'
import { sentence } from '../../domain/sentence.ts'
import { describeBounds } from '../../domain/story/bounds.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { asJson, describeQuestion, forWhom } from '../screen/question.ts'
import { sayOrEmitSchedules } from '../screen/schedule-table.ts'
import { statusTable } from '../screen/status-table.ts'
import { boundLines, peerLines, stopLines, storyTable } from '../screen/story-table.ts'

type StatusList = View<'statusList'>
type StatusLine = StatusList['lines'][number]
type RunStatus = View<'runStatus'>

interface StatusOptions {
  /** True to include Runs that ended long ago. */
  readonly all?: boolean
}

export async function status(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & StatusOptions,
): Promise<number> {
  if (id !== undefined && options.all)
    throw usage('--all lists runs, so it cannot be used with an id.', 'Use one of them.')
  const drydock = await open(context, options)
  const views = await viewsOf(drydock)
  if (id !== undefined) {
    const { line, waits_for_slot, crew } = await views.runStatus({ id })
    const waits = waits_for_slot === null ? {} : { waits_for_slot }
    if (crew === null) showOne(context, line, waits)
    else showCrew(context, line, { crew, waits })
    if (waits_for_slot && !context.output.json)
      context.output.say(`\n${context.output.screen.prose(waits_for_slot.sentence)}`)
    return 0
  }
  const listed = await views.statusList({ runs: options.all ? 'all' : 'recent' })
  if (listed.lines.length === 0) context.output.say('No runs yet. Start one: drydock task "…"')
  else await showAll(context, drydock, listed)
  const { schedules } = await views.schedules({})
  if (schedules.length > 0) sayOrEmitSchedules(context.output, schedules)
  return 0
}

async function showAll(
  context: Context,
  drydock: Pick<Installation, 'state' | 'blobs'> & Pick<StateAccess, 'atHub'> & Pick<Ownership, 'sizes'>,
  { lines, left_out: leftOut }: StatusList,
): Promise<void> {
  const sizes = await drydock.sizes()
  const blobs = await readBlobs(drydock)
  show(context, lines, {
    ...(drydock.atHub === null && { state_bytes: sizes }),
    runs_left_out: leftOut,
    ...(blobs && { blobs: blobs.json }),
  })
  const { json, say, note, screen } = context.output
  if (leftOut > 0) {
    note(`${leftOut} more ${leftOut === 1 ? 'run' : 'runs'} ended earlier. See all:  drydock status --all`)
  }
  if (!json && drydock.atHub === null) say(screen.paint('faint', screen.prose(stateSize(drydock.state, sizes))))
  if (blobs?.problem) note(screen.clean(blobs.problem))
}

function show({ output }: Context, lines: readonly StatusLine[], more: object = {}): void {
  for (const line of lines) output.emit({ type: 'status', ...line, ...more })
  if (!output.json) output.say(statusTable(output.screen, lines))
}

function showOne(context: Context, line: StatusLine, waits: object): void {
  show(context, [line], waits)
  const { json, say, screen } = context.output
  if (json) return
  say(`\n${screen.prose(`${line.outcome.sentence}${startedBy(line)}`)}`)
  const change = changeLine(line.change)
  if (change !== null) say(`\n${screen.prose(change)}`)
  const used = line.outcome.code === 'DONE' ? null : describeBounds(line.bounds ?? [])
  if (used !== null) say(`\n${screen.prose(`Used of its bounds: ${used}.`)}`)
  if (line.editor_stopped !== null) say(`\n${screen.prose(sentence`The editor was stopped: ${line.editor_stopped}.`)}`)
}

function startedBy({ started_by }: StatusLine): string {
  return started_by === null ? '' : ` Started by ${started_by}.`
}

interface Crew {
  readonly crew: NonNullable<RunStatus['crew']>
  readonly waits: object
}

/** Shows one crew: first the questions for a human, then its stories. */
function showCrew({ output }: Context, line: StatusLine, { crew, waits }: Crew): void {
  const { stories } = crew
  const escalations = crew.open.map(asJson)
  output.emit({ type: 'status', ...line, ...waits, stories, escalations })
  if (output.json) return
  const { screen } = output
  for (const asked of crew.open)
    output.say(
      `${screen.paint('bad', 'ASKS YOU')}${screen.clean(forWhom(asked.assignedTo))} ${screen.prose(describeQuestion(asked))}\n`,
    )
  output.say(`${statusTable(screen, [line])}\n\n${screen.prose(`${line.outcome.sentence}${startedBy(line)}`)}`)
  const change = changeLine(line.change)
  if (change !== null) output.say(`\n${screen.prose(change)}`)
  if (stories.length > 0) output.say(`\n${storyTable(screen, stories)}`)
  for (const line of [...stopLines(stories), ...boundLines(stories)]) output.say(`\n${screen.prose(line)}`)
  const remarks = peerLines(stories)
  if (remarks.length > 0) output.say(`\n${remarks.map((remark) => screen.fit(remark)).join('\n')}`)
}

/** The blob store, and whether it is up to date; null if none is configured. */
async function readBlobs({ blobs }: Pick<Installation, 'blobs'>) {
  if (blobs === null) return null
  const { place } = blobs.store
  const standing = await blobs.standing.read()
  const { waiting = 0, problem = null, since = null } = standing ?? {}
  return { json: { place, waiting, problem, since }, problem: standing && describeStanding(standing, place) }
}

/** The size of the state, with its largest parts first. */
function stateSize(folder: string, sizes: Readonly<Record<string, number>>): string {
  const parts = Object.entries(sizes).toSorted(([, a], [, b]) => b - a)
  const all = parts.reduce((sum, [, bytes]) => sum + bytes, 0)
  const largest = parts.slice(0, 3).map(([name, bytes]) => `${name} ${formatBytes(bytes)}`)
  return `\nState: ${formatBytes(all)} in ${folder} (${largest.join(', ')}; smaller with: drydock gc)`
}
