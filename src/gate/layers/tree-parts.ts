import { posix } from 'node:path'
import type { Layer } from '../../ports/artifacts.ts'
import type { Mount } from '../../ports/sandbox.ts'
import type { WorkTrees } from '../../ports/work-trees.ts'
import { insidePath } from '../inside.ts'
import type { DependencyLayers, Wanted } from './dependency-layers.ts'

/**
 * The folders that a commit needs beside its own files. They are shown over empty folders of its
 * checkout or workspace.
 */
export interface TreeParts {
  readonly layers: readonly Layer[]
  readonly submodules: readonly { readonly path: string; readonly folder: string }[]
}

export interface KnownTreeParts {
  /** What there is for a commit now; layers that a change failed to make are those of its base. */
  of(wanted: Wanted, signal: AbortSignal): Promise<TreeParts>
}

interface Deps {
  readonly workTrees: WorkTrees
  readonly layers: DependencyLayers
}

/** As many commits as are worked on at once. */
const mostKnown = 100

/** Looked for once for a commit: an agent's every call asks. */
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
      // What is missing may be made meanwhile.
      if (layers.length === wanted.config.prepare.length) known.set(key, { layers, submodules })
      return { layers, submodules }
    },
  }
}

/**
 * Those that the user has checked out; the folder of any other stays empty, as in a clone that is
 * not recursive.
 */
export async function submodulesOf(
  { workTrees }: Pick<Deps, 'workTrees'>,
  { commit }: Pick<Wanted, 'commit'>,
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
 * Mounts of the parts whose folders are among `points`, and the folders in them that tools may
 * write to. Files that a prepare step has left in such a folder appear in it, and stay as they are.
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
