import { resolve } from 'node:path'
import { usage } from '../../../app/usage.ts'
import { checkModel } from '../../../compose.ts'
import { chooseAgent } from '../../../config/choose-agent.ts'
import { loadUserConfig } from '../../../config/load.ts'
import { resolveModels } from '../../../config/models.ts'
import {
  type AcceptanceArm,
  type Arm,
  type AttemptKey,
  acceptanceArms,
  arms,
} from '../../../domain/bench/attempt-record.ts'
import { agentNameOf, splitModelNames } from '../../../domain/model-name.ts'
import { attemptKeys, selfTestKeys } from '../../../evaluation/run-bench.ts'
import type { Suite, Task } from '../../../evaluation/suite/suite.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { checkUnseen } from './check-unseen.ts'

export interface BenchOptions extends CommonOptions {
  readonly arms?: string
  readonly acceptance?: string
  readonly tasks?: string
  readonly repeats?: number
  readonly jobs?: number
  readonly out?: string
  readonly resume?: boolean
  readonly play?: string
  readonly selfTest?: boolean
  readonly import?: string
  readonly repos?: string
}

/** The attempts that a command line asks to be measured. */
export interface BenchChoice {
  readonly tasks: readonly Task[]
  readonly keys: readonly AttemptKey[]
  /** Ids of the models that work, or names of the solutions that are replayed. */
  readonly models: string
  readonly modelFlags: readonly string[]
}

/**
 * Selects attempts. Throws DrydockError `bad_usage` for an unknown task, arm or solution,
 * `no_model` without a model, `bad_model` or `no_key` for a model that cannot be used.
 */
export async function chooseAttempts(
  { terminal }: Context,
  { suite, folder, options }: { readonly suite: Suite; readonly folder: string; readonly options: BenchOptions },
): Promise<BenchChoice> {
  const { selfTest = false, repeats = 1, play = null } = options
  const tasks = chosenTasks(suite, options.tasks)
  if (selfTest) return { tasks, keys: selfTestKeys({ tasks }), models: 'self-test', modelFlags: [] }
  if (play !== null) checkPlay(tasks, play)
  const keys = attemptKeys(tasks, {
    arms: chosenArms(options.arms),
    acceptance: chosenAcceptance(options),
    repeats,
    play,
  })
  if (play !== null) return { tasks, keys, models: `played-${play}`, modelFlags: [] }
  const modelFlags = flagsOfModels(options)
  const user = await loadUserConfig(terminal.env)
  await checkUnseen(suite, folder, user)
  const roles = (['architect', 'editor', 'scout'] as const).filter(
    (role) => role !== 'architect' || keys.some(({ arm, acceptance }) => arm === 'crew' || acceptance === 'with'),
  )
  const flags = {
    ...(options.model && { default: absolute(options.model) }),
    ...(options.architectModel && { architect: absolute(options.architectModel) }),
    ...(options.editorModel && { editor: absolute(options.editorModel) }),
    ...(options.scoutModel && { scout: absolute(options.scoutModel) }),
  }
  const ids = Object.values(resolveModels(roles, { flags, user, env: terminal.env }))
  for (const name of ids.flatMap(splitModelNames)) {
    const agent = agentNameOf(name)
    if (agent === null) checkModel(name, terminal.env, user)
    else chooseAgent(agent, { user, env: terminal.env })
  }
  return { tasks, keys, models: [...new Set(ids)].join('+'), modelFlags }
}

function chosenTasks({ tasks }: Suite, given: string | undefined): readonly Task[] {
  if (given === undefined) return tasks
  const ids = listOf(given)
  const unknown = ids.filter((id) => !tasks.some((task) => task.id === id))
  if (unknown.length > 0)
    throw usage(`The suite has no task ${unknown.join(', ')}.`, `Its tasks: ${tasks.map(({ id }) => id).join(', ')}`)
  return tasks.filter(({ id }) => ids.includes(id))
}

function chosenArms(given: string | undefined): readonly Arm[] | null {
  if (given === undefined) return null
  const names = listOf(given)
  const unknown = names.filter((name) => !arms.some((arm) => arm === name))
  if (unknown.length > 0) throw usage(`There is no arm ${unknown.join(', ')}.`, `Arms: ${arms.join(', ')}`)
  return arms.filter((arm) => names.includes(arm))
}

function chosenAcceptance({ arms: ofArms, acceptance: given }: BenchOptions): readonly AcceptanceArm[] | null {
  if (given === undefined) return null
  const names = listOf(given)
  const unknown = names.filter((name) => !acceptanceArms.some((each) => each === name))
  if (unknown.length > 0)
    throw usage(`--acceptance does not know ${unknown.join(', ')}.`, `It takes: ${acceptanceArms.join(', ')}`)
  if (chosenArms(ofArms)?.every((arm) => arm === 'solo'))
    throw usage('The arm solo has no gate, so no acceptance tests.', 'Leave out --acceptance, or add an arm.')
  return acceptanceArms.filter((each) => names.includes(each))
}

function checkPlay(tasks: readonly Task[], play: string): void {
  const without = tasks.filter((task) =>
    play === 'gold' ? task.gold === null : play !== 'empty' && task.wrong[play] === undefined,
  )
  if (without.length === 0) return
  const names = without.map(({ id }) => id).join(', ')
  throw usage(`These tasks have no solution ${play}: ${names}.`, 'Leave them out with --tasks, or add it to the suite.')
}

function listOf(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim())
}

function flagsOfModels(options: BenchOptions): readonly string[] {
  const given = [
    ['--model', options.model],
    ['--architect-model', options.architectModel],
    ['--editor-model', options.editorModel],
    ['--scout-model', options.scoutModel],
  ] as const
  return given.flatMap(([flag, model]) => (model === undefined ? [] : [flag, absolute(model)]))
}

/**
 * Makes the path in a replay model's name absolute, so that a process in any folder finds the file.
 */
function absolute(models: string): string {
  const names = splitModelNames(models)
  return names.map((name) => name.replace(/^replay:(.*)$/s, (_, file: string) => `replay:${resolve(file)}`)).join(',')
}
