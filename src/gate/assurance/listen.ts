import { hearCanaries } from '../../domain/gate/canaries/hear-canaries.ts'
import {
  isByExitCode,
  isSuspect,
  isUnreached,
  judgeStep,
  type Listening,
  together,
} from '../../domain/gate/canaries/judge-step.ts'
import type { Canaries } from '../../domain/verification/assurance.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { BaseNotes } from './base-notes.ts'
import type { CanaryPlace } from './canary-places.ts'
import type { SpoiledFile } from './spoiled-file.ts'
import type { Trying } from './trying.ts'

/** A canary in a test file. */
export type PlantedCanary = CanaryPlace & { readonly token: string; readonly isFirst: boolean }

/** Runs the steps with these canaries and spoiled files. */
export type RunWith = (asked: {
  readonly name: string
  readonly planted: readonly PlantedCanary[]
  readonly spoiled: readonly Pick<SpoiledFile, 'path' | 'text'>[]
  readonly anew?: boolean
  readonly ofBase?: boolean
}) => Promise<TreeTests>

interface ListenInput {
  readonly trying: Trying
  readonly planted: readonly PlantedCanary[]
  readonly steps: readonly { readonly name: string; readonly why: string | undefined }[]
  /** The run with all canaries and spoiled expectations. */
  readonly first: TreeTests
  readonly run: RunWith
  readonly notes: BaseNotes
}

interface ListenResult {
  readonly canaries: Canaries
  /** Steps that did not reach their canaries in two runs. */
  readonly unreached: readonly UnreachedStep[]
}

export interface UnreachedStep {
  readonly step: string
  /** Test files with the canaries. */
  readonly files: readonly string[]
  /** True if the canaries fail on the base commit, as they must. */
  readonly isHeardOnBase: boolean
  readonly stopped: string
}

/** Canaries that went unnoticed run again alone, and then on the base commit. */
export async function listenTo({ trying, planted, steps, first, run, notes }: ListenInput): Promise<ListenResult> {
  const mayDiffer = trying.files.some(({ path, from = path }) =>
    [path, from].some((each) => trying.kindOf(each) === 'config'),
  )
  const listening = steps.map(({ name, why }) => ({
    ...listen({ trying, planted, step: name, first }),
    mayDiffer,
    why,
  }))
  const unheard = new Set(listening.flatMap(({ left }) => left.map(({ token }) => token)))
  if (unheard.size === 0) return { canaries: together(listening.map((each) => judgeStep(each))), unreached: [] }
  const left = planted.filter(({ token }) => unheard.has(token))
  const second = await run({ name: 'canaries-again', planted: left, spoiled: [], anew: true })
  const twice = listening.map((each) => ({
    ...each,
    ...(each.left.length > 0 && { again: hear(each, { ran: second, planted: each.left }) }),
  }))
  const old = left.filter(
    ({ before, steps: own }) =>
      before !== null && twice.some((each) => (isSuspect(each) || isUnreached(each)) && own.includes(each.step)),
  )
  // A step that seems deaf is always compared with the base commit.
  const isNoted = ({ path, steps: own }: PlantedCanary) =>
    own.every((step) => notes.has('unheard', step, path)) &&
    !twice.some((each) => isSuspect(each) && own.includes(each.step))
  const asked = old.filter((each) => !isNoted(each))
  const onBase = { planted: asked, spoiled: [], ofBase: true }
  const hearBase = (each: Step, ran: TreeTests | null) => {
    const isOfStep = ({ steps: those }: PlantedCanary) => those.includes(each.step)
    const own = asked.filter(isOfStep)
    if (ran === null || own.length === 0) return old.some(isOfStep) ? null : undefined
    return hear(each, { ran, planted: own })
  }
  const control = asked.length === 0 ? null : await run({ ...onBase, name: 'canaries-base' })
  const controlled = twice.map((each) => ({ ...each, onBase: hearBase(each, control) }))
  // Only a regular end of the step is noted, since any other end may be an accident.
  for (const { step, onBase: heard } of controlled)
    for (const { path, token, steps: those } of asked)
      if (those.includes(step) && heard && ['passed', 'silent'].includes(heard.how) && heard.unheard.includes(token))
        notes.add('unheard', step, path)
  const isOneRun = controlled.some(isByExitCode)
  const again = isOneRun ? await run({ ...onBase, name: 'canaries-base-again', anew: true }) : null
  const all = controlled.map((each) => ({ ...each, onBaseAgain: hearBase(each, again) }))
  return {
    canaries: together(all.map((each) => judgeStep(each))),
    unreached: all.flatMap((each) => {
      if (!isUnreached(each)) return []
      const files = [...new Set(each.left.map(({ path }) => path))]
      const isHeardOnBase = each.onBase?.how === 'heard'
      return [{ step: each.step, files, isHeardOnBase, stopped: whatStopped(second, each.step) }]
    }),
  }
}

/** The reason why a step did not run its tests to the end. */
export function whatStopped({ commands }: Pick<TreeTests, 'commands'>, step: string): string {
  const command = commands.find(({ name }) => name === step)
  if (command === undefined) return 'a step before it failed'
  if (command.timed_out) return `it did not end within ${Math.round(command.duration_ms / 1000)} s`
  return `it ended with ${command.exit_code ?? 'a signal'}`
}

interface Step extends Listening {
  readonly trying: Trying
  /** The canaries that run once more: all of them if the first run gave no clear answer. */
  readonly left: readonly PlantedCanary[]
}

function listen({
  trying,
  planted,
  step,
  first,
}: Pick<ListenInput, 'trying' | 'planted' | 'first'> & { readonly step: string }): Step {
  const own = planted.filter(({ steps }) => steps.includes(step))
  const places = own.map(({ path, token, before }) => ({ path, token, isOld: before !== null }))
  const heard = hear({ trying, step }, { ran: first, planted: own })
  const left = own.filter(({ token }) => heard === null || heard.how === 'masked' || heard.unheard.includes(token))
  return { trying, step, places, first: heard, left }
}

/** Null when the step did not run to its end. */
function hear(
  { trying, step }: Pick<Step, 'trying' | 'step'>,
  { ran, planted }: { readonly ran: TreeTests; readonly planted: readonly PlantedCanary[] },
) {
  const command = ran.commands.find(({ name }) => name === step)
  const before = trying.change.tests[step]
  if (command === undefined || command.timed_out || !before || planted.length === 0) return null
  const tokens = planted.map(({ token }) => token)
  return hearCanaries({ exitCode: command.exit_code, report: ran.tests[step] ?? null, before, tokens })
}
