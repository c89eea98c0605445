import { execFileSync } from 'node:child_process'
import {
  cpSync,
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
import { basename, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createGitPorts, type GitPorts } from '../../../src/adapters/git/git-ports.ts'
import { layoutOf } from '../../../src/adapters/git/layout.ts'
import { writeOwnConfig } from '../../../src/adapters/git/own-config.ts'

/** A user's repository with one commit, a state directory, and the git ports for both. */
export interface World extends GitPorts {
  readonly top: string
  readonly repository: string
  readonly state: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** The ports of another process for the same state. */
  another(): GitPorts
  /** Runs the user's git in the repository; returns stdout without the last newline. */
  git(...args: string[]): string
  gitIn(directory: string, ...args: string[]): string
  /** Commits everything in the repository; returns the commit. */
  commitAll(message?: string): string
  close(): void
}

export const at = new Date('2026-11-03T10:00:00Z')

/** Repositories by their contents, copied for each world, since a copy needs no git process. */
const templates = new Map<string, string>()
let templatesMade = 0
let templatesFolder: string | null = null

function templateOf(key: string, make: (folder: string) => void): string {
  const known = templates.get(key)
  if (known !== undefined) return known
  if (templatesFolder === null) {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-git-templates-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    templatesFolder = folder
  }
  // A template may be made from another one, which gets the next number.
  templatesMade += 1
  const folder = join(templatesFolder, String(templatesMade))
  mkdirSync(folder)
  make(folder)
  templates.set(key, folder)
  return folder
}

export function makeWorld(
  files: Readonly<Record<string, string>> = { 'README.md': 'one\n' },
  init: string[] = [],
): World {
  const template = templateOf(JSON.stringify([files, init]), (folder) => {
    const { gitIn, commitIn } = gitOf(folder)
    gitIn(folder, 'init', '--quiet', '--initial-branch=main', '--template=', ...init, repositoryName)
    const repository = join(folder, repositoryName)
    mkdirSync(join(repository, '.git/hooks'))
    writeFiles(repository, files)
    if (Object.keys(files).length > 0) commitIn(repository, 'a commit')
  })
  return copyOf(template)
}

// A space and letters outside ASCII, as in many home directories.
const repositoryName = 'my répo'

/** Git of a user whose home is this folder. */
function gitOf(top: string) {
  const environment = {
    PATH: process.env.PATH,
    HOME: top,
    GIT_CONFIG_GLOBAL: join(top, 'user.config'),
    GIT_CONFIG_NOSYSTEM: '1',
    // Fixed dates, so that commits are identical each time.
    GIT_AUTHOR_DATE: at.toISOString(),
    GIT_COMMITTER_DATE: at.toISOString(),
  }
  writeFileSync(environment.GIT_CONFIG_GLOBAL, '[user]\n\tname = A User\n\temail = user@localhost\n')
  const gitIn = (directory: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .replace(/\n$/, '')
  const commitIn = (directory: string, message: string) => {
    gitIn(directory, 'add', '--all')
    gitIn(directory, '-c', 'maintenance.auto=false', 'commit', '--quiet', '--allow-empty', '--message', message)
  }
  return { environment, gitIn, commitIn }
}

/**
 * `build` makes the first of these worlds, and the others are copies. Their git directories may
 * contain absolute paths.
 */
export function makeBuiltWorld(name: string, build: (world: World) => void): World {
  const template = templateOf(name, (folder) => {
    const world = makeWorld()
    build(copyOf(world.top, folder))
    world.close()
  })
  const world = copyOf(template)
  const files = readdirSync(world.top, { recursive: true, encoding: 'utf8' })
  for (const place of files.filter((path) => basename(path) === 'config').map((path) => join(world.top, path))) {
    const text = readFileSync(place, 'utf8')
    if (text.includes(template)) writeFileSync(place, text.replaceAll(template, world.top))
  }
  return world
}

function copyOf(template: string, top = mkdtempSync(join(tmpdir(), 'drydock gït '))): World {
  cpSync(template, top, { recursive: true, verbatimSymlinks: true })
  const [repository, state] = [join(top, repositoryName), join(top, 'state of it')]
  const { environment, gitIn, commitIn } = gitOf(top)
  return {
    top,
    repository,
    state,
    environment,
    gitIn,
    ...createGitPorts({ repository, state, environment }),
    another: () => createGitPorts({ repository, state, environment }),
    signal: new AbortController().signal,
    git: (...args) => gitIn(repository, ...args),
    commitAll(message = 'a commit') {
      commitIn(repository, message)
      return gitIn(repository, 'rev-parse', 'HEAD')
    },
    close: () => {
      try {
        rmSync(top, { recursive: true, force: true })
      } catch {
        // A test may have made a folder unreadable.
        execFileSync('chmod', ['-R', 'u+rwX', top])
        rmSync(top, { recursive: true, force: true })
      }
    },
  }
}

const readyTemplates = new Map<string, Promise<{ readonly folder: string; readonly tip: string }>>()

/**
 * A world with ready slots: the mirror is up to date and each slot is prepared for the tip, which
 * is returned. Copied from an earlier one, as another process would find it.
 */
export async function makeReadyWorld(
  files?: Readonly<Record<string, string>>,
  slots: readonly string[] = ['coder-001'],
) {
  const key = JSON.stringify(['ready', files, slots])
  const template = readyTemplates.get(key) ?? readyTemplate(key, files, slots)
  readyTemplates.set(key, template)
  const { folder, tip } = await template
  const world = copyOf(folder)
  await writeOwnConfig(layoutOf(world.state))
  return withSlots(world, tip)
}

async function readyTemplate(
  key: string,
  files: Readonly<Record<string, string>> | undefined,
  slots: readonly string[],
) {
  const made = await readyIn(makeWorld(files), slots)
  const folder = templateOf(key, (place) => cpSync(made.top, place, { recursive: true, verbatimSymlinks: true }))
  made.close()
  return { folder, tip: made.tip }
}

/** Makes the slots of an existing world ready. */
export async function readyIn(world: World, slots: readonly string[] = ['coder-001']) {
  await world.workTrees.initialize(slots)
  await world.userRepository.updateMirror(world.signal)
  const { sha: tip } = await world.userRepository.target(null)
  for (const slot of slots) await world.workTrees.prepare({ slot, tip }, world.signal)
  return withSlots(world, tip)
}

function withSlots(world: World, tip: string) {
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

/** Everything in a directory except its `.git`: type, permissions and content by path. */
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

/** A value that changes whenever the file is written or replaced. */
export function identity(path: string): { inode: bigint; changed: bigint } {
  const { ino, ctimeNs } = lstatSync(path, { bigint: true })
  return { inode: ino, changed: ctimeNs }
}

/** A world that is closed with its test. */
export function worldOfTest(...args: Parameters<typeof makeWorld>): World {
  const world = makeWorld(...args)
  onTestFinished(() => world.close())
  return world
}
