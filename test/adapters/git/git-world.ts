import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createGitPorts, type GitPorts } from '../../../src/adapters/git/git-ports.ts'

/**
 * A user's repository with one commit, a state directory, and the ports of git made from the two.
 */
export interface World extends GitPorts {
  readonly top: string
  readonly repository: string
  readonly state: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** The same ports once more, as another process has them. */
  another(): GitPorts
  /** The user's git, in the repository; returns stdout without the last newline. */
  git(...args: string[]): string
  gitIn(directory: string, ...args: string[]): string
  /** Commits everything in the repository; returns the commit. */
  commitAll(message?: string): string
  close(): void
}

export const at = new Date('2026-11-03T10:00:00Z')

export function makeWorld(
  files: Readonly<Record<string, string>> = { 'README.md': 'one\n' },
  init: string[] = [],
): World {
  // A space and letters beyond ASCII, as in many a home directory.
  const top = mkdtempSync(join(tmpdir(), 'drydock gït '))
  const repository = join(top, 'my répo')
  const state = join(top, 'state of it')
  const environment = {
    PATH: process.env.PATH,
    HOME: top,
    GIT_CONFIG_GLOBAL: join(top, 'user.config'),
    GIT_CONFIG_NOSYSTEM: '1',
  }
  writeFileSync(environment.GIT_CONFIG_GLOBAL, '[user]\n\tname = A User\n\temail = user@localhost\n')
  const gitIn = (directory: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .replace(/\n$/, '')
  const git = (...args: string[]) => gitIn(repository, ...args)
  mkdirSync(repository)
  git('init', '--quiet', '--initial-branch=main', ...init)
  writeFiles(repository, files)
  const commitAll = (message = 'a commit') => {
    git('add', '--all')
    git('-c', 'maintenance.auto=false', 'commit', '--quiet', '--allow-empty', '--message', message)
    return git('rev-parse', 'HEAD')
  }
  if (Object.keys(files).length > 0) commitAll()
  return {
    top,
    repository,
    state,
    environment,
    ...createGitPorts({ repository, state, environment }),
    another: () => createGitPorts({ repository, state, environment }),
    signal: new AbortController().signal,
    git,
    gitIn,
    commitAll,
    close: () => {
      execFileSync('chmod', ['-R', 'u+rwX', top])
      rmSync(top, { recursive: true, force: true })
    },
  }
}

/**
 * A world whose slots are ready: the mirror is up to date and each slot is prepared for the tip,
 * which is returned.
 */
export async function makeReadyWorld(
  files?: Readonly<Record<string, string>>,
  slots: readonly string[] = ['coder-001'],
) {
  return readyIn(makeWorld(files), slots)
}

/** The same in a world that is there. */
export async function readyIn(world: World, slots: readonly string[] = ['coder-001']) {
  await world.workTrees.initialize(slots)
  await world.userRepository.updateMirror(world.signal)
  const { sha: tip } = await world.userRepository.target(null)
  for (const slot of slots) await world.workTrees.prepare({ slot, tip }, world.signal)
  const workspace = world.workTrees.path('coder-001')
  const snapshot = (ref = 'refs/drydock/story/1', last: string | null = null, parent = tip) =>
    world.workTrees.snapshot(
      { slot: 'coder-001', parents: [parent], ref, last, message: 'a snapshot', at },
      world.signal,
    )
  return { ...world, tip, workspace, snapshot }
}

export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
}

/** Everything in a directory but its `.git`: type, permissions and content by path. */
export function listing(directory: string): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (folder: Buffer, prefix: string) => {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), name])
      const shown = prefix + name.toString('latin1')
      if (shown === '.git') continue
      const stats = lstatSync(path)
      const mode = (stats.mode & 0o7777).toString(8)
      if (stats.isDirectory()) {
        found[`${shown}/`] = mode
        visit(path, `${shown}/`)
      } else if (stats.isSymbolicLink()) found[shown] = `link to ${readlinkSync(path)}`
      else if (stats.isFile()) found[shown] = `${mode} ${stats.nlink} ${readFileSync(path).toString('base64')}`
      else found[shown] = 'special'
    }
  }
  visit(Buffer.from(directory), '')
  return found
}

/** Changes whenever the file is written or replaced. */
export function identity(path: string): { inode: bigint; changed: bigint } {
  const { ino, ctimeNs } = lstatSync(path, { bigint: true })
  return { inode: ino, changed: ctimeNs }
}
