import { realpath } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rgPath } from '@vscode/ripgrep'
import type { ResolvedMount } from './mounts.ts'

/** This file's own: the runner lies beside it and is TypeScript when this file is. */
const extension = extname(import.meta.url)

/** The tools of a session as seen inside: this very Node, so that the system's need not be new, its runner and ripgrep. */
export const toolbox = {
  node: '/.drydock/node',
  runner: `/.drydock/runner.m${extension.slice(1)}`,
  ripgrep: '/.drydock/rg',
} as const

export async function toolboxMounts(): Promise<readonly ResolvedMount[]> {
  const runner = fileURLToPath(new URL(`./runner${extension}`, import.meta.url))
  return [
    { source: await realpath(process.execPath), at: toolbox.node, access: 'read' },
    { source: await realpath(runner), at: toolbox.runner, access: 'read' },
    { source: await realpath(rgPath), at: toolbox.ripgrep, access: 'read' },
  ]
}
