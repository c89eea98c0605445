import type { AcceptanceTests, StoryTests } from '../domain/acceptance/acceptance-tests.ts'
import { limits } from '../domain/limits.ts'
import type { RunConfig, VerificationStep } from '../domain/run/run-config.ts'
import { mayWrite, writesOf } from '../domain/run/step-writes.ts'
import type { TriedTree } from '../domain/verification/assurance.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import type { History } from '../ports/history.ts'
import type { Mount, SandboxSpec } from '../ports/sandbox.ts'
import type { WorkTrees } from '../ports/work-trees.ts'
import { insideArtifacts, insidePath, insideRepository } from './inside.ts'
import type { MakingInput } from './layers/dependency-layers.ts'
import { mountPoints, partMounts, submodulesOf, type TreeParts } from './layers/tree-parts.ts'
import { stepEnvironment } from './step-environment.ts'
import { serviceEnvironment } from './step-services.ts'

export interface VerifyInput {
  readonly runId: string
  /** The exact commit, in the mirror. */
  readonly commit: string
  readonly base: string
  readonly isFromStart: MakingInput['isFromStart']
  /** Name of the checkout, used by one verification at a time. */
  readonly checkout: string
  /** Configuration of the base commit, never of the commit under test. */
  readonly config: RunConfig
  readonly onPrepare: MakingInput['onStep']
  /** Called after the steps of each further tree, with its name and time. */
  readonly onTree?: (ran: TriedTree) => void
  /**
   * The purpose of the result: a change that is reviewed or handed over next, one slice of it, a
   * merge, or nothing else.
   */
  readonly purpose: 'change' | 'slice' | 'merge' | 'alone'
  /** True if the plan says that no behaviour changes, and its reviewer has agreed. */
  readonly refactor: boolean
  /** ISO 8601; time of the request. */
  readonly at: string
  /** Hidden tests that a person has supplied, which run after green steps. */
  readonly acceptance?: AcceptanceTests | null
  /** Hidden tests of the story's criteria, which run after those. */
  readonly criteria?: StoryTests | null
}

/** The place where the steps of one verification run. */
export interface VerificationPlace {
  /** The sandbox of steps that may write, if there are any. */
  readonly spec: SandboxSpec
  /** The sandbox of a step at this time. */
  specFor(step: VerificationStep): Promise<SandboxSpec>
  /** An obstacle for the steps that is the commit's fault; otherwise null. */
  readonly obstacle: string | null
}

type Deps = { readonly history: History; readonly workTrees: WorkTrees }

/**
 * Prepares the commit with its dependencies for the steps: clean, and read-only or under an
 * overlay.
 */
export async function preparePlace(
  deps: Deps,
  {
    input,
    folder,
    layers,
    over = null,
  }: {
    readonly input: VerifyInput
    readonly folder: RunFolder
    readonly layers: TreeParts['layers']
    /** A folder whose files replace those of the commit. */
    readonly over?: string | null
  },
  signal: AbortSignal,
): Promise<VerificationPlace> {
  const { config, commit } = input
  const [submodules, checkout] = await Promise.all([
    submodulesOf(deps, { commit }, signal),
    deps.workTrees.checkout(input.checkout, commit, signal),
  ])
  const parts = { layers, submodules, over: over === null ? [] : [over] }
  const wanted = mountPoints(parts)
  const points = await deps.workTrees.makeMountPoints(checkout, wanted)
  const isOverlaid = mayWrite(config)
  const taken = wanted.find((path) => !points.includes(path))
  const showing = (tree: ShownTree): SandboxSpec => ({
    mounts: [
      ...config.sandbox.readOnlyPaths.map((path): Mount => ({ path, access: 'read' })),
      ...tree.mounts,
      ...shownArtifacts(folder),
    ],
    scratch: tree.scratch,
    cwd: insidePath(config.package),
    // Drydock's own variables come last, so that they win.
    env: { ...cacheOfModules(tree.scratch, config), ...serviceEnvironment(config), ...stepEnvironment },
    limits: limits.sandbox,
  })
  const spec = showing(
    isOverlaid ? overlaid(checkout, folder, parts) : readOnly(checkout, folder, { ...parts, points }),
  )
  return {
    spec,
    obstacle: obstacle(taken, config.package, await isFolder(deps, input)),
    async specFor(step) {
      if (!isOverlaid || writesOf(config, step) === 'overlay') return spec
      return showing(await afterOverlay(checkout, folder, parts))
    },
  }
}

interface ShownTree {
  readonly mounts: readonly Mount[]
  /** Folders inside that are fresh for each step. */
  readonly scratch: readonly string[]
}

/** The folder at one path in each run, whatever the run's id is. */
function shownArtifacts({ path, mounts }: RunFolder): readonly Mount[] {
  const inside = (at: string) => `${insideArtifacts}${at.slice(path.length)}`
  return mounts.map((mount) =>
    mount.access === 'overlay' ? { ...mount, at: inside(mount.at) } : { ...mount, at: inside(mount.path) },
  )
}

interface ShownParts extends TreeParts {
  /** Folders whose files replace those of the commit. */
  readonly over: readonly string[]
}

function readOnly(
  checkout: string,
  folder: RunFolder,
  { over, points, ...parts }: ShownParts & { readonly points: readonly string[] },
): ShownTree {
  const { mounts, scratch } = partMounts(parts, points)
  const at = insideRepository
  const tree: Mount =
    over.length === 0
      ? { path: checkout, at, access: 'read' }
      : { at, access: 'overlay', isReadOnly: true, lower: [...over, checkout], upper: folder.overlay }
  return { mounts: [tree, ...mounts], scratch }
}

/**
 * Some tools check that `node_modules` itself is writable before they write into its `.cache`. That
 * folder is empty for each step, so no result gets from one to another.
 */
function cacheOfModules(scratch: readonly string[], { package: folder }: RunConfig): Readonly<Record<string, string>> {
  const places = [folder, ''].map((each) => insidePath(`${each}/node_modules/.cache`))
  const place = places.find((each) => scratch.includes(each))
  return place === undefined ? {} : { CACHE_DIR: place }
}

/**
 * The layers lie below the checkout's own overlay, so that a tool can write into installed files as
 * into a copy of its own.
 */
function overlaid(checkout: string, folder: RunFolder, { layers, submodules, over }: ShownParts): ShownTree {
  const lower = [...over, ...layers.map((layer) => layer.folder).reverse(), checkout]
  const tree: Mount = { at: insideRepository, access: 'overlay', lower, upper: folder.overlay }
  const paths = submodules.map(({ path }) => path)
  return { mounts: [tree, ...partMounts({ layers: [], submodules }, paths).mounts], scratch: [] }
}

/**
 * Files of earlier steps are present and unchanged, such as a build under test. Tools have the same
 * fresh folders as without an overlay, where these still exist.
 */
async function afterOverlay(checkout: string, folder: RunFolder, parts: ShownParts): Promise<ShownTree> {
  const tree = overlaid(checkout, folder, parts)
  const installed = { layers: parts.layers, submodules: [] }
  const { mounts, scratch } = partMounts(installed, mountPoints(installed))
  const left = await folder.foldersLeft(scratch.map((path) => path.slice(insideRepository.length + 1)))
  const fresh = left.map(insidePath)
  const isWithin = ({ at = '' }: Mount) => fresh.some((path) => at.startsWith(`${path}/`))
  return {
    mounts: [
      ...tree.mounts.map((mount) => (mount.access === 'overlay' ? { ...mount, isReadOnly: true } : mount)),
      ...mounts.filter(isWithin),
    ],
    scratch: fresh,
  }
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
