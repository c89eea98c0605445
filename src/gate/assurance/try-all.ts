import type { GateFinding, Proof } from '../../domain/gate/gate-finding.ts'
import type { CheckedFiles } from '../../domain/gate/judges/checked-files.ts'
import type { Assurance, AssuranceFacts } from '../../domain/verification/assurance.ts'
import type { GateDependencies } from '../dependencies.ts'
import { withId } from '../findings/gate-findings.ts'
import type { Probes } from '../reach/find-probes.ts'
import { tryEmptied } from '../reach/try-emptied.ts'
import { tryReach } from '../reach/try-reach.ts'
import { answerKept, type KeptQuestions } from './kept-expectations.ts'
import { narrowOnce } from './narrowing.ts'
import { type ProofRun, proveTests } from './prove-tests.ts'
import { sideBySide, type Task } from './side-by-side.ts'
import { tryAssertions } from './try-assertions.ts'
import { type CanaryTrial, tryCanaries } from './try-canaries.ts'
import { tryCheckers } from './try-checkers.ts'
import { createHunksTrial } from './try-hunks.ts'
import { tryHybrid } from './try-hybrid.ts'
import type { Trying } from './trying.ts'

export interface TryingAll extends Trying {
  readonly assurance: Assurance
  readonly probes: Probes | null
  /** Questions about old expectations that copies of tests ask in the canaries' run. */
  readonly questions: KeptQuestions | null
  /** Resolves when the second lane is free. */
  readonly free: () => Promise<void>
  /** The proof's run if it was started beside the change. */
  readonly begun: () => Promise<ProofRun | null>
}

export interface TriedAll {
  readonly listening: CanaryTrial | null
  readonly facts: AssuranceFacts
  readonly found: readonly GateFinding[]
  readonly proof: Proof | null
  /** The files that steps without named tests read; null if they were not traced. */
  readonly checked: CheckedFiles | null
}

/** The result of one task. */
interface Part {
  readonly listening?: CanaryTrial
  readonly facts?: AssuranceFacts
  readonly found?: readonly GateFinding[]
  readonly proof?: Proof
  readonly checked?: CheckedFiles
}

/**
 * Tries a green change: runs of the steps on trees that nobody wrote, as many at once as the
 * machine has lanes, the whole ones first. Rejects with InfraFailure.
 */
export async function tryAll(
  deps: GateDependencies,
  { assurance, probes, questions, free, begun, ...trying }: TryingAll,
  signal: AbortSignal,
): Promise<TriedAll> {
  const { input, change } = trying
  const narrowed = narrowOnce(deps, trying)
  let isDeaf = false
  let asked: Promise<CanaryTrial> | null = null
  const canaries: Task<Part> = async (own, either) => {
    const riding = { ...(questions && { copies: questions.added }), ...(probes?.units.length && { probes }) }
    asked = tryCanaries(deps, { ...trying, input: own, ...riding }, either)
    const listening = await asked
    isDeaf = listening.canaries.status === 'deaf'
    const facts = { canaries: listening.canaries }
    if (isDeaf || probes === null || probes.units.length + probes.untried.length === 0) return { listening, facts }
    const { noted = [], isStopped = false } = listening
    const { reach, found } = await tryReach(deps, { ...trying, input: own, probes, noted, isStopped }, either)
    const empty = await tryEmptied(deps, { ...trying, narrowed, input: own, probes, reach }, either)
    return { listening, facts: { ...facts, reach }, found: [...found, ...empty].map(withId) }
  }
  const hybrid: Task<Part> = async (own, either) => {
    // The second lane may still run the tree that is needed here.
    await free()
    // The canaries begin first, since their run shows which old tests have been renamed.
    const kept = questions && answerKept(questions, (await asked)?.copied ?? null)
    const renamed = kept?.keptTests ?? new Set<string>()
    const tried = await tryHybrid(deps, { ...trying, input: own, renamed, narrowed }, either)
    return { facts: { hybrid: tried.hybrid }, found: tried.found.map(withId) }
  }
  const assertions: Task<Part> = async (own, either) => ({
    found: (await tryAssertions(deps, { ...trying, input: own }, either)).map(withId),
  })
  const checkers: Task<Part> = async (own, either) => {
    const tried = await tryCheckers(deps, { ...trying, input: own }, either)
    const facts = tried.checkers === null ? {} : { facts: { checkers: tried.checkers } }
    return { ...facts, ...(tried.checked && { checked: tried.checked }), found: tried.found.map(withId) }
  }
  const proof: Task<Part> = async (own, either) => {
    const found = await proveTests(deps, { ...trying, begun, narrowed, input: own }, either)
    return { proof: found, found: found.status === 'not_proven' ? [unproven(input.runId, change.tree)] : [] }
  }
  const tryHunks = createHunksTrial(deps, { ...trying, narrowed })
  const hunks: Task<Part> = async (own, either) => {
    const tried = await tryHunks(own, either)
    return tried === null ? {} : { facts: { hunks: tried } }
  }
  const wanted = [
    ...(assurance === 'fast' ? [] : [canaries, hybrid, assertions, checkers]),
    ...(input.purpose === 'change' ? [proof] : []),
    ...(input.purpose === 'change' && assurance === 'full'
      ? Array.from({ length: deps.testsOfTrees.atOnce }, () => hunks)
      : []),
  ]
  // If the steps are deaf, none of their other results count.
  const tasks = wanted.map(
    (task): Task<Part> =>
      async (own, either) =>
        isDeaf ? {} : task(own, either),
  )
  const parts = await sideBySide({ input, tasks, free, atOnce: deps.testsOfTrees.atOnce }, signal)
  return {
    listening: parts.find(({ listening }) => listening)?.listening ?? null,
    facts: Object.assign({}, ...parts.map(({ facts }) => facts)),
    found: parts.flatMap(({ found = [] }) => found),
    proof: parts.find((part) => part.proof)?.proof ?? null,
    checked: parts.find(({ checked }) => checked)?.checked ?? null,
  }
}

function unproven(runId: string, tree: string): GateFinding {
  return withId({
    kind: 'no_proof',
    file: '',
    claim:
      'The new tests pass without the change: they were run against the sources of the base commit, and none failed.',
    evidence: `logs/proof.log of ${runId}`,
    identity: [tree],
  })
}
