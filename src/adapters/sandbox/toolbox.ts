import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { scripts, shipped } from '../../processes/installation.ts'
import type { ResolvedPlainMount } from './mounts.ts'

const node = '/.drydock/node'

/**
 * The tools of a session as seen inside: this very Node, so that the system's need not be new, its
 * runner and ripgrep.
 */
export const toolbox = {
  node,
  /** What starts it: it keeps little, so it collects its garbage early and on one thread. */
  runner: [node, '--max-semi-space-size=1', '--v8-pool-size=1', `/.drydock/runner/${basename(scripts.runner)}`],
  ripgrep: '/.drydock/rg',
} as const

export async function toolboxMounts(): Promise<readonly ResolvedPlainMount[]> {
  return [
    { source: await realpath(process.execPath), at: node, access: 'read' },
    { source: await realpath(dirname(scripts.runner)), at: '/.drydock/runner', access: 'read' },
    // Says that the runner is made of modules.
    { source: await realpath(shipped('package.json')), at: '/.drydock/package.json', access: 'read' },
    { source: await realpath(rgPath), at: toolbox.ripgrep, access: 'read' },
  ]
}
