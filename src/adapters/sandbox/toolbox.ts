import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { scripts, shipped } from '../../processes/installation.ts'
import type { ResolvedPlainMount } from './mounts.ts'

/**
 * The tools of a session as seen inside: this very Node, so that the system's need not be new, its
 * runner and ripgrep.
 */
export const toolbox = {
  node: '/.drydock/node',
  runner: `/.drydock/runner/${basename(scripts.runner)}`,
  ripgrep: '/.drydock/rg',
} as const

export async function toolboxMounts(): Promise<readonly ResolvedPlainMount[]> {
  return [
    { source: await realpath(process.execPath), at: toolbox.node, access: 'read' },
    { source: await realpath(dirname(scripts.runner)), at: '/.drydock/runner', access: 'read' },
    // Says that the runner is made of modules.
    { source: await realpath(shipped('package.json')), at: '/.drydock/package.json', access: 'read' },
    { source: await realpath(rgPath), at: toolbox.ripgrep, access: 'read' },
  ]
}
