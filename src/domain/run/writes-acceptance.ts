import type { Run } from './run.ts'

/**
 * Whether an architect writes tests for the stories of a Run. What a person asks for with the Run
 * counts more than its configuration.
 */
export function writesAcceptance({ data: { config, policy } }: Pick<Run, 'data'>): boolean {
  if (config === null || config.steps.length === 0) return false
  if (policy.acceptance === 'asked') return true
  const { acceptance = 'crew' } = config
  return acceptance === 'always' || (acceptance === 'crew' && policy.acceptance === 'usual')
}
