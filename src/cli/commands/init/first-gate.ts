import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Installation } from '../../../app/installation.ts'
import type { Machine, Step } from '../../../config/detect/project.ts'
import { repositoryConfigPath } from '../../../config/load.ts'
import type { RepositoryConfigInput } from '../../../config/schema.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { temporaryFolders } from '../../../domain/temporary-folders.ts'
import type { TestRunner } from '../../../domain/verification/test-results.ts'
import type { CommonOptions, Context } from '../../context.ts'
import type { FirstGate } from './describe-first-gate.ts'
import { redGateAdvice } from './red-gate-advice.ts'
import { type ConfigTrial, isTest, settleConfig } from './settle-config.ts'
import { type Trial, tryGate } from './try-gate.ts'
import type { WrittenConfig } from './written-config.ts'

interface First {
  readonly config: RepositoryConfigInput
  readonly machine: Machine | null
  readonly instead: readonly Step[]
  readonly written: WrittenConfig
  readonly options: CommonOptions
  /** True if the user has named the commands. */
  readonly isNamed: boolean
}

interface GateResult {
  readonly exitCode: number
  /** The words in front of the command line that commits. */
  readonly when: string
}

/**
 * Runs the gate on the unmodified tree: if it is red there, no change could ever pass. Adjusts the
 * configuration until it is green, if possible.
 */
export async function runFirstGate(
  context: Context,
  drydock: Pick<Installation, 'repository' | 'userRepository'>,
  first: First,
): Promise<GateResult> {
  const { output } = context
  const { written } = first
  const folder = await mkdtemp(join(tmpdir(), temporaryFolders.init))
  try {
    const settled = await settle(context, drydock, { ...first, folder })
    settled.trial.tell()
    if (settled.said.length > 0) {
      await written.replace(settled.config)
      output.emit({ type: 'init', files: written.files, ...settled.config.verification })
    }
    for (const line of [...settled.said, ...remarks(settled, drydock)]) output.say(output.screen.clean(line))
    const silent = silentSteps(settled)
    const said = [...silent.names.map(unread), ...partlyNamed(settled)]
    for (const line of said) output.say(output.screen.paint('bad', output.screen.clean(line)))
    // A user who named the command knows what it prints.
    const isAccepted = !silent.isAll || first.isNamed
    return isAccepted ? afterwards(settled.trial.gate, settled.trial.exitCode) : { exitCode: 3, when: whenUnread }
  } catch (error) {
    if (!(error instanceof DrydockError) || error.code !== 'no_commits') throw error
    output.say(
      `The gate did not run, because nothing is committed yet. Run it after your first commit: ${written.check}`,
    )
    return { exitCode: 0, when: '' }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function settle(
  context: Context,
  { userRepository }: Pick<Installation, 'userRepository'>,
  { config, machine, instead, written, options, folder }: First & { readonly folder: string },
): Promise<ConfigTrial> {
  const { config: _, ...rest } = options
  let tried = 0
  const trial = async (which: RepositoryConfigInput, commit?: string) => {
    tried += 1
    const file = join(folder, `${tried}.json`)
    await writeFile(file, JSON.stringify(which))
    const configFile = which === config ? written.configFile : file
    return tryGate(context, rest, { configFile, again: written.again, ...(commit && { commit }) })
  }
  return settleConfig({
    config,
    machine,
    instead,
    run: (which) => trial(which),
    async runBefore(which) {
      if (written.configFile === null) return null
      const { tracked, untracked } = await userRepository.uncommitted()
      // Other uncommitted files could be the cause, so a trial on HEAD would prove nothing.
      const others = [...tracked, ...untracked].filter((path) => path !== repositoryConfigPath && path !== '.drydock/')
      return others.length > 0 ? null : trial(which, 'HEAD')
    },
  })
}

/** Remarks on the result for people, one line each. */
function remarks({ trial, ownFile }: ConfigTrial, { repository }: Pick<Installation, 'repository'>): readonly string[] {
  if (ownFile !== null)
    return [
      `The step ${ownFile} passes only without ${repositoryConfigPath}. Exclude the folder .drydock from it. Or remove that file and leave the repository untouched: drydock init --user`,
    ]
  if (trial.gate === 'not run') return ownPython(trial, repository)
  return trial.gate === 'red' ? redGateAdvice(trial.answer) : []
}

/** Steps that seem to run tests, but whose output no known test runner's format explains. */
function silentSteps({ trial: { gate, answer } }: ConfigTrial): {
  readonly names: readonly string[]
  readonly isAll: boolean
} {
  const commands = gate === 'green' ? (answer?.manifest?.commands_executed ?? []) : []
  const names = commands.filter(({ name, tests }) => isTest(name) && !tests).map(({ name }) => name)
  return { names, isAll: names.length > 0 && !answer?.manifest?.tests }
}

/** Advice for steps that name only some of their tests. */
function partlyNamed({ trial: { gate, answer } }: ConfigTrial): readonly string[] {
  const commands = gate === 'green' ? (answer?.manifest?.commands_executed ?? []) : []
  return commands.flatMap(({ name, unnamed = [] }) => {
    if (unnamed.length === 0) return []
    const each = unnamed.map(({ runner, tests }) => (tests === null ? runner : `${runner} (${tests} tests)`))
    const how = [...new Set(unnamed.map(({ runner }) => howToName(runner)))].join(' ')
    return [
      `The step ${name} does not name each test of ${each.join(', ')}. Of these the gate compares only the number. ${how}`,
    ]
  })
}

/** Options that make test runners name their tests. */
const naming: Readonly<Partial<Record<TestRunner, string>>> = {
  vitest: '--reporter=verbose',
  jest: '--verbose',
  mocha: '--reporter tap',
  ava: '--tap',
  pytest: '-v',
  unittest: '-v',
  go: '-v',
}

function howToName(runner: TestRunner): string {
  const option = naming[runner]
  const report = 'in a step of its own that writes a JUnit report ("junit")'
  return option === undefined ? `Run ${runner} ${report}.` : `Run ${runner} with ${option}, or ${report}.`
}

const unread = (name: string): string =>
  `The step ${name} names no tests, so the gate cannot see when a test disappears. No runner that Drydock reads said which tests it ran. Let the command write a JUnit report ("junit") or print its tests by name.`

const whenUnread = 'Once a step names its tests, or to keep it as it is: '

/** Advice about an uncommitted virtual environment, which steps cannot see. */
function ownPython({ answer }: Trial, repository: string): readonly string[] {
  const python = join(repository, '.venv/bin/python')
  if (answer?.error_type !== 'prepare_failed' || !existsSync(python)) return []
  const shown = JSON.stringify([join(repository, '.venv')])
  return [
    `To use the packages of your own .venv, put "sandbox": { "read_only_paths": ${shown} } into your own file, then run: drydock init --user --step "${python} -m pytest -v"`,
  ]
}

function afterwards(gate: FirstGate, exitCode: number): GateResult {
  switch (gate) {
    case 'green':
      return { exitCode, when: '' }
    case 'empty':
      return { exitCode: 3, when: 'Once the gate runs tests: ' }
    case 'red':
      return { exitCode, when: 'Once the gate is green: ' }
    case 'not run':
      return { exitCode, when: 'Once the gate can run: ' }
    default:
      throw new Error(`unknown gate ${gate satisfies never}`)
  }
}
