import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConfig } from '../../../app/commands/check-config.ts'
import { checkModels } from '../../../app/commands/check-models.ts'
import { hubOrigin } from '../../../app/hub/at-hub.ts'
import type { Installation } from '../../../app/installation.ts'
import type { Ownership } from '../../../app/ownership.ts'
import type { StateAccess } from '../../../app/state-access.ts'
import { shellWord } from '../../../app/text/shell-word.ts'
import { localServers } from '../../../compose/model-servers.ts'
import { openReceipts, removeFolder } from '../../../compose.ts'
import { readEnvironment, readModelVariables } from '../../../config/environment.ts'
import { namesOf } from '../../../config/model-choice.ts'
import { knownAgent } from '../../../domain/agents/known-agents.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { agentNameOf, modelId } from '../../../domain/model-name.ts'
import { modelsOfRole } from '../../../domain/run/fallback.ts'
import { namesIn } from '../../../domain/run/run-models.ts'
import { temporaryFolders } from '../../../domain/temporary-folders.ts'
import { mustRun } from '../../../processes/run-program.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { type Check, failed } from './check.ts'
import { checkAgents } from './check-agents.ts'
import { checkBlobs } from './check-blobs.ts'
import { checkForge } from './check-forge.ts'
import { checkGuides } from './check-guides.ts'
import { checkHooks } from './check-hooks.ts'
import { checkHub } from './check-hub.ts'
import { checkBubblewrap, checkMachine, checkOverlay } from './check-machine.ts'
import { checkMcp } from './check-mcp.ts'
import { checkProviders } from './check-providers.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkState } from './check-state.ts'
import { checkTelemetry } from './check-telemetry.ts'
import { checkTracing } from './check-tracing.ts'
import { checkTrials } from './check-trial.ts'
import { describeLocalServer, type LocalChoice } from './local-models.ts'
import { lookForToolchains, type UsedSandbox } from './toolchains.ts'

type DoctorOptions = CommonOptions & {
  readonly security?: boolean
  readonly agents?: boolean
  /** A folder to show in a sandbox, for a process that an attack has started. */
  readonly lookInside?: string
  /** The URL of a hub that this machine is to work for. */
  readonly forHub?: string
}

/**
 * Checks what this machine lacks for this repository. The exit code is that of the first failed
 * check.
 */
export async function doctor(context: Context, _args: readonly string[], options: DoctorOptions): Promise<number> {
  if (options.security) {
    const exitCode = await (await import('./doctor-security.ts')).doctorSecurity(context, options)
    // An attack that timed out may still hold a connection open, which would keep this process
    // alive.
    setTimeout(() => process.exit(), 1_000).unref()
    return exitCode
  }
  if (options.lookInside !== undefined)
    return (await import('./doctor-security.ts')).showInside(context, options.lookInside, options)
  const { output } = context
  const checks = await checkMachine(context)
  const local = (await localServers()).map(describeLocalServer)
  // No other check works without a temporary folder.
  const isUsable = !checks.some(({ name, ok }) => name === 'temporary' && !ok)
  if (isUsable) checks.push(...(await checkPlace(context, options, local)))
  checks.push(...local.map(asCheck))
  for (const { exit: _, ...check } of checks) {
    output.emit({ type: 'check', ...check })
    if (output.json) continue
    const mark = check.ok ? output.screen.paint('good', 'ok     ') : output.screen.paint('bad', 'MISSING')
    output.say(`${mark} ${check.name.padEnd(13)} ${check.found}`)
    if (check.fix) output.say(`        → ${check.fix}`)
    if (check.consequence) output.say(`        Without it: ${check.consequence}`)
  }
  const missing = checks.find(({ ok }) => !ok)
  const isReady = !missing && checks.some(({ name, fix }) => name === 'models' && fix === undefined)
  if (isReady && !output.json) output.say(`Nothing is missing. A first task: ${taskLine(options)}`)
  return missing?.exit ?? 0
}

/** Checks a repository, or the hub for a worker, which needs no repository. */
async function checkPlace(context: Context, options: DoctorOptions, local: readonly LocalChoice[]) {
  if (options.forHub === undefined) return checkRepository(context, options, local)
  const url = hubOrigin(options.forHub)
  return [...(await checkHub(context, options, url)), ...(await checkElsewhere(context, options, local))]
}

