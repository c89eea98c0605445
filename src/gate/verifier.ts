import type { Acceptance } from '../domain/acceptance/acceptance-tests.ts'
import { deafWords } from '../domain/gate/canaries/deaf-words.ts'
import type { GateFinding } from '../domain/gate/gate-finding.ts'
import { limits } from '../domain/limits.ts'
import { outcomeOfResult } from '../domain/run/outcome.ts'
import { mayWrite, writesOf } from '../domain/run/step-writes.ts'
import type { TriedTree } from '../domain/verification/assurance.ts'
import type { InfraError, Manifest, VerifierResponse } from '../domain/verification/verdict.ts'
import { howItEnded } from '../domain/verification/why-failed.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import { judgeAcceptance } from './acceptance/judge-acceptance.ts'
import { type BesideChange, openBesideChange } from './beside-change.ts'
import type { GateDependencies } from './dependencies.ts'
import { InfraFailure, infraErrorOf } from './infra-failure.ts'
import { failingOnBase, failsOnBase, type Inspection, inspectChange } from './inspect-change.ts'
import { missingFiles } from './missing-files.ts'
import { createOutputTail, type OutputTail } from './output-tail.ts'
import type { StepsEnd } from './run-steps.ts'
import { nothingFound, runTree, type TreeResults } from './run-tree.ts'
import { testFacts, withTests } from './test-facts.ts'
import type { TreeTests } from './tests-of-tree.ts'
import type { VerifyInput } from './verification-place.ts'

/**
 * The hard gate (seed: coding-agent-workflow, section 4): the exact commit in a clean checkout,
 * read-only and without network, each step in a sandbox of its own, in order, until one fails. A
 * timeout is a FAIL; any obstacle to a result is an INFRA_ERROR.
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
    tail: createOutputTail(limits.tailBytes, limits.tailLines),
  }
  const { ended, ...verified } = await runAll(deps, verifying, signal)
  const manifest = await manifestOf(deps, { ...verifying, ...verified }, { status: ended.status, start })
  try {
    const artifact_paths = await folder.finish(manifest)
    const { status } = ended
    const response = { status, run_id: input.runId, tail_log: verifying.tail.text(), artifact_paths, manifest } as const
    if (ended.status === 'FAIL' && verified.found.onlyFlaky) return { ...response, only_flaky: true }
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

interface Verifying {
  readonly input: VerifyInput
  /** Further trees whose steps ran. */
  readonly trees: readonly TriedTree[]
  readonly tree: string
  readonly folder: RunFolder
  readonly tail: OutputTail
}

/** The results of a verification, however it ended. */
interface VerificationEnd {
  readonly ended: StepsEnd
  readonly found: TreeResults
  /** The tests of the base commit, if they were needed. */
  readonly base: TreeTests | null
  readonly inspected: Inspection | null
  readonly acceptance: Acceptance | null
  readonly alsoOnBase: Manifest['also_on_base'] | null
}

const nothing = { found: nothingFound, base: null, inspected: null, acceptance: null, alsoOnBase: null } as const

function broken(error: unknown): StepsEnd {
  return { status: 'INFRA_ERROR', infra: infraErrorOf(error, 'unknown') }
}

