import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Installation } from '../../../app/installation.ts'
import { readEnvironment } from '../../../config/environment.ts'
import { limits } from '../../../domain/limits.ts'
import { isAtLeast } from '../../../domain/version-number.ts'
import { systemPath } from '../../../processes/host-path.ts'
import { mustRun } from '../../../processes/run-program.ts'
import { temporaryFolderProblem } from '../../../processes/temporary-folder.ts'
import type { Context } from '../../context.ts'
import type { Check } from './check.ts'

/** Checks this machine for the programs that every repository needs. */
export async function checkMachine({ terminal }: Context): Promise<Check[]> {
  const { path, droppedPath } = readEnvironment(terminal.env)
  const found = await Promise.all([checkGit(path), checkFind(), checkRipgrep(path), checkTemporaryFolder()])
  return [checkNode(), ...checkPath(droppedPath), ...found.flat()]
}

/** Reports dropped entries of PATH; empty if none was dropped. */
function checkPath(dropped: readonly string[]): readonly Check[] {
  if (dropped.length === 0) return []
  const found = `these entries of PATH are ignored, because an agent could put programs there: ${dropped.join(', ')}`
  return [{ name: 'PATH', ok: true, found, fix: 'Use only absolute folders in PATH, and no empty entry.', exit: 0 }]
}

function checkNode(): Check {
  const found = process.versions.node
  if (isAtLeast(found, limits.nodeVersion)) return { name: 'node', ok: true, found, exit: 0 }
  const consequence = 'Drydock itself does not run reliably.'
  return { name: 'node', ok: false, found, fix: 'npm install --include=optional', consequence, exit: 2 }
}

async function checkGit(path: string): Promise<Check> {
  const found = await versionOf('git', path)
  const consequence = 'Neither a task nor a run can start.'
  if (found === null)
    return { name: 'git', ok: false, found: 'not found', fix: 'apt-get install git', consequence, exit: 4 }
  if (isAtLeast(found.replace(/^git version /, ''), limits.gitVersion)) return { name: 'git', ok: true, found, exit: 0 }
  const fix = `Install git ${limits.gitVersion} or newer; on Ubuntu: add-apt-repository ppa:git-core/ppa && apt-get install git`
  return { name: 'git', ok: false, found, fix, consequence, exit: 2 }
}

/** Reports an unusable temporary folder; empty if it is usable. */
async function checkTemporaryFolder(): Promise<readonly Check[]> {
  const problem = await temporaryFolderProblem()
  if (problem === null) return []
  return [{ name: 'temporary', ok: false, ...problem, consequence: 'No sandbox starts, so nothing runs.', exit: 2 }]
}

async function checkFind(): Promise<Check> {
  const found = await versionOf('find', systemPath)
  if (found?.includes('GNU findutils')) return { name: 'find', ok: true, found, exit: 0 }
  return {
    name: 'find',
    ok: false,
    found: found === null ? 'not found' : 'not GNU find',
    fix: 'apt-get install findutils',
    consequence: 'No workspace can be prepared, so nothing starts.',
    exit: 4,
  }
}

/** Checks ripgrep, which comes with the package. */
async function checkRipgrep(path: string): Promise<Check> {
  const file = await import('@vscode/ripgrep').then(({ rgPath }) => rgPath).catch(() => null)
  const found = file === null ? null : await versionOf(file, path)
  if (found !== null) return { name: 'ripgrep', ok: true, found, exit: 0 }
  return {
    name: 'ripgrep',
    ok: false,
    found: 'not in the package, or does not start here',
    fix: 'Install Drydock with its optional dependencies: npm install --include=optional',
    consequence: 'No agent can work: sandboxes need it for searches.',
    exit: 4,
  }
}

/**
 * Checks the programs that bubblewrap needs. If all of them are missing, the check of the sandbox
 * reports that.
 */
