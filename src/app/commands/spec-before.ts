import { resolve } from 'node:path'
import { isEnded, type Run, type RunRequest, type SpecRequest } from '../../domain/run/run.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import type { RecordSource, StateAccess } from '../state-access.ts'
import { usage } from '../usage.ts'
import type { WorkOptions } from '../work-options.ts'
import { type StoredStart, storedStarts } from './stored-starts.ts'

interface RepeatQuery {
  readonly request: SpecRequest
  readonly options: WorkOptions
}

/** An earlier Run of the same spec, or the stored start of one. */
export type Before = {
  readonly id: string
  /** `unfinished` can continue, `done` is built, `over` ended in another way and starts again. */
  readonly standing: 'unfinished' | 'done' | 'over'
} & (
  | { readonly start: StoredStart; readonly run: null }
  | {
      readonly start: null
      readonly run: Run
      /** True if the Run was cancelled and `retry` can continue with its stories. */
      readonly canBeRetried: boolean
    }
)

/** The newest Run of the same spec. */
export async function findBefore(
  drydock: Pick<Installation, 'userRepository' | 'redact'> & Pick<StateAccess, 'openRecords' | 'atHub'>,
  { request, options }: RepeatQuery,
): Promise<Before | null> {
  const text = drydock.redact(request.spec.text)
  const wanted = await targetOf(drydock, options)
  return findNewest(drydock, (other, target) => {
    if (other.kind !== 'spec') return false
    return (
      other.planOnly === request.planOnly &&
      other.spec.text === text &&
      (request.stories === null || JSON.stringify(other.stories) === JSON.stringify(request.stories)) &&
      (wanted === undefined || wanted === target)
    )
  })
}

/**
 * The target to compare with. A hub receives a commit, since it does not know the branches of this
 * clone.
 */
async function targetOf(
  { atHub, userRepository }: Pick<Installation, 'userRepository'> & Pick<StateAccess, 'atHub'>,
  { target }: WorkOptions,
): Promise<string | undefined> {
  return atHub === null || target === undefined ? target : (await userRepository.target(target)).sha
}

/** The newest interview, of all interviews or of those about the given words. */
export function findInterview(
  drydock: Pick<Installation, 'redact'> & RecordSource,
  { words, options }: { readonly words: string | null; readonly options: WorkOptions },
): Promise<Before | null> {
  const text = words === null ? null : drydock.redact(words)
  return findNewest(
    drydock,
    (other, target) =>
      other.kind === 'interview' &&
      (text === null || other.spec.text === text) &&
      (options.target === undefined || options.target === target),
  )
}

type IsMeant = (request: RunRequest, target: string | null) => boolean

async function findNewest(drydock: RecordSource, isMeant: IsMeant): Promise<Before | null> {
  const starts = await storedStarts(drydock)
  const start = starts.findLast(({ request, target }) => isMeant(request, target))
  if (start) return { id: start.run, standing: 'unfinished', start, run: null }
  return reading(drydock, async (records) => {
    const runs = await records.machines({ kind: 'run' })
    const run = runs.findLast(({ data }) => isMeant(data.request, data.target))
    if (run === undefined) return null
    const stories = await records.machines({ kind: 'story', run: run.id })
    const canBeRetried = run.state === 'CANCELLED' && stories.length > 0
    const standing = run.state === 'DONE' ? 'done' : isEnded(run.state) ? 'over' : 'unfinished'
    return { id: run.id, standing, start: null, run, canBeRetried }
  })
}

interface Terms {
  readonly options: WorkOptions
  readonly reviewStories?: boolean
}

/**
 * Throws DrydockError `bad_usage` when the options named now differ from the options that the
 * continued Run was started with, and the Run cannot adopt them.
 */
export function refuseOtherTerms({ id, run, start }: Before, { options, reviewStories = false }: Terms): void {
  const { configFile, budgetUsd = null, priority = 'normal', allowFailing = [] } = run?.data ?? start ?? {}
  const before = run?.data.request ?? start?.request
  const other = [
    options.budgetUsd !== undefined && options.budgetUsd !== budgetUsd && '--budget-usd',
    options.priority !== undefined && options.priority !== priority && '--priority',
    options.config !== undefined && resolve(options.config) !== configFile && '--config',
    options.allowFailing?.some((test) => !allowFailing.includes(test)) && '--allow-failing',
    reviewStories && before?.kind === 'spec' && !before.reviewStories && '--review-stories',
  ].filter((flag) => typeof flag === 'string')
  if (other.length === 0) return
  throw usage(
    `What is asked for is unfinished, and ${id} was started with other ${other.join(', ')}.`,
    `Leave ${other.length === 1 ? 'it' : 'them'} out to go on with it, or start anew: --again. More dollars: drydock budget ${id} --raise 5`,
  )
}
