import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createArtifacts } from '../../src/adapters/artifacts/artifacts.ts'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createBubblewrap } from '../../src/adapters/sandbox/bubblewrap.ts'
import { createTestReports } from '../../src/adapters/test-reports/create.ts'
import type { WrittenTests } from '../../src/domain/acceptance/acceptance-tests.ts'
import type { PrepareStep, RunConfig, Service, VerificationStep } from '../../src/domain/run/run-config.ts'
import { createRedactor } from '../../src/domain/secrets/redact.ts'
import type { VerifierResponse } from '../../src/domain/verification/verdict.ts'
import { verificationId } from '../../src/domain/verification/verification.ts'
import { tryOnBase as tryTestsOnBase } from '../../src/gate/acceptance/try-on-base.ts'
import { createDependencyLayers } from '../../src/gate/layers/dependency-layers.ts'
import { createTestsOfTrees } from '../../src/gate/tests-of-tree.ts'
import type { VerifyInput } from '../../src/gate/verification-place.ts'
import { verify } from '../../src/gate/verifier.ts'
import type { Sandbox } from '../../src/ports/sandbox.ts'
import { makeReadyWorld, writeFiles } from '../adapters/git/git-world.ts'

export interface VerifierInput {
  readonly steps: readonly (Partial<VerificationStep> & { readonly command: string })[]
  /** The tip by default. */
  readonly commit?: string
  /** The tip by default. */
  readonly base?: string
  readonly runId?: string
  readonly checkout?: string
  readonly readOnlyPaths?: readonly string[]
  readonly prepare?: readonly (Partial<PrepareStep> & { readonly command: string })[]
  readonly services?: readonly (Partial<Service> & Pick<Service, 'command' | 'ready'>)[]
  readonly writes?: RunConfig['writes']
  /** The extent of assurance; `standard` by default. */
  readonly assurance?: RunConfig['assurance']
  readonly assuranceBudget?: RunConfig['assuranceBudget']
  readonly allowFailing?: readonly string[]
  readonly purpose?: VerifyInput['purpose']
  readonly refactor?: boolean
  readonly acceptance?: VerifyInput['acceptance']
  readonly criteria?: VerifyInput['criteria']
  readonly package?: string
  readonly signal?: AbortSignal
  readonly sandbox?: Sandbox
  readonly artifacts?: string
  /** Number of trees that run at once; 1 by default. */
  readonly atOnce?: number
  /**
   * Duration of the steps, in milliseconds, from which trees are narrowed; the product's value by
   * default.
   */
  readonly narrowFromMs?: number
  /** The version of the test readers, only in memory; the real one by default. */
  readonly readers?: string
}

export type VerifierWorld = Awaited<ReturnType<typeof makeVerifierWorld>>

