import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { fewNames } from '../../domain/name-list.ts'
import { type ComparingDeps, contentsOf } from '../findings/compared-files.ts'
import type { LostTests } from './expect-again.ts'
import type { UnreachedStep } from './listen.ts'
import type { Trying } from './trying.ts'

interface UntriedInput {
  readonly trying: Trying
  readonly unreached: readonly UnreachedStep[]
  readonly lost: LostTests | null
}

/**
 * Reports a check that ends on the base commit, but not with the change: it does not count as
 * passed.
 */
export async function tellUntried(
  deps: ComparingDeps,
  { trying: { base, change, files, input }, unreached, lost }: UntriedInput,
): Promise<readonly Suspicion[]> {
  const steps = unreached.filter(({ isHeardOnBase }) => isHeardOnBase)
  if (steps.length === 0 && lost === null) return []
  const contents = await contentsOf(deps, { base, change, files })
  const found: Suspicion[] = steps.map(({ step, files: those, stopped }) => ({
    kind: 'untried',
    file: '',
    claim: `Drydock could not try whether the step ${step} notices a failing test: with one in ${fewNames(those).join(', ')} ${stopped}, and did not name it. On the base commit it does.`,
    evidence: `logs/canaries-again.log and logs/canaries-base.log of ${input.runId}`,
    identity: ['canaries', step, ...those, ...contents],
  }))
  if (lost === null) return found
  const names = lost.files.flatMap(({ path, tests }) => tests.map(({ name, line }) => `${path}: ${name}: ${line}`))
  const count = names.length === 1 ? 'a test' : `${names.length} tests`
  found.push({
    kind: 'untried',
    file: '',
    claim: `Drydock could not try whether ${count} can fail: with another expected value ${names.length === 1 ? 'it is' : 'they are'} not named (${lost.stopped}). On the base commit ${names.length === 1 ? 'it fails' : 'they fail'}.`,
    evidence: `${listed(names)}\nlogs/spoiled-again.log and logs/spoiled-base.log of ${input.runId}`,
    identity: [
      'expectations',
      ...lost.files.flatMap(({ path, tests }) => tests.map(({ name }) => `${path} ${name}`)),
      ...contents,
    ],
  })
  return found
}
