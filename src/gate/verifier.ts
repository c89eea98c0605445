import type { Acceptance } from '../domain/acceptance/acceptance-tests.ts'
import { deafWords } from '../domain/gate/canaries/deaf-words.ts'
import { limits } from '../domain/limits.ts'
import { outcomeOfResult } from '../domain/run/outcome.ts'
import { mayWrite, writesOf } from '../domain/run/step-writes.ts'
import type { TriedTree } from '../domain/verification/assurance.ts'
import { failingIn } from '../domain/verification/reruns.ts'
import type { InfraError, Manifest, VerifierResponse } from '../domain/verification/verdict.ts'
import { howItEnded } from '../domain/verification/why-failed.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import { judgeAcceptance } from './acceptance/judge-acceptance.ts'
import { type BesideChange, openBesideChange } from './beside-change.ts'
import type { GateDependencies } from './dependencies.ts'
import { InfraFailure, infraErrorOf } from './infra-failure.ts'
import { failingOnBase, type Inspected, inspectChange } from './inspect-change.ts'
import { missingFiles } from './missing-files.ts'
import { createOutputTail, type OutputTail } from './output-tail.ts'
import type { Ended } from './run-steps.ts'
import { type Found, nothingFound, runTree } from './run-tree.ts'
import { testFacts, withTests } from './test-facts.ts'
import type { TreeTests } from './tests-of-tree.ts'
import type { VerifyInput } from './verification-place.ts'

/**
 * The hard gate (seed: coding-agent-workflow, section 4): the exact commit in a clean checkout,
 * read-only and without network, each step in a sandbox of its own, in order, until one fails. A
 * timeout is a FAIL; what stands in the way of an answer is an INFRA_ERROR.
 */
export async function verify(
  deps: GateDependencies,
  input: VerifyInput,
  signal: AbortSignal,
): Promise<VerifierResponse> {
  signal.throwIfAborted()
  const start = deps.clock.now()
  let folder: RunFolder
  let tree_sha: string
  try {
    ;[tree_sha, folder] = await Promise.all([deps.history.tree(input.commit), openFolder(deps, input)])
  } catch (error) {
    signal.throwIfAborted()
    const { errorType, errorMessage } = infraErrorOf(error, 'checkout_failed')
    return infraResponse(input.runId, { errorType, errorMessage: `commit ${input.commit}: ${errorMessage}` })
  }
  const trees: TriedTree[] = []
  const verifying: Verifying = {
    input: { ...input, onTree: (ran) => trees.push(ran) },
    trees,
    tree: tree_sha,
    folder,
    found: nothingFound(),
    tail: createOutputTail(limits.tailBytes, limits.tailLines),
    base: null,
    knownBefore: null,
    inspected: null,
    acceptance: null,
    alsoOnBase: null,
  }
  const ended = await runAll(deps, verifying, signal)
  const manifest = await manifestOf(deps, verifying, { status: ended.status, start })
  try {
    const artifact_paths = await folder.finish(manifest)
    const { status } = ended
    const { found, tail } = verifying
    const response = { status, run_id: input.runId, tail_log: tail.text(), artifact_paths, manifest } as const
    if (ended.status === 'FAIL' && found.onlyFlaky) return { ...response, only_flaky: true }
    if (ended.status !== 'INFRA_ERROR') return response
    return { ...response, error_type: ended.infra.errorType, error_message: ended.infra.errorMessage }
  } catch (error) {
    return infraResponse(input.runId, infraErrorOf(error, 'unknown'))
  }
}

async function openFolder({ artifacts }: GateDependencies, { runId, commit, base }: VerifyInput): Promise<RunFolder> {
  try {
    return await artifacts.openRun(runId, { ofBase: commit === base })
  } catch (error) {
    throw new InfraFailure(infraErrorOf(error, 'unknown'))
  }
}

