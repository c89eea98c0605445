import type { Canaries } from '../../verification/assurance.ts'

/**
 * What an editor reads in the log of a verification that failed because a step does not hear
 * failing tests.
 */
export function deafWords({ steps }: Pick<Canaries, 'steps'>): string {
  const deaf = steps.filter(({ status }) => status === 'deaf')
  const said = deaf.map(({ step, reason = '', files }) => `step ${step}: ${reason} (canaries in ${files.join(', ')})`)
  const lines = [
    'gate_deaf: the steps are green, but a test that must fail does not make them red.',
    ...said,
    'Drydock added tests that assert something false to copies of these test files. On the base commit they make the step red; with this change they do not.',
    'Usual causes: code that replaces functions of the test runner or its assertions, sets the exit code, ends the process, or catches what a failing assertion throws.',
    'Tests and sources must leave the runner alone. The runs are in logs/canaries.log and logs/canaries-again.log.',
  ]
  return `\n${lines.map((line) => `[drydock] ${line}\n`).join('')}`
}