export async function checkBubblewrap(
  { terminal }: Context,
  { sandbox }: Pick<Installation, 'sandbox'>,
): Promise<Check[]> {
  if (sandbox.name !== 'bubblewrap') return []
  const { path } = readEnvironment(terminal.env)
  const [bwrap, unshare] = await Promise.all([versionOf('bwrap', path), versionOf('unshare', path)])
  return [
    ...(bwrap === null ? [] : [bubblewrapOf(bwrap)]),
    ...(unshare === null ? [] : [{ name: 'unshare', ok: true, found: unshare, exit: 0 }, await checkNamespaces(path)]),
  ]
}

function bubblewrapOf(found: string): Check {
  const name = 'bubblewrap'
  if (isAtLeast(found.replace(/^bubblewrap /, ''), limits.bubblewrapVersion)) return { name, ok: true, found, exit: 0 }
  const fix = `Install bubblewrap ${limits.bubblewrapVersion} or newer (Debian 12, Ubuntu 24.04), or use --sandbox podman`
  return { name, ok: false, found, fix, consequence: 'No sandbox starts, so nothing runs.', exit: 4 }
}

async function checkNamespaces(path: string): Promise<Check> {
  const name = 'namespaces'
  const done = await runs('unshare', ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', 'true'], path)
  if (done !== null) return { name, ok: true, found: 'user and mount namespaces work', exit: 0 }
  const fix = 'Allow user namespaces: the message of the sandbox below has the line.'
  const consequence = 'No sandbox starts, so nothing runs.'
  return { name, ok: false, found: 'user namespaces do not work', fix, consequence, exit: 4 }
}

/**
 * Checks whether steps may write into an overlay, which only `"writes": "overlay"` needs. Tries one
 * in the folder where overlays will be.
 */
export async function checkOverlay(
  { sandbox, state }: Pick<Installation, 'state' | 'sandbox'>,
  { needed }: { readonly needed: boolean },
): Promise<Check> {
  const name = 'overlay'
  const problem = await tryOverlay(sandbox, state).catch((error: unknown) => String(error))
  if (problem === null) return { name, ok: true, found: 'steps can write into an overlay', exit: 0 }
  const consequence = 'A configuration with "writes": "overlay" cannot be verified here.'
  if (!needed)
    return { name, ok: true, found: `none; this configuration needs none (${problem})`, consequence, exit: 0 }
  const fix = 'Keep the state on ext4, xfs or btrfs (DRYDOCK_HOME), with Linux 5.11 or newer, or use "writes": "deny".'
  return { name, ok: false, found: problem, fix, consequence, exit: 4 }
}

async function tryOverlay(sandbox: Installation['sandbox'], state: string): Promise<string | null> {
  const folder = await mkdtemp(join(existing(state), '.drydock-doctor-'))
  try {
    const [lower, upper] = [join(folder, 'lower'), join(folder, 'upper')]
    await mkdir(lower)
    const mounts = [{ at: '/repo', access: 'overlay', lower: [lower], upper } as const]
    const spec = { mounts, cwd: '/repo', env: {}, limits: limits.sandbox }
    const command = { command: 'echo written >file && grep -q written file', timeoutMs: 30_000 }
    const ran = await sandbox.exec(spec, command, AbortSignal.timeout(command.timeoutMs))
    if (!ran.ok) return ran.error.errorMessage
    return ran.value.exitCode === 0 ? null : 'nothing can be written to an overlay'
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The nearest existing folder, since the state may not exist yet. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder))
}

async function versionOf(program: string, path: string): Promise<string | null> {
  const said = await runs(program, ['--version'], path)
  return said?.split('\n')[0]?.trim() ?? null
}

/** The output of a program; null if it is missing or fails. */
async function runs(program: string, args: readonly string[], path: string): Promise<string | null> {
  const env = { PATH: path, LC_ALL: 'C' }
  return mustRun(program, args, { env, signal: AbortSignal.timeout(10_000) }).catch(() => null)
}
