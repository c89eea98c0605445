import type { Machine, Step } from '../../../config/detect/project.ts'
import type { RepositoryConfigInput } from '../../../config/schema.ts'
import type { VerifierResponse } from '../../../domain/verification/verdict.ts'
import type { Trial } from './try-gate.ts'

interface Settling {
  readonly config: RepositoryConfigInput
  readonly machine: Machine | null
  /** Fallback steps that check less than the steps of equal names. */
  readonly instead: readonly Step[]
  /** Runs the gate with a configuration. */
  readonly run: (config: RepositoryConfigInput) => Promise<Trial>
  /**
   * Runs the gate on the tree without the written configuration. Null if the configuration is not
   * in the tree, or if other files are uncommitted too.
   */
  readonly runBefore: (config: RepositoryConfigInput) => Promise<Trial | null>
}

export interface ConfigTrial {
  readonly config: RepositoryConfigInput
  readonly trial: Trial
  /** The adjustments that were made, one sentence each. */
  readonly said: readonly string[]
  /** The step that fails only because the configuration file is in the tree. */
  readonly ownFile: string | null
}

/**
 * Adjusts a configuration until the unmodified repository is green, or as close as possible: drops
 * a failing check, lets tests write into the tree, or replaces unavailable packages by the
 * machine's own Python. Keeps an adjustment only if the gate gets further with it.
 */
export async function settleConfig(settling: Settling): Promise<ConfigTrial> {
  let at: ConfigTrial = { config: settling.config, trial: await settling.run(settling.config), said: [], ownFile: null }
  while (canGoFurther(at.trial)) {
    const step = failedStep(at.trial.answer)
    const before = step === null ? null : await tryBefore(settling, at, step)
    if (before !== null && before.answer === null) return { ...at, trial: before }
    if (before?.answer?.status === 'PASS') return { ...at, ownFile: step }
    const next = await firstThatHelps(settling, at)
    if (next === null) return at
    at = next
  }
  return at
}

function canGoFurther({ gate, answer }: Trial): boolean {
  return gate === 'red' || answer?.error_type === 'prepare_failed'
}

/** The step at which the gate stopped. */
function failedStep(answer: VerifierResponse | null): string | null {
  if (answer?.status !== 'FAIL') return null
  return answer.manifest?.commands_executed.at(-1)?.name ?? null
}

async function firstThatHelps(settling: Settling, at: ConfigTrial): Promise<ConfigTrial | null> {
  for (const { config, sentence, needsGreen } of changesFor(settling, at)) {
    const trial = await settling.run(config)
    // A person has stopped the trial.
    if (trial.answer === null) return { ...at, trial }
    const helps = needsGreen ? trial.gate === 'green' : comesFurther(at, trial)
    if (helps) return { config, trial, said: [...at.said, sentence], ownFile: null }
  }
  return null
}

interface Change {
  readonly config: RepositoryConfigInput
  readonly sentence: string
  /** True if the change only helps when it makes the gate green. */
  readonly needsGreen?: boolean
}

function changesFor({ machine, instead }: Settling, { config, trial }: ConfigTrial): readonly Change[] {
  const { answer } = trial
  const verification = config.verification ?? {}
  if (answer?.error_type === 'prepare_failed') return withoutPackages(config, machine)
  const step = failedStep(answer)
  const { steps = [] } = verification
  const end = answer?.manifest?.commands_executed.at(-1)
  if (step === null || end?.timed_out) return []
  const test = isTest(step)
  const changes: Change[] = []
  if (verification.writes !== 'overlay' && (test || saysReadOnly(answer))) {
    changes.push({
      config: { ...config, verification: { ...verification, writes: 'overlay' } },
      sentence: `"writes" is "overlay": the step ${step} passes only if it can write into the tree. Its writes are kept apart, with the run.`,
    })
  }
  const less = instead.find(({ name }) => name === step)
  const own = steps.find(({ name }) => name === step)
  if (less && own && less.command !== own.command) {
    changes.push({
      config: { ...config, verification: { ...verification, steps: steps.map((one) => (one === own ? less : one)) } },
      sentence: `The step ${step} is \`${less.command}\`: the rest of \`${own.command}\` fails before any change.`,
    })
  }
  const others = steps.filter(({ name }) => name !== step)
  if (!test && others.length > 0) {
    changes.push({
      config: { ...config, verification: { ...verification, steps: others } },
      sentence: `The step ${step} is left out: \`${own?.command}\` ends with ${end?.exit_code ?? 'a signal'} before any change. Add it again once it passes.`,
      needsGreen: /(?:^|-)build$/.test(step),
    })
  }
  return changes
}

