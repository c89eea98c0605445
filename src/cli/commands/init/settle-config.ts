import type { Machine, Step } from '../../../config/detect/project.ts'
import type { RepositoryConfigInput } from '../../../config/schema.ts'
import type { VerifierResponse } from '../../../domain/verification/verdict.ts'
import type { Trial } from './try-gate.ts'

interface Settling {
  readonly config: RepositoryConfigInput
  readonly machine: Machine | null
  /** Steps that do less than those of their names. */
  readonly instead: readonly Step[]
  /** Runs the gate with a configuration. */
  readonly run: (config: RepositoryConfigInput) => Promise<Trial>
  /**
   * The same on the tree as it was before the configuration was written; null where that is not in
   * the tree, or other things are not committed either.
   */
  readonly runBefore: (config: RepositoryConfigInput) => Promise<Trial | null>
}

export interface ConfigTrial {
  readonly config: RepositoryConfigInput
  readonly trial: Trial
  /** What was changed to get there, one sentence each. */
  readonly said: readonly string[]
  /** The step that fails only because the configuration is in the tree. */
  readonly ownFile: string | null
}

/**
 * A configuration with which the untouched repository is green, or the one that comes furthest: a
 * check that fails is left out, tests may write into the tree, the
 * machine's own Python takes the place of packages that cannot be had. Each is kept only when the
 * gate comes further with it.
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
    // Somebody has stopped it.
    if (trial.answer === null) return { ...at, trial }
    const helps = needsGreen ? trial.gate === 'green' : comesFurther(at, trial)
    if (helps) return { config, trial, said: [...at.said, sentence], ownFile: null }
  }
  return null
}

interface Change {
  readonly config: RepositoryConfigInput
  readonly sentence: string
  /** It is of no use where the gate only comes further. */
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

/** Where packages cannot be installed, the machine's own Python may have them. */
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

/** Everything but what only checks or builds. */
export function isTest(step: string): boolean {
  return !/(?:^|-)(?:lint|typecheck|type-check|check-types|build|vet)$/.test(step)
}

function saysReadOnly(answer: VerifierResponse | null): boolean {
  return /EROFS|read-only file ?system|permission denied/i.test(answer?.tail_log ?? '')
}

/**
 * Past the step that failed; or with fewer tests that fail, as far as they are named or the runner
 * says how many; or, where it does not, without the complaint that nothing can be written.
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

/** How many tests failed; null where nobody says so. */
function failuresOf(answer: VerifierResponse | null): number | null {
  const { tests, failing } = answer?.manifest ?? {}
  if (tests !== undefined) return Math.max(tests.failed, failing?.length ?? 0)
  return failuresSaid(answer?.tail_log ?? '')
}

/**
 * How a step goes on the tree without the configuration; null where that is not tried: tests are
 * only where their log names it.
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
 * The number of failed tests by the totals at the end of a log whose tests nobody can name, such as
 * `345 specs, 85 failures` or `# FAIL: 7` beside `# ERROR: 0`; null without such a line.
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
