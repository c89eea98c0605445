import { resolve } from 'node:path'
import type { InputOf } from '../../api/route.ts'
import type { SpecBefore } from '../../api/views/continue.ts'
import type { viewRoutes } from '../../api/views/view-routes.ts'
import { isEnded, type Run, type RunRequest, type SpecRequest } from '../../domain/run/run.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import type { RecordSource, StateAccess } from '../state-access.ts'
import { usage } from '../usage.ts'
import type { WorkOptions } from '../work-options.ts'
import { type StoredStart, storedStarts } from './stored-starts.ts'

type SpecQuery = InputOf<typeof viewRoutes.specBefore>

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
  drydock: Pick<Installation, 'redact'> & RecordSource,
  { text: given, plan_only, stories, target: wanted }: SpecQuery,
): Promise<Before | null> {
  const text = drydock.redact(given)
  return findNewest(drydock, (other, target) => {
    if (other.kind !== 'spec') return false
    return (
      other.planOnly === plan_only &&
      other.spec.text === text &&
      (stories === null || JSON.stringify(other.stories) === JSON.stringify(stories)) &&
      (wanted === undefined || wanted === target)
    )
  })
}

/** The question whether there is a Run of the same spec. A hub is told a commit, not a branch. */
export async function specQuery(
  { atHub, userRepository }: Pick<Installation, 'userRepository'> & Pick<StateAccess, 'atHub'>,
  { request: { spec, planOnly: plan_only, stories }, options: { target } }: RepeatQuery,
): Promise<SpecQuery> {
  const sha = atHub === null || target === undefined ? target : (await userRepository.target(target)).sha
  return { text: spec.text, plan_only, stories, ...(sha !== undefined && { target: sha }) }
}

/** The newest Run of the same spec, as a command is told of it. */
export async function readBefore(
  drydock: Pick<Installation, 'redact'> & RecordSource,
  query: SpecQuery,
): Promise<{ readonly before: SpecBefore }> {
  const before = await findBefore(drydock, query)
  if (before === null) return { before }
  const can_be_retried = before.run !== null && before.canBeRetried
  const { id: run, standing } = before
  return { before: { run, standing, stored: before.run === null, can_be_retried, terms: termsOf(before) } }
}

/** The options that a Run was started with, and cannot take over from another command. */
export function termsOf({ run, start }: Before): Terms['before'] {
  const { configFile = null, budgetUsd = null, priority = 'normal', allowFailing = [] } = run?.data ?? start ?? {}
  const before = run?.data.request ?? start?.request
  return {
    config_file: configFile,
    budget_usd: budgetUsd,
    priority,
    allow_failing: allowFailing,
    review_stories: before?.kind !== 'spec' || before.reviewStories,
  }
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
  readonly id: string
  /** The terms that it was started with. */
  readonly before: NonNullable<SpecBefore>['terms']
  readonly options: WorkOptions
  readonly reviewStories?: boolean
}

/**
 * Throws DrydockError `bad_usage` when the options named now differ from the options that the
 * continued Run was started with, and the Run cannot adopt them.
 */
export function refuseOtherTerms({ id, before, options, reviewStories = false }: Terms): void {
  const other = [
    options.budgetUsd !== undefined && options.budgetUsd !== before.budget_usd && '--budget-usd',
    options.priority !== undefined && options.priority !== before.priority && '--priority',
    options.config !== undefined && resolve(options.config) !== before.config_file && '--config',
    options.allowFailing?.some((test) => !before.allow_failing.includes(test)) && '--allow-failing',
    reviewStories && !before.review_stories && '--review-stories',
  ].filter((flag) => typeof flag === 'string')
  if (other.length === 0) return
  throw usage(
    `What is asked for is unfinished, and ${id} was started with other ${other.join(', ')}.`,
    `Leave ${other.length === 1 ? 'it' : 'them'} out to go on with it, or start anew: --again. More dollars: drydock budget ${id} --raise 5`,
  )
}