/** If packages cannot be installed, tries the machine's own Python, which may have them. */
function withoutPackages(config: RepositoryConfigInput, machine: Machine | null): readonly Change[] {
  const { verification = {} } = config
  const { prepare = [], steps = [] } = verification
  const ofPython = prepare.filter(({ outputs }) => outputs.includes('.venv'))
  if (ofPython.length === 0 || !machine?.pytest) return []
  const rest = prepare.filter((one) => !ofPython.includes(one))
  const { prepare: _, ...others } = verification
  const own = steps.map((step) => ({ ...step, command: step.command.replace(/^\.venv\/bin\/python /, 'python3 ') }))
  return [
    {
      config: { ...config, verification: { ...others, ...(rest.length > 0 && { prepare: rest }), steps: own } },
      sentence: "The Python packages cannot be installed here: the tests run with the machine's own Python.",
      needsGreen: true,
    },
  ]
}

/** True for every step except those that only check or build. */
export function isTest(step: string): boolean {
  return !/(?:^|-)(?:lint|typecheck|type-check|check-types|build|vet)$/.test(step)
}

function saysReadOnly(answer: VerifierResponse | null): boolean {
  return /EROFS|read-only file ?system|permission denied/i.test(answer?.tail_log ?? '')
}

/**
 * True if the gate got further: past the failed step, or with fewer failed tests. If neither the
 * tests nor their number are known, true if a write error has disappeared.
 */
function comesFurther({ config, trial }: ConfigTrial, next: Trial): boolean {
  if (next.gate === 'green') return true
  const [before, after] = [failedStep(trial.answer), failedStep(next.answer)]
  if (before === null || after === null) return false
  const names = (config.verification?.steps ?? []).map(({ name }) => name)
  if (before !== after) return names.indexOf(after) > names.indexOf(before)
  const [many, few] = [failuresOf(trial.answer), failuresOf(next.answer)]
  if (few === null) return many === null && saysReadOnly(trial.answer) && !saysReadOnly(next.answer)
  return few > 0 && (many === null || few < many)
}

/** The number of failed tests; null if it is unknown. */
function failuresOf(answer: VerifierResponse | null): number | null {
  const { tests, failing } = answer?.manifest ?? {}
  if (tests !== undefined) return Math.max(tests.failed, failing?.length ?? 0)
  return failuresSaid(answer?.tail_log ?? '')
}

/**
 * Runs a step on the tree without the configuration. Null if that is not tried: for tests, only a
 * log that mentions the configuration is reason enough.
 */
async function tryBefore({ runBefore }: Settling, { config, trial }: ConfigTrial, step: string): Promise<Trial | null> {
  if (isTest(step) && !(trial.answer?.tail_log ?? '').includes('.drydock')) return null
  const steps = config.verification?.steps ?? []
  const upTo = steps.slice(0, steps.findIndex(({ name }) => name === step) + 1)
  return runBefore({ ...config, verification: { ...config.verification, steps: upTo } })
}

const kinds = '(?:failures?|failed|failing|fails?|errors?)'
const behind = new RegExp(`(?<![\\w.:])(\\d{1,9})(?: (?:tests?|specs?|examples?|assertions?))? ${kinds}\\b`, 'gi')
const before = new RegExp(`\\b${kinds}\\s*[:=]\\s*(\\d{1,9})\\b`, 'gi')

/**
 * The number of failed tests from the totals at the end of a log, such as `345 specs, 85 failures`,
 * or `# FAIL: 7` with `# ERROR: 0`. For logs that do not name tests; null without such a line.
 */
function failuresSaid(log: string): number | null {
  const said = log.split('\n').map(countsIn)
  const end = said.findLastIndex((counts) => counts.length > 0)
  if (end === -1) return null
  const start = said.findLastIndex((counts, i) => i < end && counts.length === 0)
  return said
    .slice(start + 1, end + 1)
    .flat()
    .reduce((sum, count) => sum + count, 0)
}

function countsIn(line: string): readonly number[] {
  return [...line.matchAll(behind), ...line.matchAll(before)].map(([, count]) => Number(count))
}
