import { access, constants, realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Drydock } from '../compose.ts'
import { readEnvironment } from '../config/environment.ts'
import { limits } from '../domain/limits.ts'
import type { Context } from './context.ts'

export interface Toolchains {
  /** Whether a sandbox's Python can run pytest. */
  readonly pytest: boolean
  /** What is missing in sandboxes, or another one than on the user's own PATH, and what to do about it. */
  readonly notes: readonly string[]
}

const timeoutMs = 30_000

/** Looks in a sandbox for what steps will call; null when there is no sandbox to look in. */
export async function lookForToolchains(
  context: Context,
  drydock: Drydock,
  programs: readonly string[],
): Promise<Toolchains | null> {
  const found = await lookInside(drydock, programs)
  if (found === null) return null
  const places = found.split('\n').filter((line) => line.startsWith('/'))
  const notes = await Promise.all(
    programs.map(async (program) => {
      const inside = places.find((path) => path.endsWith(`/${program}`)) ?? null
      return (await note(context, drydock, { program, inside })) ?? []
    }),
  )
  return { pytest: found.includes('has pytest'), notes: [...new Set(notes.flat())] }
}

async function lookInside({ sandbox, user }: Drydock, programs: readonly string[]): Promise<string | null> {
  const look = programs.map((program) => `command -v ${program}`)
  const command = [...look, 'python3 -c "import pytest" 2>/dev/null && echo has pytest', 'true'].join('; ')
  let output = ''
  const spec = {
    mounts: user.sandbox.read_only_paths.map((path) => ({ path, access: 'read' }) as const),
    ...{ cwd: '/tmp', env: {}, limits: limits.sandbox },
  }
  const onOutput = (chunk: Uint8Array) => {
    output += Buffer.from(chunk).toString()
  }
  const ran = await sandbox.exec(spec, { command, timeoutMs, onOutput }, AbortSignal.timeout(timeoutMs))
  return ran.ok ? output : null
}

interface Looked {
  readonly program: string
  /** Where it is in a sandbox. */
  readonly inside: string | null
}

async function note(
  { terminal }: Context,
  { sandbox, user }: Drydock,
  { program, inside }: Looked,
): Promise<string | null> {
  if (sandbox.image !== undefined) return inside === null ? `${program} is not in the image ${sandbox.image}.` : null
  const { path, home } = readEnvironment(terminal.env)
  const outside = await find(path, program)
  if (inside === outside) return null
  if (outside === null) return inside === null ? `${program} is not installed.` : null
  const instead = inside === null ? 'do not see it' : `use ${inside} instead`
  const folders = await foldersOf(outside, { home, rustup: terminal.env.RUSTUP_HOME })
  const missing = folders.filter((folder) => !user.sandbox.read_only_paths.includes(folder))
  if (missing.length === 0) return inside === null ? `${program} is ${outside}, but sandboxes do not find it.` : null
  const list = JSON.stringify([...user.sandbox.read_only_paths, ...missing])
  return `${program} is ${outside}, and sandboxes ${instead}. To show it to them, put into ${user.file}: "sandbox": { "read_only_paths": ${list} }`
}

async function find(path: string, program: string): Promise<string | null> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, program)
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file
  }
  return null
}

interface Homes {
  readonly home: string
  readonly rustup: string | undefined
}

/** The folders that a program needs, as far as they are not the system's; never a whole home, and of cargo's not the keys in it. */
async function foldersOf(file: string, { home, rustup = join(home, '.rustup') }: Homes): Promise<readonly string[]> {
  const cargo = /^.*\/\.cargo\/bin(?=\/)/.exec(file)?.[0]
  if (cargo !== undefined) return [cargo, rustup]
  const places = [file, await realpath(file)].filter((path) => !/^\/(?:usr|s?bin|lib\w*)\//.test(path))
  return [...new Set(places.map((path) => topFolder(path, home)))]
}

/** `~/.nvm` of `~/.nvm/versions/node/…`, `/opt/node` of `/opt/node/bin/node`; `~/.local` is too much. */
function topFolder(path: string, home: string): string {
  const base = path.startsWith(`${home}/`) ? home : ''
  const parts = path.slice(base.length + 1).split('/')
  const depth = base === '' ? 2 : parts[0] === '.local' ? (parts[1] === 'share' ? 3 : 2) : 1
  return [base, ...parts.slice(0, Math.min(depth, parts.length - 1))].join('/')
}