async function checkRepository(
  context: Context,
  options: DoctorOptions,
  local: readonly LocalChoice[],
): Promise<readonly Check[]> {
  const opened = await open(context, options).catch((error: unknown) => ({ error }))
  if (!('error' in opened)) {
    const repository = { name: 'repository', ok: true, found: opened.repository, exit: 0 }
    return [repository, ...(await checkAround(context, opened, { options, local, isHere: true }))]
  }
  const { error } = opened
  if (error instanceof DrydockError && error.code === 'bad_config')
    return [failed('configuration', error, 'Nothing can start.')]
  const missing = failed('repository', error, 'Nothing can start: Drydock works in a git repository.')
  const isElsewhere = error instanceof DrydockError && error.code === 'not_a_repository'
  return [missing, ...(isElsewhere ? await checkElsewhere(context, options, local) : [])]
}

/** Checks the requirements of every repository, with an empty temporary one. */
async function checkElsewhere(
  context: Context,
  options: DoctorOptions,
  local: readonly LocalChoice[],
): Promise<readonly Check[]> {
  const folder = await mkdtemp(join(tmpdir(), temporaryFolders.doctor))
  try {
    const { path } = readEnvironment(context.terminal.env)
    await mustRun('git', ['-C', folder, 'init', '--quiet'], { env: { PATH: path, GIT_CONFIG_GLOBAL: '/dev/null' } })
    const drydock = await open(context, { ...options, repo: folder })
    return await checkAround(context, drydock, { options, local, isHere: false })
  } finally {
    await removeFolder(folder)
  }
}

interface Around {
  readonly options: DoctorOptions
  readonly local: readonly LocalChoice[]
  /** True if the repository is the user's own. */
  readonly isHere: boolean
}

async function checkAround(
  context: Context,
  drydock: Installation & Pick<StateAccess, 'openRecords' | 'workersNow'> & Pick<Ownership, 'checkDatabase'>,
  { options, local, isHere }: Around,
): Promise<readonly Check[]> {
  const sandbox = await checkSandbox(drydock, options)
  const state = options.forHub === undefined ? await checkState(drydock) : await checkBlobs(drydock)
  const checks: Check[] = [...state, ...(await checkBubblewrap(context, drydock)), sandbox]
  const configured = isHere ? await checkConfiguration(context, drydock, options) : { checks: [], writes: 'deny' }
  checks.push(...configured.checks)
  if (sandbox.ok)
    checks.push(await checkOverlay(drydock, { needed: configured.writes === 'overlay' }), await checkTracing(drydock))
  const { check, models } = checkKeys(context, drydock, options, local)
  checks.push(
    check,
    ...(await checkProviders(drydock, models)),
    ...(isNamed(options) ? await checkTrials(drydock, models) : []),
    ...(await checkAgents(context, drydock, {
      used: usedAgent(drydock, options),
      deeply: options.agents === true && sandbox.ok,
    })),
    await checkReceiptKey(context),
    ...(await checkHooks(drydock)),
    ...(await checkTelemetry(drydock)),
    ...(isHere ? await checkForge(drydock) : []),
    ...(await checkMcp(drydock)),
  )
  return checks
}

async function checkConfiguration(
  context: Context,
  drydock: Pick<Installation, 'user' | 'userRepository' | 'sandbox' | 'readConfig' | 'guides'>,
  options: CommonOptions,
): Promise<{ readonly checks: readonly Check[]; readonly writes: string }> {
  try {
    const { source, steps, commands, coders, codersAsked, writes } = await checkConfig(drydock, options, true)
    const found = `${source}: ${steps.join(', ')}; ${coders} tasks at once`
    const fix =
      codersAsked === null
        ? {}
        : {
            fix: `${source} asks for ${codersAsked} at once. Allow it in your own file: "orchestrator": { "max_coders": ${codersAsked} }`,
          }
    const configuration = { name: 'configuration', ok: true, found, exit: 0, ...fix }
    const checks = [
      configuration,
      ...(await checkGuides(drydock, options)),
      ...(await checkToolchains(context, drydock, commands)),
    ]
    return { checks, writes }
  } catch (error) {
    const isTold = error instanceof DrydockError && error.code === 'git_too_old'
    const consequence = 'No task, run or verification can start.'
    return { checks: isTold ? [] : [failed('configuration', error, consequence)], writes: 'deny' }
  }
}

const toolchains = ['node', 'npm', 'npx', 'pnpm', 'yarn', 'python3', 'cargo', 'go', 'make']

