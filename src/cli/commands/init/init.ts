import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join, posix, relative } from 'node:path'
import type { Installation } from '../../../app/installation.ts'
import { shellWord } from '../../../app/text/shell-word.ts'
import { type Detection, detectConfig } from '../../../config/detect/detect-config.ts'
import type { Machine } from '../../../config/detect/project.ts'
import { repositoryConfigPath } from '../../../config/load.ts'
import { readProject } from '../../../config/read-project.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { updatingFlags } from '../../../domain/gate/updating-flags.ts'
import { shipped } from '../../../processes/installation.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { lookForToolchains } from '../doctor/toolchains.ts'
import { runFirstGate } from './first-gate.ts'
import { writeConfig } from './written-config.ts'

interface InitOptions {
  readonly user?: boolean | undefined
  /** Commands that verify a change, instead of the detected ones. */
  readonly step?: readonly string[]
  /** The project's folder, relative to the root. */
  readonly package?: string
  /** False with `--no-verify`. */
  readonly verify?: boolean
}

interface DetectedProject extends Extract<Detection, { config: object }> {
  /** Null if no sandbox is available to look in. */
  readonly machine: Machine | null
}

/**
 * Writes a configuration from the tools that the repository already uses, and tries the gate with
 * it.
 */
export async function init(
  context: Context,
  _args: readonly string[],
  options: CommonOptions & InitOptions,
): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  refuseSecond(drydock, options)
  const found = await chooseSteps(context, drydock, options)
  describe(context, found)
  const written = await writeConfig(drydock, found.config, options)
  output.emit({ type: 'init', files: written.files, ...found.config.verification })
  const { exitCode, when } =
    options.verify === false
      ? { exitCode: 0, when: '' }
      : await runFirstGate(context, drydock, { ...found, written, options, isNamed: (options.step ?? []).length > 0 })
  output.say(`${when}${written.next}`)
  return exitCode
}

function refuseSecond({ repository, user }: Pick<Installation, 'repository' | 'user'>, options: InitOptions): void {
  if (options.user ? !(repository in user.repositories) : !existsSync(join(repository, repositoryConfigPath))) return
  const what = options.user ? `An entry for ${repository} in ${user.file}` : `${repository}/${repositoryConfigPath}`
  throw new DrydockError('bad_usage', `${what} exists already.`, {
    todo: 'Edit it. Or remove it and run `drydock init` again.',
  })
}

/** Chooses the steps that the user names, completed by detection, or else the detected steps. */
async function chooseSteps(
  context: Context,
  drydock: Pick<Installation, 'repository' | 'user' | 'userRepository' | 'sandbox'>,
  options: CommonOptions & InitOptions,
): Promise<DetectedProject> {
  const folder = options.package === undefined ? undefined : await packageFolder(drydock, options.package)
  const { step: commands = [] } = options
  for (const command of commands) refuseUpdate(command)
  const standing = relative(drydock.repository, await realpath(options.repo ?? '.'))
  const detected = await detect(context, drydock, { folder, standing, required: commands.length === 0 })
  if (commands.length === 0 && detected !== null) return detected
  const steps = commands.map((command, i) => ({ name: commands.length === 1 ? 'test' : `test-${i + 1}`, command }))
  const { verification = {} } = detected?.config ?? {}
  const named = folder === undefined || folder === '' ? {} : { package: folder }
  return {
    config: { verification: { ...named, ...verification, steps, writes: 'overlay' } },
    from: ['your options', ...(verification.prepare ? (detected?.from ?? []) : [])],
    notes: ['"writes" is "overlay": your commands may write into the tree, and their writes are kept apart.'],
    programs: [],
    instead: [],
    machine: null,
  }
}

function refuseUpdate(command: string): void {
  const [flag] = updatingFlags(command)
  if (flag === undefined) return
  throw new DrydockError('bad_usage', `${JSON.stringify(command)} rewrites the files it should check: ${flag}.`, {
    todo: `Leave ${flag} out. If the command needs it, allow it in verification.allow_updating in ${repositoryConfigPath}.`,
  })
}

async function packageFolder({ repository }: Pick<Installation, 'repository'>, named: string): Promise<string> {
  const folder = posix.normalize(named).replace(/\/$/, '').replace(/^\.$/, '')
  const found =
    folder.startsWith('..') || folder.startsWith('/') ? null : await stat(join(repository, folder)).catch(() => null)
  if (found?.isDirectory()) return folder
  throw new DrydockError('bad_usage', `There is no folder ${JSON.stringify(named)} in ${repository}.`, {
    todo: 'Give its path from the root of the repository: drydock init --package apps/web',
  })
}

interface DetectInput {
  /** The project's folder if the user named one. */
  readonly folder: string | undefined
  /** The current folder, relative to the root. */
  readonly standing: string
  readonly required: boolean
}

async function detect(
  context: Context,
  drydock: Pick<Installation, 'repository' | 'user' | 'userRepository' | 'sandbox'>,
  { folder, standing, required }: DetectInput,
): Promise<DetectedProject | null> {
  const project = await readProject(drydock.repository)
  const place = { named: folder, standing }
  const first = detectConfig(project, { pytest: false, ctestReports: false }, place)
  if (first.config === null) {
    if (required) throw notRecognised(first, await hasCommits(drydock))
    return null
  }
  const toolchains = await lookForToolchains(context, drydock, first.programs)
  const found = toolchains === null ? first : detectConfig(project, toolchains, place)
  if (found.config === null) throw new Error('what was found is gone')
  return {
    ...found,
    machine: toolchains,
    notes: [...found.notes, ...(toolchains?.problems ?? []).map((problem) => `${problem.found} ${problem.fix}`)],
  }
}

/** The documentation in the installed package. */
const docs = shipped('docs/configuration.md')

/** True if there is a commit that work could start from. */
async function hasCommits({ userRepository }: Pick<Installation, 'userRepository'>): Promise<boolean> {
  try {
    await userRepository.commitOf(null)
    return true
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'no_commits') return false
    throw error
  }
}

function notRecognised(
  { reason, folders, command = 'sh test.sh' }: Extract<Detection, { config: null }>,
  isCommitted: boolean,
): DrydockError {
  const [one] = folders
  const name =
    one === undefined ? '' : `Choose one: drydock init --package ${shellWord(one)}   or go into its folder. Or name`
  const empty = isCommitted ? '' : ' The repository has no commits yet, either.'
  const first = isCommitted
    ? ''
    : 'Commit the project first: git add --all && git commit -m "Start"   Then run drydock init. '
  return new DrydockError('no_config', `No build system was recognised. ${reason}${empty}`, {
    todo: `${first}${name || 'Name'} the command that tests it: drydock init --step ${JSON.stringify(command)}   or write ${repositoryConfigPath} yourself: ${docs} has a template, "For other build systems".`,
  })
}

function describe({ output }: Context, { config: { verification }, from, notes }: DetectedProject): void {
  output.note(`Made from ${from.join(', ')}:`)
  const lines = [...(verification?.prepare ?? []), ...(verification?.steps ?? [])]
  for (const { name, command } of lines) output.note(`  ${name}: ${command}`)
  for (const note of notes) output.note(note)
}