/** What a verification has found so far, kept however it ends. */
interface Verifying {
  readonly input: VerifyInput
  /** Trees beside the change's own whose steps have run. */
  readonly trees: readonly TriedTree[]
  readonly tree: string
  readonly folder: RunFolder
  readonly found: Found
  readonly tail: OutputTail
  base: TreeTests | null
  /** The tests of the base commit if they were known before this verification began. */
  knownBefore: TreeTests | null
  inspected: Inspected | null
  acceptance: Acceptance | null
  alsoOnBase: Manifest['also_on_base'] | null
}

async function manifestOf(
  deps: GateDependencies,
  verifying: Verifying,
  { status, start }: { readonly status: Ended['status']; readonly start: Date },
): Promise<Manifest> {
  const { input, trees, tree: tree_sha, found, base, inspected, acceptance, alsoOnBase } = verifying
  const image = await deps.sandbox.image()
  const facts = testFacts(found, base)
  return {
    run_id: input.runId,
    timestamp_start: start.toISOString(),
    timestamp_end: deps.clock.now().toISOString(),
    commit_sha: input.commit,
    tree_sha,
    base_sha: input.base,
    status,
    outcome: outcomeOfResult({ status, kind: 'verify', stories: [], answer: { manifest: facts } }),
    commands_executed: withTests(found),
    ...facts,
    ...(alsoOnBase && { also_on_base: alsoOnBase }),
    ...(trees.length > 0 && { trees }),
    ...(inspected && { ...(inspected.integrity && { integrity: inspected.integrity }), ...inspected.facts }),
    ...(acceptance && { acceptance }),
    ...(input.config.prepare.length > 0 && {
      dependencies: found.layers.map(({ key, outputs }) => ({ layer: key, outputs })),
    }),
    platform: {
      ...deps.sandbox.platform,
      sandbox: deps.sandbox.name,
      ...(image.ok && image.value && { image: image.value.name }),
    },
    limits: {
      ...limits.sandbox,
      network: 'none',
      ...writesTold(input.config),
      step_timeouts_sec: input.config.steps.map((step) => step.timeoutSec),
    },
  }
}

/** Which steps may write is only told where they differ. */
function writesTold(config: VerifyInput['config']): Manifest['limits'] {
  const each = config.steps.map((step) => writesOf(config, step))
  const writes = mayWrite(config) ? 'overlay' : 'deny'
  return { writes, ...(each.some((own) => own !== writes) && { step_writes: each }) }
}

/** All that is run and looked at, with a log of it. */
async function runAll(deps: GateDependencies, verifying: Verifying, signal: AbortSignal): Promise<Ended> {
  const combined = verifying.folder.openLog('combined.log')
  const write = (chunk: Uint8Array) => {
    verifying.tail.push(chunk)
    combined.write(chunk)
  }
  const broken = (error: unknown): Ended => ({ status: 'INFRA_ERROR', infra: infraErrorOf(error, 'unknown') })
  const ended = await runGate(deps, { verifying, write }, signal).catch(broken)
  try {
    combined.close()
  } catch (error) {
    // Its last bytes may be too many for the disk, which is an answer, too.
    return ended.status === 'INFRA_ERROR' ? ended : broken(error)
  } finally {
    signal.throwIfAborted()
  }
  return ended
}

interface Running {
  readonly verifying: Verifying
  readonly write: (chunk: Uint8Array) => void
}

/**
 * Dependencies, the steps, and when they are green a look at what the change does to them. The base
 * commit's steps run beside those of the change where the machine has two lanes.
 */
async function runGate(deps: GateDependencies, running: Running, signal: AbortSignal): Promise<Ended> {
  const { verifying } = running
  const isCompared = await comparesWithBase(deps, verifying)
  verifying.knownBefore = await deps.testsOfTrees.known({ deps, input: verifying.input }, signal)
  const beside = openBesideChange(deps, { ...verifying, isCompared }, signal)
  try {
    return await runAndInspect(deps, { ...running, beside, isCompared }, signal)
  } finally {
    await beside.end()
  }
}

