import { onTestFinished } from 'vitest'
import { at, type Files, type GitWorld } from './git-world.ts'
import { createMemoryGitWorld } from './memory-git-world.ts'
import { createReadyRealGitWorld, createRealGitWorld } from './real-git-world.ts'
import { createWorkerGitWorld } from './worker-git-world.ts'

export interface Git {
  readonly name: string
  make(files: Files): Promise<GitWorld>
  /** Makes a ready world, if that is cheaper than preparing one. */
  makeReady?(files: Files): Promise<{ readonly world: GitWorld; readonly tip: string }>
}

/** Implementations for a single machine: the adapter, and git in memory. */
export const gits: readonly Git[] = [
  { name: 'git', make: createRealGitWorld, makeReady: createReadyRealGitWorld },
  { name: 'git in memory', make: createMemoryGitWorld },
]

/** Real git with a worker's history and work trees. */
export const gitOfWorker: Git = { name: 'git of a worker', make: createWorkerGitWorld }

const someFiles: Files = { 'README.md': 'one\n' }

/** A world that is closed with the test. */
export async function worldOf(git: Git, files = someFiles): Promise<GitWorld> {
  const made = await git.make(files)
  onTestFinished(() => made.close())
  return made
}

/** A world whose mirror is up to date and whose slot is prepared for the tip. */
export interface ReadyWorld extends GitWorld {
  readonly tip: string
  readonly workspace: string
  /** Takes a snapshot of the workspace, which must not be refused. */
  snapshot(ref?: string, parents?: readonly string[], last?: string | null): Promise<{ sha: string; tree: string }>
  /** Writes into the workspace and takes a snapshot. */
  change(files: Files, ref?: string, parents?: readonly string[]): Promise<string>
}

/** A ReadyWorld that is closed with the test. */
export async function readyOf(git: Git, files = someFiles): Promise<ReadyWorld> {
  if (git.makeReady === undefined) return readyIn(await worldOf(git, files))
  const { world, tip } = await git.makeReady(files)
  onTestFinished(() => world.close())
  return withSlot(world, tip)
}

const slot = 'coder-001'

async function readyIn(world: GitWorld): Promise<ReadyWorld> {
  const { workTrees, userRepository, signal } = world
  await workTrees.initialize([slot])
  await userRepository.updateMirror(signal)
  const { sha: tip } = await userRepository.target(null)
  await workTrees.prepare({ slot, tip }, signal)
  return withSlot(world, tip)
}

function withSlot(world: GitWorld, tip: string): ReadyWorld {
  const { workTrees, signal } = world
  const workspace = workTrees.path(slot)
  const snapshot: ReadyWorld['snapshot'] = async (ref = 'refs/drydock/story/1', parents = [tip], last = null) => {
    const made = await workTrees.snapshot({ slot, parents, ref, last, message: 'a snapshot', at }, signal)
    if (!made.ok) throw new Error(made.reason)
    return made.snapshot
  }
  return {
    ...world,
    tip,
    workspace,
    snapshot,
    async change(files, ref, parents) {
      world.write(workspace, files)
      return (await snapshot(ref, parents)).sha
    },
  }
}
