import { join } from 'node:path'
import { limits } from '../domain/limits.ts'
import type { RunConfig } from '../domain/run/run-config.ts'
import type { TriedTree } from '../domain/verification/assurance.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import type { History } from '../ports/history.ts'
import type { Mount, SandboxSpec } from '../ports/sandbox.ts'
import type { WorkTrees } from '../ports/work-trees.ts'
import { insidePath, insideRepository } from './inside.ts'
import type { MakingInput } from './layers/dependency-layers.ts'
import { mountPoints, partMounts, submodulesOf, type TreeParts } from './layers/tree-parts.ts'
import { stepEnvironment, stepTemporary } from './step-environment.ts'
import { serviceEnvironment } from './step-services.ts'

export interface VerifyInput {
  readonly runId: string
  /** The exact commit, in the mirror. */
  readonly commit: string
  readonly base: string
  readonly isFromStart: MakingInput['isFromStart']
  /** Name of the checkout, used by one verification at a time. */
  readonly checkout: string
  /** Of the base commit, never of the commit under test. */
  readonly config: RunConfig
  readonly onPrepare: MakingInput['onStep']
  /** Called after the steps of each further tree, with its name and time. */
  readonly onTree?: (ran: TriedTree) => void
  /**
   * What the answer is for: a change that is reviewed or handed over next, one slice of it, a
   * merge, or nothing but the answer.
   */
  readonly purpose: 'change' | 'slice' | 'merge' | 'alone'
  /** The plan says that no behaviour changes, and its reviewer has agreed. */
  readonly refactor: boolean
  /** ISO 8601: when it was asked for. */
  readonly at: string
}

/** Where the steps of one verification run. */
export interface VerificationPlace {
  readonly spec: SandboxSpec
  /** What stands in the way of the steps, which is the fault of the commit; else null. */
  readonly obstacle: string | null
}

type Deps = { readonly history: History; readonly workTrees: WorkTrees }

/**
 * Puts the commit, with its dependencies, where the steps will find it: clean, and read-only or
 * under a layer of its own.
 */
export async function preparePlace(
  deps: Deps,
  {
    input,
    folder,
    layers,
  }: { readonly input: VerifyInput; readonly folder: RunFolder; readonly layers: TreeParts['layers'] },
  signal: AbortSignal,
): Promise<VerificationPlace> {
  const { config, commit } = input
  const [submodules, checkout] = await Promise.all([
    submodulesOf(deps, { commit }, signal),
    deps.workTrees.checkout(input.checkout, commit, signal),
  ])
  const parts = { layers, submodules }
  const wanted = mountPoints(parts)
  const points = await deps.workTrees.makeMountPoints(checkout, wanted)
  const tree = config.writes === 'overlay' ? overlaid(checkout, folder, parts) : readOnly(checkout, parts, points)
  const taken = wanted.find((path) => !points.includes(path))
  const spec = {
    mounts: [
      ...config.sandbox.readOnlyPaths.map((path): Mount => ({ path, access: 'read' })),
      ...tree.mounts,
      ...folder.mounts,
      { path: join(folder.path, 'tmp'), at: stepTemporary, access: 'write' as const },
    ],
    scratch: tree.scratch,
    cwd: insidePath(config.package),
    // What Drydock sets itself holds.
    env: { ...cacheOfModules(tree.scratch, config), ...serviceEnvironment(config), ...stepEnvironment(folder.path) },
    limits: limits.sandbox,
  }
  return { spec, obstacle: obstacle(taken, config.package, await isFolder(deps, input)) }
}

function readOnly(checkout: string, parts: TreeParts, points: readonly string[]) {
  const { mounts, scratch } = partMounts(parts, points)
  const tree: Mount = { path: checkout, at: insideRepository, access: 'read' }
  return { mounts: [tree, ...mounts], scratch }
}

/**
 * Tools look whether they may write into `node_modules` itself before they write into its `.cache`.
 * That folder is empty for each step, so no result gets from one to another.
 */
function cacheOfModules(scratch: readonly string[], { package: folder }: RunConfig): Readonly<Record<string, string>> {
  const places = [folder, ''].map((each) => insidePath(`${each}/node_modules/.cache`))
  const place = places.find((each) => scratch.includes(each))
  return place === undefined ? {} : { CACHE_DIR: place }
}

/**
 * The layers lie below the checkout's own overlay, so that a tool can write into what was installed
 * as in a copy of its own.
 */
function overlaid(checkout: string, folder: RunFolder, { layers, submodules }: TreeParts) {
  const lower = [...layers.map((layer) => layer.folder).reverse(), checkout]
  const tree: Mount = { at: insideRepository, access: 'overlay', lower, upper: folder.overlay }
  const paths = submodules.map(({ path }) => path)
  return { mounts: [tree, ...partMounts({ layers: [], submodules }, paths).mounts], scratch: [] }
}

function obstacle(taken: string | undefined, folder: string, isThere: boolean): string | null {
  if (taken !== undefined) return `${taken} is not a folder in this commit, so nothing can be mounted there`
  return isThere ? null : `verification.package is ${folder}, which is not a folder of this commit`
}

async function isFolder({ history }: Deps, { commit, config }: VerifyInput): Promise<boolean> {
  if (config.package === '') return true
  const found = await history.contents(commit, [config.package])
  return found[config.package]?.startsWith('040000 ') === true
}
