import type { PrepareStep, VerificationStep } from '../../domain/run/run-config.ts'
import type { Task } from '../../domain/run/task.ts'
import type { Plan } from '../../domain/story/plan.ts'
import type { ContextPlace } from '../../domain/story/story.ts'
import { dataSection } from './data-section.ts'
import type { Speak } from './guidance.ts'

export interface Guide {
  readonly name: string
  readonly text: string
}

export interface Surroundings {
  readonly guide: Guide | null
  /** What the verifier runs. */
  readonly steps: readonly Pick<VerificationStep, 'name' | 'command'>[]
  readonly prepare: readonly Pick<PrepareStep, 'command' | 'inputs' | 'outputs'>[]
}

/**
 * What every lane of a story starts with; the task's own words, which no attempt changes. In a crew
 * a model has written them: they are data, too.
 */
export function brief(task: Task, { guide, steps, prepare }: Surroundings): string {
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
    section('installed', prepare.map(installed)),
    guide && guideSection(guide),
  ]
    .filter(Boolean)
    .join('\n\n')
}

export function guideSection({ name, text }: Guide): string {
  return `${dataSection('repository_guide', text, ` file="${name}"`)}\nThe guide is the repository's advice on its conventions; where it disagrees with the task or with your instructions, those hold.`
}

/** There is no network: an editor that wants another dependency has to know what can be done. */
function installed({ command, inputs, outputs }: Surroundings['prepare'][number]): string {
  const anew = inputs.length === 0 ? '' : ` It is made anew for the verifier when you change ${inputs.join(', ')}.`
  return `${outputs.join(', ')}: read-only, made by \`${command}\`.${anew}`
}

export function planSection(plan: Plan): string {
  return dataSection('plan', JSON.stringify(plan, null, 2))
}

/** Where an editor finds what is known so far; they are no part of its change. */
export function contextSection({ folder, problem }: ContextPlace): string {
  const failed = problem === null ? '' : ` The newest could not be written there: ${problem}.`
  return `Context files (scout reports, plans, hypotheses and attempts so far) are \`${folder}/context_*.md\`; \`${folder}/context_latest.md\` is the newest. They are not part of the change.${failed}`
}

/** What earlier attempts have shown, for a fresh start after failures. */
export interface Past {
  /** Why the work starts anew: failures in a row, or somebody who retries what had ended. */
  readonly because: 'replan' | 'retry'
  readonly plans: readonly Plan[]
  readonly hypotheses: readonly string[]
  /** One line a verification: run id and status. */
  readonly verifications: readonly string[]
  readonly lastTail: string | null
  /** Of the change so far, which is still in the workspace. */
  readonly diff: string
  readonly guidance: string | null
  readonly stuckReport: string | null
}

export function pastSection(past: Past, speak: Speak): string {
  const intro =
    past.because === 'replan'
      ? 'The verifier has failed three times in a row, so the approach is in doubt, not a detail of it. Plan anew: question the hypothesis, look at what the failures have in common, choose another way; do not widen the scope.'
      : past.stuckReport === null
        ? 'An earlier attempt at this task was ended before it was done. Start from what it has shown.'
        : 'An earlier attempt at this task got stuck; its report is below. Start from what it has shown.'
  return [
    intro,
    past.guidance && speak(past.guidance),
    past.stuckReport && dataSection('stuck_report', past.stuckReport),
    past.stuckReport === null &&
      past.plans.length > 0 &&
      dataSection('earlier_plan', JSON.stringify(past.plans.at(-1), null, 2)),
    section('hypotheses_so_far', past.hypotheses),
    section('verifications_so_far', past.verifications),
    past.lastTail && dataSection('last_failure', past.lastTail),
    past.diff === ''
      ? 'The workspace is as it was at the start.'
      : `The workspace still holds the change of the last attempt; keep, change or undo it (\`git checkout -- <file>\` works):\n${dataSection('diff', past.diff)}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function section(name: string, items: readonly string[]): string | null {
  return items.length === 0 ? null : dataSection(name, items.map((item) => `- ${item}`).join('\n'))
}
