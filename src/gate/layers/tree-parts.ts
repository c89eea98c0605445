import { posix } from 'node:path'
import type { Layer } from '../../ports/artifacts.ts'
import type { Mount } from '../../ports/sandbox.ts'
import type { WorkTrees } from '../../ports/work-trees.ts'
import { insidePath } from '../inside.ts'
import type { DependencyLayers, LayerQuery } from './dependency-layers.ts'

/**
 * The folders that a commit needs in addition to its own files. Each is mounted over an empty
 * folder of the checkout or workspace.
 */
export interface TreeParts {
  readonly layers: readonly Layer[]
  readonly submodules: readonly { readonly path: string; readonly folder: string }[]
}

export interface KnownTreeParts {
  /** The present parts for a commit; layers that a change failed to make are those of its base. */
  of(wanted: LayerQuery, signal: AbortSignal): Promise<TreeParts>
}

interface Deps {
  readonly workTrees: WorkTrees
  readonly layers: DependencyLayers
}

/** More commits than are in use at once. */
const mostKnown = 100

/** Results are cached by commit, since every call of an agent asks. */
export function createTreeParts(deps: Deps): KnownTreeParts {
  const known = new Map<string, TreeParts>()
  return {
    async of(wanted, signal) {
      const key = JSON.stringify([
        wanted.commit,
        wanted.base,
        wanted.config.prepare,
        wanted.config.package,
        wanted.config.repository,
      ])
      const found = known.get(key)
      if (found) return found
      const [layers, submodules] = await Promise.all([deps.layers.existing(wanted), submodulesOf(deps, wanted, signal)])
      if (known.size >= mostKnown) known.clear()
      // Missing layers may be made in the meantime, so an incomplete result is not cached.
      if (layers.length === wanted.config.prepare.length) known.set(key, { layers, submodules })
      return { layers, submodules }
    },
  }
}

/**
 * The submodules that the user has checked out; any other folder stays empty, as in a clone that is
 * not recursive.
 */
export async function submodulesOf(
  { workTrees }: Pick<Deps, 'workTrees'>,
  { commit }: Pick<LayerQuery, 'commit'>,
  signal: AbortSignal,
): Promise<TreeParts['submodules']> {
  const found = await workTrees.submodules(commit, signal)
  return found.flatMap(({ path, folder }) => (folder === null ? [] : [{ path, folder }]))
}

/** The folders that parts are mounted on, by their path in the repository. */
export function mountPoints({ layers, submodules }: TreeParts): readonly string[] {
  return [...submodules.map(({ path }) => path), ...layers.flatMap(({ outputs }) => outputs)]
}

/**
 * Mounts of the parts whose folders are among `points`, and their folders that tools may write to.
 * Files that a prepare step has left in such a folder appear in it, and stay unchanged.
 */
export function partMounts(
  { layers, submodules }: TreeParts,
  points: readonly string[],
): { readonly mounts: readonly Mount[]; readonly scratch: readonly string[] } {
  const usable = new Set(points)
  const parts = layers.flatMap(({ folder, outputs, scratch, filled = [] }) => {
    const own = outputs.filter((path) => usable.has(path))
    const isOwn = (path: string) => own.some((output) => path.startsWith(`${output}/`))
    const left = filled.filter(isOwn)
    return {
      outputs: [...own, ...left].map((path) => ({ path, folder: `${folder}/${path}` })),
      scratch: [...scratch.filter(isOwn), ...new Set(left.map((path) => posix.dirname(path)))],
    }
  })
  const shown = [...submodules.filter(({ path }) => usable.has(path)), ...parts.flatMap(({ outputs }) => outputs)]
  return {
    mounts: shown.map(({ path, folder }) => ({ path: folder, at: insidePath(path), access: 'read' })),
    scratch: parts.flatMap((part) => part.scratch.map((folder) => insidePath(folder))),
  }
}
