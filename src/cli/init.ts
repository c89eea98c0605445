import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Drydock } from '../compose.ts'
import { type Detection, detectConfig } from '../config/detect/detect-config.ts'
import { repositoryConfigPath } from '../config/load.ts'
import { readProject } from '../config/read-project.ts'
import { writeRepositoryConfig, writeUserRepository } from '../config/write.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { updatingFlags } from '../domain/updating-flags.ts'
import type { CommonOptions, Context } from './context.ts'
import { describeFirstGate, type FirstGate } from './describe-first-gate.ts'
import { open } from './open.ts'
import { shellWord } from './shell-word.ts'
import { verify } from './start.ts'
import { lookForToolchains } from './toolchains.ts'

interface InitOptions {
  readonly user?: boolean
  /** Commands that verify, in place of those that are detected. */
  readonly step?: readonly string[]
  /** Folder of the project, from the root. */
  readonly package?: string
  /** False with --no-verify. */
  readonly verify?: boolean
}

type Detected = Extract<Detection, { config: object }>

/** Writes a configuration made from what the repository already uses, and runs the gate once with it. */
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
  const written = await write(drydock, found, options)
  output.emit({ type: 'init', files: written.files, ...found.config.verification })
  const { config: _, ...rest } = options
  const gate = { ...rest, ...(written.configFile && { config: written.configFile }) }
  const { exitCode, when } =
    options.verify === false ? notRun : await runGate(context, gate, { again: written.again, next: written.check })
  output.say(`${when}${written.next}`)
  return exitCode
}

function refuseSecond({ repository, user }: Drydock, options: InitOptions): void {
  if (options.user ? !(repository in user.repositories) : !existsSync(join(repository, repositoryConfigPath))) return
  const what = options.user ? `An entry for ${repository} in ${user.file}` : `${repository}/${repositoryConfigPath}`
  throw new DrydockError('bad_usage', `${what} exists already.`, {
    todo: 'Edit it, or remove it first and run `drydock init` again.',
  })
}

/** What the user names, with what is detected around it; or what is detected. */
async function chooseSteps(context: Context, drydock: Drydock, options: InitOptions): Promise<Detected> {
  const folder = options.package === undefined ? undefined : await packageFolder(drydock, options.package)
  const { step: commands = [] } = options
  for (const command of commands) refuseUpdate(command)
  const detected = await detect(context, drydock, { folder, required: commands.length === 0 })
  if (commands.length === 0 && detected !== null) return detected
  const steps = commands.map((command, i) => ({ name: commands.length === 1 ? 'test' : `test-${i + 1}`, command }))
  const { verification = {} } = detected?.config ?? {}
  const named = folder === undefined || folder === '' ? {} : { package: folder }
  return {
    config: { verification: { ...named, ...verification, steps, writes: 'overlay' } },
    from: ['what you named', ...(verification.prepare ? (detected?.from ?? []) : [])],
    notes: ['"writes" is "overlay": your commands may write into the tree, and what they write is kept apart.'],
    programs: [],
  }
}

function refuseUpdate(command: string): void {
  const [flag] = updatingFlags(command)
  if (flag === undefined) return
  throw new DrydockError('bad_usage', `${JSON.stringify(command)} rewrites what it should check: ${flag}.`, {
    todo: `Name it without ${flag}. What has to have it is allowed by verification.allow_updating in ${repositoryConfigPath}.`,
  })
}

async function packageFolder({ repository }: Drydock, named: string): Promise<string> {
  const folder = posix.normalize(named).replace(/\/$/, '').replace(/^\.$/, '')
  const found =
    folder.startsWith('..') || folder.startsWith('/') ? null : await stat(join(repository, folder)).catch(() => null)
  if (found?.isDirectory()) return folder
  throw new DrydockError('bad_usage', `There is no folder ${JSON.stringify(named)} in ${repository}.`, {
    todo: 'Name it from the root of the repository: drydock init --package apps/web',
  })
}

interface Wanted {
  /** Where the project is, if the user says so. */
  readonly folder: string | undefined
  readonly required: boolean
}

