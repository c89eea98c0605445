import { access, constants, realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Installation } from '../../../app/installation.ts'
import { readEnvironment } from '../../../config/environment.ts'
import { limits } from '../../../domain/limits.ts'
import type { Context } from '../../context.ts'

/** The sandbox, with the user's settings for it. */
export type UsedSandbox = Pick<Installation, 'user' | 'sandbox'>

export interface Toolchains {
  /** True if a sandbox's Python can run pytest. */
  readonly pytest: boolean
  /** True if a sandbox's ctest writes reports. */
  readonly ctestReports: boolean
  readonly problems: readonly ToolchainProblem[]
}

/** A program that a sandbox cannot find, or finds in another place than the user's shell. */
export interface ToolchainProblem {
  readonly program: string
  readonly isThere: boolean
  /** The problem in one sentence. */
  readonly found: string
  readonly fix: string
}

const timeoutMs = 30_000

/** Looks in a sandbox for the programs that steps will call; null if no sandbox is available. */
export async function lookForToolchains(
  context: Context,
  drydock: UsedSandbox,
  programs: readonly string[],
): Promise<Toolchains | null> {
  const found = await lookInside(drydock, programs)
  if (found === null) return null
  const places = found.split('\n').filter((line) => line.startsWith('/'))
  const problems = await Promise.all(
    programs.map(async (program) => {
      const inside = places.find((path) => path.endsWith(`/${program}`)) ?? null
      return (await problemOf(context, drydock, { program, inside })) ?? []
    }),
  )
  const has = (what: string) => found.includes(`has ${what}`)
  return { pytest: has('pytest'), ctestReports: has('ctest reports'), problems: problems.flat() }
}

async function lookInside({ sandbox, user }: UsedSandbox, programs: readonly string[]): Promise<string | null> {
  const look = programs.map((program) => `command -v ${program}`)
  const has = [
    'python3 -c "import pytest" 2>/dev/null && echo has pytest',
    'ctest --help 2>/dev/null | grep -q -e --output-junit && echo has ctest reports',
  ]
  const command = [...look, ...has, 'true'].join('; ')
  let output = ''
  const spec = {
    mounts: user.sandbox.read_only_paths.map((path) => ({ path, access: 'read' }) as const),
    cwd: '/tmp',
    env: {},
    limits: limits.sandbox,
  }
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const ran = await sandbox.exec(spec, { command, timeoutMs, onOutput }, AbortSignal.timeout(timeoutMs))
  return ran.ok ? output : null
}

interface ProgramLook {
  readonly program: string
  /** The program's path in a sandbox; null if it is missing. */
  readonly inside: string | null
}

async function problemOf(
  { terminal }: Context,
  { sandbox, user }: UsedSandbox,
  { program, inside }: ProgramLook,
): Promise<ToolchainProblem | null> {
  const problem = { program, isThere: inside !== null }
  if (sandbox.name !== 'bubblewrap') {
    if (inside !== null) return null
    return { ...problem, found: `${program} is not in the image of the containers.`, fix: 'Use an image that has it.' }
  }
  const { path, home } = readEnvironment(terminal.env)
  const outside = await find(path, program)
  if (outside === null) {
    return inside === null ? { ...problem, found: `${program} is not installed.`, fix: 'Install it.' } : null
  }
  if (inside === outside) return null
  const shown = user.sandbox.read_only_paths
  const folders = await foldersOf(outside, { home, rustup: terminal.env.RUSTUP_HOME })
  const missing = folders.filter((folder) => !shown.includes(folder))
  if (missing.length === 0 && inside !== null) return null
  const list = JSON.stringify([...shown, ...missing])
  return {
    ...problem,
    found: `${program} is ${outside}, but sandboxes ${inside === null ? 'do not see it' : `use ${inside} instead`}.`,
    fix: `To make it visible there, put into ${user.file}: "sandbox": { "read_only_paths": ${list} }`,
  }
}

/**
 * Finds a program on PATH, ignoring folders that package managers add for the programs they start.
 */
async function find(path: string, program: string): Promise<string | null> {
  const folders = path.split(delimiter).filter((folder) => !folder.endsWith('/node_modules/.bin'))
  const files = folders.map((folder) => join(folder, program))
  const runnable = await Promise.allSettled(files.map((file) => access(file, constants.X_OK)))
  return files.find((_, i) => runnable[i]?.status === 'fulfilled') ?? null
}

interface Homes {
  readonly home: string
  readonly rustup: string | undefined
}

/**
 * The folders outside the system's that a program needs. Never a whole home, and only `bin` of
 * `~/.cargo`, which also contains keys.
 */
async function foldersOf(file: string, { home, rustup = join(home, '.rustup') }: Homes): Promise<readonly string[]> {
  const cargo = /^.*\/\.cargo\/bin(?=\/)/.exec(file)?.[0]
  if (cargo !== undefined) return [cargo, rustup]
  const places = [file, await realpath(file)].filter((path) => !/^\/(?:usr|s?bin|lib\w*)\//.test(path))
  return [...new Set(places.map((path) => topFolder(path, home)))]
}

/**
 * The folder to show in sandboxes for a program: `~/.nvm` for `~/.nvm/versions/node/…`, `/opt/node`
 * for `/opt/node/bin/node`. Below `~/.local` it is a subfolder, since the whole of it would be too
 * much.
 */
function topFolder(path: string, home: string): string {
  const base = path.startsWith(`${home}/`) ? home : ''
  const parts = path.slice(base.length + 1).split('/')
  const depth = base === '' ? 2 : parts[0] === '.local' ? (parts[1] === 'share' ? 3 : 2) : 1
  return [base, ...parts.slice(0, Math.min(depth, parts.length - 1))].join('/')
}