/**
 * Checks the toolchains that the commands call: a sandbox may lack one, or may have a different
 * version.
 */
async function checkToolchains(context: Context, drydock: UsedSandbox, commands: readonly string[]): Promise<Check[]> {
  // Programs that npx downloads need not be on the machine.
  const own = commands.map((command) => command.replace(/\bnpx .*?(?=&&|;|$)/g, 'npx '))
  const words = new Set(own.flatMap((command) => command.split(/[\s;&|()"']+/)))
  const called = toolchains.filter((name) => words.has(name))
  const looked = called.length === 0 ? null : await lookForToolchains(context, drydock, called)
  const problems = looked?.problems ?? []
  return problems.map(({ program, isThere, found, fix }) => ({
    name: program,
    ok: isThere,
    found,
    fix,
    exit: 2,
    ...(!isThere && { consequence: 'Steps that call it fail.' }),
  }))
}

/** The foreign agent that is the editor. */
function usedAgent({ user }: Pick<Installation, 'user'>, { editorModel }: CommonOptions): string | null {
  const [own] = user.models.editor === undefined ? [] : namesOf(user.models.editor)
  const editor = editorModel ?? own
  return editor === undefined ? null : agentNameOf(editor)
}

interface CheckedModels {
  readonly check: Check
  /** Ids of the models in use; empty if they are unknown. */
  readonly models: readonly string[]
}

/**
 * Checks the models in use without calling them. A key alone only tells which models could be
 * named.
 */
function checkKeys(
  context: Context,
  drydock: Pick<Installation, 'env' | 'user' | 'model' | 'agent'>,
  options: DoctorOptions,
  local: readonly LocalChoice[],
): CheckedModels {
  try {
    // An agent that can only work on tasks needs no models for a crew.
    const crew = knownAgent(usedAgent(drydock, options) ?? '')?.hasTools !== false
    const named = checkModels(drydock, options, { crew })
    const roles = (['architect', 'editor', 'scout'] as const).filter((role) => crew || role !== 'architect')
    const ofRoles = roles.map((role) => modelsOfRole(named, role).join(', then '))
    const same = new Set(ofRoles).size === 1
    const found = same ? (ofRoles[0] ?? '') : roles.map((role, i) => `${role} ${ofRoles[i]}`).join(', ')
    const models = [
      ...new Set(
        namesIn(named)
          .filter((name) => agentNameOf(name) === null)
          .map(modelId),
      ),
    ]
    return { check: { name: 'models', ok: true, found, exit: 0 }, models }
  } catch (error) {
    const keys = Object.keys(readModelVariables(context.terminal.env, drydock.user.providers)).filter((name) =>
      name.endsWith('_KEY'),
    )
    const here = local.filter(({ use }) => use !== null)
    const usable = [...keys, ...here.map(({ name }) => name)]
    if (!(error instanceof DrydockError) || error.code !== 'no_model' || usable.length === 0)
      return { check: failed('models', error, 'Only the demo and the gate work.'), models: [] }
    const found = `${usable.join(', ')}; no default model: name one with --model`
    const fix = keys.length > 0 ? error.todo : (here[0]?.use ?? '')
    return { check: { name: 'models', ok: true, found, fix, exit: 0 }, models: [] }
  }
}

/** True if a person named a model for this command. Only then is a request justified. */
function isNamed({ model, architectModel, editorModel, scoutModel }: CommonOptions): boolean {
  return [model, architectModel, editorModel, scoutModel].some((each) => each !== undefined)
}

/**
 * Checks the key that signs receipts. An unusable key prevents every merge; a missing one is made
 * by the first merge.
 */
async function checkReceiptKey({ terminal }: Context): Promise<Check> {
  try {
    const key = await (await openReceipts(terminal.env)).existingKey()
    const found = key === null ? 'no key yet: the first merge creates one' : `signed with key ${key.id.slice(0, 12)}`
    return { name: 'receipts', ok: true, found, exit: 0 }
  } catch (error) {
    return failed('receipts', error, 'No change can be handed over or merged.')
  }
}

/** Describes a model server on this machine. It is optional, so the check passes. */
function asCheck({ name, found, use }: LocalChoice): Check {
  const fix = use ?? 'None of its models can call tools, which Drydock needs. Pull one that can.'
  return { name, ok: true, found, exit: 0, fix }
}

function taskLine({ model }: CommonOptions): string {
  return `drydock task ${model === undefined ? '' : `--model ${shellWord(model)} `}"what to change"`
}
