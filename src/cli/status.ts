import { type Drydock, outcomes, type StateReader } from '../compose.ts'
import { heldByGate } from '../domain/gate/gate-finding.ts'
import { limits } from '../domain/limits.ts'
import { shownState } from '../domain/run/outcome.ts'
import { hasCrew, isEnded, pausedBy, type Run } from '../domain/run/run.ts'
import { titleOf } from '../domain/run/title.ts'
import type { Story } from '../domain/story/story.ts'
import type { CommonOptions, Context } from './context.ts'
import { findRun } from './find-run.ts'
import { open } from './open.ts'
import { asJson, describeQuestion } from './open-escalations.ts'
import { ownership } from './outcome-now.ts'
import { readShort } from './read-short.ts'
import { reading } from './reading.ts'
import { type Crew, crewStatus, describeUntold, readCrew, readUntold, storyLines } from './report/crew.ts'
import { formatBytes } from './screen/format-bytes.ts'
import { usdOf } from './screen/format-usd.ts'
import { readPause } from './screen/paused-lanes.ts'
import { type StatusLine, statusTable } from './screen/status-table.ts'
import { peerLines, storyTable } from './screen/story-table.ts'
import { usage } from './usage.ts'

interface StatusOptions {
  /** Also those that ended long ago. */
  readonly all?: boolean
}

export async function status(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & StatusOptions,
): Promise<number> {
  if (id !== undefined && options.all)
    throw usage('--all is for the list of runs, and a run is named.', 'Give one of them.')
  const drydock = await open(context, options)
  const isOwned = await ownership(drydock)
  return reading(drydock, async (records) => {
    const runs =
      id === undefined
        ? ((await records?.machines({ kind: 'run' })) as readonly Run[] | undefined)
        : [await findRun(records, id)]
    const [run] = runs ?? []
    if (!records || !runs || !run) {
      context.output.say('No runs yet. Start one: drydock task "…"')
      return 0
    }
    if (id === undefined) await showAll(context, drydock, { records, runs, isOwned, all: options.all ?? false })
    else if (hasCrew(run)) showCrew(context, await describe(records, run, isOwned(run)), await readCrew(records, run))
    else showOne(context, await describe(records, run, isOwned(run)))
    return 0
  })
}

interface All {
  readonly records: StateReader
  readonly runs: readonly Run[]
  readonly isOwned: (run: Run) => boolean
  readonly all: boolean
}

async function showAll(context: Context, drydock: Drydock, { records, runs, isOwned, all }: All): Promise<void> {
  const sizes = await drydock.sizes()
  const shown = all ? runs : recent(runs)
  const more = runs.length - shown.length
  const lines = await Promise.all(shown.map((run) => describe(records, run, isOwned(run))))
  show(context, lines, { state_bytes: sizes, runs_left_out: more })
  const { json, say, note, screen } = context.output
  if (more > 0) note(`${more} more ${more === 1 ? 'run' : 'runs'} ended before these. See all:  drydock status --all`)
  if (!json) say(screen.paint('faint', screen.prose(stateSize(drydock.state, sizes))))
}

/** Whatever is unfinished, and of the rest those that came last. */
function recent(runs: readonly Run[]): readonly Run[] {
  const ended = runs.filter(({ state }) => isEnded(state)).slice(-limits.recentRuns)
  return runs.filter((run) => !isEnded(run.state) || ended.includes(run))
}

type Described = Awaited<ReturnType<typeof describe>>

function show({ output }: Context, lines: readonly Described[], more: object = {}): void {
  for (const line of lines) output.emit({ type: 'status', ...line, ...more })
  if (!output.json) output.say(statusTable(output.screen, lines))
}

function showOne(context: Context, line: Described): void {
  show(context, [line])
  const { json, say, screen } = context.output
  if (!json) say(`\n${screen.prose(line.outcome.sentence)}`)
}

/** One crew: what waits for a human first, then its stories. */
function showCrew({ output }: Context, line: Described, crew: Crew): void {
  const stories = storyLines(crew)
  const escalations = crew.open.map(({ message }) => asJson(message))
  output.emit({ type: 'status', ...line, stories, escalations })
  if (output.json) return
  const { screen } = output
  for (const { message } of crew.open)
    output.say(`${screen.paint('bad', 'ASKS YOU')} ${screen.prose(describeQuestion(message))}\n`)
  output.say(`${statusTable(screen, [line])}\n\n${screen.prose(line.outcome.sentence)}`)
  if (stories.length > 0) output.say(`\n${storyTable(screen, stories)}`)
  const remarks = peerLines(stories)
  if (remarks.length > 0) output.say(`\n${remarks.map((remark) => screen.fit(remark)).join('\n')}`)
}

/** The largest parts of the state first. */
function stateSize(folder: string, sizes: Readonly<Record<string, number>>): string {
  const parts = Object.entries(sizes).toSorted(([, a], [, b]) => b - a)
  const all = parts.reduce((sum, [, bytes]) => sum + bytes, 0)
  const largest = parts.slice(0, 3).map(([name, bytes]) => `${name} ${formatBytes(bytes)}`)
  return `\nState: ${formatBytes(all)} in ${folder} (${largest.join(', ')}; smaller with: drydock gc)`
}

/** State as people see it: derived from the machines and from whether somebody works on them. */
export async function describe(records: StateReader, run: Run, owned: boolean) {
  const story = hasCrew(run) ? null : ((await records.machine(`${run.id}/task`)) as Story | null)
  const { costMicroUsd: microUsd, unpriced, ...counts } = await records.totals(run.id)
  const [untold] = await readUntold(records, run.id)
  const unfinished = !isEnded(run.state) && run.state !== 'ERROR' && run.state !== 'PAUSED'
  const outcome = await outcomes.read(records, run, { isWorkedOn: owned })
  return {
    run: run.id,
    kind: run.data.request.kind,
    state: shownState(run, outcome),
    outcome,
    story: story?.state ?? null,
    attempt: story ? Math.min(story.data.failures.loops + 1, limits.verifyLoops) : null,
    verdict: verdictOf(run),
    title: titleOf(run),
    branch: run.state === 'DONE' ? run.data.branch : null,
    error: run.data.error?.message ?? null,
    paused_by: outcome.code === 'PAUSED' ? 'user' : pausedBy(run),
    short: pausedBy(run) === 'budget' ? await readShort(records, run.id) : null,
    pausing: outcome.code === 'PAUSING',
    paused: unfinished && owned ? await readPause(records, run.id) : null,
    untold: untold && !isEnded(run.state) ? describeUntold(untold) : null,
    open_findings: run.state === 'DONE' && story ? openOfGate(story) : 0,
    ...(hasCrew(run) && { crew: await crewStatus(records, run) }),
    ...counts,
    cost_usd: usdOf({ microUsd, unpriced }),
  } satisfies StatusLine & Record<string, unknown>
}

function openOfGate({ data }: Story): number {
  return heldByGate(data.reviews?.code.findings ?? []).filter(({ state }) => state === 'open').length
}

/** Of a verification that has ended: what `drydock verify` was asked for. */
function verdictOf({ data: { request, answer } }: Run): string | null {
  const told = request.kind === 'verify' && typeof answer === 'object' && answer !== null && 'status' in answer
  return told ? String(answer.status) : null
}
