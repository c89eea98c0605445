import { createHash } from 'node:crypto'
import type { PrepareStep, RunConfig } from '../../domain/run/run-config.ts'
import type { History } from '../../ports/history.ts'
import type { Sandbox } from '../../ports/sandbox.ts'
import { InfraFailure } from '../infra-failure.ts'

/**
 * The name of the layer of each prepare step of a commit. Equal commands, inputs and platforms over
 * equal layers give an equal name. Inputs are identified by git's ids of their content.
 */
export async function layerKeys(
  { history, sandbox }: { readonly history: History; readonly sandbox: Sandbox },
  { prepare, package: folder, repository, sandbox: { readOnlyPaths } }: RunConfig,
  commit: string,
): Promise<readonly string[]> {
  if (prepare.length === 0) return []
  const image = await sandbox.image()
  if (!image.ok) throw new InfraFailure(image.error)
  const { os, arch } = sandbox.platform
  const where = [
    os,
    arch,
    sandbox.name,
    image.value?.id ?? null,
    folder,
    readOnlyPaths,
    ...(repository === undefined ? [] : [repository]),
  ]
  const keys: string[] = []
  for (const step of prepare) {
    const inputs = await history.contents(commit, step.inputs)
    keys.push(digest(['layer 1', ...where, whatItDoes(step), Object.entries(inputs), keys.at(-1) ?? null]))
  }
  return keys
}

/** The name of a layer that only the tree in which it was made may use. */
export function ownKey(key: string, tree: string): string {
  return digest([key, tree])
}

function whatItDoes({ command, outputs, network }: PrepareStep) {
  return [command, outputs, network]
}

function digest(value: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
}
