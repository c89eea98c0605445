import { posix } from 'node:path'
import { type PrepareStep, type Project, within } from './project.ts'

export interface Above {
  readonly root: Project
  /** From the package to the root, as `../..`. */
  readonly up: string
}

/**
 * The nearest folder above a package whose workspace the package belongs to, within the repository;
 * `holds` gets the package's folder as seen from there.
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

/** A step of the workspace as a package of it writes it. */
export function preparedAbove(prepare: PrepareStep, up: string): PrepareStep {
  const moved = (paths: readonly string[] = []) => paths.map((path) => posix.join(up, path))
  return {
    ...prepare,
    command: `cd ${up} && ${prepare.command}`,
    inputs: moved(prepare.inputs),
    outputs: moved(prepare.outputs),
  }
}
