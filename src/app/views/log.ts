import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { InputOf } from '../../api/route.ts'
import type { LogEntries } from '../../api/views/log.ts'
import type { viewRoutes } from '../../api/views/view-routes.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Event } from '../../domain/event.ts'
import { describeServices } from '../../domain/verification/services-report.ts'
import type { ServiceRecord } from '../../domain/verification/verdict.ts'
import type { VerificationRow } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import type { RecordSource, StateAccess } from '../state-access.ts'
import { findWork, namedStory } from './find/find-work.ts'
import { createTranscript } from './transcript.ts'

/** Events of one answer. */
const eventsAtOnce = 500

/**
 * The next events of the Run that is named, or that the story or lane is of, or of the latest.
 * DrydockError `not_found`.
 */
export function readLog(drydock: RecordSource, { id, lane, after }: LogQuery): Promise<LogEntries> {
  return reading(drydock, async (records) => {
    const { run, isMeant } = await whatIsMeant(records, id, lane)
    const transcript = createTranscript(records)
    if (after > 0)
      for await (const event of eventsOf(records, run)) {
        if (event.id > after) break
        transcript.skip(event)
      }
    const events = await records.events({ run, after, limit: eventsAtOnce })
    const entries: Entry[] = []
    for (const event of events) {
      entries.push({ event, spoken: await transcript.of(event), meant: isMeant(event) })
    }
    return { entries, next: events.length < eventsAtOnce ? null : (events.at(-1)?.id ?? null) }
  })
}

type LogQuery = InputOf<typeof viewRoutes.logEntries>
type Entry = LogEntries['entries'][number]

export interface WholeLog {
  readonly text: string
  /** `log`: the whole log; `tail`: only the end, which the database keeps. */
  readonly from: 'log' | 'tail'
  /** The reason why only the end is available, if a person can remedy it; null otherwise. */
  readonly problem: string | null
  /** The services of the steps: their states, and the files with their output. */
  readonly services: readonly { readonly text: string; readonly file: string }[]
}

/**
 * The whole output of a verification's steps, or its end if the rest is gone. Throws DrydockError
 * `not_found`.
 */
export async function readWholeLog(
  drydock: Pick<Installation, 'artifacts' | 'openArtifacts'> & Pick<StateAccess, 'openRecords' | 'atHub'>,
  runId: string,
): Promise<WholeLog> {
  const verification = await readOne(drydock, runId)
  const folder = join(drydock.artifacts, 'runs', runId)
  const found = verification === null ? null : await findWholeLog(drydock, verification)
  const services = (verification?.manifest?.commands_executed ?? []).flatMap(({ name, services = [] }) =>
    describeServices(services).map((line, i) => ({
      text: `step ${name}: ${line}`,
      file: join(folder, services[i]?.log ?? 'logs'),
    })),
  )
  if (found !== null) return { ...found, text: stripVTControlCharacters(found.text), services }
  throw new DrydockError('not_found', `There is no log of the verification ${runId}.`, { todo: 'See: drydock log' })
}

interface LoggedRun extends Pick<VerificationRow, 'runId' | 'tailLog'> {
  readonly manifest: { readonly commands_executed: readonly Step[] } | null
}

interface Step {
  readonly name: string
  readonly services?: readonly ServiceRecord[] | undefined
}

/** Null for one that is not known. */
async function readOne(
  { atHub, openRecords }: Pick<StateAccess, 'openRecords' | 'atHub'>,
  runId: string,
): Promise<LoggedRun | null> {
  if (atHub === null) return reading({ openRecords }, (records) => records.verification(runId))
  try {
    const { tail, manifest } = await atHub.operations().verification({ run_id: runId })
    return { runId, tailLog: tail, manifest }
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'not_found') return null
    throw error
  }
}

/** The log from this machine, else from the blob store, else the end in the database. */
async function findWholeLog(
  { openArtifacts }: Pick<Installation, 'openArtifacts'>,
  { runId, tailLog }: LoggedRun,
): Promise<Omit<WholeLog, 'services'> | null> {
  const log = await openArtifacts().readLog(runId, 'combined.log', Number.MAX_SAFE_INTEGER)
  if (log.ok) {
    const problem = log.skipped === null ? null : `The ${log.skipped.bytes} bytes before it are in the dashboard.`
    return { text: log.text, from: 'log', problem }
  }
  if (tailLog === null) return null
  const problem = log.reason === 'does not exist' ? null : `The whole log ${log.reason}`
  return { text: tailLog, from: 'tail', problem }
}

interface LogFilter {
  readonly run: string
  isMeant(event: Event): boolean
}

/** The Run, story or lane that is meant. A lane is `<run>/<lane>` or given by `--lane <lane>`. */
async function whatIsMeant(records: Records, id: string | undefined, lane: string | undefined): Promise<LogFilter> {
  const named = id === undefined || lane !== undefined ? null : await records.machine(id)
  if (named?.kind === 'lane') return ofLane(named.run, id?.slice(named.run.length + 1) ?? '')
  const { run, story } = await findWork(records, id)
  if (lane !== undefined) {
    await checkLane(records, run.id, lane)
    return ofLane(run.id, lane)
  }
  const only = namedStory({ story })?.story ?? null
  return { run: run.id, isMeant: (event) => only === null || event.story === only }
}

function ofLane(run: string, lane: string): LogFilter {
  return {
    run,
    isMeant: ({ data }) => 'lane' in data && (data.lane === lane || data.lane.startsWith(`${lane}/`)),
  }
}

async function checkLane(records: Records, run: string, lane: string): Promise<void> {
  const lanes = (await records.machines({ kind: 'lane', run })).map(({ id }) => id.slice(run.length + 1))
  if (lanes.some((each) => each === lane || each.startsWith(`${lane}/`))) return
  throw new DrydockError('not_found', `${run} has no lane "${lane}".`, {
    todo: lanes.length === 0 ? 'It has none yet.' : `It has: ${lanes.join(', ')}`,
  })
}

async function* eventsOf(records: Records, run: string): AsyncGenerator<Event> {
  let after = 0
  for (;;) {
    const events = await records.events({ run, after, limit: eventsAtOnce })
    if (events.length === 0) return
    yield* events
    after = events.at(-1)?.id ?? after
  }
}
