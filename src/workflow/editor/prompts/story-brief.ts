import { dataSection } from '../../../agents/prompts/data-section.ts'
import type { Speak } from '../../../agents/prompts/guidance.ts'
import { type GuideTexts, guideSection } from '../../../agents/prompts/guide-section.ts'
import { otherRepositories } from '../../../agents/prompts/repositories-section.ts'
import type { PrepareStep, Service, VerificationStep } from '../../../domain/run/run-config.ts'
import type { Task } from '../../../domain/run/task.ts'
import { sentence } from '../../../domain/sentence.ts'
import type { Plan } from '../../../domain/story/plan.ts'
import type { ContextPlace } from '../../../domain/story/story.ts'

export interface Surroundings {
  readonly guide: GuideTexts | null
  /** The verifier's steps. */
  readonly steps: readonly Pick<VerificationStep, 'name' | 'command'>[]
  readonly prepare: readonly Pick<PrepareStep, 'command' | 'inputs' | 'outputs'>[]
  /** The services that the verifier starts for each step. */
  readonly services: readonly Service[]
  /** Names of the other repositories of the Run. */
  readonly beside?: readonly string[]
}

/**
 * The start of every lane of a story: the task's own words, which no attempt changes. In a crew a
 * model has written the words, so they are data, too.
 */
export function brief(task: Task, { guide, steps, prepare, services, beside = [] }: Surroundings): string {
  return [
    dataSection('task', task.text),
    section('acceptance_criteria', task.acceptance_criteria ?? []),
    section('constraints', task.constraints),
    section('non_goals', task.non_goals),
    section('look_first', task.files),
    section(
      'verification_steps',
      steps.map(({ name, command }) => `${name}: ${command}`),
    ),
    section('verification_services', services.map(serviceLine)),
    section('installed', prepare.map(installed)),
    otherRepositories(beside),
    guide && guideSection(guide),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Explains how an editor runs programs with services. */
export const withServices =
  "Your own commands find no services. `$WITH_SERVICES <program> [arguments]` in a command starts all of them anew, runs the program, and ends them with the command; `$WITH_SERVICES sh -c '…'` for more than one program."

function serviceLine({ name, command, ports, env }: Service): string {
  const listens = ports.length === 0 ? '' : ` It listens on ${ports.map((port) => `127.0.0.1:${port}`).join(', ')}.`
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`)
  const has = variables.length === 0 ? '' : ` Steps have ${variables.join(' ')}.`
  return `${name}: the verifier starts \`${command}\` anew beside each step.${listens}${has}`
}

/** Tells the installed dependencies and their commands, since an editor has no network. */
function installed({ command, inputs, outputs }: Surroundings['prepare'][number]): string {
  const anew = inputs.length === 0 ? '' : ` The verifier makes it again if you change ${inputs.join(', ')}.`
  return `${outputs.join(', ')}: read-only, made by \`${command}\`.${anew}`
}

export function planSection(plan: Plan): string {
  return dataSection('plan', JSON.stringify(plan))
}

/** Tells an editor the place of the context files, which are not part of its change. */
export function contextSection({ folder, problem }: ContextPlace): string {
  const failed = problem === null ? '' : sentence` The newest one could not be written: ${problem}.`
  return `Context files (scout reports, plans, hypotheses, attempts) are \`${folder}/context_*.md\`. The newest is \`${folder}/context_latest.md\`. They are not part of the change.${failed}`
}

/** The results of earlier attempts, for a fresh start after failures. */
export interface Past {
  /** The reason for the new start: failures in a row, or a retry of ended work. */
  readonly because: 'replan' | 'retry'
  readonly plans: readonly Plan[]
  readonly hypotheses: readonly string[]
  /** One line for each verification: `run_id` and status. */
  readonly verifications: readonly string[]
  readonly lastTail: string | null
  /** Diff of the change so far, which the workspace still holds. */
  readonly diff: string
  readonly guidance: string | null
  readonly stuckReport: string | null
}

export function pastSection(past: Past, speak: Speak): string {
  const intro =
    past.because === 'replan'
      ? 'Verification has failed three times in a row, so doubt the approach, not a detail. Plan again: question the hypothesis, look at what the failures have in common, and choose another way. Do not widen the scope.'
      : past.stuckReport === null
        ? 'An earlier attempt at this task ended before it was done. Start from what it has shown.'
        : 'An earlier attempt at this task got stuck. Its report is below. Start from what it has shown.'
  return [
    intro,
    past.guidance && speak(past.guidance),
    past.stuckReport && dataSection('stuck_report', past.stuckReport),
    past.stuckReport === null &&
      past.plans.length > 0 &&
      dataSection('earlier_plan', JSON.stringify(past.plans.at(-1))),
    section('hypotheses_so_far', past.hypotheses),
    section('verifications_so_far', past.verifications),
    past.lastTail && dataSection('last_failure', past.lastTail),
    past.diff === ''
      ? 'The workspace is as it was at the start.'
      : `The workspace still holds the change of the last attempt. Keep, change or undo it (\`git checkout -- <file>\` works):\n${dataSection('diff', past.diff)}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function section(name: string, items: readonly string[]): string | null {
  return items.length === 0 ? null : dataSection(name, items.map((item) => `- ${item}`).join('\n'))
}
