import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { scripts, shipped } from '../../processes/installation.ts'
import type { ResolvedPlainMount } from './mounts.ts'

const node = '/.drydock/node'

/**
 * The tools of a session by their paths inside: this very Node, so that the system's own may be
 * old, the runner and ripgrep.
 */
export const toolbox = {
  node,
  /**
   * The options make Node collect garbage early and on one thread, since the runner keeps little
   * data.
   */
  runner: [node, '--max-semi-space-size=1', '--v8-pool-size=1', `/.drydock/runner/${basename(scripts.runner)}`],
  ripgrep: '/.drydock/rg',
} as const

export async function toolboxMounts(): Promise<readonly ResolvedPlainMount[]> {
  return [
    { source: await realpath(process.execPath), at: node, access: 'read' },
    { source: await realpath(dirname(scripts.runner)), at: '/.drydock/runner', access: 'read' },
    // Tells Node that the runner consists of ES modules.
    { source: await realpath(shipped('package.json')), at: '/.drydock/package.json', access: 'read' },
    { source: await realpath(rgPath), at: toolbox.ripgrep, access: 'read' },
  ]
}