/** Whether somebody would act on a comparison with the base commit. */
async function comparesWithBase({ history }: GateDependencies, { input, tree }: Verifying): Promise<boolean> {
  const { purpose, base } = input
  return (purpose === 'change' || purpose === 'merge') && tree !== (await history.tree(base))
}

interface Inspecting extends Running {
  readonly beside: BesideChange
  readonly isCompared: boolean
}

async function runAndInspect(
  deps: GateDependencies,
  { verifying, write, beside, isCompared }: Inspecting,
  signal: AbortSignal,
): Promise<Ended> {
  const { input, tree, folder, found, tail } = verifying
  const base = async () => {
    verifying.base = await beside.base()
    return verifying.base
  }
  const inspecting = { input, tree, folder, found, base, free: beside.free, begun: beside.proof }
  const known = { failingOnBase: () => failingOnBase(deps, inspecting), tracing: null, log: folder.openLog }
  const ended = await runTree(deps, { input, folder, found, tail, write, ...known }, signal)
  writeTests(verifying)
  if (ended.status === 'PASS') {
    const accept = async () => {
      const own = { input, tree, found, write, base, failingOnBase: known.failingOnBase }
      const { acceptance, ended } = await judgeAcceptance(deps, own, signal)
      verifying.acceptance = acceptance
      return ended
    }
    if (!isCompared) return accept()
    verifying.inspected = await inspectChange(deps, inspecting, signal)
    const { facts, unended } = verifying.inspected
    const { canaries } = facts
    if (canaries?.status !== 'deaf' && unended.length === 0) return accept()
    const said = unended.map((words) => `\n[drydock] ${words}\n`).join('')
    write(Buffer.from(canaries?.status === 'deaf' ? deafWords(canaries) : said))
    return { status: 'FAIL' }
  }
  if (ended.status !== 'FAIL') return ended
  verifying.alsoOnBase = await failsOnBase(deps, verifying)
  const missing = await missingFiles(deps, input.commit, signal)
  const end = howItEnded({ commands_executed: found.commands })
  // What is missing may be why, or not: the last word is what failed.
  const said = [...missing, ...(end === null ? [] : [end])].map((line) => `[drydock] ${line}\n`).join('')
  if (missing.length > 0) write(Buffer.from(`\n${said}`))
  return ended
}

/**
 * Whether the base commit fails in the same way. A step that names no failing test is compared only
 * where the base has been run, since its names would be all that such a run could add.
 */
async function failsOnBase(deps: GateDependencies, verifying: Verifying): Promise<Manifest['also_on_base'] | null> {
  const { input, tree, found } = verifying
  // A verdict on the base itself need not say that it is the base.
  if (input.purpose === 'alone' && tree === (await deps.history.tree(input.base))) return null
  if (found.onlyPreExisting) return 'tests'
  const last = found.commands.at(-1)
  if (last === undefined || last.timed_out || failingIn(found.tests.get(last.name) ?? null).length > 0) return null
  const before = verifying.base ?? verifying.knownBefore
  const same = before?.commands.find(({ name }) => name === last.name)
  if (same === undefined || same.timed_out || same.exit_code !== last.exit_code || last.exit_code === 0) return null
  if (failingIn(before?.tests[last.name] ?? null).length > 0) return null
  verifying.base = before
  return 'step'
}

/** `logs/tests.json`: what each step said of its tests, where one said anything. */
function writeTests({ folder, found }: Verifying): void {
  if ([...found.tests.values()].every((report) => report === null)) return
  const log = folder.openLog('tests.json')
  log.write(Buffer.from(`${JSON.stringify(Object.fromEntries(found.tests))}\n`))
  log.close()
}

function infraResponse(runId: string, { errorType, errorMessage }: InfraError): VerifierResponse {
  return {
    status: 'INFRA_ERROR',
    run_id: runId,
    tail_log: null,
    artifact_paths: null,
    manifest: null,
    error_type: errorType,
    error_message: errorMessage,
  }
}
