import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drydock } from '../compose.ts'
import { type Detection, detectConfig } from '../config/detect/detect-config.ts'
import { readProject } from '../config/read-project.ts'
import { writeRepositoryConfig, writeUserRepository } from '../config/write.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { VerifierResponse } from '../domain/verdict.ts'
import type { CommonOptions, Context } from './context.ts'
import type { Result } from './exit-code.ts'
import { open } from './open.ts'
import { shellWord } from './shell-word.ts'
import { verify } from './start.ts'
import { lookForToolchains } from './toolchains.ts'

interface InitOptions {
  readonly user?: boolean
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
  const found = await detect(context, drydock)
  describe(context, found)
  const written = await write(drydock, found, options)
  output.emit({ type: 'init', files: written.files, ...found.config.verification })
  const { config: _, ...rest } = options
  const gate = { ...rest, ...(written.configFile && { config: written.configFile }) }
  const exitCode = options.verify === false ? 0 : await runGate(context, gate, written.again)
  output.say(written.next)
  return exitCode
}

async function detect(context: Context, drydock: Drydock): Promise<Detected> {
  const project = await readProject(drydock.repository)
  const first = detectConfig(project, { pytest: false })
  if (first.config === null) {
    throw new DrydockError('no_config', `No build system was recognised. ${first.reason}`, {
      todo: 'Write .drydock/config.json yourself: docs/configuration.md has a template, "For other build systems".',
    })
  }
  const toolchains = await lookForToolchains(context, drydock, first.programs)
  const found = toolchains?.pytest ? detectConfig(project, toolchains) : first
  if (found.config === null) throw new Error('what was found is gone')
  return {
    ...found,
    notes: [...found.notes, ...(toolchains?.problems ?? []).map((problem) => `${problem.found} ${problem.fix}`)],
  }
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
}

async function write({ repository, user }: Drydock, { config }: Detected, options: InitOptions): Promise<Written> {
  const isHere = (await realpath('.')) === repository
  const place = isHere ? '' : ` --repo ${shellWord(repository)}`
  if (options.user) {
    await writeUserRepository({ userFile: user.file, repositoryPath: repository, config })
    const again = `drydock verify${place}`
    const next = `Written into ${user.file}; the repository is untouched. The gate alone is: ${again}`
    return { files: [user.file], configFile: null, again, next }
  }
  const files = await writeRepositoryConfig(repository, config)
  const [file = ''] = files
  const configFile = join(repository, file)
  const git = isHere ? 'git' : `git -C ${shellWord(repository)}`
  return {
    files,
    configFile,
    again: `drydock verify${place} --config ${isHere ? file : shellWord(configFile)}`,
    next: `Commit it, since configuration is read from commits; then see what a first task still needs with drydock doctor${place}:\n  ${git} add ${files.join(' ')} && ${git} commit -m "Configure Drydock"`,
  }
}

/** The gate on the tree as it is: whether it is green tells whether a change could ever be. */
async function runGate(context: Context, options: CommonOptions, again: string): Promise<number> {
  try {
    return await verify(context, [], options, (result) => context.output.say(verdict(result, again)))
  } catch (error) {
    if (!(error instanceof DrydockError) || error.code !== 'no_commits') throw error
    context.output.say('The gate was not run: nothing is committed yet.')
    return 0
  }
}

function verdict({ status, answer }: Result, again: string): string {
  const { manifest } = (answer ?? {}) as Partial<VerifierResponse>
  if (!manifest || (status !== 'PASS' && status !== 'FAIL')) {
    return `The gate could not be run. See what is missing with: drydock doctor   and try again with: ${again}`
  }
  const { commands_executed: commands, timestamp_start, timestamp_end } = manifest
  const steps = commands.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  const before = Date.parse(timestamp_end) - Date.parse(timestamp_start) - steps
  if (status === 'FAIL') {
    const failed = commands.at(-1)?.name
    return `The gate is red before anything is changed: ${failed} fails. No task can end well until it is green. Correct what fails, or the configuration, and run: ${again}`
  }
  const count = commands.length === 1 ? '1 step' : `${commands.length} steps`
  const prepared = manifest.dependencies ? `, and ${seconds(before)} to prepare, which is kept` : ''
  return `The gate is green: ${count} in ${seconds(steps)}${prepared}.`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
