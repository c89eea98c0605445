import type { Acceptance } from '../acceptance/acceptance-tests.ts'
import type { FileOfKind } from '../gate/file-kind.ts'
import { passedIds, type TestReport } from './test-results.ts'

/**
 * The extent of checks in addition to the steps: none; the hybrid tree and canaries; single hunks
 * as well.
 */
export type Assurance = 'fast' | 'standard' | 'full'

/** The base commit's tests and configuration, run on the change's sources. */
export interface Hybrid {
  /**
   * `held`: everything that passed before passes; `not_built`: nothing ran; `not_tried`: `reason`
   * says why.
   */
  readonly status: 'held' | 'behaviour_changed' | 'not_built' | 'not_tried'
  /** Ids of tests that passed on the base commit and did not pass here. */
  readonly failing: readonly string[]
  readonly reason?: string
  /**
   * True if the sources needed dependencies that the change installs, so these were installed here,
   * too.
   */
  readonly with_dependencies?: true
}

/**
 * The check that steps go red when a test fails: tests that assert something false were added to
 * real test files.
 */
export interface Canaries {
  /**
   * `heard`: each step that could be tried went red for them; `deaf`: one did not, although it does
   * on the base commit; `not_tried`: none could be tried.
   */
  readonly status: 'heard' | 'deaf' | 'not_tried'
  /** The reason for a status other than `heard`. */
  readonly reason?: string
  readonly steps: readonly CanaryStep[]
}

export interface CanaryStep {
  readonly step: string
  readonly status: Canaries['status']
  /** Test files that had a canary. */
  readonly files: readonly string[]
  readonly reason?: string
}

/** A tree that nobody wrote, or the base commit's, whose steps ran for a verification. */
export interface TriedTree {
  /**
   * The name of the tree's log, such as `base`, `hybrid`, `canaries`, `narrowed`, `proof`,
   * `hunk-01`.
   */
  readonly name: string
  /** The total time of its steps. */
  readonly duration_ms: number
}

/** Lines of a change that can be removed without a failing step; advice, never a finding. */
export interface UnprovenHunk {
  readonly file: string
  /** Lines of the changed file, from 1. */
  readonly start: number
  readonly end: number
  /** The hunk's first added line, else its first removed one, with its sign. */
  readonly text: string
}

/** The result of reverting each hunk of the change's sources alone. */
export interface Hunks {
  /** Number of hunks without which a step fails. */
  readonly proven: number
  readonly unproven: readonly UnprovenHunk[]
  /** Number of hunks left out for their number, their size or the time that they take. */
  readonly not_tried: number
  /** The omitted hunks whose place is known, the largest first; left out when there are none. */
  readonly left?: readonly UnprovenHunk[]
}

/** The result of probes that show if a step runs each changed body and branch. */
export interface Reach {
  /** The number of bodies and branches that a step runs. */
  readonly reached: number
  /** The places that no step runs: the finding `no_tests`. */
  readonly unreached: readonly UnprovenHunk[]
  /** Files, or places in them, that no probe could decide about. */
  readonly not_tried: readonly string[]
}

/**
 * The check that steps without named tests still read the files that they read on the base commit.
 */
export interface Checkers {
  readonly status: 'looked_at' | 'not_looked_at'
  readonly steps: readonly string[]
  /** The reason why the check did not run. */
  readonly reason?: string
}

/**
 * The checks in addition to the steps, as a manifest lists them. Checks that nobody asked for are
 * left out.
 */
export interface AssuranceFacts {
  readonly hybrid?: Hybrid
  readonly canaries?: Canaries
  readonly hunks?: Hunks
  readonly reach?: Reach
  readonly checkers?: Checkers
  /** Left out without acceptance tests, or if the steps before them were not green. */
  readonly acceptance?: Acceptance
  /** The role of each changed file for the gate. */
  readonly files?: readonly FileOfKind[]
  /**
   * The source of these roles: the modules that load each other and the data that they name, or the
   * names of files alone. Left out by older versions.
   */
  readonly roles?: 'by use' | 'by name'
}

/** One step's reported tests: before the change, with it, and on a tree between the two. */
export interface BetweenTests {
  readonly base: TestReport | null
  readonly change: TestReport | null
  readonly between: TestReport | null
  /** True if the step's exit code on the tree between was 0. */
  readonly isGreen: boolean
  /** Ids of tests that the change renamed. */
  readonly renamed?: ReadonlySet<string>
}

export interface LostTests {
  /** Ids of tests that pass before and with the change, and fail between. */
  readonly failing: readonly string[]
  /** Ids of such tests that did not run between. */
  readonly unrun: readonly string[]
  /** Number of tests that pass before and with the change. */
  readonly asked: number
  /** Ids of tests that fail before and pass with the change, and fail between. */
  readonly greened: readonly string[]
  /** Ids of tests that pass before, do not run with the change, and fail between. */
  readonly gone: readonly string[]
}

/**
 * Tests that pass before and with the change but not on a tree between the two. `compareTests`
 * reports tests that the change no longer runs at all.
 */
export function lostTests({ base, change, between, isGreen, renamed }: BetweenTests): LostTests {
  const now = new Set(passedIds(change))
  const asked = passedIds(base).filter((id) => now.has(id) || renamed?.has(id))
  const outcomes = new Map(between?.tests.map(({ id, outcome }) => [id, outcome]))
  const failing = asked.filter((id) => outcomes.get(id) === 'failed')
  // An incomplete list says nothing about tests that it does not name, unless nothing else explains
  // the failure.
  const isTold = between?.complete === true || (!isGreen && !between?.tests.some(({ outcome }) => outcome === 'failed'))
  const unrun = isTold ? asked.filter((id) => !['failed', 'passed'].includes(outcomes.get(id) ?? '')) : []
  const greened = greenedTests({ base, change }).filter((id) => outcomes.get(id) === 'failed')
  const known = new Set(change?.tests.map(({ id }) => id))
  const gone = passedIds(base).filter((id) => !known.has(id) && !renamed?.has(id) && outcomes.get(id) === 'failed')
  return { failing, unrun, asked: asked.length, greened, gone }
}

/** Ids of tests that fail before and pass with the change. */
export function greenedTests({ base, change }: Pick<BetweenTests, 'base' | 'change'>): readonly string[] {
  const now = new Set(passedIds(change))
  return base?.tests.flatMap(({ id, outcome }) => (outcome === 'failed' && now.has(id) ? [id] : [])) ?? []
}
