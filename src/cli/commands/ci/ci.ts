import { resolve } from 'node:path'
import { checkConfig } from '../../../app/commands/check-config.ts'
import { checkReceipts, refuseOwnConfig } from '../../../app/commands/ci/check-receipts.ts'
import { findRange, forgetMerges } from '../../../app/commands/ci/find-range.ts'
import { failedTests, readStepTests } from '../../../app/commands/ci/read-step-tests.ts'
import type { Drydock } from '../../../app/drydock.ts'
import type { Installation } from '../../../app/installation.ts'
import { type Annotation, annotationsOf } from '../../../app/text/ci/annotations.ts'
import { codeQuality } from '../../../app/text/ci/code-quality.ts'
import { junit } from '../../../app/text/ci/junit.ts'
import { ciSummary } from '../../../app/text/ci/summary.ts'
import { inertWords } from '../../../app/text/inert-markdown.ts'
import { usage } from '../../../app/usage.ts'
import { readEvent } from '../../../config/ci/read-event.ts'
import { type CiSurroundings, readSurroundings } from '../../../config/ci/surroundings.ts'
import { secretVariables } from '../../../config/known-secrets.ts'
import type { CiEvent } from '../../../domain/ci/ci-event.ts'
import { type CiRange, type CiReport, outcomeOfCi, receiptWords, worstFirst } from '../../../domain/ci/ci-report.ts'
import { withDiskFull } from '../../../domain/disk-full.ts'
import { DrydockError, type ErrorCode, errorCatalogue } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { createRedactor } from '../../../domain/secrets/redact.ts'
import { redactStrings } from '../../../domain/secrets/redact-strings.ts'
import type { VerifierResponse } from '../../../domain/verification/verdict.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { reportError } from '../../screen/output.ts'
import { readAcceptance } from '../start/read-acceptance.ts'
import { startRun } from '../start/start-run.ts'
import { createCiVoice } from './ci-voice.ts'
import { appendFor, writeReport } from './write-report.ts'

export interface CiOptions {
  readonly base?: string
  readonly head?: string
  readonly key?: readonly string[]
  readonly requireReceipts?: true
  readonly acceptanceTests?: string
  readonly findings?: 'fail' | 'warn'
  readonly accept?: readonly string[]
  readonly codequality?: string
  readonly junit?: string
}

type Options = CommonOptions & CiOptions

/**
 * Checks the gate and the receipts in a pipeline. Reports one outcome in the format of its service.
 */
export async function ci(given: Context, options: Options): Promise<number> {
  const surroundings = readSurroundings(given.terminal.env)
  const { context, end } = createCiVoice(given, surroundings.service)
  let annotations: readonly Annotation[] = []
  try {
    const checked = await check(context, surroundings, options)
    annotations = checked.annotations
    return checked.exitCode
  } catch (error) {
    const told = redactStrings(toldBy(error), createRedactor(secretVariables(given.terminal.env)))
    annotations = [annotationOf(told)]
    await appendFor(surroundings.summaryFile, summaryOf(told)).catch(() => {})
    return reportError(context.output, error)
  } finally {
    end(annotations)
  }
}

interface CiResult {
  readonly exitCode: number
  readonly annotations: readonly Annotation[]
}

async function check(context: Context, surroundings: CiSurroundings, options: Options): Promise<CiResult> {
  const { output, terminal } = context
  const drydock = await open(context, options)
  await refuseOwnConfig(drydock)
  await drydock.ensureState()
  const event = await eventOf(drydock, { surroundings, env: terminal.env, options })
  output.note(`${event.name}: ${event.head}`)
  const found = await findRange(drydock, event)
  if (!found.ok) {
    const range = {
      ...found,
      verified: null,
      how: 'They were not merged, so nothing was verified.',
      commits: [],
      count: 0,
    }
    return tell(context, {
      drydock,
      surroundings,
      options,
      report: { ...nothing(options), range, conflicts: found.conflicts },
    })
  }
  const { ok: _ok, ...range } = found
  output.note(`Base ${range.base}, verified ${range.verified}. ${range.how}`)
  const only = namedKeys(surroundings, options)
  const proven = await checkReceipts(drydock, await drydock.openReceipts(), { range, only })
  const verified = await runGate(context, { drydock, range, options }).finally(() => forgetMerges(drydock))
  if (verified.response === null) return { exitCode: verified.exitCode, annotations: [] }
  const setting = new Set([...(options.accept ?? []), ...surroundings.accepted])
  const findings = (verified.response.manifest?.integrity?.findings ?? []).map((finding) => {
    const acceptedBy = setting.has(finding.id) ? 'setting' : proven.accepted.includes(finding.id) ? 'receipt' : null
    return { ...finding, acceptedBy } as const
  })
  const { receipts, notes } = proven
  const more = { range, verification: verified.response, findings, receipts, notes }
  return tell(context, { drydock, surroundings, options, report: { ...nothing(options), ...more } })
}

function nothing(options: Options): Omit<CiReport, 'range'> {
  const requires = { receipts: options.requireReceipts === true, findings: options.findings !== 'warn' }
  return { verification: null, conflicts: [], findings: [], receipts: [], requires, notes: [] }
}

interface CiEventInput {
  readonly surroundings: CiSurroundings
  readonly env: Context['terminal']['env']
  readonly options: Options
}

/** The event as the service describes it, with the options' values taking precedence. */
async function eventOf(
  { userRepository }: Pick<Installation, 'userRepository'>,
  { surroundings, env, options }: CiEventInput,
): Promise<CiEvent> {
  const { base, head } = options
  if (base === undefined) {
    if (head !== undefined) throw usage('--head works only together with --base.', 'drydock ci --base main --head HEAD')
    return readEvent(surroundings.service, env)
  }
  const [from, to] = [await userRepository.target(base), await userRepository.target(head ?? 'HEAD')]
  return { kind: 'change', name: 'named commits', head: to.sha, base: { sha: from.sha }, merge: null }
}

