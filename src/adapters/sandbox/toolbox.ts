import { realpath } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rgPath } from '@vscode/ripgrep'
import type { ResolvedPlainMount } from './mounts.ts'

/** This file's own: the runner's folder lies beside it and is TypeScript when this file is. */
const extension = extname(import.meta.url)

/**
 * The tools of a session as seen inside: this very Node, so that the system's need not be new, its
 * runner and ripgrep.
 */
export const toolbox = {
  node: '/.drydock/node',
  runner: `/.drydock/runner/main${extension}`,
  ripgrep: '/.drydock/rg',
} as const

export async function toolboxMounts(): Promise<readonly ResolvedPlainMount[]> {
  const here = (path: string) => realpath(fileURLToPath(new URL(path, import.meta.url)))
  return [
    { source: await realpath(process.execPath), at: toolbox.node, access: 'read' },
    { source: await here('./runner'), at: '/.drydock/runner', access: 'read' },
    // Says that the runner is made of modules.
    { source: await here('../../../package.json'), at: '/.drydock/package.json', access: 'read' },
    { source: await realpath(rgPath), at: toolbox.ripgrep, access: 'read' },
  ]
}
