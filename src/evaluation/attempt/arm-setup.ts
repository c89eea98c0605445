import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RepositoryConfigInput } from '../../config/schema.ts'
import type { AcceptanceArm, Arm } from '../../domain/bench/attempt-record.ts'
import type { Task } from '../suite/suite.ts'

export interface ArmSetup {
  readonly task: Task
  readonly arm: Arm
  readonly acceptance: AcceptanceArm | null
  /** The folder of the attempt, in which its files are written. */
  readonly folder: string
  /** The text of the task's configuration. */
  readonly config: string
  /** The most model requests of an editor's lane, if a solution is played. */
  readonly codingIterations: number | null
}

/** The configuration as a repository contains it. */
type RepositoryConfig = RepositoryConfigInput

/**
 * Writes the files of the arm and returns the command line that starts it. The arm `solo` uses the
 * same editor without the gate: its verification is `true`, and its prompt names the real commands.
 */
export async function setUpArm(setup: ArmSetup): Promise<readonly string[]> {
  const { task, arm, acceptance, folder } = setup
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify(configOf(setup), null, 2))
  const spec = join(folder, 'spec.md')
  await writeFile(spec, await specOf(setup))
  const tests = acceptance === 'with' ? ['--acceptance'] : []
  const command = arm === 'crew' ? ['run', spec] : ['task', '--file-text', spec, ...tests]
  return [...command, '--config', file, '--no-ui', task.answer === null ? '--no-wait' : '--wait']
}

function configOf(setup: ArmSetup): RepositoryConfig {
  const { arm, config, codingIterations } = setup
  const written = { ...(JSON.parse(config) as RepositoryConfig), ...acceptanceOf(setup) }
  const editor = { ...written.editor, ...(codingIterations !== null && { coding_iterations: codingIterations }) }
  if (arm !== 'solo') return { ...written, editor }
  const { prepare, package: folder } = written.verification ?? {}
  const verification: RepositoryConfig['verification'] = {
    ...(prepare && { prepare }),
    ...(folder && { package: folder }),
    steps: [{ name: 'nothing', command: 'true' }],
    assurance: 'fast',
  }
  return { ...written, editor, verification }
}

/** `solo` has no gate that could use acceptance tests, and a script does not write any. */
function acceptanceOf({ arm, acceptance, codingIterations }: ArmSetup): Pick<RepositoryConfig, 'acceptance'> {
  if (acceptance === 'without' || arm === 'solo' || codingIterations !== null) return { acceptance: 'off' }
  return acceptance === 'with' ? { acceptance: 'always' } : {}
}

async function specOf({ task, arm, config }: ArmSetup): Promise<string> {
  const text = await readFile(task.spec, 'utf8')
  if (arm !== 'solo') return text
  const { steps = [] } = (JSON.parse(config) as RepositoryConfig).verification ?? {}
  const commands = steps.map(({ command }) => `- ${command}`).join('\n')
  return `${text.trimEnd()}\n\nNothing verifies your change. These commands test the repository:\n${commands}\n`
}

/** The configuration of the hidden tests: one step, with the gate's sandbox and layers. */
export function hiddenConfig(config: string, command: string, timeoutSec: number): RepositoryConfig {
  const { prepare, package: folder, writes } = (JSON.parse(config) as RepositoryConfig).verification ?? {}
  return {
    verification: {
      ...(prepare && { prepare }),
      ...(folder && { package: folder }),
      ...(writes && { writes }),
      steps: [{ name: 'hidden', command, timeout_sec: timeoutSec }],
      assurance: 'fast',
    },
  }
}