/** A repository and a verifier with real git and a real sandbox. */
export async function makeVerifierWorld(files: Readonly<Record<string, string>> = { 'value.txt': 'old\n' }) {
  const world = await makeReadyWorld(files)
  const artifacts = join(world.state, 'artifacts')
  const clock = createSystemClock()
  const sandbox = createBubblewrap({ hostPath: process.env.PATH ?? '' })
  const redact = createRedactor([])
  const folder = (runId: string) => join(artifacts, 'runs', runId)
  const newRunId = () => verificationId(clock.now(), clock.random())

  function depsOf(
    chosen: Sandbox = sandbox,
    place = artifacts,
    { atOnce = 1, narrowFromMs }: Pick<VerifierInput, 'atOnce' | 'narrowFromMs'> = {},
  ) {
    const { history, workTrees } = world
    const parts = { history, workTrees, sandbox: chosen, artifacts: createArtifacts(place, redact), shared: null }
    const more = {
      reports: createTestReports(),
      testsOfTrees: createTestsOfTrees({ atOnce, narrowFromMs }),
    }
    return { ...parts, clock, layers: createDependencyLayers(parts), ...more }
  }
  const usual = depsOf()

  /** A step given as a command is called `test` and has 120 s. */
  function ask(asked: string | VerifierInput): Promise<VerifierResponse> {
    const more: Omit<VerifierInput, 'steps'> = typeof asked === 'string' ? {} : asked
    const input = {
      runId: more.runId ?? newRunId(),
      commit: more.commit ?? world.tip,
      base: more.base ?? world.tip,
      isFromStart: false,
      checkout: more.checkout ?? 'coder-001',
      config: configOf(asked),
      onPrepare: async () => undefined,
      purpose: more.purpose ?? 'alone',
      refactor: more.refactor ?? false,
      at: '2026-11-03T11:00:00.000Z',
      acceptance: more.acceptance ?? null,
      criteria: more.criteria ?? null,
    }
    const isUsual = !more.sandbox && !more.artifacts && !more.atOnce && more.narrowFromMs === undefined
    const deps = isUsual ? usual : depsOf(more.sandbox, more.artifacts, more)
    return verify(deps, input, more.signal ?? world.signal)
  }

  /** Problems of an architect's tests on the base commit. */
  function tryOnBase(tests: WrittenTests, asked: VerifierInput) {
    const where = { runId: newRunId(), base: world.tip, isFromStart: false, checkout: 'acceptance' }
    const given = { ...where, config: configOf(asked), at: '2026-11-03T11:00:00.000Z', tests }
    return tryTestsOnBase(usual, given, world.signal)
  }

  /** A commit on the base, or on `on`, with these files; null deletes a file. The mirror has it. */
  async function commitOf(change: Readonly<Record<string, string | null>>, on = world.tip): Promise<string> {
    world.git('reset', '--quiet', '--hard', on)
    for (const [path, content] of Object.entries(change)) {
      if (content === null) rmSync(join(world.repository, path))
      else writeFiles(world.repository, { [path]: content })
    }
    const commit = world.commitAll()
    await world.userRepository.updateMirror(world.signal)
    return commit
  }

  return {
    ...world,
    commitOf,
    commitChange: (change: Readonly<Record<string, string | null>>) => commitOf(change),
    textOf(commit: string, path: string): string | null {
      const [text, size] = [['show'], ['cat-file', '-s']].map((words) => world.git(...words, `${commit}:${path}`))
      // `git` drops the last newline.
      return Buffer.byteLength(text ?? '') < Number(size) ? `${text}\n` : (text ?? null)
    },
    artifacts,
    sandbox,
    folder,
    newRunId,
    ask,
    tryOnBase,
    /** The folders of verifications that still exist. */
    left: () => readdirSync(join(artifacts, 'runs')),
    read: (runId: string, path: string) => readFileSync(join(folder(runId), path), 'utf8'),
  }
}

export function configOf(asked: string | VerifierInput): RunConfig {
  const {
    steps,
    prepare = [],
    services = [],
    ...more
  }: VerifierInput = typeof asked === 'string' ? { steps: [{ command: asked }] } : asked
  return {
    source: 'a test',
    toolTimeoutSec: 1,
    planningIterations: 1,
    codingIterations: 1,
    scoping: { soft: 1, hard: 2 },
    request: { soft: 1, hard: 2 },
    reviewRounds: 1,
    budget: { runUsd: 1, storyUsd: 1, runTokens: 1 },
    prepare: prepare.map((step) => ({
      name: 'install',
      inputs: ['lock'],
      outputs: ['deps'],
      network: [],
      timeoutSec: 120,
      ...step,
    })),
    steps: steps.map((step) => ({ name: 'test', timeoutSec: 120, junit: null, ...step })),
    ...(services.length > 0 && {
      services: services.map((service) => ({ name: 'server', ports: [], env: {}, timeoutSec: 120, ...service })),
    }),
    package: more.package ?? '',
    allowFailing: more.allowFailing ?? [],
    writes: more.writes ?? 'deny',
    assurance: more.assurance ?? 'standard',
    ...(more.assuranceBudget !== undefined && { assuranceBudget: more.assuranceBudget }),
    sandbox: { readOnlyPaths: more.readOnlyPaths ?? [] },
  }
}

/** Number of processes on this machine with these words in their command line. */
export function processesWith(words: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(words)).length
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
