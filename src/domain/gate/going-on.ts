import type { RunConfig } from '../run/run-config.ts'

const ending = /\bcargo(?:\s+(?:\+\S+|--?[\w-]+(?:=\S+)?))*\s+(?:test|t|nextest\s+run)(?![\w-])/g

/**
 * The steps with commands that go on after a program whose tests fail, where they name a runner
 * that ends there: one lost test would hide all later ones.
 */
export function goingOn<Config extends Pick<RunConfig, 'steps'>>(config: Config): Config {
  const steps = config.steps.map((step) =>
    step.command.includes('--no-fail-fast')
      ? step
      : { ...step, command: step.command.replaceAll(ending, (words) => `${words} --no-fail-fast`) },
  )
  return { ...config, steps }
}
