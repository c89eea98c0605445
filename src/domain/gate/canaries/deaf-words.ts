import type { Canaries } from '../../verification/assurance.ts'

/**
 * The text in the log of a verification that failed because a step does not notice failing tests.
 * An editor reads it.
 */
export function deafWords({ steps }: Pick<Canaries, 'steps'>): string {
  const deaf = steps.filter(({ status }) => status === 'deaf')
  const said = deaf.map(({ step, reason = '', files }) => `step ${step}: ${reason} (canaries in ${files.join(', ')})`)
  const lines = [
    'gate_deaf: the steps are green, but a test that must fail does not turn them red.',
    ...said,
    'Drydock added tests with a false assertion to copies of these test files. On the base commit they turn the step red. With this change they do not.',
    'Usual causes: code that replaces functions of the test runner or its assertions, sets the exit code, ends the process, or catches the error of a failing assertion.',
    'Tests and sources must not touch the runner. The logs are logs/canaries.log and logs/canaries-again.log.',
  ]
  return `\n${lines.map((line) => `[drydock] ${line}\n`).join('')}`
}