/**
 * Named keys, which replace the configured ones; null to use the keys of the user's configuration.
 */
function namedKeys({ receiptKeys }: CiSurroundings, { key = [] }: Options) {
  if (key.length === 0 && receiptKeys === '') return null
  return { files: key.map((file) => resolve(file)), pem: receiptKeys }
}

interface Gating {
  readonly drydock: Drydock
  readonly range: CiRange
  readonly options: Options
}

async function runGate(
  context: Context,
  { drydock, range, options }: Gating,
): Promise<{ readonly response: VerifierResponse | null; readonly exitCode: number }> {
  const asked = { ...options, target: range.base }
  const checked = await checkConfig(drydock, asked, true).catch((error: unknown) => {
    throw error instanceof DrydockError && error.code === 'no_config' ? noConfig(range.base) : error
  })
  let response: VerifierResponse | null = null
  const acceptance = options.acceptanceTests === undefined ? undefined : await readAcceptance(options.acceptanceTests)
  const request = { kind: 'verify', commit: range.verified, asChange: true } as const
  const exitCode = await startRun(context, {
    drydock,
    request,
    title: 'ci',
    options: asked,
    acceptance,
    ready: { checked: { ...checked, target: range.base }, models: null },
    onResult({ answer }) {
      response = (answer as VerifierResponse | null | undefined) ?? null
    },
  })
  return { response, exitCode }
}

function noConfig(base: string): DrydockError {
  return new DrydockError(
    'no_config',
    `The base commit ${base} has no .drydock/config.json. A change never brings its own.`,
    {
      todo: 'Merge the configuration first (drydock init), then make this check a required one.',
    },
  )
}

interface Telling {
  readonly drydock: Pick<Installation, 'repository' | 'artifacts' | 'userRepository' | 'redact'>
  readonly surroundings: CiSurroundings
  readonly options: Options
  readonly report: CiReport
}

/** Writes the log, the reports and the summary, and the annotations last. */
async function tell(context: Context, { drydock, surroundings, options, report: whole }: Telling): Promise<CiResult> {
  const { output } = context
  const { redact, repository } = drydock
  const report = redactStrings(whole, redact)
  const { range, verification, receipts, findings, notes } = report
  const tests = verification === null ? {} : redactStrings(await readStepTests(drydock, verification), redact)
  const failed = await failedTests(drydock, range.head, tests)
  const annotations = annotationsOf(report, failed)
  const { code, sentence, exit } = outcomeOfCi(report)
  if (options.codequality !== undefined) await writeReport(repository, options.codequality, codeQuality(annotations))
  if (options.junit !== undefined)
    await writeReport(repository, options.junit, junit(verification ?? { manifest: null }, tests))
  await appendFor(surroundings.summaryFile, ciSummary(report, failed))
  await appendFor(surroundings.outputFile, outputsOf(report))
  for (const note of notes) output.note(note)
  for (const receipt of worstFirst(receipts).slice(0, limits.ci.listed))
    output.note(`${receipt.commit.slice(0, 12)}: ${receiptWords(receipt)}`)
  if (receipts.length > limits.ci.listed) output.note(`And ${receipts.length - limits.ci.listed} more commits.`)
  for (const { id, kind, file, claim, acceptedBy } of findings)
    output.note(`${id} ${kind}${acceptedBy === null ? '' : ' (accepted)'} ${file}: ${claim}`)
  if (code === 'INFRA_ERROR') output.note(withoutSandbox)
  output.emit({
    type: 'ci',
    outcome: { code, sentence },
    base: range.base,
    head: range.head,
    verified: range.verified,
    run_id: verification?.run_id ?? null,
    receipts,
    conflicts: report.conflicts,
    notes,
    findings: findings.map(({ id, kind, file, line, claim, acceptedBy }) => ({
      id,
      kind,
      file,
      line,
      claim,
      accepted_by: acceptedBy,
    })),
  })
  output.say(`${code}: ${sentence}`)
  return { exitCode: exit, annotations }
}

const withoutSandbox =
  'If the sandbox does not start: it needs bubblewrap and user namespaces. On Ubuntu 24.04: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0. In a container the runtime must allow them. docs/ci.md has the settings.'

/** One line per output. Every value is Drydock's own, so that none can smuggle in another line. */
function outputsOf(report: CiReport): string {
  const { range, verification, receipts, findings } = report
  const values = {
    outcome: outcomeOfCi(report).code,
    base: range.base,
    head: range.head,
    verified: range.verified ?? '',
    run_id: verification?.run_id ?? '',
    findings: findings.filter(({ acceptedBy }) => acceptedBy === null).length,
    receipts_proven: receipts.filter(({ state }) => state === 'proven').length,
    commits: range.count,
  }
  return Object.entries(values)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')
}

interface CiMessage {
  readonly code: ErrorCode
  readonly message: string
  readonly todo: string
}

function toldBy(thrown: unknown): CiMessage {
  const error = withDiskFull(thrown)
  if (error instanceof DrydockError) return { code: error.code, message: error.message, todo: error.todo }
  return { code: 'bug', message: errorCatalogue.bug.what, todo: 'The log of the job has more.' }
}

function annotationOf({ code, message, todo }: CiMessage): Annotation {
  return {
    level: 'error',
    kind: code,
    title: `Drydock: ${code}`,
    message: `${message}\n${todo}`,
    file: null,
    line: null,
  }
}

function summaryOf({ code, message, todo }: CiMessage): string {
  return `## Drydock: ${code}\n\n${inertWords(message)}\n\n${inertWords(todo)}\n`
}
