import type { Run } from './run.ts'

/**
 * True if an architect writes tests for the stories of a Run. A person's request with the Run
 * counts more than the configuration.
 */
export function writesAcceptance({ data: { config, policy } }: Pick<Run, 'data'>): boolean {
  if (config === null || config.steps.length === 0) return false
  if (policy.acceptance === 'asked') return true
  const { acceptance = 'crew' } = config
  return acceptance === 'always' || (acceptance === 'crew' && policy.acceptance === 'usual')
}