async function detect(context: Context, drydock: Drydock, { folder, required }: Wanted): Promise<Detected | null> {
  const project = await readProject(drydock.repository)
  const first = detectConfig(project, { pytest: false }, folder)
  if (first.config === null) {
    if (required) throw notRecognised(first)
    return null
  }
  const toolchains = await lookForToolchains(context, drydock, first.programs)
  const found = toolchains?.pytest ? detectConfig(project, toolchains, folder) : first
  if (found.config === null) throw new Error('what was found is gone')
  return {
    ...found,
    notes: [...found.notes, ...(toolchains?.problems ?? []).map((problem) => `${problem.found} ${problem.fix}`)],
  }
}

/** In the installed package. */
const docs = join(import.meta.dirname, '../../docs/configuration.md')

function notRecognised({ reason, folders }: Extract<Detection, { config: null }>): DrydockError {
  const [one] = folders
  const name = one === undefined ? '' : `Choose one: drydock init --package ${shellWord(one)}   or name`
  return new DrydockError('no_config', `No build system was recognised. ${reason}`, {
    todo: `${name || 'Name'} the command that tests it: drydock init --step "sh test.sh"   or write ${repositoryConfigPath} yourself: ${docs} has a template, "For other build systems".`,
  })
}

function describe({ output }: Context, { config: { verification }, from, notes }: Detected): void {
  output.note(`Made from ${from.join(', ')}:`)
  const lines = [...(verification?.prepare ?? []), ...(verification?.steps ?? [])]
  for (const { name, command } of lines) output.note(`  ${name}: ${command}`)
  for (const note of notes) output.note(note)
}

interface Written {
  readonly files: readonly string[]
  /** For the gate, until it is committed. */
  readonly configFile: string | null
  /** The line that runs the gate again. */
  readonly again: string
  /** What is to be done now. */
  readonly next: string
  /** The line that runs the gate once it is committed. */
  readonly check: string
}

async function write({ repository, user }: Drydock, { config }: Detected, options: InitOptions): Promise<Written> {
  const isHere = (await realpath('.')) === repository
  const place = isHere ? '' : ` --repo ${shellWord(repository)}`
  if (options.user) {
    await writeUserRepository({ userFile: user.file, repositoryPath: repository, config })
    const again = `drydock verify${place}`
    const next = `Written into ${user.file}; the repository is untouched. The gate alone is: ${again}`
    return { files: [user.file], configFile: null, again, next, check: again }
  }
  await writeRepositoryConfig(repository, config)
  const file = repositoryConfigPath
  const configFile = join(repository, file)
  const git = isHere ? 'git' : `git -C ${shellWord(repository)}`
  return {
    files: [file],
    configFile,
    again: `drydock verify${place} --config ${isHere ? file : shellWord(configFile)}`,
    check: `drydock verify${place}`,
    next: `Commit it, since configuration is read from commits; then see what a first task still needs with drydock doctor${place}:\n  ${git} add ${file} && ${git} commit -m "Configure Drydock"`,
  }
}

interface Gated {
  readonly exitCode: number
  /** What comes before the line that commits. */
  readonly when: string
}

const notRun: Gated = { exitCode: 0, when: '' }

/** The gate on the tree as it is: whether it is green tells whether a change could ever be. */
async function runGate(
  context: Context,
  options: CommonOptions,
  { again, next }: { readonly again: string; readonly next: string },
): Promise<Gated> {
  let first: FirstGate = 'green'
  try {
    const exitCode = await verify(context, [], options, (result) => {
      const said = describeFirstGate(result, again)
      first = said.gate
      context.output.say(said.text)
    })
    return afterwards(first, exitCode)
  } catch (error) {
    if (!(error instanceof DrydockError) || error.code !== 'no_commits') throw error
    context.output.say(`The gate was not run: nothing is committed yet. Run it after your first commit: ${next}`)
    return notRun
  }
}

function afterwards(gate: FirstGate, exitCode: number): Gated {
  switch (gate) {
    case 'green':
      return { exitCode, when: '' }
    case 'empty':
      return { exitCode: 3, when: 'When the gate runs tests: ' }
    case 'red':
      return { exitCode, when: 'When the gate is green: ' }
    case 'not run':
      return { exitCode, when: 'When the gate can be run: ' }
    default:
      throw new Error(`unknown gate ${gate satisfies never}`)
  }
}
