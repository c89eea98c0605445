import { posix } from 'node:path'
import { type PrepareStep, type Project, within } from './project.ts'

export interface Above {
  readonly root: Project
  /** The relative path from the package to the root, such as `../..`. */
  readonly up: string
}

/**
 * The nearest folder above a package whose workspace contains the package, within the repository.
 * `holds` receives the package's path relative to that folder.
 */
export function workspaceAbove({ inside }: Project, holds: (root: Project, member: string) => boolean): Above | null {
  if (inside === undefined) return null
  const parts = inside.folder.split('/')
  for (let depth = parts.length - 1; depth >= 0; depth -= 1) {
    const root = depth === 0 ? inside.repository : within(inside.repository, parts.slice(0, depth).join('/'))
    const member = parts.slice(depth).join('/')
    if (holds(root, member)) return { root, up: posix.relative(member, '') }
  }
  return null
}

/** A step of the workspace with its paths relative to one of its packages. */
export function preparedAbove(prepare: PrepareStep, up: string): PrepareStep {
  const moved = (paths: readonly string[] = []) => paths.map((path) => posix.join(up, path))
  return {
    ...prepare,
    command: `cd ${up} && ${prepare.command}`,
    inputs: moved(prepare.inputs),
    outputs: moved(prepare.outputs),
  }
}