async function manifestOf(
  deps: GateDependencies,
  {
    input,
    trees,
    tree: tree_sha,
    found,
    base,
    inspected,
    acceptance,
    alsoOnBase,
  }: Verifying & Omit<VerificationEnd, 'ended'>,
  { status, start }: { readonly status: StepsEnd['status']; readonly start: Date },
): Promise<Manifest> {
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

/** Steps with write access are listed only if they differ. */
function writesTold(config: VerifyInput['config']): Manifest['limits'] {
  const each = config.steps.map((step) => writesOf(config, step))
  const writes = mayWrite(config) ? 'overlay' : 'deny'
  return { writes, ...(each.some((own) => own !== writes) && { step_writes: each }) }
}

/** Runs all checks, with a log. */
async function runAll(deps: GateDependencies, verifying: Verifying, signal: AbortSignal): Promise<VerificationEnd> {
  const combined = verifying.folder.openLog('combined.log')
  const write = (chunk: Uint8Array) => {
    verifying.tail.push(chunk)
    combined.write(chunk)
  }
  const verified = await runGate(deps, { verifying, write }, signal).catch(
    (error): VerificationEnd => ({ ...nothing, ended: broken(error) }),
  )
  try {
    combined.close()
  } catch (error) {
    // The last bytes of the log may fill the disk, which is a result, too.
    return verified.ended.status === 'INFRA_ERROR' ? verified : { ...verified, ended: broken(error) }
  } finally {
    signal.throwIfAborted()
  }
  return verified
}

interface Running {
  readonly verifying: Verifying
  readonly write: (chunk: Uint8Array) => void
}

/**
 * Dependencies, the steps, and for green ones a check of the change's effect on them. The base
 * commit's steps run in parallel if the machine has two lanes.
 */
async function runGate(deps: GateDependencies, running: Running, signal: AbortSignal): Promise<VerificationEnd> {
  const { verifying } = running
  const isCompared = await comparesWithBase(deps, verifying)
  const knownBefore = await deps.testsOfTrees.known({ deps, input: verifying.input }, signal)
  const beside = openBesideChange(deps, { ...verifying, isCompared, knownBefore }, signal)
  try {
    return await runAndInspect(deps, { ...running, beside, isCompared, knownBefore }, signal)
  } finally {
    await beside.end()
  }
}

/** True if anybody would act on a comparison with the base commit. */
async function comparesWithBase({ history }: GateDependencies, { input, tree }: Verifying): Promise<boolean> {
  const { purpose, base } = input
  return (purpose === 'change' || purpose === 'merge') && tree !== (await history.tree(base))
}

interface Inspecting extends Running {
  readonly beside: BesideChange
  readonly isCompared: boolean
  /** The tests of the base commit, if they were known before this verification began. */
  readonly knownBefore: TreeTests | null
}

async function runAndInspect(
  deps: GateDependencies,
  { verifying, write, beside, isCompared, knownBefore }: Inspecting,
  signal: AbortSignal,
): Promise<VerificationEnd> {
  const { input, tree, folder, tail } = verifying
  let found = nothingFound
  let base: TreeTests | null = null
  let inspected: Inspection | null = null
  let acceptance: Acceptance | null = null
  let alsoOnBase: Manifest['also_on_base'] | null = null
  const end = (ended: StepsEnd): VerificationEnd => ({ ended, found, base, inspected, acceptance, alsoOnBase })
  const askBase = async () => {
    base = await beside.base()
    return base
  }
  try {
    const failing = (tests: TreeResults['tests']) => failingOnBase(deps, { input, tree, base: askBase }, tests)
    const known = { failingOnBase: failing, tracing: null, log: folder.openLog }
    const ran = await runTree(deps, { input, folder, tail, write, ...known }, signal)
    found = ran.found
    const { ended } = ran
    if (ended.status === 'THROWN') return end(broken(ended.error))
    writeTests(folder, found)
    if (ended.status === 'PASS') {
      const accept = async () => {
        const own = { input, tree, found, write, base: askBase, failingOnBase: () => failing(found.tests) }
        const judged = await judgeAcceptance(deps, own, signal)
        acceptance = judged.acceptance
        if (judged.findings.length > 0) inspected = withFindings(inspected, judged.findings)
        return end(judged.ended)
      }
      if (!isCompared) return await accept()
      const inspecting = { input, tree, folder, found, base: askBase, free: beside.free, begun: beside.proof }
      inspected = await inspectChange(deps, inspecting, signal)
      const { facts, unended } = inspected
      const { canaries } = facts
      if (canaries?.status !== 'deaf' && unended.length === 0) return await accept()
      const said = unended.map((words) => `\n[drydock] ${words}\n`).join('')
      write(Buffer.from(canaries?.status === 'deaf' ? deafWords(canaries) : said))
      return end({ status: 'FAIL' })
    }
    if (ended.status !== 'FAIL') return end(ended)
    alsoOnBase = await failsOnBase(deps, verifying, { found, before: base ?? knownBefore })
    if (alsoOnBase === 'step') base ??= knownBefore
    const missing = await missingFiles(deps, input.commit, signal)
    const last = howItEnded({ commands_executed: found.commands })
    // Missing files may or may not be the cause, so the last line names the failed step.
    const said = [...missing, ...(last === null ? [] : [last])].map((line) => `[drydock] ${line}\n`).join('')
    if (missing.length > 0) write(Buffer.from(`\n${said}`))
    return end(ended)
  } catch (error) {
    return end(broken(error))
  }
}

function withFindings(inspected: Inspection | null, found: readonly GateFinding[]): Inspection {
  const { integrity = null, facts = {}, unended = [] } = inspected ?? {}
  return { facts, unended, integrity: { ...integrity, findings: [...(integrity?.findings ?? []), ...found] } }
}

/** `logs/tests.json`: the test report of each step, if there is any. */
function writeTests(folder: RunFolder, found: TreeResults): void {
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
