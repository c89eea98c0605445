import { basename, dirname } from 'node:path'
import type { PlainMount } from '../../../ports/sandbox.ts'
import { scripts, shipped } from '../../../processes/installation.ts'
import { inside } from './inside/starter-protocol.ts'

/** The command that starts services in a sandbox with the mounts. */
export function starter(mode: 'beside' | 'around'): readonly string[] {
  return [`${inside}/node`, `${inside}/program/${basename(scripts.services)}`, mode]
}

export function starterMounts(): readonly PlainMount[] {
  return [
    { path: process.execPath, at: `${inside}/node`, access: 'read' },
    { path: dirname(scripts.services), at: `${inside}/program`, access: 'read' },
    // Tells Node that the program is an ES module.
    { path: shipped('package.json'), at: `${inside}/package.json`, access: 'read' },
  ]
}
